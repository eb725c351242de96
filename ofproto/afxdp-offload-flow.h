/* SPDX-License-Identifier: Apache-2.0 */

/* Flows that dpif-netdev gave us, by the port they come in on and their
 * mega_ufid.
 *
 * A flow whose change is refused is taken out of the kernel's table, so that
 * its packets go to user space, but remembered until dpif-netdev deletes it:
 * what the kernel counted for it before is still to be told.
 *
 * afxdp_offload_mutex protects everything here. */

#ifndef AFXDP_OFFLOAD_FLOW_H
#define AFXDP_OFFLOAD_FLOW_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "afxdp-flow-claims.h"
#include "afxdp-flow-table.h"
#include "afxdp-offload-private.h"
#include "afxdp-refusal.h"
#include "bpf/afxdp-flow.h"
#include "openvswitch/hmap.h"
#include "openvswitch/list.h"
#include "openvswitch/types.h"

struct afxdp_flow_counts;
struct afxdp_offload_port;
struct afxdp_translation;

struct afxdp_offload_flow {
    struct hmap_node node;      /* By port and ufid. */
    struct ovs_list port_node;  /* In port->flows. */
    struct afxdp_offload_port *port;
    ovs_u128 ufid;

    struct afxdp_flow_mask mask;
    struct afxdp_flow_entry entry; /* As in the kernel's table, if there. */
    size_t n_outputs;
    struct afxdp_offload_port **outputs;

    bool installed;             /* Is it in the table... */
    struct afxdp_flow_place place; /* ...and where... */
    struct afxdp_offload_group *group; /* ...and does it use a group? */
    enum afxdp_refusal why_not; /* If it is not. */

    struct afxdp_flow_claims claims;
};

struct afxdp_offload_flow *afxdp_offload_flow_find(
    const struct afxdp_offload_port *, const ovs_u128 *ufid)
    OVS_REQUIRES(afxdp_offload_mutex);

enum afxdp_refusal afxdp_offload_flow_put(
    struct afxdp_offload_port *, const ovs_u128 *ufid,
    const struct afxdp_translation *,
    struct afxdp_offload_port *const *outputs)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_flow_park(struct afxdp_offload_flow *, enum afxdp_refusal)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_flow_delete(struct afxdp_offload_flow *)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_flow_flush(struct afxdp_offload_port *)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_flow_rebuild(struct afxdp_offload_port *)
    OVS_REQUIRES(afxdp_offload_mutex);

void afxdp_offload_flow_read(struct afxdp_offload_flow *,
                             const ovs_u128 *mega_ufid,
                             struct afxdp_flow_counts *)
    OVS_REQUIRES(afxdp_offload_mutex);

#endif /* afxdp-offload-flow.h */
