/* SPDX-License-Identifier: GPL-2.0 */

/* Notes of what the sk_buff of a packet in generic mode says (afxdp-skb.h):
 * bpf/afxdp-notes.bpf.c writes them, the XDP programs read them.  Each of those
 * objects has the map, and user space makes it one. */

#ifndef AFXDP_SKB_NOTES_H
#define AFXDP_SKB_NOTES_H 1

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "afxdp-skb.h"

/* What the sk_buff that came in last says. */
struct afxdp_skb_note {
	__u32 ifindex;			/* Of its device; 0 if there is none. */
	struct afxdp_skb skb;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct afxdp_skb_note);
} notes SEC(".maps");

/* Returns what is known of the sk_buff of the packet from 'ifindex' that an
 * XDP program in generic mode looks at, or NULL if nothing is. */
static __always_inline const struct afxdp_skb *afxdp_skb_get(__u32 ifindex)
{
	struct afxdp_skb_note *note;
	__u32 zero = 0;

	note = bpf_map_lookup_elem(&notes, &zero);
	return note && note->ifindex == ifindex ? &note->skb : NULL;
}

/* Puts that, which may be NULL, in front of the packet of 'ctx'; the last
 * thing to do before the packet goes to user space.  Returns 0 if that is
 * done. */
static __always_inline int afxdp_skb_put(struct xdp_md *ctx,
					 const struct afxdp_skb *skb)
{
	struct afxdp_skb *meta;

	if (bpf_xdp_adjust_meta(ctx, -(int)sizeof(*meta)))
		return -1;
	meta = (void *)(long)ctx->data_meta;
	if ((void *)(meta + 1) > (void *)(long)ctx->data)
		return -1;
	if (skb)
		*meta = *skb;
	else
		__builtin_memset(meta, 0, sizeof(*meta));
	return 0;
}

#endif /* afxdp-skb-notes.h */
