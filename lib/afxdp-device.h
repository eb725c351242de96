/* SPDX-License-Identifier: Apache-2.0 */

/* What a port needs to know of its network device, and of this process's
 * right to use it. */

#ifndef AFXDP_DEVICE_H
#define AFXDP_DEVICE_H 1

#include <stdbool.h>

#include "afxdp-link.h"
#include "afxdp-veth.h"

struct afxdp_device {
    int ifindex;
    int mtu;                    /* In bytes. */
    int n_channels;             /* Queues that receive, at least 1. */
    bool up;
    char driver[32];            /* As in 'ethtool -i', or empty. */
    struct afxdp_link link;     /* All zeros if the kernel does not tell. */
    struct afxdp_peer peer;     /* Of a veth. */
};

int afxdp_device_ifindex(const char *name);
int afxdp_device_read(const char *name, struct afxdp_device *, char **errp);
bool afxdp_device_is_veth(const struct afxdp_device *);
int afxdp_device_set_mtu(const char *name, int mtu);
bool afxdp_device_is_lag_driver(const char *driver);
char *afxdp_missing_caps(const unsigned int *caps, int n);

#endif /* afxdp-device.h */
