/* SPDX-License-Identifier: Apache-2.0 */

/* The sinks: bpf/bench-sink.bpf.c on a container's device or on a socket of
 * its, and what they have counted. */

#include <config.h>
#include "bench-traffic.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

#include "bpf/bench-count.h"
#include "bpf/bench-sink.skel.h"

static void
report(void *aux)
{
    struct bench_sink *skel = aux;
    struct bench_count sum = bench_count_sum(skel->bss->sink_counts);

    printf("packets %llu bytes %llu ns %llu\n",
           (unsigned long long) sum.packets, (unsigned long long) sum.bytes,
           (unsigned long long) bench_now());
}

static struct bench_sink *
load(void)
{
    struct bench_sink *skel = bench_sink__open_and_load();

    if (!skel) {
        bench_die(errno, "cannot load the sink's programs");
    }
    return skel;
}

int
bench_sink(const struct bench_args *args)
{
    struct bench_sink *skel = load();

    bench_attach_xdp(bpf_program__fd(skel->progs.bench_sink), args->dev,
                     args->generic);
    bench_serve(report, skel);
    bench_sink__destroy(skel);
    return 0;
}

int
bench_sink_udp(const struct bench_args *args)
{
    struct bench_sink *skel = load();
    int prog_fd = bpf_program__fd(skel->progs.bench_sock);
    int fd = bench_socket(args, true);

    if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_BPF, &prog_fd, sizeof prog_fd)) {
        bench_die(errno, "cannot attach the counting filter to a socket");
    }
    bench_serve(report, skel);
    bench_sink__destroy(skel);
    return 0;
}
