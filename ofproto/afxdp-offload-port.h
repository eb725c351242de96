/* SPDX-License-Identifier: Apache-2.0 */

/* Ports of type afxdp as the flow table has them: where packets come in and
 * where they go.
 *
 * A port lives as long as its netdev, and then until no flow outputs to it any
 * more: its id must not become another port's before.
 *
 * afxdp_offload_mutex protects everything here. */

#ifndef AFXDP_OFFLOAD_PORT_H
#define AFXDP_OFFLOAD_PORT_H 1

#include <stdbool.h>
#include <stdint.h>

#include "afxdp-offload-private.h"
#include "afxdp-refusal.h"
#include "afxdp-target.h"
#include "bpf/afxdp-flow.h"
#include "openvswitch/hmap.h"
#include "openvswitch/list.h"

struct afxdp_flow_maps;
struct afxdp_prog;
struct netdev;

/* A flow of a mask: what it matches, beside that of the others, as each flow
 * that is put is compared with all of them. */
struct afxdp_mask_flow {
    uint64_t words[AFXDP_FLOW_WORDS];
    struct afxdp_offload_flow *flow;
};

/* A mask that flows of a port use. */
struct afxdp_port_mask {
    uint16_t id;
    uint32_t n_refs;
    uint64_t hits;              /* Lately. */

    /* Those of its flows that are in the kernel's table, or would be but for
     * others with the same key. */
    struct afxdp_mask_flow *flows;
    size_t n_flows, allocated_flows;
};

struct afxdp_offload_port {
    struct hmap_node node;      /* By 'netdev', while that is not NULL. */
    const struct netdev *netdev;
    char *name;
    uint32_t id;                /* 0 before offload is enabled. */
    uint32_t refs;              /* 1 for the netdev, 1 for each output. */
    bool enabled;               /* Are its flows offloaded? */

    /* While it is up. */
    struct afxdp_prog *prog;    /* NULL while it is down. */
    int ifindex;
    bool generic;

    /* As a target. */
    uint64_t probe;             /* Number of the probe that told last. */
    struct afxdp_target target;
    int open[2];                /* ifindex in the map of targets, 0 if none:
                                 * for native and for generic packets. */

    /* Its flows. */
    struct ovs_list flows;      /* struct afxdp_offload_flow. */
    struct afxdp_port_mask *masks[AFXDP_MAX_PORT_MASKS];
    int n_masks;
    bool masks_changed;         /* The program does not know yet. */
};

void afxdp_offload_port_open(const struct afxdp_flow_maps *)
    OVS_REQUIRES(afxdp_offload_mutex);

struct afxdp_offload_port *afxdp_offload_port_find(const struct netdev *)
    OVS_REQUIRES(afxdp_offload_mutex);
struct afxdp_offload_port *afxdp_offload_port_next(
    const struct afxdp_offload_port *)
    OVS_REQUIRES(afxdp_offload_mutex);
struct afxdp_offload_port *afxdp_offload_port_create(const struct netdev *,
                                                     const char *name)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_port_destroy(struct afxdp_offload_port *)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_port_ref(struct afxdp_offload_port *)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_port_unref(struct afxdp_offload_port *)
    OVS_REQUIRES(afxdp_offload_mutex);

bool afxdp_offload_port_enable(struct afxdp_offload_port *)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_port_disable(struct afxdp_offload_port *)
    OVS_REQUIRES(afxdp_offload_mutex);

enum afxdp_refusal afxdp_offload_port_ref_mask(struct afxdp_offload_port *,
                                               const struct afxdp_flow_mask *,
                                               uint16_t *id)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_port_unref_mask(struct afxdp_offload_port *, uint16_t id)
    OVS_REQUIRES(afxdp_offload_mutex);
struct afxdp_port_mask *afxdp_offload_port_find_mask(
    const struct afxdp_offload_port *, uint16_t id)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_port_hit(struct afxdp_offload_port *, uint16_t mask,
                            uint64_t n)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_port_sort_masks(struct afxdp_offload_port *)
    OVS_REQUIRES(afxdp_offload_mutex);
int afxdp_offload_port_sync(struct afxdp_offload_port *)
    OVS_REQUIRES(afxdp_offload_mutex);

uint64_t afxdp_offload_port_probe_begin(void)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_port_set_target(struct afxdp_offload_port *,
                                   uint64_t probe,
                                   const struct afxdp_target *)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_port_close_target(struct afxdp_offload_port *)
    OVS_REQUIRES(afxdp_offload_mutex);

bool afxdp_offload_port_is_waiting(void)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_port_grace_begin(void)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_port_grace_end(void)
    OVS_REQUIRES(afxdp_offload_mutex);

#endif /* afxdp-offload-port.h */
