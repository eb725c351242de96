/* SPDX-License-Identifier: Apache-2.0 */

/* The flow table in the kernel, as user space writes it: bpf/afxdp-flow.h says
 * how it looks and what must happen in which order.
 *
 * Masks, flows and counters that are given back are used again only after a
 * grace period: see afxdp_flow_table_reclaim().
 *
 * afxdp_offload_mutex protects everything here. */

#ifndef AFXDP_FLOW_TABLE_H
#define AFXDP_FLOW_TABLE_H 1

#include <stdbool.h>
#include <stdint.h>

#include "afxdp-offload-private.h"
#include "afxdp-pool.h"
#include "afxdp-refusal.h"
#include "bpf/afxdp-flow.h"

struct afxdp_flow_maps;

/* Where a flow is in the table. */
struct afxdp_flow_place {
    uint32_t flow;              /* Number of its entry. */
    uint32_t bucket;
    uint32_t slot;              /* In the bucket. */
};

/* How full the table is. */
struct afxdp_flow_table_usage {
    uint32_t flows, masks, counters;
    uint32_t waiting;           /* Given back, not free again yet. */
};

int afxdp_flow_table_open(const struct afxdp_flow_maps *)
    OVS_REQUIRES(afxdp_offload_mutex);

bool afxdp_flow_table_ref_mask(const struct afxdp_flow_mask *, uint16_t *id)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_flow_table_unref_mask(uint16_t id)
    OVS_REQUIRES(afxdp_offload_mutex);
const struct afxdp_flow_mask *afxdp_flow_table_mask(uint16_t id)
    OVS_REQUIRES(afxdp_offload_mutex);

bool afxdp_flow_table_get_counter(uint32_t *id)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_flow_table_put_counter(uint32_t id)
    OVS_REQUIRES(afxdp_offload_mutex);

enum afxdp_refusal afxdp_flow_table_insert(const struct afxdp_flow_entry *,
                                           struct afxdp_flow_place *)
    OVS_REQUIRES(afxdp_offload_mutex);
enum afxdp_refusal afxdp_flow_table_replace(const struct afxdp_flow_entry *,
                                            struct afxdp_flow_place *)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_flow_table_remove(const struct afxdp_flow_place *)
    OVS_REQUIRES(afxdp_offload_mutex);

bool afxdp_flow_table_should_reclaim(void)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_flow_table_grace_begin(void)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_flow_table_grace_end(void)
    OVS_REQUIRES(afxdp_offload_mutex);

void afxdp_flow_table_usage(struct afxdp_flow_table_usage *)
    OVS_REQUIRES(afxdp_offload_mutex);

#endif /* afxdp-flow-table.h */
