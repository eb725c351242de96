/* SPDX-License-Identifier: Apache-2.0 */

/* The bare XDP redirect: bpf/bench-redirect.bpf.c on two devices, each sending
 * what it gets out of the other. */

#include <config.h>
#include "bench-traffic.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>

#include "bpf/bench-count.h"
#include "bpf/bench-redirect.skel.h"

static uint64_t
drops_of(const struct bench_redirect *skel)
{
    return bench_count_sum(skel->bss->redirect_drops).packets;
}

static void
report(void *aux)
{
    struct bench_redirect **skels = aux;

    printf("drops %llu ns %llu\n",
           (unsigned long long) (drops_of(skels[0]) + drops_of(skels[1])),
           (unsigned long long) bench_now());
}

static struct bench_redirect *
load(const struct bench_args *args, const char *in, const char *out)
{
    struct bench_redirect *skel = bench_redirect__open();

    if (!skel) {
        bench_die(errno, "cannot open the redirect's program");
    }
    skel->rodata->redirect_ifindex = bench_ifindex(out);
    skel->rodata->redirect_drop = args->drop_port;
    if (bench_redirect__load(skel)) {
        bench_die(errno, "cannot load the redirect's program");
    }
    bench_attach_xdp(bpf_program__fd(skel->progs.bench_redirect), in,
                     args->generic);
    return skel;
}

int
bench_redirect(const struct bench_args *args)
{
    struct bench_redirect *skels[2];

    skels[0] = load(args, args->dev, args->peer);
    skels[1] = load(args, args->peer, args->dev);
    bench_serve(report, skels);
    bench_redirect__destroy(skels[0]);
    bench_redirect__destroy(skels[1]);
    return 0;
}
