/* SPDX-License-Identifier: Apache-2.0 */

/* Keeps the flow API "linux_tc" away from ports of type afxdp.
 *
 * Open vSwitch offers each netdev to all flow APIs in turn, and linux_tc takes
 * any device of the kernel's: it puts a queueing discipline on it, and
 * offloads nothing of what dpif-netdev then gives it.  It comes before ours or
 * after it, as their names hash. */

#ifndef AFXDP_OFFLOAD_TC_H
#define AFXDP_OFFLOAD_TC_H 1

#include <stdbool.h>

struct netdev;

bool afxdp_offload_is_ours(const struct netdev *);
void afxdp_offload_keep_tc_away(void);

#endif /* afxdp-offload-tc.h */
