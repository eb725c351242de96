/* SPDX-License-Identifier: Apache-2.0 */

/* Flows of the datapath, and keys of the kernel's table.  Each flow has a ufid
 * of its own: see afxdp-dpif-flow.h.
 *
 *      flows, by ufid                              keys, by port, mask, words
 *    +---------------------------+                   +-----------------------+
 *    | of PMD thread 1, newest   |<------------------| flows ...             |
 *    +-------------+-------------+       first       | where in the table    |
 *                  |                                 +-----------+-----------+
 *    +-------------+-------------+                               |
 *    | of PMD thread 2           |                        the first flow's
 *    +---------------------------+                   actions and counter there
 *
 * The flows of several PMD threads may have the same key.  All packets then
 * count for the flow that was put last, as it knows best what OpenFlow's
 * tables say now; the others see none, expire and are deleted, as flows of PMD
 * threads that get no such packets are.  If the last one is deleted first, the
 * next one takes its place.
 *
 * Two flows of one port with different masks may match the same packet.  It
 * does not matter which of them it takes as long as they do the same.  But to
 * change the actions of the one, dpif-netdev looks for a flow that matches the
 * packet that one was made for, and changes the other one if it finds that
 * first, as the packet does.  The one that was not changed would go on in the
 * kernel as before.  So the flow that is put or changed takes those that
 * overlap with it out of the kernel's table.
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
    struct hmap_node node;      /* By ufid. */
    struct ovs_list port_node;  /* In port->flows. */
    struct afxdp_offload_port *port;
    ovs_u128 ufid;

    struct afxdp_flow_mask mask;
    struct afxdp_flow_entry entry; /* For the kernel's table. */
    size_t n_outputs;
    struct afxdp_offload_port **outputs;

    const void *actions;        /* struct dp_netdev_actions that 'entry' is
                                 * made of. */
    bool deleted;               /* dpif-netdev did, and will tell. */
    struct afxdp_offload_key *key; /* NULL if taken out. */
    struct ovs_list key_node;   /* In key->flows. */
    size_t mask_index;          /* Among the flows of its mask, unless taken
                                 * out. */
    struct afxdp_offload_group *group; /* If it outputs to several ports. */

    uint64_t seen;              /* Packets counted when it was last read. */
};

struct afxdp_offload_flow *afxdp_offload_flow_find(const ovs_u128 *ufid)
    OVS_REQUIRES(afxdp_offload_mutex);

enum afxdp_refusal afxdp_offload_flow_put(
    struct afxdp_offload_port *, const ovs_u128 *ufid,
    const struct afxdp_translation *,
    struct afxdp_offload_port *const *outputs)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_flow_take_out(struct afxdp_offload_flow *)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_flow_delete(struct afxdp_offload_flow *)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_flow_flush(struct afxdp_offload_port *)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_flow_rebuild(struct afxdp_offload_port *)
    OVS_REQUIRES(afxdp_offload_mutex);

int afxdp_offload_flow_read(struct afxdp_offload_flow *,
                            struct afxdp_flow_counts *)
    OVS_REQUIRES(afxdp_offload_mutex);

#endif /* afxdp-offload-flow.h */
