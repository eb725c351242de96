/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sinks of the bench, loaded by utilities/bench-sink.c.  'bench_sink' sits
 * on the receiving container's device, counts IPv4 UDP frames and drops them;
 * whatever else arrives goes on to the stack.  'bench_sock' does the same for
 * the datagrams of one socket, after the receiver's stack has dealt with them.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "bench-count.h"

struct bench_count sink_counts[BENCH_MAX_CPUS];

SEC("xdp.frags")
int
bench_sink(struct xdp_md *ctx)
{
    void *data = (void *) (long) ctx->data;
    void *end = (void *) (long) ctx->data_end;
    struct ethhdr *eth = data;
    struct iphdr *ip = (void *) (eth + 1);

    if ((void *) (ip + 1) > end || eth->h_proto != bpf_htons(ETH_P_IP)
        || ip->protocol != IPPROTO_UDP) {
        return XDP_PASS;
    }
    bench_count(sink_counts, bpf_xdp_get_buff_len(ctx));
    return XDP_DROP;
}

SEC("socket")
int
bench_sock(struct __sk_buff *skb)
{
    bench_count(sink_counts, skb->len);
    return 0;
}

char _license[] SEC("license") = "GPL";
