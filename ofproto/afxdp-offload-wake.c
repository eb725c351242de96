/* SPDX-License-Identifier: Apache-2.0 */

/* Wakes dpif-netdev's offload threads when there is work for them.
 *
 * PMD threads, handlers and revalidators put the flows that they add, change
 * and delete into a queue (mpsc_queue_insert()), and an offload thread takes
 * them out.  While the queue is empty it sleeps (xnanosleep()), 1 ms at first
 * and up to 64 ms later on: a flow that OpenFlow deleted would go on in the
 * kernel for as long.  Open vSwitch 3.1 has no other hook there, so the linker
 * passes calls of both functions from any object to this one (--wrap).
 *
 * Other threads sleep as ever.  An offload thread sleeps until an item has
 * been put into any queue since it last slept, or its time is over:
 *
 *      offload thread                       other threads
 *
 *      finds its queue empty
 *                                           put an item into it
 *                                           n_inserted++
 *      sleeps unless n_inserted             wake sleepers, if there are any
 *      is more than it was when
 *      it woke last
 */

#include <config.h>

#include <linux/futex.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mpsc-queue.h"
#include "ovs-rcu.h"
#include "ovs-thread.h"
#include "util.h"

void __real_xnanosleep(uint64_t nanoseconds);
void __wrap_xnanosleep(uint64_t nanoseconds);
void __real_mpsc_queue_insert(struct mpsc_queue *, struct mpsc_queue_node *);
void __wrap_mpsc_queue_insert(struct mpsc_queue *, struct mpsc_queue_node *);

/* Items put into queues; the word that sleepers wait on. */
static uint32_t n_inserted;
static uint32_t n_sleepers;

/* Puts 'node' into 'queue', as mpsc_queue_insert() does. */
void
__wrap_mpsc_queue_insert(struct mpsc_queue *queue,
                         struct mpsc_queue_node *node)
{
    __real_mpsc_queue_insert(queue, node);
    __atomic_add_fetch(&n_inserted, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&n_sleepers, __ATOMIC_SEQ_CST)) {
        syscall(SYS_futex, &n_inserted, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL,
                NULL, 0);
    }
}

static bool
is_offload_thread(void)
{
    return !strncmp(get_subprogram_name(), "hw_offload",
                    strlen("hw_offload"));
}

/* Sleeps as xnanosleep() does, but in an offload thread at most until there is
 * work. */
void
__wrap_xnanosleep(uint64_t nanoseconds)
{
    /* What 'n_inserted' was when this thread woke last.  It has emptied its
     * queue since. */
    static __thread uint32_t seen;
    uint32_t inserted;

    if (!is_offload_thread()) {
        __real_xnanosleep(nanoseconds);
        return;
    }
    inserted = __atomic_load_n(&n_inserted, __ATOMIC_SEQ_CST);
    if (inserted == seen) {
        struct timespec timeout = {
            .tv_sec = nanoseconds / 1000000000,
            .tv_nsec = nanoseconds % 1000000000,
        };

        ovsrcu_quiesce_start();
        __atomic_add_fetch(&n_sleepers, 1, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, &n_inserted, FUTEX_WAIT_PRIVATE, seen, &timeout,
                NULL, 0);
        __atomic_sub_fetch(&n_sleepers, 1, __ATOMIC_SEQ_CST);
        ovsrcu_quiesce_end();
        inserted = __atomic_load_n(&n_inserted, __ATOMIC_SEQ_CST);
    }
    seen = inserted;
}
