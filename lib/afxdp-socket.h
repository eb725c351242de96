/* SPDX-License-Identifier: Apache-2.0 */

/* The AF_XDP socket of a queue: made, bound, asked for its statistics and
 * closed. */

#ifndef AFXDP_SOCKET_H
#define AFXDP_SOCKET_H 1

#include <linux/if_xdp.h>
#include <stdbool.h>

#include "afxdp-raw.h"

struct afxdp_arena;
struct afxdp_queue;

struct afxdp_socket_options {
    bool zero_copy;             /* Must the driver use the frames itself?
                                 * Otherwise packets are copied. */
    bool need_wakeup;           /* Kick only when the kernel asks for it? */
    bool skip_bpf;              /* Do without an XDP program... */
    bool generic;               /* ...and take packets after the driver? */
    bool long_packets;          /* Receive packets of several frames?  EINVAL
                                 * on Linux before 6.6. */
    enum afxdp_raw_mode raw;    /* How packets become whole... */
    uint32_t mtu;               /* ...if the device has this MTU. */
};

struct afxdp_queue *afxdp_socket_open(struct afxdp_arena *, const char *name,
                                      int qid,
                                      const struct afxdp_socket_options *,
                                      int *errorp, char **errp);
void afxdp_socket_close(struct afxdp_queue *);
int afxdp_socket_stats(const struct afxdp_queue *, struct xdp_statistics *);

#endif /* afxdp-socket.h */
