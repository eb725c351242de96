/* SPDX-License-Identifier: Apache-2.0 */

/* What the kernel can do without a program: see afxdp-skip.h. */

#include <config.h>

#include "afxdp-skip.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "afxdp-compat.h"
#include "afxdp-features.h"
#include "ovs-thread.h"
#include "util.h"

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
    uint64_t features;

    return (!afxdp_features_read(ifindex, &features)
            && features & NETDEV_XDP_BASIC);
}
