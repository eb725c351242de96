/* SPDX-License-Identifier: Apache-2.0 */

/* What the kernel can do without a program: see afxdp-skip.h. */

#include <config.h>

#include "afxdp-skip.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include "afxdp-compat.h"
#include "netlink-socket.h"
#include "netlink.h"
#include "openvswitch/ofpbuf.h"
#include "ovs-thread.h"
#include "util.h"

/* Of linux/netdev.h, Linux 6.3. */
#define NETDEV_FAMILY "netdev"
#define NETDEV_VERSION 1
#define NETDEV_GET 1
#define NETDEV_IFINDEX 1
#define NETDEV_XDP_FEATURES 3
#define NETDEV_XDP_BASIC 1

/* Returns what the kernel says to bind() with 'flags' and no device: ENODEV if
 * it knows the flags, EINVAL if not.  No socket gets as far as being bound. */
static int
bind_to_nothing(uint16_t flags)
{
    const struct sockaddr_xdp address = {
        .sxdp_family = AF_XDP,
        .sxdp_flags = flags,
    };
    int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
    int error;

    if (fd < 0) {
        return errno;
    }
    error = bind(fd, (const struct sockaddr *) &address, sizeof address);
    error = error ? errno : EINVAL;
    close(fd);
    return error;
}

/* Returns 0 if the kernel can do without a program, EPERM if this process
 * lacks the right to ask for it, and EOPNOTSUPP if the kernel cannot.
 *
 * The two flags depend on each other in a way that tells them from any others
 * that a kernel may have in their place. */
static int
probe(void)
{
    int error = bind_to_nothing(XDP_SKIP_BPF);

    if ((error != ENODEV && error != EPERM)
        || bind_to_nothing(XDP_SKIP_BPF | XDP_SKIP_BPF_GENERIC) != error
        || bind_to_nothing(XDP_SKIP_BPF_GENERIC) != EINVAL) {
        return EOPNOTSUPP;
    }
    return error == ENODEV ? 0 : error;
}

/* The same, asked once. */
int
afxdp_skip_supported(void)
{
    static struct ovsthread_once once = OVSTHREAD_ONCE_INITIALIZER;
    static int result;

    if (ovsthread_once_start(&once)) {
        result = probe();
        ovsthread_once_done(&once);
    }
    return result;
}

/* Does the driver of device 'ifindex' receive for XDP itself?  Where it does
 * not, the kernel takes packets for a socket without a program in generic
 * mode, and does not say so. */
bool
afxdp_skip_has_native(int ifindex)
{
    static const struct nl_policy policy[] = {
        [NETDEV_XDP_FEATURES] = { .type = NL_A_U64 },
    };
    struct nlattr *attrs[ARRAY_SIZE(policy)];
    struct ofpbuf request, *reply = NULL;
    bool has = false;
    int family = 0;

    if (nl_lookup_genl_family(NETDEV_FAMILY, &family)) {
        return false;
    }
    ofpbuf_init(&request, 0);
    nl_msg_put_genlmsghdr(&request, 0, family, NLM_F_REQUEST, NETDEV_GET,
                          NETDEV_VERSION);
    nl_msg_put_u32(&request, NETDEV_IFINDEX, ifindex);
    if (!nl_transact(NETLINK_GENERIC, &request, &reply)
        && nl_policy_parse(reply, NLMSG_HDRLEN + GENL_HDRLEN, policy, attrs,
                           ARRAY_SIZE(policy))) {
        has = nl_attr_get_u64(attrs[NETDEV_XDP_FEATURES]) & NETDEV_XDP_BASIC;
    }
    ofpbuf_delete(reply);
    ofpbuf_uninit(&request);
    return has;
}
