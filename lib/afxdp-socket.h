/* SPDX-License-Identifier: Apache-2.0 */

/* The AF_XDP socket of a queue: made, bound, asked for its statistics and
 * closed. */

#ifndef AFXDP_SOCKET_H
#define AFXDP_SOCKET_H 1

#include <linux/if_xdp.h>
#include <stdbool.h>

struct afxdp_arena;
struct afxdp_queue;

struct afxdp_queue *afxdp_socket_open(struct afxdp_arena *, const char *name,
                                      int qid, bool zero_copy,
                                      bool need_wakeup, int *errorp,
                                      char **errp);
void afxdp_socket_close(struct afxdp_queue *);
int afxdp_socket_stats(const struct afxdp_queue *, struct xdp_statistics *);

#endif /* afxdp-socket.h */
