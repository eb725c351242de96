/* SPDX-License-Identifier: Apache-2.0 */

/* Questions to rtnetlink about one device: see afxdp-link.h. */

#include <config.h>

#include "afxdp-link.h"

#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "netlink-socket.h"
#include "netlink.h"
#include "openvswitch/ofpbuf.h"
#include "util.h"

static const struct nl_policy link_policy[] = {
    [IFLA_MTU] = { .type = NL_A_U32, .optional = true },
    [IFLA_LINK] = { .type = NL_A_U32, .optional = true },
    [IFLA_LINK_NETNSID] = { .type = NL_A_U32, .optional = true },
    [IFLA_LINKINFO] = { .type = NL_A_NESTED, .optional = true },
    [IFLA_XDP] = { .type = NL_A_NESTED, .optional = true },
};

static const struct nl_policy xdp_policy[] = {
    [IFLA_XDP_DRV_PROG_ID] = { .type = NL_A_U32, .optional = true },
    [IFLA_XDP_SKB_PROG_ID] = { .type = NL_A_U32, .optional = true },
    [IFLA_XDP_HW_PROG_ID] = { .type = NL_A_U32, .optional = true },
};

static const struct nl_policy linkinfo_policy[] = {
    [IFLA_INFO_KIND] = { .type = NL_A_STRING, .optional = true },
};

/* Returns the number in 'attr', or 0 if that is NULL. */
static uint32_t
get_u32(const struct nlattr *attr)
{
    return attr ? nl_attr_get_u32(attr) : 0;
}

static void
parse_xdp(const struct nlattr *attr, struct afxdp_link *link)
{
    struct nlattr *xdp[ARRAY_SIZE(xdp_policy)];

    if (attr
        && nl_parse_nested(attr, xdp_policy, xdp, ARRAY_SIZE(xdp_policy))) {
        link->native_id = get_u32(xdp[IFLA_XDP_DRV_PROG_ID]);
        link->generic_id = get_u32(xdp[IFLA_XDP_SKB_PROG_ID]);
        link->hw_id = get_u32(xdp[IFLA_XDP_HW_PROG_ID]);
    }
}

static bool
kind_is_veth(const struct nlattr *linkinfo)
{
    struct nlattr *attrs[ARRAY_SIZE(linkinfo_policy)];

    return (linkinfo
            && nl_parse_nested(linkinfo, linkinfo_policy, attrs,
                               ARRAY_SIZE(linkinfo_policy))
            && attrs[IFLA_INFO_KIND]
            && !strcmp(nl_attr_get_string(attrs[IFLA_INFO_KIND]), "veth"));
}

static bool
parse_link(const struct ofpbuf *reply, struct afxdp_link *link)
{
    const struct ifinfomsg *info = ofpbuf_at(reply, NLMSG_HDRLEN,
                                             sizeof *info);
    struct nlattr *attrs[ARRAY_SIZE(link_policy)];

    if (!info
        || !nl_policy_parse(reply, NLMSG_HDRLEN + sizeof *info, link_policy,
                            attrs, ARRAY_SIZE(link_policy))) {
        return false;
    }
    link->up = (info->ifi_flags & (IFF_UP | IFF_LOWER_UP))
               == (IFF_UP | IFF_LOWER_UP);
    link->is_veth = kind_is_veth(attrs[IFLA_LINKINFO]);
    link->mtu = get_u32(attrs[IFLA_MTU]);
    link->link = get_u32(attrs[IFLA_LINK]);
    link->away = attrs[IFLA_LINK_NETNSID] != NULL;
    link->netnsid = get_u32(attrs[IFLA_LINK_NETNSID]);
    parse_xdp(attrs[IFLA_XDP], link);
    return true;
}

/* Reads what there is to know of the device 'ifindex', in the network
 * namespace that has the number '*netnsid' in ours or, if that is NULL, in
 * ours, into '*link'.  Returns false if the kernel does not tell. */
bool
afxdp_link_read(int ifindex, const uint32_t *netnsid, struct afxdp_link *link)
{
    struct ofpbuf request, *reply = NULL;
    struct ifinfomsg *info;
    bool ok;

    memset(link, 0, sizeof *link);
    ofpbuf_init(&request, 0);
    nl_msg_put_nlmsghdr(&request, sizeof *info, RTM_GETLINK, NLM_F_REQUEST);
    info = ofpbuf_put_zeros(&request, sizeof *info);
    info->ifi_family = AF_UNSPEC;
    info->ifi_index = ifindex;
    if (netnsid) {
        nl_msg_put_u32(&request, IFLA_TARGET_NETNSID, *netnsid);
    }
    nl_msg_put_u32(&request, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);

    ok = (!nl_transact(NETLINK_ROUTE, &request, &reply)
          && parse_link(reply, link));
    ofpbuf_uninit(&request);
    ofpbuf_delete(reply);
    return ok;
}
