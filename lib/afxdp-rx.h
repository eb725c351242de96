/* SPDX-License-Identifier: Apache-2.0 */

/* Receive: from the RX ring to a batch of dp_packets, and empty frames to the
 * fill ring.  How many frames a queue holds follows its traffic. */

#ifndef AFXDP_RX_H
#define AFXDP_RX_H 1

struct afxdp_queue;
struct dp_packet_batch;

/* Fewest frames that a queue holds, even with the most ports: the kernel's own
 * budget for a burst is 64, of which a poll every few microseconds sees a
 * part. */
#define AFXDP_RX_TARGET_MIN 16

/* Most frames that an idle queue holds. */
#define AFXDP_RX_TARGET_IDLE 256

void afxdp_rx_start(struct afxdp_queue *);
int afxdp_rx_recv(struct afxdp_queue *, struct dp_packet_batch *);

#endif /* afxdp-rx.h */
