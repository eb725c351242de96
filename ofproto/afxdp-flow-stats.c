/* SPDX-License-Identifier: Apache-2.0 */

/* Counters of the XDP program: see afxdp-flow-stats.h. */

#include <config.h>

#include "afxdp-flow-stats.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "afxdp-prog.h"
#include "util.h"

static int counters_fd;
static int misses_fd;
static int n_cpus;

/* Sets where the counters are. */
void
afxdp_flow_stats_open(const struct afxdp_flow_maps *maps)
{
    counters_fd = maps->counters;
    misses_fd = maps->misses;
    n_cpus = MAX(libbpf_num_possible_cpus(), 1);
}

/* Sets 'counter', which no flow uses, to zero.  Returns 0 or a positive errno
 * value. */
int
afxdp_flow_stats_clear(uint32_t counter)
{
    struct afxdp_flow_counter *values = xcalloc(n_cpus, sizeof *values);
    int error = -bpf_map_update_elem(counters_fd, &counter, values, BPF_ANY);

    free(values);
    return error;
}

/* Stores the values of 'counter' in '*counts'.  Returns 0 or a positive errno
 * value. */
int
afxdp_flow_stats_read(uint32_t counter, struct afxdp_flow_counts *counts)
{
    struct afxdp_flow_counter *values = xcalloc(n_cpus, sizeof *values);
    int error = -bpf_map_lookup_elem(counters_fd, &counter, values);
    uint64_t used = 0;

    memset(counts, 0, sizeof *counts);
    for (int i = 0; i < n_cpus && !error; i++) {
        counts->packets += values[i].packets;
        counts->bytes += values[i].bytes;
        counts->tcp_flags |= values[i].tcp_flags;
        used = MAX(used, values[i].used);
    }
    counts->used = used / 1000000;
    free(values);
    return error;
}

/* Sets the counts of packets that came in on 'port' but went to user space to
 * zero. */
int
afxdp_flow_stats_clear_misses(uint32_t port)
{
    struct afxdp_flow_misses *values = xcalloc(n_cpus, sizeof *values);
    int error = -bpf_map_update_elem(misses_fd, &port, values, BPF_ANY);

    free(values);
    return error;
}

/* Stores in '*misses' what came in on 'port' but went to user space.  Returns
 * 0 or a positive errno value. */
int
afxdp_flow_stats_read_misses(uint32_t port, struct afxdp_flow_misses *misses)
{
    struct afxdp_flow_misses *values = xcalloc(n_cpus, sizeof *values);
    int error = -bpf_map_lookup_elem(misses_fd, &port, values);

    memset(misses, 0, sizeof *misses);
    for (int i = 0; i < n_cpus && !error; i++) {
        misses->misses += values[i].misses;
        misses->unknown += values[i].unknown;
        misses->refused += values[i].refused;
    }
    free(values);
    return error;
}
