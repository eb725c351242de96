/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_COUNT_H
#define BENCH_COUNT_H 1

/* Counters of the bench's BPF programs, one cache line for each CPU.  The
 * programs keep an array of them in a global variable, which user space reads
 * without a system call.  A CPU beyond the array shares another's line, which
 * the bench, on its two cores, never sees. */

#include <linux/types.h>

#define BENCH_MAX_CPUS 256      /* A power of 2. */

struct bench_count {
    __u64 packets;
    __u64 bytes;
    __u64 pad[6];
};

#ifdef __bpf__
static __always_inline void
bench_count(struct bench_count *counts, __u64 bytes)
{
    struct bench_count *c = &counts[bpf_get_smp_processor_id()
                                    & (BENCH_MAX_CPUS - 1)];

    c->packets++;
    c->bytes += bytes;
}
#else
static inline struct bench_count
bench_count_sum(const struct bench_count *counts)
{
    struct bench_count sum = { 0 };

    for (int i = 0; i < BENCH_MAX_CPUS; i++) {
        sum.packets += counts[i].packets;
        sum.bytes += counts[i].bytes;
    }
    return sum;
}
#endif

#endif /* bench-count.h */
