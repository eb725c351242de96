/* SPDX-License-Identifier: Apache-2.0 */

/* From a flow of the datapath to one of ours. */

#ifndef AFXDP_OFFLOAD_PUT_H
#define AFXDP_OFFLOAD_PUT_H 1

#include <stdint.h>

#include "afxdp-offload-private.h"
#include "afxdp-refusal.h"
#include "openvswitch/types.h"

struct netdev;

/* How often a flow was refused, by reason. */
extern uint64_t afxdp_offload_refused[AFXDP_N_REFUSALS]
    OVS_GUARDED_BY(afxdp_offload_mutex);

enum afxdp_refusal afxdp_offload_put(const struct netdev *,
                                     const ovs_u128 *mega_ufid);

#endif /* afxdp-offload-put.h */
