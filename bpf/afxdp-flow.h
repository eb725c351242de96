/* SPDX-License-Identifier: GPL-2.0 */

/* The flow table: what bpf/afxdp-flow.bpf.c, which looks packets up in it, and
 * ofproto/, which fills it, agree on.
 *
 *    ports[] by ifindex        masks[]              buckets[]      flows[]
 *   +----------------+       +---------+           +---------+    +---------+
 *   | port id        |       | words   |  hash of  | 8 slots |    | key     |
 *   | list of masks -+------>| used,   |---------->| tags,   |--->| actions |
 *   +----------------+       | bits    |  masked   | flows   |    | counter |
 *                            +---------+  words    +---------+    +----+----+
 *                                                                      |
 *                                        counters[] (per CPU)  <-------+
 *
 * A packet is parsed once into the eight words of struct afxdp_flow_key.  For
 * each mask of its port, the words that the mask may use are hashed and looked
 * up.  Megaflows do not contradict each other, so the first
 * flow found is as good as any.
 *
 * Who may change what, while packets are looked up:
 *
 *   - Tags and numbers in a slot are each written in one piece.  A flow, its
 *     mask and its counter are complete before its number is in a slot, and
 *     that is before its tag is; they are used for another one only after an
 *     RCU grace period since no slot refers to them.  The key in the flow
 *     itself decides: a packet sees a whole flow, the old or the new one, never
 *     a half.
 *
 *   - The entry of a port is complete before its ifindex is written, is
 *     emptied only after the program was detached from the device, and used
 *     for another one only after a grace period.  Its list of masks may be seen
 *     half-way between the old and the new one: a packet then misses flows of
 *     masks that are new or about to go, and is switched in user space.
 *
 *   - Only one thread of user space writes what belongs to flows.
 *
 * A second pass (after conntrack or a tunnel) is another port id with a list
 * of masks of its own; an established connection is a flow of one more mask. */

#ifndef AFXDP_FLOW_H
#define AFXDP_FLOW_H 1

#include <linux/types.h>

/* Limits.  What goes beyond them stays in user space. */
#define AFXDP_MAX_PORTS 4096
#define AFXDP_PORT_SLOTS (2 * AFXDP_MAX_PORTS)
#define AFXDP_PORT_PROBES 8		/* Slots that a device may be in. */
#define AFXDP_MAX_QUEUES 16384		/* Of all ports together. */
#define AFXDP_MAX_PORT_MASKS 32		/* Of one port. */
#define AFXDP_MAX_MASKS 256
#define AFXDP_MAX_FLOWS 32768
#define AFXDP_MAX_GROUPS 64		/* Sets of ports that one flow floods... */
#define AFXDP_GROUP_PORTS 256		/* ...and the ports of one set. */
#define AFXDP_BUCKET_BITS 14
#define AFXDP_BUCKETS (1 << AFXDP_BUCKET_BITS)
#define AFXDP_BUCKET_SLOTS 8

/* What is looked at of a packet, in network byte order; 0 where the packet has
 * no such field. */
struct afxdp_flow_key {
	/* 0 */
	__u8 eth_dst[6];
	__be16 eth_type;		/* Of what follows the VLAN tag. */
	/* 1 */
	__u8 eth_src[6];
	__be16 vlan_tci;		/* With AFXDP_VLAN_PRESENT if tagged. */
	/* 2 to 5 */
	union {
		struct {
			__be32 src, dst;
			__u64 zero[3];
		} ip4;
		struct {
			__be32 spa, tpa;
			__u8 sha[6], zero1[2];
			__u8 tha[6], zero2[2];
			__u64 zero3;
		} arp;
		struct {
			__u8 src[16], dst[16];
		} ip6;
	};
	/* 6 */
	__u8 proto;			/* ARP: low byte of the operation. */
	__u8 tos;			/* IPv6: traffic class. */
	__u8 ttl;			/* IPv6: hop limit. */
	__u8 frag;			/* AFXDP_FRAG_*. */
	__be16 tp_src;			/* ICMP: type. */
	__be16 tp_dst;			/* ICMP: code. */
	/* 7 */
	__be32 ip6_label;
	__be16 tcp_flags;		/* 12 bits. */
	__u8 zero[2];
};

#define AFXDP_FLOW_WORDS 8

_Static_assert(sizeof(struct afxdp_flow_key) == 8 * AFXDP_FLOW_WORDS,
	       "struct afxdp_flow_key must be eight words");

/* In vlan_tci, in host byte order: there is a tag (the bit that is the CFI in
 * the packet, and is taken as 0 there). */
#define AFXDP_VLAN_PRESENT 0x1000

/* In frag: as FLOW_NW_FRAG_* of Open vSwitch. */
#define AFXDP_FRAG_ANY 1		/* A fragment. */

/* A mask: which words of the key it uses, and which bits of those. */
struct afxdp_flow_mask {
	__u64 used;			/* 1 << w for each word w used. */
	__u64 bits[AFXDP_FLOW_WORDS];	/* Of each word; 0 if not used. */
};

/* A port: one cache line. */
struct afxdp_flow_port {
	__u32 ifindex;			/* 0: none. */
	__u16 base;			/* Index of queue 0's socket. */
	__u16 n_queues;			/* Queues that have a socket. */
	__u16 id;			/* Below AFXDP_MAX_PORTS. */
	__u8 n_masks;			/* 0: all goes to user space. */
	__u8 flags;			/* AFXDP_PORT_*. */
	__u32 zero;
	__u8 masks[AFXDP_MAX_PORT_MASKS];
	__u64 zero2[2];
};

_Static_assert(AFXDP_MAX_QUEUES <= 1 << 16,
	       "an index of a socket must fit in 16 bits");

#define AFXDP_PORT_GENERIC 1		/* Packets may be GSO or have partial
					 * checksums. */

/* Where the port of the device 'ifindex' is looked for at the 'n'th try.  The
 * kernel counts its ifindexes up, so the first try is mostly the last. */
static inline __u32 afxdp_port_slot(__u32 ifindex, __u32 n)
{
	return (ifindex + n) & (AFXDP_PORT_SLOTS - 1);
}

/* What happens to the packets of a flow: first the rewriting, in the order of
 * the fields here, then the output. */
struct afxdp_flow_actions {
	__u16 flags;			/* AFXDP_ACT_*. */
	__be16 vlan_tci;		/* To push, without AFXDP_VLAN_PRESENT. */
	__u32 out;			/* Port id or number of the group. */
	__u8 eth[12], eth_mask[12];	/* Destination and source. */
	__u8 tos, tos_mask;
	__u8 ttl, ttl_mask;
	__be16 tp_src, tp_src_mask;
	__be16 tp_dst, tp_dst_mask;
	union {
		struct {
			__be32 src, src_mask;
			__be32 dst, dst_mask;
		} ip4;
		struct {
			__be32 src[4], src_mask[4];
			__be32 dst[4], dst_mask[4];
		} ip6;
	};
	__u32 zero;
};

#define AFXDP_ACT_OUTPUT 0x0001		/* To the port 'out'... */
#define AFXDP_ACT_GROUP 0x0002		/* ...or to all ports of the group 'out';
					 * with neither: drop. */
#define AFXDP_ACT_ETH 0x0004
#define AFXDP_ACT_IP4 0x0008		/* tos, ttl and ip4. */
#define AFXDP_ACT_IP6 0x0010		/* tos, ttl and ip6. */
#define AFXDP_ACT_TP 0x0020		/* Ports of TCP or UDP. */
#define AFXDP_ACT_VLAN_POP 0x0040
#define AFXDP_ACT_VLAN_PUSH 0x0080	/* After the pop, if both. */

/* A flow. */
struct afxdp_flow_entry {
	__u64 words[AFXDP_FLOW_WORDS];	/* Masked. */
	__u16 port;			/* Port id it belongs to. */
	__u16 mask;
	__u32 counter;			/* Index of its counter. */
	struct afxdp_flow_actions actions;
	__u64 zero;
};

_Static_assert(sizeof(struct afxdp_flow_mask) == 72, "afxdp_flow_mask");
_Static_assert(sizeof(struct afxdp_flow_port) == 64, "afxdp_flow_port");
_Static_assert(sizeof(struct afxdp_flow_actions) == 112, "afxdp_flow_actions");
_Static_assert(sizeof(struct afxdp_flow_entry) == 192, "afxdp_flow_entry");

/* A bucket: one cache line.  A slot is free if its tag is 0.  The tags are four
 * to a word, that of slot 0 in the lowest bits, so that they can be compared
 * all at once. */
struct afxdp_flow_bucket {
	__u64 tags[AFXDP_BUCKET_SLOTS / 4];
	__u32 flow[AFXDP_BUCKET_SLOTS];	/* Numbers of the flows. */
	__u64 zero[2];
};

_Static_assert(sizeof(struct afxdp_flow_bucket) == 64, "afxdp_flow_bucket");

static inline __u64 afxdp_flow_tag(const struct afxdp_flow_bucket *bucket,
				   __u32 slot)
{
	return bucket->tags[slot / 4] >> 16 * (slot % 4) & 0xffff;
}

/* Writes 'tag' for packets to see, after what the caller has written before. */
static inline void afxdp_flow_set_tag(struct afxdp_flow_bucket *bucket,
				      __u32 slot, __u64 tag)
{
	__u32 shift = 16 * (slot % 4);
	__u64 others = bucket->tags[slot / 4] & ~(0xffffULL << shift);

	__atomic_store_n(&bucket->tags[slot / 4], others | tag << shift,
			 __ATOMIC_RELEASE);
}

/* What packets of a flow counted, on one CPU. */
struct afxdp_flow_counter {
	__u64 packets;
	__u64 bytes;			/* From the Ethernet header on. */
	__u64 used;			/* CLOCK_MONOTONIC_COARSE, ns. */
	__u32 tcp_flags;		/* All seen, host byte order. */
	__u32 tick;			/* Of the jiffies, at 'used'. */
};

/* Packets of a port that went to user space, on one CPU, by port id. */
struct afxdp_flow_misses {
	__u64 misses;			/* No flow matched. */
	__u64 unknown;			/* The parser does not know them. */
	__u64 refused;			/* A flow matched, but its target was not
					 * there, or the packet not one that
					 * can be rewritten. */
	__u64 zero;
};

/* Words that few masks use: the second half of IPv6 addresses, and ARP's
 * hardware addresses; and the flow label and the flags of TCP. */
#define AFXDP_WORDS_LONG (1 << 3 | 1 << 4 | 1 << 5)
#define AFXDP_WORDS_LAST (1 << 7)

/* Factors of the words in the hash: the first numbers that SplitMix64 makes
 * from 0, odd. */
#define AFXDP_HASH_0 0xe220a8397b1dcdafULL
#define AFXDP_HASH_1 0x6e789e6aa1b965f5ULL
#define AFXDP_HASH_2 0x06c45d188009454fULL
#define AFXDP_HASH_3 0xf88bb8a8724c81edULL
#define AFXDP_HASH_4 0x1b39896a51a8749bULL
#define AFXDP_HASH_5 0x53cb9f0c747ea2ebULL
#define AFXDP_HASH_6 0x2c829abe1f4532e1ULL
#define AFXDP_HASH_7 0xc584133ac916ab3dULL

/* Returns the hash of the masked key 'w' for the mask 'mask', which uses the
 * words 'used', of 'port'.  Multilinear hashing: a sum of products, of which a
 * processor works at several at a time.  The end, half of MurmurHash3's
 * finalizer, is for the upper bits of the words, where the ports are: in the
 * product they change nothing but upper bits. */
static inline __u64 afxdp_flow_hash(__u32 port, __u32 mask, __u64 used,
				    const __u64 *w)
{
	__u64 hash = ((__u64)port << 16 | mask) * 0x9e3779b97f4a7c15ULL;

	hash += w[0] * AFXDP_HASH_0 + w[1] * AFXDP_HASH_1 +
		w[2] * AFXDP_HASH_2 + w[6] * AFXDP_HASH_6;
	if (used & AFXDP_WORDS_LONG)
		hash += w[3] * AFXDP_HASH_3 + w[4] * AFXDP_HASH_4 +
			w[5] * AFXDP_HASH_5;
	if (used & AFXDP_WORDS_LAST)
		hash += w[7] * AFXDP_HASH_7;
	hash = (hash ^ hash >> 32) * 0xff51afd7ed558ccdULL;
	return hash ^ hash >> 32;
}

static inline __u64 afxdp_flow_hash_tag(__u64 hash)
{
	return (hash & 0xffff) | 1;
}

static inline __u32 afxdp_flow_hash_bucket(__u64 hash)
{
	return hash >> (64 - AFXDP_BUCKET_BITS);
}

#endif /* afxdp-flow.h */
