/* SPDX-License-Identifier: Apache-2.0 */

/* The other end of a veth pair: see afxdp-veth.h. */

#include <config.h>

#include "afxdp-veth.h"

#include <string.h>

#include "afxdp-link.h"

/* Reads what there is to know of the other end of the veth that is 'link' into
 * '*peer'. */
void
afxdp_veth_read_peer(const struct afxdp_link *link, struct afxdp_peer *peer)
{
    struct afxdp_link other;

    memset(peer, 0, sizeof *peer);
    if (link->link
        && afxdp_link_read(link->link, link->away ? &link->netnsid : NULL,
                           &other)
        && other.mtu) {
        peer->known = true;
        peer->mtu = other.mtu;
        peer->xdp = other.native_id != 0;
        peer->generic = other.generic_id && !other.native_id;
    }
}
