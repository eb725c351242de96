/* SPDX-License-Identifier: Apache-2.0 */

/* Netlink sockets: see cni-nl.h. */

#include <config.h>

#include "cni-nl.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cni-error.h"
#include "util.h"

#define SYSCTL_FORMAT "/proc/sys/net/%s/conf/%s/%s"

/* Opens a socket in the namespace that the process is in. */
struct cni_error *
cni_nl_open(struct nl_sock **sockp)
{
    struct nl_sock *sock = nl_socket_alloc();
    int retval = sock ? nl_connect(sock, NETLINK_ROUTE) : -NLE_NOMEM;

    if (retval) {
        nl_socket_free(sock);
        return cni_error(CNI_LINK, "cannot open a netlink socket: %s",
                         nl_geterror(retval));
    }
    *sockp = sock;
    return NULL;
}

/* Sets what a device here would do better with, if the kernel has it. */
void
cni_nl_sysctl(const char *family, const char *device, const char *name,
              const char *value)
{
    char *file = xasprintf(SYSCTL_FORMAT, family, device, name);
    int fd = open(file, O_WRONLY | O_CLOEXEC);

    if (fd >= 0) {
        ignore(write(fd, value, strlen(value)));
        close(fd);
    }
    free(file);
}
