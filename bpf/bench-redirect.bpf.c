/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A bare XDP redirect: whatever arrives on one device leaves by the other.
 * The bench shows it beside the datapaths as what the machine can do at most.
 * UDP to one port is dropped and counted, for the work that measures drops.
 * utilities/bench-redirect.c loads it once for each of the two devices.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "bench-count.h"

const volatile __u32 redirect_ifindex;  /* Device to send out of. */
const volatile __u16 redirect_drop;     /* UDP port to drop, host order. */

struct bench_count redirect_drops[BENCH_MAX_CPUS];

SEC("xdp")
int
bench_redirect(struct xdp_md *ctx)
{
    void *data = (void *) (long) ctx->data;
    void *end = (void *) (long) ctx->data_end;
    struct ethhdr *eth = data;
    struct iphdr *ip = (void *) (eth + 1);
    struct udphdr *udp = (void *) (ip + 1);

    if ((void *) (udp + 1) <= end && eth->h_proto == bpf_htons(ETH_P_IP)
        && ip->protocol == IPPROTO_UDP
        && udp->dest == bpf_htons(redirect_drop)) {
        bench_count(redirect_drops, end - data);
        return XDP_DROP;
    }
    return bpf_redirect(redirect_ifindex, 0);
}

char _license[] SEC("license") = "GPL";
