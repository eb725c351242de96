/* SPDX-License-Identifier: Apache-2.0 */

/* What the rest of lib/ may ask of a netdev of ours, whose afxdp_port only
 * netdev-afxdp.c knows how to reach and to lock. */

#ifndef NETDEV_AFXDP_PORT_H
#define NETDEV_AFXDP_PORT_H 1

struct ds;
struct netdev;

void netdev_afxdp_format(struct netdev *, struct ds *);

#endif /* netdev-afxdp-port.h */
