/* SPDX-License-Identifier: Apache-2.0 */

/* What the files of ofproto/ know of each other.
 *
 *    afxdp-offload-queue.c     flows on their way to the flow API
 *    afxdp-offload.c           the flow API, ports, the thread of ours
 *      afxdp-offload-put.c       a flow of the datapath -> one of ours
 *      afxdp-flow-translate.c    megaflow -> key, mask, actions (pure)
 *      afxdp-dpif-flow.c         what the flow API does not tell of a flow
 *      afxdp-offload-flow.c      flows: put, change, take out, count
 *        afxdp-offload-group.c     sets of ports that flows flood
 *        afxdp-offload-port.c      ports: masks in use, targets
 *          afxdp-target.c            what a device takes
 *        afxdp-flow-table.c        the table in the kernel
 *        afxdp-flow-stats.c        counters in the kernel
 *
 * One mutex protects it all.  Threads that hold it wait for no other mutex, so
 * it may be taken under any; what takes time or other locks (asking the kernel
 * about devices, looking up ports of the datapath) happens before. */

#ifndef AFXDP_OFFLOAD_PRIVATE_H
#define AFXDP_OFFLOAD_PRIVATE_H 1

#include "openvswitch/thread.h"

extern struct ovs_mutex afxdp_offload_mutex;

/* Has the thread of afxdp-offload.c look soon whether there is something to
 * do. */
void afxdp_offload_wake(void);

#endif /* afxdp-offload-private.h */
