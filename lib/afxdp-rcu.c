/* SPDX-License-Identifier: Apache-2.0 */

/* Grace periods of Open vSwitch's RCU: see afxdp-rcu.h. */

#include <config.h>

#include "afxdp-rcu.h"

#include <stdbool.h>

#include "openvswitch/poll-loop.h"
#include "ovs-atomic.h"
#include "ovs-rcu.h"

void __real_ovsrcu_synchronize(void);
void __wrap_ovsrcu_synchronize(void);
void __real_poll_block(void);
void __wrap_poll_block(void);

/* How often a grace period was waited for. */
static atomic_uint asked = 0;

/* Is this thread about to wait for one? */
static __thread bool asks;

/* Waits for a grace period. */
void
__wrap_ovsrcu_synchronize(void)
{
    asks = true;
    __real_ovsrcu_synchronize();
    asks = false;
}

/* Blocks.  The first time in a grace period, the thread has quiesced itself
 * and looks for the changes of others by now: who quiesces from here on, does
 * so within that grace period. */
void
__wrap_poll_block(void)
{
    unsigned int before;

    if (asks) {
        asks = false;
        atomic_add_explicit(&asked, 1, &before, memory_order_release);
    }
    __real_poll_block();
}

/* To be called by a PMD thread that found a queue empty, and so has nothing
 * that RCU protects: quiesces if a grace period was asked for since it last
 * did. */
void
afxdp_rcu_idle(void)
{
    static __thread unsigned int seen;
    unsigned int now;

    atomic_read_explicit(&asked, &now, memory_order_acquire);
    if (OVS_UNLIKELY(now != seen) && !ovsrcu_try_quiesce()) {
        seen = now;
    }
}
