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
#include "afxdp-skb-notes.h"

/* Why a packet goes to user space. */
enum why { MISS, UNKNOWN, REFUSED };

/* A packet on its way through the program. */
struct passing {
	struct xdp_md *ctx;
	const struct afxdp_flow_port *port;
	const struct afxdp_skb *skb;	/* In generic mode, if known. */
	bool generic;
};

static __always_inline int to_user(const struct passing *p)
{
	__u32 queue = p->ctx->rx_queue_index;

	if (queue >= p->port->n_queues)
		return XDP_PASS;
	if (p->generic && afxdp_skb_put(p->ctx, p->skb))
		return XDP_ABORTED;
	return bpf_redirect_map(&xsks, p->port->base + queue, XDP_PASS);
}

static __always_inline int miss(const struct passing *p, enum why why)
{
	__u32 id = p->port->id;
	struct afxdp_flow_misses *m = bpf_map_lookup_elem(&misses, &id);

	if (m) {
		if (why == MISS)
			m->misses++;
		else if (why == UNKNOWN)
			m->unknown++;
		else
			m->refused++;
	}
	return to_user(p);
}

/* Notes in 'c' that it is used now.  Asking the kernel for the time takes 13
 * ns, and the answer changes with the jiffies only, which can be read without a
 * call. */
static __always_inline void touch(struct afxdp_flow_counter *c)
{
	__u32 tick = bpf_jiffies64();

	if (c->tick != tick) {
		c->tick = tick;
		c->used = bpf_ktime_get_coarse_ns();
	}
}

static __always_inline void count(const struct afxdp_flow_entry *flow,
				  const struct afxdp_packet *p)
{
	__u32 index = flow->counter;
	struct afxdp_flow_counter *c = bpf_map_lookup_elem(&counters, &index);
	struct afxdp_flow_key key;

	if (!c)
		return;
	c->packets++;
	c->bytes += p->len;
	touch(c);
	if (p->proto == IPPROTO_TCP) {
		__u32 flags;

		((__u64 *)&key)[7] = p->key[7];
		flags = bpf_ntohs(key.tcp_flags);
		if (flags & ~c->tcp_flags)
			c->tcp_flags |= flags;
	}
}

/* Points the redirect that follows at the target of 'act'.  Returns false if it
 * is not there. */
static __always_inline bool aim(const struct afxdp_flow_actions *act,
				bool generic)
{
	__u32 out = act->out;
	void *group;

	if (act->flags & AFXDP_ACT_OUTPUT && generic)
		return bpf_redirect_map(&targets_skb, out, 0) == XDP_REDIRECT;
	if (act->flags & AFXDP_ACT_OUTPUT)
		return bpf_redirect_map(&targets, out, 0) == XDP_REDIRECT;
	if (out >= AFXDP_MAX_GROUPS ||
	    !*(volatile __u8 *)&group_open[out])
		return false;
	group = bpf_map_lookup_elem(&groups, &out);
	return group &&
	       bpf_redirect_map(group, 0, BPF_F_BROADCAST) == XDP_REDIRECT;
}

/* Longest packet that is certainly not GSO. */
#define PLAIN_MAX_LEN (ETH_HLEN + VLAN_HLEN + 1500)

/* Can the tag of packet 'p' be changed?  Not if it stands beside the packet,
 * and not if the packet will be cut into segments by someone who counts on
 * finding headers where they were. */
static __always_inline bool can_retag(const struct passing *pass,
				      const struct afxdp_packet *p)
{
	if (!pass->generic)
		return true;
	if (p->len > PLAIN_MAX_LEN)
		return false;
	return !pass->skb ||
	       !(pass->skb->flags & (AFXDP_SKB_VLAN | AFXDP_SKB_GSO));
}

static __always_inline int execute(const struct passing *pass,
				   struct afxdp_packet *p,
				   const struct afxdp_flow_entry *flow)
{
	const struct afxdp_flow_actions *act = &flow->actions;
	struct xdp_md *ctx = pass->ctx;
	__u32 flags = act->flags;

	if (!(flags & (AFXDP_ACT_OUTPUT | AFXDP_ACT_GROUP))) {
		count(flow, p);
		return XDP_DROP;
	}
	if (flags & (AFXDP_ACT_VLAN_POP | AFXDP_ACT_VLAN_PUSH) &&
	    !can_retag(pass, p))
		return miss(pass, REFUSED);
	if (!aim(act, pass->generic))
		return miss(pass, REFUSED);
	if (flags & AFXDP_ACT_REWRITE &&
	    !rewrite_packet(ctx, p, act))
		return miss(pass, REFUSED);
	count(flow, p);
	return XDP_REDIRECT;
}

/* Puts the tag that stands beside the packet into the key of 'p'.  Returns
 * false if the packet has another tag, or the tag is not of 802.1Q. */
static __always_inline bool add_tag(struct afxdp_packet *p,
				    const struct afxdp_skb *skb)
{
	if (p->l3 != ETH_HLEN || skb->vlan_tpid != bpf_htons(ETH_P_8021Q))
		return false;
	p->key[1] |= WORD_4_2_2(0, 0, bpf_htons(skb->vlan_tci |
						AFXDP_VLAN_PRESENT));
	return true;
}

/* Notes in 'p' what is known of its checksum. */
static __always_inline void add_checksum(struct afxdp_packet *p,
					 const struct afxdp_skb *skb)
{
	if (!skb || !(skb->flags & AFXDP_SKB_KNOWN))
		p->partial = AFXDP_PARTIAL_GUESS;
	else if (skb->flags & AFXDP_SKB_PARTIAL && skb->csum_start == p->l4)
		p->partial = AFXDP_PARTIAL_YES;
}

/* Returns the bytes of the packet, which only in generic mode may be in several
 * buffers. */
static __always_inline __u32 packet_len(struct xdp_md *ctx, bool generic)
{
	return generic ? bpf_xdp_get_buff_len(ctx) : ctx->data_end - ctx->data;
}

static __always_inline int look_up(struct xdp_md *ctx, bool generic)
{
	struct passing pass = { .ctx = ctx, .generic = generic };
	__u32 ifindex = ctx->ingress_ifindex;
	struct afxdp_packet p = { .len = packet_len(ctx, generic) };
	struct afxdp_flow_entry *flow;
	int number;

	pass.port = find_port(ifindex);
	if (!pass.port)
		return XDP_PASS;
	if (generic)
		pass.skb = afxdp_skb_get(ifindex);
	if (!pass.port->n_masks)
		return to_user(&pass);
	if (!(generic ? parse_packet_global(ctx, &p) : parse_packet(ctx, &p)))
		return miss(&pass, UNKNOWN);
	if (pass.skb && pass.skb->flags & AFXDP_SKB_VLAN &&
	    !add_tag(&p, pass.skb))
		return miss(&pass, UNKNOWN);
	if (generic)
		add_checksum(&p, pass.skb);
	number = lookup_flow(pass.port, &p);
	flow = bpf_map_lookup_elem(&flows, &number);
	if (!flow)
		return miss(&pass, MISS);
	return execute(&pass, &p, flow);
}

/* For native mode, where a packet is in one buffer: the kernel refuses longer
 * ones, or does not make them, if the program does not say that it takes them.
 */
SEC("xdp")
int afxdp_flow(struct xdp_md *ctx)
{
	return look_up(ctx, false);
}

/* For generic mode, with packets in several buffers and as the kernel's stack
 * left them. */
SEC("xdp.frags")
int afxdp_flow_skb(struct xdp_md *ctx)
{
	return look_up(ctx, true);
}

char _license[] SEC("license") = "GPL";
