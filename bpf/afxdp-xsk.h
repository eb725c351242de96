/* SPDX-License-Identifier: GPL-2.0 */

/* What bpf/afxdp-xsk.bpf.c and user space (lib/afxdp-prog.c) agree on. */

#ifndef AFXDP_XSK_H
#define AFXDP_XSK_H 1

#include <linux/types.h>

/* Most ports, and most queues of all of them together. */
#define AFXDP_XSK_MAX_PORTS 4096
#define AFXDP_XSK_MAX_QUEUES 16384

/* Where the sockets of a port are in the map of sockets. */
struct afxdp_xsk_port {
	__u32 base;		/* Index of the socket of queue 0. */
	__u32 n_queues;		/* Queues that have one: 0 to this - 1. */
};

_Static_assert(sizeof(struct afxdp_xsk_port) == 8,
	       "user space and kernel must agree on struct afxdp_xsk_port");

#endif /* afxdp-xsk.h */
