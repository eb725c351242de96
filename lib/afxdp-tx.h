/* SPDX-License-Identifier: Apache-2.0 */

/* Send: from a batch of dp_packets to the TX ring, and sent frames back from
 * the completion ring. */

#ifndef AFXDP_TX_H
#define AFXDP_TX_H 1

#include <stdbool.h>

struct afxdp_queue;
struct dp_packet_batch;

int afxdp_tx_send(struct afxdp_queue *, struct dp_packet_batch *,
                  bool concurrent);

#endif /* afxdp-tx.h */
