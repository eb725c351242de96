/* SPDX-License-Identifier: GPL-2.0 */

/* From a packet to the key of the flow table.  The fields are those that Open
 * vSwitch's miniflow_extract() finds; of a packet where it would see anything
 * else, or less, the parser says that it does not know it. */

#ifndef AFXDP_FLOW_PARSE_H
#define AFXDP_FLOW_PARSE_H 1

#include <linux/in.h>
#include <linux/in6.h>
#include <bpf/bpf_endian.h>

#include "afxdp-flow.h"

#define ETH_P_IP 0x0800
#define ETH_P_ARP 0x0806
#define ETH_P_8021Q 0x8100
#define ETH_P_IPV6 0x86dd

#define ETH_HLEN 14
#define VLAN_HLEN 4
#define IP4_HLEN 20
#define IP6_HLEN 40
#define ARP_HLEN 28

#define IP4_MF 0x2000
#define IP4_OFFSET 0x1fff

/* Largest offsets of a network and a transport header. */
#define AFXDP_MAX_L3 (ETH_HLEN + VLAN_HLEN)
#define AFXDP_MAX_L4 (AFXDP_MAX_L3 + 60)

/* The parsed packet.  The words of the key are put together in registers:
 * storing bytes and loading the word would stall on the store buffer. */
struct afxdp_packet {
	__u64 key[AFXDP_FLOW_WORDS];	/* struct afxdp_flow_key. */
	__u32 len;			/* Bytes of the packet. */
	__u16 l3;			/* Offset of the network header. */
	__u16 l4;			/* Of the transport header. */
	__u16 l4_len;			/* Bytes from there to the end that the
					 * network header gives. */
	__u16 eth_type;			/* Of the network header, host order. */
	__u8 proto;
	__u8 partial;			/* AFXDP_PARTIAL_*. */
};

/* Is the transport checksum partial? */
#define AFXDP_PARTIAL_NO 0
#define AFXDP_PARTIAL_YES 1
#define AFXDP_PARTIAL_GUESS 2		/* The packet has to tell. */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define WORD_4_2_2(A, B, C) \
	((__u64)(A) | (__u64)(B) << 32 | (__u64)(C) << 48)
#define WORD_1_1_1_1_2_2(A, B, C, D, E, F) \
	((__u64)(A) | (__u64)(B) << 8 | (__u64)(C) << 16 | \
	 (__u64)(D) << 24 | (__u64)(E) << 32 | (__u64)(F) << 48)
#define WORD_4_4(A, B) ((__u64)(A) | (__u64)(B) << 32)
#else
#define WORD_4_2_2(A, B, C) \
	((__u64)(A) << 32 | (__u64)(B) << 16 | (__u64)(C))
#define WORD_1_1_1_1_2_2(A, B, C, D, E, F) \
	((__u64)(A) << 56 | (__u64)(B) << 48 | (__u64)(C) << 40 | \
	 (__u64)(D) << 32 | (__u64)(E) << 16 | (__u64)(F))
#define WORD_4_4(A, B) ((__u64)(A) << 32 | (__u64)(B))
#endif

/* The number of 'SIZE' bytes at offset 'OFS' of 'P', as it stands there. */
#define GET16(P, OFS) (*(const __u16 *)((P) + (OFS)))
#define GET32(P, OFS) (*(const __u32 *)((P) + (OFS)))
#define GET8(P, OFS) (*(const __u8 *)((P) + (OFS)))

/* Transport header of 'p', whose proto, l4 and l4_len are known.  Stores its
 * ports (or ICMP type and code) in 'tp' and the flags of TCP in '*flags'. */
static __always_inline bool parse_l4(struct afxdp_packet *p, const void *data,
				     const void *end, bool ip6, __u16 tp[2],
				     __u16 *flags)
{
	const void *h = data + p->l4;
	__u16 need;

	switch (p->proto) {
	case IPPROTO_TCP:
		need = 20;
		break;
	case IPPROTO_UDP:
		need = 8;
		break;
	case IPPROTO_SCTP:
		need = 12;
		break;
	case IPPROTO_ICMP:
		if (ip6)
			return false;
		need = 8;
		break;
	case IPPROTO_ICMPV6:
		if (!ip6)
			return false;
		need = 8;
		break;
	case IPPROTO_IGMP:
		return false;
	default:
		need = 0;
		break;
	}
	if (!need)
		return true;
	if (p->l4_len < need)
		return false;

	if (need == 8) {
		if (h + 8 > end)
			return false;
	} else if (need == 12) {
		if (h + 12 > end)
			return false;
	} else if (h + 20 > end) {
		return false;
	}

	if (p->proto == IPPROTO_ICMP || p->proto == IPPROTO_ICMPV6) {
		__u8 type = GET8(h, 0);

		/* Neighbour discovery has fields of its own. */
		if (ip6 && (type == 135 || type == 136))
			return false;
		tp[0] = bpf_htons(type);
		tp[1] = bpf_htons(GET8(h, 1));
	} else {
		tp[0] = GET16(h, 0);
		tp[1] = GET16(h, 2);
	}
	if (need == 20) {
		__u16 hlen = (GET8(h, 12) >> 4) * 4;

		if (hlen < need || p->l4_len < hlen)
			return false;
		*flags = GET16(h, 12) & bpf_htons(0x0fff);
	}
	return true;
}

static __always_inline bool parse_ip4(struct afxdp_packet *p, const void *data,
				      const void *end)
{
	const void *h = data + p->l3;
	__u16 tp[2] = { 0, 0 }, flags = 0;
	__u32 total, hlen, left;
	__u16 frag_off;
	__u8 frag = 0;

	if (h + IP4_HLEN > end)
		return false;
	left = p->len - p->l3;
	hlen = (GET8(h, 0) & 0xf) * 4;
	total = bpf_ntohs(GET16(h, 2));
	if (hlen < IP4_HLEN || total < hlen || total > left)
		return false;

	frag_off = bpf_ntohs(GET16(h, 6));
	if (frag_off & IP4_OFFSET)
		return false;
	if (frag_off & IP4_MF)
		frag = AFXDP_FRAG_ANY;

	p->proto = GET8(h, 9);
	p->l4 = p->l3 + hlen;
	p->l4_len = total - hlen;
	if (!parse_l4(p, data, end, false, tp, &flags))
		return false;

	p->key[2] = WORD_4_4(GET32(h, 12), GET32(h, 16));
	p->key[6] = WORD_1_1_1_1_2_2(p->proto, GET8(h, 1), GET8(h, 8), frag,
				     tp[0], tp[1]);
	p->key[7] = WORD_4_2_2(0, flags, 0);
	return true;
}

static __always_inline bool parse_ip6(struct afxdp_packet *p, const void *data,
				      const void *end)
{
	const void *h = data + p->l3;
	__u16 tp[2] = { 0, 0 }, flags = 0;
	__u32 plen, first;

	if (h + IP6_HLEN > end)
		return false;
	plen = bpf_ntohs(GET16(h, 4));
	if (plen > p->len - p->l3 - IP6_HLEN)
		return false;

	p->proto = GET8(h, 6);
	switch (p->proto) {
	case IPPROTO_HOPOPTS:
	case IPPROTO_ROUTING:
	case IPPROTO_FRAGMENT:
	case IPPROTO_AH:
	case IPPROTO_DSTOPTS:
	case IPPROTO_MH:
		return false;
	}
	p->l4 = p->l3 + IP6_HLEN;
	p->l4_len = plen;
	if (!parse_l4(p, data, end, true, tp, &flags))
		return false;

	first = bpf_ntohl(GET32(h, 0));
	p->key[2] = WORD_4_4(GET32(h, 8), GET32(h, 12));
	p->key[3] = WORD_4_4(GET32(h, 16), GET32(h, 20));
	p->key[4] = WORD_4_4(GET32(h, 24), GET32(h, 28));
	p->key[5] = WORD_4_4(GET32(h, 32), GET32(h, 36));
	p->key[6] = WORD_1_1_1_1_2_2(p->proto, first >> 20 & 0xff, GET8(h, 7),
				     0, tp[0], tp[1]);
	p->key[7] = WORD_4_2_2(bpf_htonl(first & 0xfffff), flags, 0);
	return true;
}

static __always_inline bool parse_arp(struct afxdp_packet *p, const void *data,
				      const void *end)
{
	const void *h = data + p->l3;

	/* Ethernet and IPv4, an operation of one byte. */
	if (h + ARP_HLEN > end || GET32(h, 0) != bpf_htonl(0x00010800) ||
	    GET16(h, 4) != bpf_htons(0x0604) || GET8(h, 6))
		return false;
	p->key[2] = WORD_4_4(GET32(h, 14), GET32(h, 24));
	p->key[3] = WORD_4_2_2(GET32(h, 8), GET16(h, 12), 0);
	p->key[4] = WORD_4_2_2(GET32(h, 18), GET16(h, 22), 0);
	p->key[6] = WORD_1_1_1_1_2_2(GET8(h, 7), 0, 0, 0, 0, 0);
	return true;
}

/* Fills in '*p', which is all zeros but for its 'len', for the packet of 'ctx'.
 * Returns false if it is one that the parser does not know, in which case '*p'
 * is of no use. */
static __always_inline bool parse_packet(struct xdp_md *ctx,
					 struct afxdp_packet *p)
{
	const void *data = (const void *)(long)ctx->data;
	const void *end = (const void *)(long)ctx->data_end;
	__u16 type, tci = 0;

	if (data + ETH_HLEN > end)
		return false;
	type = GET16(data, 12);
	p->l3 = ETH_HLEN;
	if (type == bpf_htons(ETH_P_8021Q)) {
		if (data + ETH_HLEN + VLAN_HLEN > end)
			return false;
		tci = GET16(data, 14) | bpf_htons(AFXDP_VLAN_PRESENT);
		type = GET16(data, 16);
		p->l3 = ETH_HLEN + VLAN_HLEN;
	}

	p->key[0] = WORD_4_2_2(GET32(data, 0), GET16(data, 4), type);
	p->key[1] = WORD_4_2_2(GET32(data, 6), GET16(data, 10), tci);
	p->eth_type = bpf_ntohs(type);
	switch (p->eth_type) {
	case ETH_P_IP:
		return parse_ip4(p, data, end);
	case ETH_P_IPV6:
		return parse_ip6(p, data, end);
	case ETH_P_ARP:
		return parse_arp(p, data, end);
	}
	return false;
}

/* The same as a global function: the verifier looks at it once, not anew for
 * each way that leads to it. */
__noinline int parse_packet_global(struct xdp_md *ctx, struct afxdp_packet *p)
{
	return p && parse_packet(ctx, p);
}

#endif /* afxdp-flow-parse.h */
