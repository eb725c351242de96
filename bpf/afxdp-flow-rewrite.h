/* SPDX-License-Identifier: GPL-2.0 */

/* Rewriting a packet as the actions of its flow say.  Whatever may fail comes
 * before the first byte is changed: a packet that goes to user space goes as it
 * came. */

#ifndef AFXDP_FLOW_REWRITE_H
#define AFXDP_FLOW_REWRITE_H 1

#include "afxdp-flow-parse.h"

#define AFXDP_ACT_REWRITE (AFXDP_ACT_ETH | AFXDP_ACT_IP4 | AFXDP_ACT_IP6 | \
			   AFXDP_ACT_TP | AFXDP_ACT_VLAN_POP | \
			   AFXDP_ACT_VLAN_PUSH)

/* Checksums, as RFC 1624 has them (equation 3). */
static __always_inline __u16 csum_fold(__u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

/* Returns checksum 'csum' after 'from' became 'to'. */
static __always_inline __u16 csum_replace2(__u16 csum, __u16 from, __u16 to)
{
	return ~csum_fold((__u16)~csum + (__u32)(__u16)~from + to);
}

static __always_inline __u16 csum_replace4(__u16 csum, __u32 from, __u32 to)
{
	csum = csum_replace2(csum, from, to);
	return csum_replace2(csum, from >> 16, to >> 16);
}

/* The checksum of a transport header while its packet is rewritten. */
struct l4_csum {
	__u16 ofs;			/* From the start of the packet, or 0 if
					 * the packet has none to change. */
	__u16 value;
	bool partial;			/* Is it the sum of the pseudo-header,
					 * for the device to complete? */
};

/* The pseudo-header of 'p', whose addresses are 'n' 32-bit words at 'addrs',
 * added up. */
static __always_inline __u16 pseudo_sum(const struct afxdp_packet *p,
					const void *addrs, int n)
{
	__u32 sum = bpf_htons(p->proto) + bpf_htons(p->l4_len);

#pragma unroll
	for (int i = 0; i < n * 2; i++)
		sum += GET16(addrs, i * 2);
	return csum_fold(sum);
}

/* Finds the checksum of 'p' and what kind it is.  Where that has to be guessed,
 * a complete checksum that looks like a partial one, as one of 65536 does, is
 * taken for it: the receiver drops that packet if its addresses or ports
 * change. */
static __always_inline bool read_l4_csum(const struct afxdp_packet *p,
					 const void *data, const void *end,
					 struct l4_csum *csum)
{
	const void *h = data + p->l4;
	__u16 ofs;

	csum->ofs = 0;
	csum->partial = false;
	if (p->proto == IPPROTO_TCP)
		ofs = 16;
	else if (p->proto == IPPROTO_UDP)
		ofs = 6;
	else if (p->proto == IPPROTO_ICMPV6)
		ofs = 2;
	else
		return true;
	if (h + ofs + 2 > end)
		return false;
	csum->value = GET16(h, ofs);
	if (p->proto == IPPROTO_UDP && !csum->value)
		return true;
	csum->ofs = p->l4 + ofs;

	if (p->partial != AFXDP_PARTIAL_GUESS) {
		csum->partial = p->partial == AFXDP_PARTIAL_YES;
	} else if (p->eth_type == ETH_P_IP) {
		const void *addrs = data + p->l3 + 12;

		if (addrs + 8 > end)
			return false;
		csum->partial = csum->value == pseudo_sum(p, addrs, 2);
	} else {
		const void *addrs = data + p->l3 + 8;

		if (addrs + 32 > end)
			return false;
		csum->partial = csum->value == pseudo_sum(p, addrs, 8);
	}
	return true;
}

/* An address, part of the pseudo-header, changed. */
static __always_inline void l4_csum_addr(struct l4_csum *csum, __u32 from,
					 __u32 to)
{
	if (csum->partial)
		csum->value = ~csum_replace4(~csum->value, from, to);
	else
		csum->value = csum_replace4(csum->value, from, to);
}

/* A port, part of what a partial checksum does not cover yet, changed. */
static __always_inline void l4_csum_port(struct l4_csum *csum, __u16 from,
					 __u16 to)
{
	if (!csum->partial)
		csum->value = csum_replace2(csum->value, from, to);
}

#define MASKED(OLD, NEW, MASK) (((OLD) & ~(MASK)) | ((NEW) & (MASK)))

static __always_inline void rewrite_eth(void *data,
					const struct afxdp_flow_actions *act)
{
	const __u32 *value = (const __u32 *)act->eth;
	const __u32 *mask = (const __u32 *)act->eth_mask;
	__u32 *eth = data;

#pragma unroll
	for (int i = 0; i < 3; i++)
		eth[i] = MASKED(eth[i], value[i], mask[i]);
}

static __always_inline void rewrite_ip4(void *h,
					const struct afxdp_flow_actions *act,
					struct l4_csum *l4)
{
	__u16 csum = GET16(h, 10);
	__u32 src = GET32(h, 12), dst = GET32(h, 16);
	__u32 new_src = MASKED(src, act->ip4.src, act->ip4.src_mask);
	__u32 new_dst = MASKED(dst, act->ip4.dst, act->ip4.dst_mask);
	__u8 tos = GET8(h, 1), new_tos = MASKED(tos, act->tos, act->tos_mask);
	__u8 ttl = GET8(h, 8), new_ttl = MASKED(ttl, act->ttl, act->ttl_mask);

	if (new_src != src) {
		csum = csum_replace4(csum, src, new_src);
		l4_csum_addr(l4, src, new_src);
		*(__u32 *)(h + 12) = new_src;
	}
	if (new_dst != dst) {
		csum = csum_replace4(csum, dst, new_dst);
		l4_csum_addr(l4, dst, new_dst);
		*(__u32 *)(h + 16) = new_dst;
	}
	if (new_tos != tos) {
		csum = csum_replace2(csum, bpf_htons(tos), bpf_htons(new_tos));
		*(__u8 *)(h + 1) = new_tos;
	}
	if (new_ttl != ttl) {
		csum = csum_replace2(csum, bpf_htons(ttl << 8),
				     bpf_htons(new_ttl << 8));
		*(__u8 *)(h + 8) = new_ttl;
	}
	*(__u16 *)(h + 10) = csum;
}

static __always_inline void rewrite_ip6(void *h,
					const struct afxdp_flow_actions *act,
					struct l4_csum *l4)
{
	__u32 *addr = h + 8;
	__u32 first = bpf_ntohl(GET32(h, 0));
	__u8 tc = first >> 20;
	__u8 new_tc = MASKED(tc, act->tos, act->tos_mask);

#pragma unroll
	for (int i = 0; i < 8; i++) {
		__u32 old = addr[i];
		__u32 value = i < 4 ? act->ip6.src[i] : act->ip6.dst[i - 4];
		__u32 mask = i < 4 ? act->ip6.src_mask[i]
				   : act->ip6.dst_mask[i - 4];
		__u32 new = MASKED(old, value, mask);

		if (new != old) {
			l4_csum_addr(l4, old, new);
			addr[i] = new;
		}
	}
	first = (first & ~(0xffu << 20)) | (__u32)new_tc << 20;
	*(__u32 *)h = bpf_htonl(first);
	*(__u8 *)(h + 7) = MASKED(GET8(h, 7), act->ttl, act->ttl_mask);
}

static __always_inline void rewrite_tp(void *h,
				       const struct afxdp_flow_actions *act,
				       struct l4_csum *l4)
{
	__u16 src = GET16(h, 0), dst = GET16(h, 2);
	__u16 new_src = MASKED(src, act->tp_src, act->tp_src_mask);
	__u16 new_dst = MASKED(dst, act->tp_dst, act->tp_dst_mask);

	if (new_src != src) {
		l4_csum_port(l4, src, new_src);
		*(__u16 *)h = new_src;
	}
	if (new_dst != dst) {
		l4_csum_port(l4, dst, new_dst);
		*(__u16 *)(h + 2) = new_dst;
	}
}

/* Changes the headers behind the Ethernet header.  Returns false, with nothing
 * changed, if they are not all there. */
static __always_inline bool rewrite_inner(const struct afxdp_packet *p,
					  void *data, const void *end,
					  const struct afxdp_flow_actions *act)
{
	struct l4_csum l4 = { 0 };
	void *net, *tp;

	if (!(act->flags & (AFXDP_ACT_IP4 | AFXDP_ACT_IP6 | AFXDP_ACT_TP)))
		return true;
	if (p->l3 > AFXDP_MAX_L3 || p->l4 > AFXDP_MAX_L4)
		return false;
	net = data + p->l3;
	tp = data + p->l4;
	if (!read_l4_csum(p, data, end, &l4))
		return false;
	if (act->flags & AFXDP_ACT_TP && tp + 4 > end)
		return false;

	if (act->flags & AFXDP_ACT_IP4) {
		if (net + IP4_HLEN > end)
			return false;
		rewrite_ip4(net, act, &l4);
	} else if (act->flags & AFXDP_ACT_IP6) {
		if (net + IP6_HLEN > end)
			return false;
		rewrite_ip6(net, act, &l4);
	}
	if (act->flags & AFXDP_ACT_TP) {
		if (tp + 4 > end)
			return false;
		rewrite_tp(tp, act, &l4);
	}
	if (l4.ofs) {
		void *csum = data + l4.ofs;

		if (csum + 2 > end)
			return false;
		/* 0 would mean that UDP has no checksum. */
		if (p->proto == IPPROTO_UDP && !l4.value && !l4.partial)
			l4.value = 0xffff;
		*(__u16 *)csum = l4.value;
	}
	return true;
}

/* Takes the VLAN tag out, puts one in or changes the one that is there; 'p'
 * follows. */
static __always_inline bool rewrite_vlan(struct xdp_md *ctx,
					 struct afxdp_packet *p,
					 const struct afxdp_flow_actions *act)
{
	bool pop = act->flags & AFXDP_ACT_VLAN_POP;
	bool push = act->flags & AFXDP_ACT_VLAN_PUSH;
	__u32 mac[3];
	__u32 *data;

	data = (void *)(long)ctx->data;
	if ((void *)data + ETH_HLEN + VLAN_HLEN > (void *)(long)ctx->data_end)
		return false;
	mac[0] = data[0];
	mac[1] = data[1];
	mac[2] = data[2];

	if (pop != push) {
		int shift = pop ? VLAN_HLEN : -VLAN_HLEN;

		if (bpf_xdp_adjust_head(ctx, shift))
			return false;
		p->l3 -= shift;
		p->l4 -= shift;
		data = (void *)(long)ctx->data;
		if ((void *)data + ETH_HLEN + VLAN_HLEN >
		    (void *)(long)ctx->data_end)
			return false;
		data[0] = mac[0];
		data[1] = mac[1];
		data[2] = mac[2];
	}
	if (push)
		data[3] = bpf_htonl(ETH_P_8021Q << 16 |
				    bpf_ntohs(act->vlan_tci));
	return true;
}

/* Rewrites the packet 'p' of 'ctx' as 'act' says.  Returns false, with nothing
 * changed, if that cannot be done.  The tag comes first: there may be no room
 * for it. */
static __always_inline bool rewrite_packet(struct xdp_md *ctx,
					   struct afxdp_packet *p,
					   const struct afxdp_flow_actions *act)
{
	void *data, *end;

	if (act->flags & (AFXDP_ACT_VLAN_POP | AFXDP_ACT_VLAN_PUSH)) {
		if (!rewrite_vlan(ctx, p, act))
			return false;
	}
	data = (void *)(long)ctx->data;
	end = (void *)(long)ctx->data_end;
	if (data + ETH_HLEN > end)
		return false;
	if (!rewrite_inner(p, data, end, act))
		return false;
	if (act->flags & AFXDP_ACT_ETH)
		rewrite_eth(data, act);
	return true;
}

#endif /* afxdp-flow-rewrite.h */
