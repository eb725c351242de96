/* SPDX-License-Identifier: Apache-2.0 */

/* Devices as targets of a redirect: see afxdp-target.h. */

#include <config.h>

#include "afxdp-target.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <string.h>

#include "afxdp-features.h"
#include "afxdp-link.h"
#include "afxdp-mtu.h"
#include "afxdp-veth.h"
#include "netlink-socket.h"
#include "netlink.h"
#include "openvswitch/ofpbuf.h"
#include "openvswitch/vlog.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(afxdp_target);

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 5);

static const char *
why_no_native(int ifindex, const struct afxdp_link *link)
{
    uint64_t features;
    int error = afxdp_features_read(ifindex, &features);

    if (error == ENOENT) {
        return "the kernel does not tell (that takes Linux 6.3)";
    } else if (error) {
        return "the kernel does not tell";
    } else if (features & NETDEV_NDO_XMIT) {
        return NULL;
    } else if (link->is_veth) {
        return "its peer has neither GRO on nor an XDP program";
    } else {
        return "its driver cannot send XDP frames";
    }
}

static const char *
why_no_generic(const struct afxdp_link *link)
{
    struct afxdp_peer peer;

    if (!link->is_veth) {
        return "it is not a veth";
    } else if (link->mtu < AFXDP_MTU_RAISED) {
        return "its MTU is below 65535";
    }
    afxdp_veth_read_peer(link, &peer);
    return (!peer.known ? "its peer is out of sight"
            : peer.xdp ? "its peer has an XDP program"
            : NULL);
}

/* Finds out which packets the device 'ifindex' takes. */
void
afxdp_target_probe(int ifindex, struct afxdp_target *target)
{
    struct afxdp_link link;
    const char *neither = NULL;

    if (!afxdp_link_read(ifindex, NULL, &link)) {
        neither = "it does not exist";
    } else if (!link.up) {
        neither = "it is down";
    }
    target->no_native = neither ? neither : why_no_native(ifindex, &link);
    target->no_generic = neither ? neither : why_no_generic(&link);
}

/* Sockets that hear of changed devices, and of changed XDP features (NULL if
 * the kernel has no such thing). */
static struct nl_sock *link_sock;
static struct nl_sock *features_sock;

static int
open_sock(int protocol, unsigned int group, struct nl_sock **sock)
{
    int error = nl_sock_create(protocol, sock);

    if (!error) {
        error = nl_sock_join_mcgroup(*sock, group);
        if (error) {
            nl_sock_destroy(*sock);
            *sock = NULL;
        }
    }
    return error;
}

/* Starts to watch devices.  Returns 0 or a positive errno value. */
int
afxdp_target_watch_open(void)
{
    unsigned int group;
    int error = open_sock(NETLINK_ROUTE, RTNLGRP_LINK, &link_sock);

    if (error) {
        VLOG_ERR("cannot watch network devices: %s", ovs_strerror(error));
        return error;
    }
    if (!nl_lookup_genl_mcgroup(NETDEV_FAMILY, NETDEV_MCGRP, &group)) {
        open_sock(NETLINK_GENERIC, group, &features_sock);
    }
    return 0;
}

/* Returns the device that the notice in 'buf' is about, or 0. */
static int
parse_link_notice(const struct ofpbuf *buf)
{
    const struct ifinfomsg *ifinfo = ofpbuf_at(buf, NLMSG_HDRLEN,
                                               sizeof *ifinfo);

    return ifinfo ? ifinfo->ifi_index : 0;
}

static int
parse_features_notice(const struct ofpbuf *buf)
{
    static const struct nl_policy policy[] = {
        [NETDEV_DEV_IFINDEX] = { .type = NL_A_U32, .optional = true },
    };
    struct nlattr *attrs[ARRAY_SIZE(policy)];

    return (nl_policy_parse(buf, NLMSG_HDRLEN + GENL_HDRLEN, policy, attrs,
                            ARRAY_SIZE(policy))
            && attrs[NETDEV_DEV_IFINDEX]
            ? nl_attr_get_u32(attrs[NETDEV_DEV_IFINDEX]) : 0);
}

static void
run_sock(struct nl_sock *sock, int (*parse)(const struct ofpbuf *),
         afxdp_target_changed_func *changed)
{
    int error;

    do {
        uint64_t stub[4096 / 8];
        struct ofpbuf buf;

        ofpbuf_use_stub(&buf, stub, sizeof stub);
        error = nl_sock_recv(sock, &buf, NULL, false);
        if (!error) {
            changed(parse(&buf));
        } else if (error != EAGAIN) {
            /* ENOBUFS, if notices were lost. */
            VLOG_DBG_RL(&rl, "error reading notices of devices: %s",
                        ovs_strerror(error));
            changed(0);
        }
        ofpbuf_uninit(&buf);
    } while (!error);
}

/* Calls 'changed' for each device of which there is news. */
void
afxdp_target_watch_run(afxdp_target_changed_func *changed)
{
    run_sock(link_sock, parse_link_notice, changed);
    if (features_sock) {
        run_sock(features_sock, parse_features_notice, changed);
    }
}

/* Makes poll_block() wake up when there is news. */
void
afxdp_target_watch_wait(void)
{
    nl_sock_wait(link_sock, POLLIN);
    if (features_sock) {
        nl_sock_wait(features_sock, POLLIN);
    }
}
