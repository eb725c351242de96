/* SPDX-License-Identifier: Apache-2.0 */

/* One id for each flow of the datapath.
 *
 * Each PMD thread that sees a megaflow has a flow of its own for it
 * (struct dp_netdev_flow).  dpif-netdev takes those with the same mega_ufid, a
 * hash of the masked fields, for one, and passes only the first on.  That is
 * not exact enough:
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

#ifndef AFXDP_FLOW_UFID_H
#define AFXDP_FLOW_UFID_H 1

#include "openvswitch/types.h"

void afxdp_flow_ufid_make_unique(const ovs_u128 *mega_ufid);

#endif /* afxdp-flow-ufid.h */
