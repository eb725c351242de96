/* SPDX-License-Identifier: Apache-2.0 */

/* What the XDP program counted, added up over all CPUs. */

#ifndef AFXDP_FLOW_STATS_H
#define AFXDP_FLOW_STATS_H 1

#include <stdint.h>

#include "bpf/afxdp-flow.h"

struct afxdp_flow_maps;

/* Counts of a flow, as Open vSwitch has them. */
struct afxdp_flow_counts {
    uint64_t packets;
    uint64_t bytes;
    long long int used;         /* In the clock of time_msec(), or 0. */
    uint16_t tcp_flags;         /* All seen. */
};

void afxdp_flow_stats_open(const struct afxdp_flow_maps *);

int afxdp_flow_stats_clear(uint32_t counter);
int afxdp_flow_stats_read(uint32_t counter, struct afxdp_flow_counts *);
int afxdp_flow_stats_clear_misses(uint32_t port);
int afxdp_flow_stats_read_misses(uint32_t port, struct afxdp_flow_misses *);

#endif /* afxdp-flow-stats.h */
