// SPDX-License-Identifier: GPL-2.0
/* The XDP program of our ports: each packet goes to the AF_XDP socket of the
 * queue it came in on, and on to the kernel's stack where there is none.
 *
 * One program serves all ports.  The kernel keeps a table of the XDP programs
 * in use to call them directly (the BPF dispatcher, 48 entries); each new
 * program rewrites it and waits for an RCU grace period, some 12 ms.  With one
 * program only the first port waits, and any number fits. */

#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "afxdp-ports.h"
#include "afxdp-skb-notes.h"

static __always_inline int to_socket(struct xdp_md *ctx, _Bool generic)
{
	__u32 ifindex = ctx->ingress_ifindex;
	__u32 queue = ctx->rx_queue_index;
	struct afxdp_flow_port *port;

	port = find_port(ifindex);
	if (!port || queue >= port->n_queues)
		return XDP_PASS;
	if (generic && afxdp_skb_put(ctx, afxdp_skb_get(ifindex)))
		return XDP_ABORTED;
	return bpf_redirect_map(&xsks, port->base + queue, XDP_PASS);
}

SEC("xdp")
int afxdp_xsk(struct xdp_md *ctx)
{
	return to_socket(ctx, 0);
}

/* For generic mode, with packets in several pieces and as the kernel's stack
 * left them. */
SEC("xdp.frags")
int afxdp_xsk_skb(struct xdp_md *ctx)
{
	return to_socket(ctx, 1);
}

char _license[] SEC("license") = "GPL";
