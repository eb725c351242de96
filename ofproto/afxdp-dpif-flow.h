/* SPDX-License-Identifier: Apache-2.0 */

/* Flows of the datapath, as far as the flow API does not tell of them.  What
 * depends on the insides of Open vSwitch 3.1's dpif-netdev is here and in
 * afxdp-offload-queue.c.
 *
 * Each PMD thread that sees a megaflow has a flow of its own for it, a struct
 * dp_netdev_flow.  The flow API is given the flow's member 'mega_ufid', by its
 * address.
 *
 * dpif-netdev takes flows with the same mega_ufid, a hash of the masked
 * fields, for one, and passes only the first on.  That is not exact enough:
 *
 *   - OpenFlow's tables change while the first flow is there, a second PMD
 *     thread adds one with the new actions, and the first is deleted: the
 *     kernel would go on with the old actions until the second goes, too.
 *
 *   - The mask is not part of the hash: flows that match ttl=0 and any ttl
 *     have the same mega_ufid.
 *
 *   - Each of the flows would be told all of what the kernel counted.
 *
 * So a flow that is put gets a mega_ufid of its own, and dpif-netdev then
 * takes it for another one than those that come later. */

#ifndef AFXDP_DPIF_FLOW_H
#define AFXDP_DPIF_FLOW_H 1

#include "openvswitch/types.h"

struct dp_netdev_actions;
struct match;

void afxdp_dpif_flow_make_unique(const ovs_u128 *mega_ufid);
void afxdp_dpif_flow_match(const ovs_u128 *mega_ufid, struct match *);
const struct dp_netdev_actions *afxdp_dpif_flow_actions(
    const ovs_u128 *mega_ufid);

#endif /* afxdp-dpif-flow.h */
