/* SPDX-License-Identifier: Apache-2.0 */

/* What drivers say of XDP.  The kernel tells by the generic netlink family
 * "netdev", from Linux 6.3 on. */

#ifndef AFXDP_FEATURES_H
#define AFXDP_FEATURES_H 1

#include <stdint.h>

/* From linux/netdev.h, which older headers lack. */
#define NETDEV_FAMILY "netdev"
#define NETDEV_FAMILY_VERSION 1
#define NETDEV_MCGRP "mgmt"
#define NETDEV_DEV_GET 1
#define NETDEV_DEV_IFINDEX 1
#define NETDEV_DEV_XDP_FEATURES 3
#define NETDEV_DEV_N_ATTRS 4
#define NETDEV_XDP_BASIC 1
#define NETDEV_NDO_XMIT 4

int afxdp_features_read(int ifindex, uint64_t *features);

#endif /* afxdp-features.h */
