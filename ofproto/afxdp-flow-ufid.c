/* SPDX-License-Identifier: Apache-2.0 */

/* Ids of flows: see afxdp-flow-ufid.h. */

#include <config.h>

#include "afxdp-flow-ufid.h"

#include "netdev-offload.h"
#include "util.h"

/* Makes '*mega_ufid', which is the member of a struct dp_netdev_flow, one that
 * no other flow has.  dpif-netdev looks at it only to find the flow again, and
 * to choose the offload thread, which stays the same.
 *
 * Only the offload thread of the flow calls this.  Others may read the id at
 * the same time: they see the old one or the new one. */
void
afxdp_flow_ufid_make_unique(const ovs_u128 *mega_ufid)
{
    static uint64_t last;
    unsigned int thread = netdev_offload_ufid_to_thread_id(*mega_ufid);
    ovs_u128 new = *mega_ufid;

    do {
        new.u64.lo = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    } while (netdev_offload_ufid_to_thread_id(new) != thread);
    __atomic_store_n(&CONST_CAST(ovs_u128 *, mega_ufid)->u64.lo, new.u64.lo,
                     __ATOMIC_RELAXED);
}
