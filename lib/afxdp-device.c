/* SPDX-License-Identifier: Apache-2.0 */

/* Questions to the kernel about a device: see afxdp-device.h. */

#include <config.h>

#include "afxdp-device.h"

#include <cap-ng.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>

#include "openvswitch/dynamic-string.h"
#include "socket-util.h"
#include "util.h"

/* Asks the driver of device 'name' the question in 'cmd', the head of one of
 * the structures of linux/ethtool.h. */
static int
ethtool_ask(const char *name, void *cmd)
{
    struct ifreq ifr;

    memset(&ifr, 0, sizeof ifr);
    ifr.ifr_data = cmd;
    return af_inet_ifreq_ioctl(name, &ifr, SIOCETHTOOL, "SIOCETHTOOL");
}

/* Returns the number of queues on which device 'name' receives: its combined
 * and its RX channels.  A driver that has no notion of channels has one. */
static int
read_channels(const char *name)
{
    struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };

    if (ethtool_ask(name, &channels)) {
        return 1;
    }
    return MAX(channels.combined_count + channels.rx_count, 1);
}

/* Returns the ifindex of the device 'name', or 0 if there is none. */
int
afxdp_device_ifindex(const char *name)
{
    struct ifreq ifr;

    memset(&ifr, 0, sizeof ifr);
    return (af_inet_ifreq_ioctl(name, &ifr, SIOCGIFINDEX, "SIOCGIFINDEX")
            ? 0 : ifr.ifr_ifindex);
}

/* Reads what there is to know of device 'name' into '*device'.  Returns 0, or
 * a positive errno value and a message in '*errp', which the caller must
 * free. */
int
afxdp_device_read(const char *name, struct afxdp_device *device, char **errp)
{
    struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
    struct ifreq ifr;
    int error;

    memset(device, 0, sizeof *device);
    memset(&ifr, 0, sizeof ifr);
    error = af_inet_ifreq_ioctl(name, &ifr, SIOCGIFINDEX, "SIOCGIFINDEX");
    device->ifindex = ifr.ifr_ifindex;
    if (!error) {
        error = af_inet_ifreq_ioctl(name, &ifr, SIOCGIFMTU, "SIOCGIFMTU");
        device->mtu = ifr.ifr_mtu;
    }
    if (!error) {
        error = af_inet_ifreq_ioctl(name, &ifr, SIOCGIFFLAGS, "SIOCGIFFLAGS");
        device->up = ifr.ifr_flags & IFF_UP;
    }
    if (error) {
        *errp = xasprintf("device %s cannot be used: %s", name,
                          error == ENODEV ? "it does not exist"
                          : ovs_strerror(error));
        return error;
    }

    device->n_channels = read_channels(name);
    if (!ethtool_ask(name, &info)) {
        ovs_strlcpy(device->driver, info.driver, sizeof device->driver);
    }
    if (afxdp_link_read(device->ifindex, NULL, &device->link)
        && afxdp_device_is_veth(device)) {
        afxdp_veth_read_peer(&device->link, &device->peer);
    }
    return 0;
}

/* Is 'device' one end of a pair, with a container or another part of this
 * system at the other? */
bool
afxdp_device_is_veth(const struct afxdp_device *device)
{
    return !strcmp(device->driver, "veth");
}

/* Sets the MTU of device 'name'.  Returns 0 or a positive errno value. */
int
afxdp_device_set_mtu(const char *name, int mtu)
{
    struct ifreq ifr;

    memset(&ifr, 0, sizeof ifr);
    ifr.ifr_mtu = mtu;
    return af_inet_ifreq_ioctl(name, &ifr, SIOCSIFMTU, "SIOCSIFMTU");
}

/* Does 'driver' join several devices into one?  Packets then come in on its
 * members, so that a socket on the master gets none of them in the driver. */
bool
afxdp_device_is_lag_driver(const char *driver)
{
    return !strcmp(driver, "bonding") || !strcmp(driver, "team");
}

/* Returns the names of those of the 'n' capabilities in 'caps' that this
 * process lacks, as in "CAP_BPF and CAP_NET_ADMIN", or NULL if it has them
 * all.  The caller must free the result. */
char *
afxdp_missing_caps(const unsigned int *caps, int n)
{
    struct ds ds = DS_EMPTY_INITIALIZER;

    capng_get_caps_process();
    for (int i = 0; i < n; i++) {
        if (!capng_have_capability(CAPNG_EFFECTIVE, caps[i])) {
            char *name = xasprintf("%s%s", "cap_",
                                   capng_capability_to_name(caps[i]));

            for (char *c = name; *c; c++) {
                *c = *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c;
            }
            ds_put_format(&ds, "%s%s", ds.length ? " and " : "", name);
            free(name);
        }
    }
    return ds.length ? ds_steal_cstr(&ds) : NULL;
}
