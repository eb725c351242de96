/* SPDX-License-Identifier: Apache-2.0 */

/* dpif-netdev's queue of flows to offload, seen from both ends.
 *
 * PMD threads, handlers and revalidators put the flows that they add, change
 * and delete into a queue (mpsc_queue_insert()), and an offload thread takes
 * them out and calls the flow API.  While the queue is empty it sleeps
 * (xnanosleep()), 1 ms at first and up to 64 ms later on.  A flow that
 * OpenFlow deleted or changed would go on in the kernel for as long, while in
 * user space it ends at once.  Open vSwitch 3.1 has no other hook there, so
 * the linker passes calls of both functions from any object to this one
 * (--wrap).
 *
 *   - A thread that puts in a changed or deleted flow has the kernel's table
 *     follow right then.  What the offload thread does later changes nothing,
 *     or only that the flow is forgotten.
 *
 *   - Offload threads sleep until something was put in:
 *
 *         offload thread                       other threads
 *
 *         finds its queue empty
 *                                              put an item into it
 *                                              change 'inserted'
 *         sleeps unless 'inserted' has
 *         changed since it woke last
 *
 * Other threads sleep as ever. */

#include <config.h>

#include <stdint.h>
#include <string.h>

#include "afxdp-offload.h"
#include "dpif-netdev-private-flow.h"
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

/* The head of each item, as struct dp_offload_thread_item of dpif-netdev.c has
 * it.  Nobody else of Open vSwitch, built without DPDK, uses such queues. */
struct item {
    struct mpsc_queue_node node;
    enum { ITEM_FLOW, ITEM_FLUSH } type;
    long long int timestamp;
    void *dp;

    /* If the type is ITEM_FLOW. */
    const struct dp_netdev_flow *flow;
    enum { FLOW_ADD, FLOW_CHANGE, FLOW_DELETE } op;
};

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
    const struct item *item = CONTAINER_OF(node, struct item, node);

    if (item->type == ITEM_FLOW) {
        if (item->op == FLOW_CHANGE) {
            afxdp_offload_flow_changed(&item->flow->mega_ufid);
        } else if (item->op == FLOW_DELETE) {
            afxdp_offload_flow_deleted(&item->flow->mega_ufid);
        }
    }
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
