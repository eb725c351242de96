// SPDX-License-Identifier: GPL-2.0
/* The XDP program of our ports when flows are offloaded: a packet whose flow is
 * in the table is dropped, or rewritten and sent to another port, right here.
 * Any other goes to the AF_XDP socket of its queue, as it came, like with
 * bpf/afxdp-xsk.bpf.c. */

#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "afxdp-flow-lookup.h"
#include "afxdp-flow-maps.h"
#include "afxdp-flow-parse.h"
#include "afxdp-flow-rewrite.h"

/* Why a packet goes to user space. */
enum why { MISS, UNKNOWN, REFUSED };

static __always_inline int to_user(struct xdp_md *ctx,
				   const struct afxdp_flow_port *port)
{
	__u32 queue = ctx->rx_queue_index;

	if (queue >= port->n_queues)
		return XDP_PASS;
	return bpf_redirect_map(&xsks, port->base + queue, XDP_PASS);
}

static __always_inline int miss(struct xdp_md *ctx,
				const struct afxdp_flow_port *port,
				enum why why)
{
	__u32 id = port->id;
	struct afxdp_flow_misses *m = bpf_map_lookup_elem(&misses, &id);

	if (m) {
		if (why == MISS)
			m->misses++;
		else if (why == UNKNOWN)
			m->unknown++;
		else
			m->refused++;
	}
	return to_user(ctx, port);
}

static __always_inline void count(const struct afxdp_flow *flow,
				  const struct afxdp_packet *p)
{
	__u32 index = flow->counter;
	struct afxdp_flow_counter *c = bpf_map_lookup_elem(&counters, &index);
	struct afxdp_flow_key key;

	if (!c)
		return;
	c->packets++;
	c->bytes += p->len;
	c->used = bpf_ktime_get_coarse_ns();
	if (p->proto == IPPROTO_TCP) {
		__u64 flags;

		((__u64 *)&key)[7] = p->key[7];
		flags = bpf_ntohs(key.tcp_flags);
		if (flags & ~c->tcp_flags)
			c->tcp_flags |= flags;
	}
}

/* Points the redirect that follows at the target of 'act'.  Returns false if it
 * is not there. */
static __always_inline bool aim(const struct afxdp_flow_actions *act)
{
	__u32 out = act->out;
	void *group;

	if (act->flags & AFXDP_ACT_OUTPUT)
		return bpf_redirect_map(&targets, out, 0) == XDP_REDIRECT;
	group = bpf_map_lookup_elem(&groups, &out);
	return group &&
	       bpf_redirect_map(group, 0, BPF_F_BROADCAST) == XDP_REDIRECT;
}

/* Longest packet that is not GSO: what it may be segmented into later has the
 * tag at the wrong place, so a longer one is not tagged or untagged here. */
#define VLAN_MAX_LEN (ETH_HLEN + VLAN_HLEN + 1500)

/* Is the packet, of 'len' bytes, in one buffer?  A frame of several would be
 * sent to the ports of a group by copies of its first buffer that point to
 * others at random (xdpf_clone(), Linux 6.12); skbs are copied right. */
static __always_inline bool is_linear(struct xdp_md *ctx, __u32 len)
{
	void *data = (void *)(long)ctx->data;
	void *end = (void *)(long)ctx->data_end;

	return len <= 0xffff && data + len <= end;
}

static __always_inline int execute(struct xdp_md *ctx,
				   const struct afxdp_flow_port *port,
				   struct afxdp_packet *p,
				   const struct afxdp_flow *flow)
{
	const struct afxdp_flow_actions *act = &flow->actions;
	bool generic = port->flags & AFXDP_PORT_GENERIC;
	__u32 flags = act->flags;

	if (!(flags & (AFXDP_ACT_OUTPUT | AFXDP_ACT_GROUP))) {
		count(flow, p);
		return XDP_DROP;
	}
	if (flags & (AFXDP_ACT_VLAN_POP | AFXDP_ACT_VLAN_PUSH) && generic &&
	    p->len > VLAN_MAX_LEN)
		return miss(ctx, port, REFUSED);
	if (flags & AFXDP_ACT_GROUP && !generic && !is_linear(ctx, p->len))
		return miss(ctx, port, REFUSED);
	if (!aim(act))
		return miss(ctx, port, REFUSED);
	if (flags & AFXDP_ACT_REWRITE && !rewrite_packet(ctx, p, act, generic))
		return miss(ctx, port, REFUSED);
	count(flow, p);
	return XDP_REDIRECT;
}

SEC("xdp.frags")
int afxdp_flow(struct xdp_md *ctx)
{
	__u32 ifindex = ctx->ingress_ifindex;
	struct afxdp_flow_port *port;
	struct afxdp_packet p;
	struct afxdp_flow *flow;
	int number;

	port = bpf_map_lookup_elem(&ports, &ifindex);
	if (!port)
		return XDP_PASS;
	if (!port->n_masks)
		return to_user(ctx, port);
	if (parse_packet(ctx, &p))
		return miss(ctx, port, UNKNOWN);
	number = lookup_flow(port, &p);
	flow = bpf_map_lookup_elem(&flows, &number);
	if (!flow)
		return miss(ctx, port, MISS);
	return execute(ctx, port, &p, flow);
}

char _license[] SEC("license") = "GPL";
