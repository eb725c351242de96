/* SPDX-License-Identifier: GPL-2.0 */

/* Both ends of tests/flow-load.c: a generator of numbered frames, run by
 * BPF_PROG_RUN, and a sink that checks that each arrives once and whole. */

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "flow-load.h"

const volatile __u32 load_ifindex;      /* Device to send out of. */

struct load_frame load_template;
__u64 load_made;                        /* Frames made so far. */
struct load_counts load_counts;

/* A bit for each number that arrived. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, LOAD_MAX_FRAMES / 64);
    __type(key, __u32);
    __type(value, __u64);
} load_seen SEC(".maps");

/* Frames are recycled as they were left, so each is written anew. */
SEC("xdp")
int
load_gen(struct xdp_md *ctx)
{
    void *data = (void *) (long) ctx->data;
    void *end = (void *) (long) ctx->data_end;
    struct load_frame *frame = data;

    if ((void *) (frame + 1) > end || load_made >= LOAD_MAX_FRAMES) {
        return XDP_ABORTED;
    }
    __builtin_memcpy(frame, &load_template, sizeof *frame);
    frame->number = load_made++;
    return bpf_redirect(load_ifindex, 0);
}

/* Notes that 'number' arrived.  Returns whether it had before. */
static __always_inline bool
seen_before(__u32 number)
{
    __u32 index = number / 64;
    __u64 bit = 1ULL << number % 64;
    __u64 *word = bpf_map_lookup_elem(&load_seen, &index);
    bool before;

    if (!word) {
        return false;
    }
    before = *word & bit;
    __sync_fetch_and_or(word, bit);
    return before;
}

/* The variant of a frame stands in several of its fields. */
static __always_inline bool
is_whole(const struct load_frame *frame, __u8 variant)
{
    return (frame->ip.ttl == variant && frame->ip.tos == variant
            && frame->udp.dest == bpf_htons(LOAD_PORT + variant)
            && frame->ip.daddr == bpf_htonl(LOAD_ADDRESS + variant)
            && frame->eth.h_dest[4] == variant);
}

SEC("xdp")
int
load_sink(struct xdp_md *ctx)
{
    void *data = (void *) (long) ctx->data;
    void *end = (void *) (long) ctx->data_end;
    const struct load_frame *frame = data;
    struct load_variant *v;
    __u64 now;

    if ((void *) (frame + 1) > end
        || frame->eth.h_proto != bpf_htons(ETH_P_IP)
        || frame->magic != LOAD_MAGIC) {
        return XDP_PASS;
    }
    if (seen_before(frame->number)) {
        __sync_fetch_and_add(&load_counts.twice, 1);
        return XDP_DROP;
    }
    __sync_fetch_and_add(&load_counts.once, 1);
    if (!is_whole(frame, frame->eth.h_dest[5])) {
        __sync_fetch_and_add(&load_counts.mixed, 1);
    }
    v = &load_counts.variants[frame->eth.h_dest[5]];
    now = bpf_ktime_get_ns();
    if (!v->first) {
        v->first = now;
    }
    v->last = now;
    __sync_fetch_and_add(&v->packets, 1);
    return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
