/* SPDX-License-Identifier: Apache-2.0 */

/* Flows of the datapath: see afxdp-dpif-flow.h. */

#include <config.h>

#include "afxdp-dpif-flow.h"

#include <string.h>

#include "dpif-netdev-private-flow.h"
#include "flow.h"
#include "netdev-offload.h"
#include "openvswitch/match.h"
#include "util.h"

/* Makes '*mega_ufid' one that no other flow has.  dpif-netdev looks at it only
 * to find the flow again, and to choose the offload thread, which stays the
 * same.
 *
 * Only the offload thread of the flow calls this.  Others may read the id at
 * the same time: they see the old one or the new one. */
void
afxdp_dpif_flow_make_unique(const ovs_u128 *mega_ufid)
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

static const struct dp_netdev_flow *
flow_of(const ovs_u128 *mega_ufid)
{
    return CONTAINER_OF(mega_ufid, struct dp_netdev_flow, mega_ufid);
}

/* Stores what the flow whose 'mega_ufid' is given matches in '*match'.  That
 * never changes, while what is passed on to the flow API when its actions
 * change may have a mask that is a little different. */
void
afxdp_dpif_flow_match(const ovs_u128 *mega_ufid, struct match *match)
{
    const struct dp_netdev_flow *flow = flow_of(mega_ufid);

    memset(match, 0, sizeof *match);
    match->flow = flow->flow;
    miniflow_expand(&flow->cr.mask->mf, &match->wc.masks);
}

/* Returns what the flow whose 'mega_ufid' is given does now.  That may be
 * newer than what is passed on to the flow API.  It lasts until the thread
 * quiesces. */
const struct dp_netdev_actions *
afxdp_dpif_flow_actions(const ovs_u128 *mega_ufid)
{
    return ovsrcu_get(struct dp_netdev_actions *,
                      &flow_of(mega_ufid)->actions);
}
