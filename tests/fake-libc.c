/* SPDX-License-Identifier: Apache-2.0 */

/* System calls for fake-xsk.c: what concerns one of its sockets or one of its
 * devices is answered here, all else goes on to the kernel. */

#include <config.h>

#include "fake-xsk.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_xdp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

#define FAKE_IFINDEX 1000

/* Sockets. */

ssize_t
sendto(int fd, const void *buf, size_t len, int flags,
       const struct sockaddr *addr, socklen_t addr_len)
{
    struct xsk_socket *s = fake_xsk_from_fd(fd);

    if (s) {
        return fake_xsk_kick(s);
    }
    return syscall(SYS_sendto, fd, buf, len, flags, addr, addr_len);
}

ssize_t
recvfrom(int fd, void *buf, size_t len, int flags, struct sockaddr *addr,
         socklen_t *addr_len)
{
    struct xsk_socket *s = fake_xsk_from_fd(fd);

    if (s) {
        fake_xsk_wake(s);
        errno = EAGAIN;
        return -1;
    }
    return syscall(SYS_recvfrom, fd, buf, len, flags, addr, addr_len);
}

/* Defines poll().  Its prototype in poll.h says that it only writes '*fds',
 * of which compilers would warn here. */
int fake_poll(struct pollfd *fds, nfds_t n, int timeout) __asm__("poll");

int
fake_poll(struct pollfd *fds, nfds_t n, int timeout)
{
    struct xsk_socket *s = n == 1 ? fake_xsk_from_fd(fds->fd) : NULL;

    if (s) {
        fake_xsk_wake(s);
        fds->revents = 0;
        return 0;
    }
    return syscall(SYS_poll, fds, n, timeout);
}

int
getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
    if (fake_xsk_from_fd(fd)) {
        memset(value, 0, *len);
        return 0;
    }
    return syscall(SYS_getsockopt, fd, level, name, value, len);
}

int
setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
    if (fake_xsk_from_fd(fd)) {
        return 0;
    }
    return syscall(SYS_setsockopt, fd, level, name, value, len);
}

/* Devices. */

/* The number of device "fakeN", or -1. */
static int
fake_device(const char *name)
{
    if (strncmp(name, "fake", 4) || !name[4]
        || strspn(name + 4, "0123456789") != strlen(name + 4)) {
        return -1;
    }
    return atoi(name + 4);
}

static int
fake_ethtool(void *data)
{
    uint32_t cmd;

    memcpy(&cmd, data, sizeof cmd);
    if (cmd == ETHTOOL_GCHANNELS) {
        struct ethtool_channels *ch = data;

        memset(ch, 0, sizeof *ch);
        ch->cmd = cmd;
        ch->max_combined = ch->combined_count = FAKE_XSK_QUEUES;
        return 0;
    }
    errno = EOPNOTSUPP;
    return -1;
}

static int
fake_ioctl(int device, unsigned long int request, struct ifreq *ifr)
{
    switch (request) {
    case SIOCGIFFLAGS:
        ifr->ifr_flags = IFF_UP | IFF_RUNNING | IFF_BROADCAST;
        return 0;
    case SIOCSIFFLAGS:
        return 0;
    case SIOCGIFINDEX:
        ifr->ifr_ifindex = FAKE_IFINDEX + device;
        return 0;
    case SIOCGIFMTU:
        ifr->ifr_mtu = 1500;
        return 0;
    case SIOCETHTOOL:
        return fake_ethtool(ifr->ifr_data);
    default:
        errno = EOPNOTSUPP;
        return -1;
    }
}

int
ioctl(int fd, unsigned long int request, ...)
{
    struct ifreq *ifr;
    va_list args;
    void *arg;
    int device;

    va_start(args, request);
    arg = va_arg(args, void *);
    va_end(args);

    if (request == SIOCGIFFLAGS || request == SIOCSIFFLAGS
        || request == SIOCGIFINDEX || request == SIOCGIFMTU
        || request == SIOCETHTOOL) {
        ifr = arg;
        device = fake_device(ifr->ifr_name);
        if (device >= 0) {
            return fake_ioctl(device, request, ifr);
        }
    }
    return syscall(SYS_ioctl, fd, request, arg);
}

unsigned int
if_nametoindex(const char *name)
{
    int device = fake_device(name);
    struct ifreq ifr;
    int error;
    int fd;

    if (device >= 0) {
        return FAKE_IFINDEX + device;
    }

    memset(&ifr, 0, sizeof ifr);
    ovs_strlcpy(ifr.ifr_name, name, sizeof ifr.ifr_name);
    fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    error = ioctl(fd, SIOCGIFINDEX, &ifr);
    close(fd);
    return error ? 0 : ifr.ifr_ifindex;
}

char *
if_indextoname(unsigned int ifindex, char name[IF_NAMESIZE])
{
    struct ifreq ifr;
    int error;
    int fd;

    if (ifindex >= FAKE_IFINDEX) {
        snprintf(name, IF_NAMESIZE, "fake%u", ifindex - FAKE_IFINDEX);
        return name;
    }

    memset(&ifr, 0, sizeof ifr);
    ifr.ifr_ifindex = ifindex;
    fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    error = ioctl(fd, SIOCGIFNAME, &ifr);
    close(fd);
    if (error) {
        return NULL;
    }
    ovs_strlcpy(name, ifr.ifr_name, IF_NAMESIZE);
    return name;
}
