/* SPDX-License-Identifier: Apache-2.0 */

/* Receive: from the RX ring to a batch of dp_packets, and empty frames to the
 * fill ring.  How many frames a queue holds follows its traffic. */

#ifndef AFXDP_RX_H
#define AFXDP_RX_H 1

#include <stdint.h>

struct afxdp_queue;
struct dp_packet_batch;

/* Fewest and most frames that an idle queue holds. */
#define AFXDP_RX_IDLE_MIN 16
#define AFXDP_RX_IDLE_MAX 256

void afxdp_rx_start(struct afxdp_queue *);
int afxdp_rx_recv(struct afxdp_queue *, struct dp_packet_batch *);

void afxdp_rx_took(struct afxdp_queue *, uint32_t n);
int afxdp_rx_idle(struct afxdp_queue *);

#endif /* afxdp-rx.h */
