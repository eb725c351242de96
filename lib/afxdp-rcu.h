/* SPDX-License-Identifier: Apache-2.0 */

/* Grace periods of Open vSwitch's RCU that do not wait for idle PMD threads.
 *
 * Whenever a port or a table of OpenFlow changes, the main thread waits for a
 * grace period (ovsrcu_synchronize()), several times one after the other.  A
 * PMD thread quiesces each 10 ms, so that each waits for up to 10 ms, with
 * nothing else to do.  A PMD thread that finds a queue empty could quiesce at
 * once, if it knew that somebody waits:
 *
 *     main thread                          PMD thread
 *
 *     ovsrcu_synchronize()
 *         quiesces
 *         poll_block()
 *             increments 'asked'
 *                                          finds a queue empty
 *                                          quiesces, as 'asked' has changed
 *         wakes up
 *
 * Open vSwitch 3.1 has no hook there, so the linker passes calls of
 * ovsrcu_synchronize() and poll_block() through here (--wrap). */

#ifndef AFXDP_RCU_H
#define AFXDP_RCU_H 1

void afxdp_rcu_idle(void);

#endif /* afxdp-rcu.h */
