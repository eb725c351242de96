/* SPDX-License-Identifier: Apache-2.0 */

/* OpenFlow into XDP: the flow API provider "afxdp", which gets the megaflows
 * of ports of type afxdp from dpif-netdev when other_config:hw-offload=true,
 * and puts those that the XDP program can carry out exactly into its table.
 * All others stay in user space.
 *
 * This is what lib/netdev-afxdp.c and afxdp-offload-queue.c call. */

#ifndef AFXDP_OFFLOAD_H
#define AFXDP_OFFLOAD_H 1

#include <stdbool.h>

#include "openvswitch/types.h"

struct afxdp_prog;
struct netdev;

void afxdp_offload_init(void);

void afxdp_offload_port_up(const struct netdev *, struct afxdp_prog *,
                           int ifindex, bool generic);
void afxdp_offload_port_down(const struct netdev *);
void afxdp_offload_port_gone(const struct netdev *);

void afxdp_offload_flow_changed(const ovs_u128 *mega_ufid);
void afxdp_offload_flow_deleted(const ovs_u128 *mega_ufid);

#endif /* afxdp-offload.h */
