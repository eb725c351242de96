/* SPDX-License-Identifier: Apache-2.0 */

/* RCU grace periods of the kernel: see afxdp-grace.h. */

#include <config.h>

#include "afxdp-grace.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "openvswitch/vlog.h"
#include "ovs-rcu.h"
#include "ovs-thread.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(afxdp_grace);

/* Longest grace period to reckon with, if the kernel offers no way to wait for
 * one (it always did so far): that after which it reports a stall. */
#define GRACE_MAX_S 60

/* Makes a map of maps with one entry, and the map for that entry.  Returns 0
 * or a positive errno value. */
static int
create_maps(int *outer, int *inner)
{
    LIBBPF_OPTS(bpf_map_create_opts, opts);

    *outer = -1;
    *inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "afxdp_grace_in", 4, 4, 1,
                            NULL);
    if (*inner < 0) {
        return errno;
    }
    opts.inner_map_fd = *inner;
    *outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "afxdp_grace", 4, 4, 1,
                            &opts);
    return *outer < 0 ? errno : 0;
}

/* An update of a map of maps returns when no program can see the old map. */
static int
wait_by_map(void)
{
    static struct ovsthread_once once = OVSTHREAD_ONCE_INITIALIZER;
    static int outer, inner, error;
    int key = 0;

    if (ovsthread_once_start(&once)) {
        error = create_maps(&outer, &inner);
        ovsthread_once_done(&once);
    }
    if (!error && bpf_map_update_elem(outer, &key, &inner, BPF_ANY)) {
        return errno;
    }
    return error;
}

/* Waits until no CPU runs an XDP program that was started before. */
void
afxdp_grace_wait(void)
{
    static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(1, 5);
    int error;

    ovsrcu_quiesce_start();
    error = (syscall(__NR_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0)
             ? wait_by_map() : 0);
    ovsrcu_quiesce_end();
    if (error) {
        VLOG_WARN_RL(&rl, "cannot wait for a grace period of the kernel (%s);"
                     " waiting %d s instead", ovs_strerror(error),
                     GRACE_MAX_S);
        xsleep(GRACE_MAX_S);
    }
}
