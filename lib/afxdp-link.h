/* SPDX-License-Identifier: Apache-2.0 */

/* What rtnetlink tells of one device. */

#ifndef AFXDP_LINK_H
#define AFXDP_LINK_H 1

#include <stdbool.h>
#include <stdint.h>

struct afxdp_link {
    bool up;                    /* Up, with a carrier. */
    bool is_veth;
    int mtu;                    /* In bytes. */

    /* The device that it is tied to, as the other end of a veth; 0 if there is
     * none.  If 'away', it is in the network namespace that has the number
     * 'netnsid' in ours. */
    int link;
    bool away;
    uint32_t netnsid;

    /* The kernel's ids of the XDP programs on it, 0 if there is none. */
    uint32_t native_id;
    uint32_t generic_id;
    uint32_t hw_id;
};

bool afxdp_link_read(int ifindex, const uint32_t *netnsid,
                     struct afxdp_link *);

#endif /* afxdp-link.h */
