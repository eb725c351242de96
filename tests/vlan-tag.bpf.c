/* SPDX-License-Identifier: GPL-2.0 */

/* What an 802.1Q device does for a device below it, on any kernel, for the
 * suites: what is sent gets a VLAN tag, which stands beside the packet; what
 * comes with that tag loses it.  Other packets that come are dropped. */

#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define ETH_P_8021Q 0x8100
#define TCI 0x2005              /* VLAN 5, priority 1. */

/* On egress. */
SEC("tc")
int vlan_tag(struct __sk_buff *skb)
{
    bpf_skb_vlan_push(skb, bpf_htons(ETH_P_8021Q), TCI);
    return TC_ACT_OK;
}

/* On ingress. */
SEC("classifier")
int vlan_untag(struct __sk_buff *skb)
{
    if (!skb->vlan_present || skb->vlan_tci != TCI) {
        return TC_ACT_SHOT;
    }
    bpf_skb_vlan_pop(skb);
    return TC_ACT_OK;
}

char _license[] SEC("license") = "GPL";
