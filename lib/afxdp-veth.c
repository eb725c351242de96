/* SPDX-License-Identifier: Apache-2.0 */

/* The other end of a veth pair: see afxdp-veth.h. */

#include <config.h>

#include "afxdp-veth.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "netlink-socket.h"
#include "netlink.h"
#include "openvswitch/ofpbuf.h"

static const struct nl_policy link_policy[] = {
    [IFLA_MTU] = { .type = NL_A_U32, .optional = true },
    [IFLA_LINK] = { .type = NL_A_U32, .optional = true },
    [IFLA_LINK_NETNSID] = { .type = NL_A_U32, .optional = true },
    [IFLA_XDP] = { .type = NL_A_NESTED, .optional = true },
};

#define N_ATTRS ARRAY_SIZE(link_policy)

static const struct nl_policy xdp_policy[] = {
    [IFLA_XDP_ATTACHED] = { .type = NL_A_U8, .optional = true },
};

/* Asks for the device 'ifindex' of the network namespace that has the number
 * '*netnsid' in ours, or of ours if 'netnsid' is NULL.  Returns true and
 * stores its attributes in 'attrs', which point into '*replyp', which the
 * caller must free. */
static bool
get_link(int ifindex, const uint32_t *netnsid,
         struct nlattr *attrs[N_ATTRS], struct ofpbuf **replyp)
{
    struct ofpbuf request;
    struct ifinfomsg *info;
    bool ok;

    ofpbuf_init(&request, 0);
    nl_msg_put_nlmsghdr(&request, sizeof *info, RTM_GETLINK, NLM_F_REQUEST);
    info = ofpbuf_put_zeros(&request, sizeof *info);
    info->ifi_family = AF_UNSPEC;
    info->ifi_index = ifindex;
    if (netnsid) {
        nl_msg_put_u32(&request, IFLA_TARGET_NETNSID, *netnsid);
    }
    nl_msg_put_u32(&request, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);

    *replyp = NULL;
    ok = (!nl_transact(NETLINK_ROUTE, &request, replyp)
          && nl_policy_parse(*replyp, NLMSG_HDRLEN + sizeof *info,
                             link_policy, attrs, N_ATTRS));
    ofpbuf_uninit(&request);
    return ok;
}

/* Stores what there is to know of the link with 'attrs' in '*peer'. */
static void
parse_peer(struct nlattr *attrs[N_ATTRS], struct afxdp_peer *peer)
{
    struct nlattr *xdp[ARRAY_SIZE(xdp_policy)];

    if (!attrs[IFLA_MTU]) {
        return;
    }
    peer->known = true;
    peer->mtu = nl_attr_get_u32(attrs[IFLA_MTU]);
    if (attrs[IFLA_XDP]
        && nl_parse_nested(attrs[IFLA_XDP], xdp_policy, xdp, ARRAY_SIZE(xdp))
        && xdp[IFLA_XDP_ATTACHED]) {
        uint8_t mode = nl_attr_get_u8(xdp[IFLA_XDP_ATTACHED]);

        peer->xdp = mode == XDP_ATTACHED_DRV || mode == XDP_ATTACHED_MULTI;
        peer->generic = mode == XDP_ATTACHED_SKB;
    }
}

/* Reads what there is to know of the other end of the veth 'ifindex' into
 * '*peer'. */
void
afxdp_veth_read_peer(int ifindex, struct afxdp_peer *peer)
{
    struct nlattr *attrs[N_ATTRS];
    struct ofpbuf *reply, *peer_reply = NULL;

    memset(peer, 0, sizeof *peer);
    if (get_link(ifindex, NULL, attrs, &reply) && attrs[IFLA_LINK]) {
        uint32_t netnsid = 0;
        bool away = attrs[IFLA_LINK_NETNSID];

        if (away) {
            netnsid = nl_attr_get_u32(attrs[IFLA_LINK_NETNSID]);
        }
        if (get_link(nl_attr_get_u32(attrs[IFLA_LINK]),
                     away ? &netnsid : NULL, attrs, &peer_reply)) {
            parse_peer(attrs, peer);
        }
    }
    ofpbuf_delete(reply);
    ofpbuf_delete(peer_reply);
}
