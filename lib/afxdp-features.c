/* SPDX-License-Identifier: Apache-2.0 */

/* What drivers say of XDP: see afxdp-features.h. */

#include <config.h>

#include "afxdp-features.h"

#include <errno.h>
#include <linux/genetlink.h>

#include "netlink-socket.h"
#include "netlink.h"
#include "openvswitch/ofpbuf.h"
#include "util.h"

/* Reads what the driver of device 'ifindex' says of XDP, NETDEV_XDP_BASIC and
 * others, into '*features'.  Returns 0 or a positive errno value: ENOENT if
 * the kernel is older than 6.3. */
int
afxdp_features_read(int ifindex, uint64_t *features)
{
    static const struct nl_policy policy[NETDEV_DEV_N_ATTRS] = {
        [NETDEV_DEV_XDP_FEATURES] = { .type = NL_A_U64 },
    };
    struct nlattr *attrs[NETDEV_DEV_N_ATTRS];
    struct ofpbuf request, *reply;
    int family = 0;
    int error;

    error = nl_lookup_genl_family(NETDEV_FAMILY, &family);
    if (error) {
        return error;
    }
    ofpbuf_init(&request, 0);
    nl_msg_put_genlmsghdr(&request, 0, family, NLM_F_REQUEST, NETDEV_DEV_GET,
                          NETDEV_FAMILY_VERSION);
    nl_msg_put_u32(&request, NETDEV_DEV_IFINDEX, ifindex);
    error = nl_transact(NETLINK_GENERIC, &request, &reply);
    ofpbuf_uninit(&request);
    if (!error
        && !nl_policy_parse(reply, NLMSG_HDRLEN + GENL_HDRLEN, policy, attrs,
                            ARRAY_SIZE(policy))) {
        error = EPROTO;
    }
    if (!error) {
        *features = nl_attr_get_u64(attrs[NETDEV_DEV_XDP_FEATURES]);
    }
    ofpbuf_delete(reply);
    return error;
}
