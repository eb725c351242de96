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
 *                                           change 'inserted'
 *      sleeps unless 'inserted' has
 *      changed since it woke last
 */

#include <config.h>

#include <stdint.h>
#include <string.h>

#include "mpsc-queue.h"
#include "openvswitch/poll-loop.h"
#include "ovs-thread.h"
#include "seq.h"
#include "timeval.h"
#include "util.h"

void __real_xnanosleep(uint64_t nanoseconds);
void __wrap_xnanosleep(uint64_t nanoseconds);
void __real_mpsc_queue_insert(struct mpsc_queue *, struct mpsc_queue_node *);
void __wrap_mpsc_queue_insert(struct mpsc_queue *, struct mpsc_queue_node *);

/* Returns what changes when an item was put into a queue. */
static struct seq *
inserted(void)
{
    static struct ovsthread_once once = OVSTHREAD_ONCE_INITIALIZER;
    static struct seq *seq;

    if (ovsthread_once_start(&once)) {
        seq = seq_create();
        ovsthread_once_done(&once);
    }
    return seq;
}

/* Puts 'node' into 'queue', as mpsc_queue_insert() does. */
void
__wrap_mpsc_queue_insert(struct mpsc_queue *queue,
                         struct mpsc_queue_node *node)
{
    __real_mpsc_queue_insert(queue, node);
    seq_change(inserted());
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
    /* What 'inserted' was when this thread woke last.  It has emptied its
     * queue since. */
    static __thread uint64_t seen;

    if (!is_offload_thread()) {
        __real_xnanosleep(nanoseconds);
        return;
    }
    if (seq_read(inserted()) == seen) {
        seq_wait(inserted(), seen);
        poll_timer_wait(nanoseconds / 1000000 + 1);
        poll_block();
    }
    seen = seq_read(inserted());
}
