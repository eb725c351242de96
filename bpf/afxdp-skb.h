/* SPDX-License-Identifier: GPL-2.0 */

/* What an XDP program in generic mode tells user space of a packet, in the
 * metadata right in front of it.
 *
 * In generic mode a packet is still what the kernel's stack made of it: the
 * checksum of its payload may be left for a device to complete, it may be a
 * batch of segments (GSO), and its VLAN tag may stand beside it.  The packet
 * itself shows nothing of that; its sk_buff does.  bpf/afxdp-notes.bpf.c reads
 * it, lib/afxdp-gso.c makes ordinary packets of it. */

#ifndef AFXDP_SKB_H
#define AFXDP_SKB_H 1

#include <linux/types.h>

struct afxdp_skb {
	__u16 flags;			/* AFXDP_SKB_*. */

	/* Offsets in bytes from the start of the packet, but for csum_offset. */
	__u16 csum_start;		/* Where the checksum starts to sum. */
	__u16 csum_offset;		/* Its own place, from csum_start. */
	__u16 inner_network;		/* IP header inside the tunnel. */

	__u16 gso_size;			/* Payload bytes of a segment. */
	__be16 vlan_tpid;
	__u16 vlan_tci;			/* In host byte order. */
	__u16 zero;
};

_Static_assert(sizeof(struct afxdp_skb) == 16, "afxdp_skb");

/* The kernel told what follows; otherwise all else is 0, and user space has to
 * find out from the packet. */
#define AFXDP_SKB_KNOWN 0x0200

/* The checksum at csum_start + csum_offset is not complete: it has the sum of
 * the pseudo header, or nothing if it is a CRC32c. */
#define AFXDP_SKB_PARTIAL 0x0001
#define AFXDP_SKB_CRC32C 0x0002

/* Segments of gso_size each, of which protocol. */
#define AFXDP_SKB_TCP 0x0004
#define AFXDP_SKB_UDP 0x0008
#define AFXDP_SKB_OTHER 0x0010
#define AFXDP_SKB_GSO (AFXDP_SKB_TCP | AFXDP_SKB_UDP | AFXDP_SKB_OTHER)

/* They are inside a tunnel. */
#define AFXDP_SKB_TUNNEL 0x0020

/* All have the same IP identification (inside and outside); the CWR flag of
 * TCP is on all of them, not only on the first. */
#define AFXDP_SKB_FIXED_ID 0x0040
#define AFXDP_SKB_KEEP_CWR 0x0080

/* The VLAN tag stands beside the packet. */
#define AFXDP_SKB_VLAN 0x0100

#endif /* afxdp-skb.h */
