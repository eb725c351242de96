/* SPDX-License-Identifier: GPL-2.0 */

/* A VLAN tag for what a device sends, for the suites: it stands beside the
 * packet, as if an 802.1Q device had sent it. */

#include <linux/bpf.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define ETH_P_8021Q 0x8100

SEC("tc")
int tag_egress(struct __sk_buff *skb)
{
    bpf_skb_vlan_push(skb, bpf_htons(ETH_P_8021Q), 0x2005);
    return 0;
}

char _license[] SEC("license") = "GPL";
