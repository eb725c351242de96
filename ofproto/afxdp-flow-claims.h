/* SPDX-License-Identifier: Apache-2.0 */

/* Which flow of the datapath gets what a flow in the kernel counted.
 *
 * Each PMD thread that sees a megaflow has a flow of its own for it
 * (struct dp_netdev_flow), but all of them are one flow in the kernel.
 * dpif-netdev asks for the kernel's counts once for each of its flows, and
 * Open vSwitch adds the answers up, so each packet must be in one of them
 * only. Whoever asks first after a packet was counted gets it.
 *
 * A flow of the datapath tells in no way that it is gone, so what a flow in
 * the kernel knows of those that asked is kept by PMD thread. */

#ifndef AFXDP_FLOW_CLAIMS_H
#define AFXDP_FLOW_CLAIMS_H 1

#include <stddef.h>
#include <stdint.h>

#include "openvswitch/types.h"

struct afxdp_flow_counts;

/* What the flow of one PMD thread got so far. */
struct afxdp_flow_claim {
    unsigned int pmd_id;
    const void *flow;           /* The flow; maybe gone. */
    uint64_t packets;
    uint64_t bytes;
};

struct afxdp_flow_claims {
    uint64_t packets;           /* Got by all of them, those that are gone */
    uint64_t bytes;             /* included. */
    size_t n;
    struct afxdp_flow_claim *claims;
};

void afxdp_flow_claims_destroy(struct afxdp_flow_claims *);
void afxdp_flow_claims_take(struct afxdp_flow_claims *,
                            const ovs_u128 *mega_ufid,
                            struct afxdp_flow_counts *);

#endif /* afxdp-flow-claims.h */
