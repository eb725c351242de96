/* SPDX-License-Identifier: Apache-2.0 */

/* Counters of a port, for the columns of the database. */

#ifndef AFXDP_STATS_H
#define AFXDP_STATS_H 1

#include <stdbool.h>
#include <stdint.h>

struct afxdp_port;
struct afxdp_queue;
struct netdev_custom_stats;

/* One counter as people see it. */
struct afxdp_stat {
    const char *name;
    uint64_t value;
    bool drop;                  /* Does it count lost packets? */
};

#define AFXDP_MAX_STATS 32

int afxdp_queue_stats(const struct afxdp_queue *,
                      struct afxdp_stat[AFXDP_MAX_STATS]);
uint64_t afxdp_stats_tx_dropped(const struct afxdp_port *);
void afxdp_stats_custom(const struct afxdp_port *,
                        struct netdev_custom_stats *);

#endif /* afxdp-stats.h */
