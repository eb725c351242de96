// SPDX-License-Identifier: GPL-2.0
/* The sk_buff behind a packet in generic mode: see afxdp-skb.h.
 *
 * The kernel passes the tracepoint netif_receive_skb right before it runs an
 * XDP program in generic mode, both in __netif_receive_skb_core().  A program
 * at the tracepoint looks at the sk_buff and leaves a note for the XDP program
 * that runs next on the same CPU.
 *
 * That takes CAP_PERFMON and a kernel with BTF.  Where it cannot be loaded
 * there are no notes, and user space guesses. */

#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "afxdp-skb-notes.h"

/* From include/linux/skbuff.h. */
#define CHECKSUM_PARTIAL 3

#define SKB_GSO_TCPV4 (1 << 0)
#define SKB_GSO_TCP_FIXEDID_OLD (1 << 3)
#define SKB_GSO_TCPV6 (1 << 4)
#define SKB_GSO_UDP_L4 (1 << 17)
#define SKB_GSO_TCP_ACCECN (1 << 19)
#define SKB_GSO_TCP_FIXEDID (1 << 30)

struct bpf_prog;

struct net_device {
	int ifindex;
	struct bpf_prog *xdp_prog;	/* In generic mode. */
} __attribute__((preserve_access_index));

struct sk_buff {
	struct net_device *dev;
	__u8 ip_summed:2;
	__u8 csum_not_inet:1;
	__u8 encapsulation:1;
	__u16 csum_start;
	__u16 csum_offset;
	__u16 mac_header;
	__u16 inner_network_header;
	__be16 vlan_proto;
	__u16 vlan_tci;
	unsigned int end;
	unsigned char *head;
} __attribute__((preserve_access_index));

struct skb_shared_info {
	unsigned short gso_size;
	unsigned int gso_type;
} __attribute__((preserve_access_index));

extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym;

static __always_inline __u16 gso_flags(unsigned int type)
{
	__u16 flags;

	if (type & (SKB_GSO_TCPV4 | SKB_GSO_TCPV6))
		flags = AFXDP_SKB_TCP;
	else if (type & SKB_GSO_UDP_L4)
		flags = AFXDP_SKB_UDP;
	else
		flags = AFXDP_SKB_OTHER;
	if (type & (SKB_GSO_TCP_FIXEDID_OLD | SKB_GSO_TCP_FIXEDID))
		flags |= AFXDP_SKB_FIXED_ID;
	if (type & SKB_GSO_TCP_ACCECN)
		flags |= AFXDP_SKB_KEEP_CWR;
	return flags;
}

SEC("tp_btf/netif_receive_skb")
int afxdp_note(const __u64 *args)
{
	const struct sk_buff *skb = (const void *)args[0];
	const struct skb_shared_info *shinfo;
	__u16 flags = AFXDP_SKB_KNOWN, mac = skb->mac_header;
	struct afxdp_skb_note *note;
	__u32 zero = 0;

	if (!skb->dev->xdp_prog)
		return 0;
	note = bpf_map_lookup_elem(&notes, &zero);
	if (!note)
		return 0;

	if (BPF_CORE_READ_BITFIELD(skb, ip_summed) == CHECKSUM_PARTIAL) {
		flags |= AFXDP_SKB_PARTIAL;
		if (bpf_core_field_exists(skb->csum_not_inet) &&
		    BPF_CORE_READ_BITFIELD(skb, csum_not_inet))
			flags |= AFXDP_SKB_CRC32C;
		note->skb.csum_start = skb->csum_start - mac;
		note->skb.csum_offset = skb->csum_offset;
	}
	shinfo = bpf_rdonly_cast(skb->head + skb->end,
				 bpf_core_type_id_kernel(*shinfo));
	note->skb.gso_size = shinfo->gso_size;
	if (note->skb.gso_size) {
		flags |= gso_flags(shinfo->gso_type);
		if (BPF_CORE_READ_BITFIELD(skb, encapsulation)) {
			flags |= AFXDP_SKB_TUNNEL;
			note->skb.inner_network =
				skb->inner_network_header - mac;
		}
	}
	note->skb.vlan_tpid = skb->vlan_proto;
	if (note->skb.vlan_tpid) {
		flags |= AFXDP_SKB_VLAN;
		note->skb.vlan_tci = skb->vlan_tci;
	}
	note->skb.flags = flags;
	note->ifindex = skb->dev->ifindex;
	return 0;
}

char _license[] SEC("license") = "GPL";
