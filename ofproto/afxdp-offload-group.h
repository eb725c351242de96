/* SPDX-License-Identifier: Apache-2.0 */

/* Sets of ports that flows with several outputs send to.
 *
 * A packet goes to all ports of its group or to none (then user space sends
 * it), so a group is open to the XDP program only while each of its ports
 * takes the packets.  Closing one is a store to memory.  Opening one may wait
 * for a grace period of the kernel, so the thread of afxdp-offload.c does
 * that.
 *
 * afxdp_offload_mutex protects everything here. */

#ifndef AFXDP_OFFLOAD_GROUP_H
#define AFXDP_OFFLOAD_GROUP_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "afxdp-offload-private.h"

struct afxdp_flow_maps;
struct afxdp_offload_port;

struct afxdp_offload_group {
    uint32_t id;
    uint32_t refs;              /* Flows. */
    bool generic;               /* For packets of ports in generic mode? */
    bool installed;             /* Is 'fd' in the map of groups? */
    bool open;
    bool failed;                /* Did the kernel refuse to open it? */
    int fd;                     /* Map of the devices, or -1. */
    size_t n;
    struct afxdp_offload_port **ports; /* Sorted. */
};

void afxdp_offload_group_open_maps(const struct afxdp_flow_maps *)
    OVS_REQUIRES(afxdp_offload_mutex);

struct afxdp_offload_group *afxdp_offload_group_get(
    struct afxdp_offload_port *const *ports, size_t n, bool generic)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_group_put(struct afxdp_offload_group *)
    OVS_REQUIRES(afxdp_offload_mutex);

void afxdp_offload_group_port_changed(const struct afxdp_offload_port *)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_group_run(void)
    OVS_REQUIRES(afxdp_offload_mutex);

struct afxdp_offload_group *afxdp_offload_group_next(
    const struct afxdp_offload_group *)
    OVS_REQUIRES(afxdp_offload_mutex);

bool afxdp_offload_group_is_waiting(void)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_group_grace_begin(void)
    OVS_REQUIRES(afxdp_offload_mutex);
void afxdp_offload_group_grace_end(void)
    OVS_REQUIRES(afxdp_offload_mutex);

#endif /* afxdp-offload-group.h */
