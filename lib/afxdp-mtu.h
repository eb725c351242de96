/* SPDX-License-Identifier: Apache-2.0 */

/* The two MTUs of a veth in generic mode while flows are offloaded.
 *
 * A batch of TCP segments is up to 64 KiB long, and the kernel redirects it to
 * a device only if that has such an MTU.  So our end of the pair has
 * AFXDP_MTU_RAISED for as long as it is such a port.
 *
 * Open vSwitch goes on seeing the MTU of the other end, which bounds the
 * packets on the way through, or one that was asked for.  This is also what
 * the device gets back at the end.  An ovs-vswitchd that was killed leaves its
 * ports raised; the next one starts from the other end's MTU again.
 *
 * If the other end is such a port itself, neither tells the other one's MTU:
 * each keeps to what was there before. */

#ifndef AFXDP_MTU_H
#define AFXDP_MTU_H 1

#include <stdbool.h>

/* The largest MTU of a veth. */
#define AFXDP_MTU_RAISED 65535

struct afxdp_device;

struct afxdp_mtu {
    bool raised;                /* Is the device's MTU AFXDP_MTU_RAISED? */
    int seen;                   /* If so, what Open vSwitch sees. */
    bool requested;             /* Did somebody ask for that? */
    int before;                 /* What is to be put back. */
};

int afxdp_mtu_of(const struct afxdp_device *);
int afxdp_mtu_of_sender(const struct afxdp_mtu *,
                        const struct afxdp_device *);
void afxdp_mtu_raise(struct afxdp_mtu *, const char *name,
                     const struct afxdp_device *);
void afxdp_mtu_restore(struct afxdp_mtu *, const char *name);
void afxdp_mtu_request(struct afxdp_mtu *, int mtu);
bool afxdp_mtu_update(struct afxdp_mtu *, const char *name,
                      const struct afxdp_device *now);

#endif /* afxdp-mtu.h */
