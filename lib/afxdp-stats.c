/* SPDX-License-Identifier: Apache-2.0 */

/* Counters of a port: see afxdp-stats.h.  The list of our own stands in
 * afxdp-queue.h, the kernel's is struct xdp_statistics. */

#include <config.h>

#include "afxdp-stats.h"

#include <stdio.h>

#include "afxdp-port.h"
#include "afxdp-queue.h"
#include "afxdp-socket.h"
#include "netdev.h"

/* Every field of struct xdp_statistics. */
#define KERNEL_COUNTERS                                                      \
    KERNEL_COUNTER(rx_dropped, true)                                         \
    KERNEL_COUNTER(rx_invalid_descs, true)                                   \
    KERNEL_COUNTER(tx_invalid_descs, true)                                   \
    KERNEL_COUNTER(rx_ring_full, true)                                       \
    KERNEL_COUNTER(rx_fill_ring_empty_descs, true)                           \
    KERNEL_COUNTER(tx_ring_empty_descs, false)

static uint64_t
read_counter(const ATOMIC(uint64_t) *counter)
{
    uint64_t value;

    atomic_read_relaxed(CONST_CAST(ATOMIC(uint64_t) *, counter), &value);
    return value;
}

/* Stores all counters of 'q', the kernel's first, in 'stats'.  Returns their
 * number. */
int
afxdp_queue_stats(const struct afxdp_queue *q,
                  struct afxdp_stat stats[AFXDP_MAX_STATS])
{
    struct xdp_statistics kernel;
    int n = 0;

    afxdp_socket_stats(q, &kernel);
#define KERNEL_COUNTER(NAME, DROP)                                           \
    stats[n++] = (struct afxdp_stat) { #NAME, kernel.NAME, DROP };
    KERNEL_COUNTERS
#undef KERNEL_COUNTER

#define AFXDP_COUNTER(NAME, DROP)                                            \
    stats[n++] = (struct afxdp_stat) {                                       \
        #NAME, read_counter(&q->rx_count.NAME), DROP };
    AFXDP_RX_COUNTERS
#undef AFXDP_COUNTER

#define AFXDP_COUNTER(NAME, DROP)                                            \
    stats[n++] = (struct afxdp_stat) {                                       \
        #NAME, read_counter(&q->tx_count.NAME), DROP };
    AFXDP_TX_COUNTERS
#undef AFXDP_COUNTER

    ovs_assert(n <= AFXDP_MAX_STATS);
    return n;
}

/* Returns the packets that were to be sent on 'port' and that we dropped. */
uint64_t
afxdp_stats_tx_dropped(const struct afxdp_port *port)
{
    uint64_t sum = 0;

    for (int i = 0; i < port->n_queues; i++) {
        const struct afxdp_tx_counters *c = &port->queues[i]->tx_count;

#define AFXDP_COUNTER(NAME, DROP) sum += DROP ? read_counter(&c->NAME) : 0;
        AFXDP_TX_COUNTERS
#undef AFXDP_COUNTER
    }
    return sum;
}

/* Stores the counters of all queues of 'port', as xsk_queue_N_NAME, in
 * '*custom', whose array the caller must free. */
void
afxdp_stats_custom(const struct afxdp_port *port,
                   struct netdev_custom_stats *custom)
{
    custom->counters = xcalloc(MAX(port->n_queues, 1) * AFXDP_MAX_STATS,
                               sizeof *custom->counters);
    custom->size = 0;
    for (int i = 0; i < port->n_queues; i++) {
        struct afxdp_stat stats[AFXDP_MAX_STATS];
        int n = afxdp_queue_stats(port->queues[i], stats);

        for (int j = 0; j < n; j++) {
            struct netdev_custom_counter *c = &custom->counters[custom->size];

            snprintf(c->name, sizeof c->name, "xsk_queue_%d_%s", i,
                     stats[j].name);
            c->value = stats[j].value;
            custom->size++;
        }
    }
}
