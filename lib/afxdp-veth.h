/* SPDX-License-Identifier: Apache-2.0 */

/* The other end of a veth pair, most often a container's, in whatever network
 * namespace it is. */

#ifndef AFXDP_VETH_H
#define AFXDP_VETH_H 1

#include <stdbool.h>

struct afxdp_link;

struct afxdp_peer {
    bool known;                 /* Is what follows known? */
    int mtu;
    bool xdp;                   /* Has its driver an XDP program?  Then packets
                                 * may not be the kernel's stack's. */
    bool generic;               /* Has it one in generic mode? */
};

void afxdp_veth_read_peer(const struct afxdp_link *, struct afxdp_peer *);

#endif /* afxdp-veth.h */
