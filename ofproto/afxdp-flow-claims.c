/* SPDX-License-Identifier: Apache-2.0 */

/* Shares of counts: see afxdp-flow-claims.h.
 *
 * This is the one file that looks into a flow of dpif-netdev. */

#include <config.h>

#include "afxdp-flow-claims.h"

#include <stdlib.h>

#include "afxdp-flow-stats.h"
#include "dpif-netdev-private-flow.h"
#include "util.h"

void
afxdp_flow_claims_destroy(struct afxdp_flow_claims *claims)
{
    free(claims->claims);
}

/* Returns the claim of the PMD thread of 'flow', a new one if need be. */
static struct afxdp_flow_claim *
find_claim(struct afxdp_flow_claims *claims, const struct dp_netdev_flow *flow)
{
    struct afxdp_flow_claim *claim;

    for (size_t i = 0; i < claims->n; i++) {
        if (claims->claims[i].pmd_id == flow->pmd_id) {
            return &claims->claims[i];
        }
    }
    claims->claims = xrealloc(claims->claims,
                              (claims->n + 1) * sizeof *claims->claims);
    claim = &claims->claims[claims->n++];
    *claim = (struct afxdp_flow_claim) { .pmd_id = flow->pmd_id };
    return claim;
}

/* Did 'flow' never get an answer?  Then it is a new one, even if it is where
 * another one was.  dpif-netdev itself notes the answers, but only later. */
static bool
is_new(const struct dp_netdev_flow *flow)
{
    const char *layer;

    atomic_read_relaxed(&CONST_CAST(struct dp_netdev_flow *,
                                    flow)->last_attrs.dp_layer, &layer);
    if (!layer) {
        atomic_store_relaxed(&CONST_CAST(struct dp_netdev_flow *,
                                         flow)->last_attrs.dp_layer, "ovs");
    }
    return !layer;
}

/* 'counts' is what a flow in the kernel counted in all.  Makes it the share of
 * the dp_netdev_flow whose member 'mega_ufid' is. */
void
afxdp_flow_claims_take(struct afxdp_flow_claims *claims,
                       const ovs_u128 *mega_ufid,
                       struct afxdp_flow_counts *counts)
{
    const struct dp_netdev_flow *flow = CONTAINER_OF(mega_ufid,
                                                     struct dp_netdev_flow,
                                                     mega_ufid);
    struct afxdp_flow_claim *claim = find_claim(claims, flow);
    bool new = is_new(flow);

    if (new || claim->flow != flow) {
        if (flow->dead) {
            /* It has been replaced already. */
            counts->packets = counts->bytes = 0;
            return;
        }
        claim->flow = flow;
        claim->packets = claim->bytes = 0;
    }
    if (!flow->dead) {
        claim->packets += counts->packets - claims->packets;
        claim->bytes += counts->bytes - claims->bytes;
        claims->packets = counts->packets;
        claims->bytes = counts->bytes;
    }
    counts->packets = claim->packets;
    counts->bytes = claim->bytes;
}
