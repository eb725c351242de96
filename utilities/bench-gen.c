/* SPDX-License-Identifier: Apache-2.0 */

/* The generator: live frames by BPF_PROG_RUN, sent out of a container's device
 * by bpf/bench-gen.bpf.c.  Each run of BPF_PROG_RUN ends in a wait for RCU, so
 * that runs of few frames would send in bursts with gaps between; we ask for
 * as many frames as one run can make, and break it off by a signal. */

#include <config.h>
#include "bench-traffic.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <net/ethernet.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <string.h>

#include "bpf/bench-gen.skel.h"

#define FCS_LEN 4
#define MIN_SIZE 64
#define MAX_SIZE 1518
#define MORE_SOURCES 0x0a400000     /* 10.64.0.0: sources of many flows. */

struct gen_headers {
    struct ether_header eth;
    struct iphdr ip;
    struct udphdr udp;
} __attribute__((packed));

static void
build_frame(const struct bench_args *args, size_t len, uint8_t *frame)
{
    struct gen_headers h = {
        .eth.ether_type = htons(ETHERTYPE_IP),
        .ip = {
            .version = 4,
            .ihl = 5,
            .ttl = 64,
            .protocol = IPPROTO_UDP,
            .tot_len = htons(len - sizeof h.eth),
            .daddr = args->dst.s_addr,
        },
        .udp = {
            .uh_dport = htons(args->port),
            .uh_ulen = htons(len - sizeof h.eth - sizeof h.ip),
        },
    };

    memcpy(h.eth.ether_shost, args->smac, 6);
    memcpy(h.eth.ether_dhost, args->dmac, 6);
    memset(frame, 0, len);
    memcpy(frame, &h, sizeof h);
}

/* The sum of the IP header's words, without those of the source. */
static uint32_t
header_sum(const uint8_t *frame)
{
    const uint8_t *ip = frame + sizeof(struct ether_header);
    uint32_t sum = 0;

    for (size_t i = 0; i < sizeof(struct iphdr); i += 2) {
        sum += ip[i] << 8 | ip[i + 1];
    }
    return (sum & 0xffff) + (sum >> 16);
}

static struct bench_gen *
load(const struct bench_args *args, const uint8_t *frame)
{
    struct bench_gen *skel = bench_gen__open();

    if (!skel) {
        bench_die(errno, "cannot open the generator's program");
    }
    skel->rodata->gen_ifindex = bench_ifindex(args->dev);
    skel->rodata->gen_n_flows = args->flows ? args->flows : UINT32_MAX;
    skel->rodata->gen_saddr = ntohl(args->src.s_addr);
    skel->rodata->gen_saddr_more = MORE_SOURCES;
    skel->rodata->gen_csum = header_sum(frame);
    if (bench_gen__load(skel)) {
        bench_die(errno, "cannot load the generator's program");
    }
    return skel;
}

int
bench_gen(const struct bench_args *args)
{
    uint8_t frame[MAX_SIZE];
    size_t len = args->size - FCS_LEN;
    LIBBPF_OPTS(bpf_test_run_opts, opts,
                .data_in = frame,
                .data_size_in = len,
                .repeat = 1 << 30,
                .flags = BPF_F_TEST_XDP_LIVE_FRAMES,
                .batch_size = 64);
    struct bench_gen *skel;
    uint64_t begin;

    if (args->size < MIN_SIZE || args->size > MAX_SIZE) {
        bench_die(0, "--size: a frame has %d to %d bytes with its FCS",
                  MIN_SIZE, MAX_SIZE);
    }
    build_frame(args, len, frame);
    skel = load(args, frame);

    bench_watch();
    bench_ready();
    begin = bench_now();
    while (!bench_over) {
        if (bpf_prog_test_run_opts(bpf_program__fd(skel->progs.bench_gen),
                                   &opts)
            && errno != EINTR) {
            bench_die(errno, "cannot make live frames (Linux 5.18 or later "
                      "has them)");
        }
    }
    printf("sent %llu ns %llu\n", (unsigned long long) skel->bss->gen_sent,
           (unsigned long long) (bench_now() - begin));
    bench_gen__destroy(skel);
    return 0;
}
