/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generator of the bench: run by BPF_PROG_RUN with live frames, it turns
 * every frame that the kernel hands it into the next flow's and sends it out
 * of one device.  utilities/bench-gen.c loads it, supplies the template of the
 * frame and sets the constants below.
 *
 * Frames are recycled without being written anew, so each field that differs
 * from flow to flow is written on every run.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

/* A flow is a source port and, once those are used up, a source address. */
#define PORT_BITS 15
#define PORT_BASE 1024

const volatile __u32 gen_ifindex;   /* Device to send out of. */
const volatile __u32 gen_n_flows;   /* Flows, walked through in turn. */
const volatile __u32 gen_saddr;     /* Source of the first 2^15, host order. */
const volatile __u32 gen_saddr_more; /* Base of the others, host order. */
const volatile __u32 gen_csum;      /* IP header's sum without the source. */

__u64 gen_sent;                     /* Frames made so far. */
static __u32 gen_next;              /* Next flow; one CPU runs us. */

SEC("xdp")
int
bench_gen(struct xdp_md *ctx)
{
    void *data = (void *) (long) ctx->data;
    void *end = (void *) (long) ctx->data_end;
    struct iphdr *ip = data + sizeof(struct ethhdr);
    struct udphdr *udp = (void *) (ip + 1);
    __u32 flow, saddr, sum;

    if ((void *) (udp + 1) > end) {
        return XDP_ABORTED;
    }

    flow = gen_next;
    gen_next = flow + 1 >= gen_n_flows ? 0 : flow + 1;

    saddr = flow >> PORT_BITS
            ? gen_saddr_more + (flow >> PORT_BITS) : gen_saddr;
    sum = gen_csum + (saddr >> 16) + (saddr & 0xffff);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);

    ip->saddr = bpf_htonl(saddr);
    ip->check = bpf_htons(~sum & 0xffff);
    udp->source = bpf_htons(PORT_BASE + (flow & ((1 << PORT_BITS) - 1)));

    gen_sent++;
    return bpf_redirect(gen_ifindex, 0);
}

char _license[] SEC("license") = "GPL";
