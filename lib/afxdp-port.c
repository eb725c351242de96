/* SPDX-License-Identifier: Apache-2.0 */

/* A port: see afxdp-port.h.
 *
 * Sockets are bound before the program is attached, and nothing after the
 * attachment can fail.  An attempt that fails thus leaves no trace on the
 * device: attaching and detaching would send a notice of a changed link, on
 * which Open vSwitch tries the port again, without end. */

#include <config.h>

#include "afxdp-port.h"

#include <errno.h>
#include <linux/bpf.h>

#include "afxdp-frame.h"
#include "afxdp-prog.h"
#include "afxdp-queue.h"
#include "afxdp-socket.h"
#include "afxdp-umem.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/vlog.h"
#include "packets.h"

VLOG_DEFINE_THIS_MODULE(afxdp_port);

/* Largest MTU that veth takes with a native program: a page less the headroom
 * of XDP, the Ethernet header and struct skb_shared_info (320 bytes), see
 * veth_xdp_set() in drivers/net/veth.c. */
#define VETH_NATIVE_MAX_MTU (4096 - 256 - ETH_HEADER_LEN - 320)

int
afxdp_port_max_mtu(void)
{
    return (AFXDP_FRAME_SIZE - AFXDP_HEADROOM - XDP_PACKET_HEADROOM
            - VLAN_ETH_HEADER_LEN);
}

/* Returns a new port, down, for the device 'name'. */
struct afxdp_port *
afxdp_port_create(const char *name)
{
    struct afxdp_port *port = xzalloc(sizeof *port);

    port->name = xstrdup(name);
    return port;
}

/* Brings 'port' down and frees it. */
void
afxdp_port_destroy(struct afxdp_port *port)
{
    afxdp_port_down(port);
    free(port->name);
    free(port);
}

/* Checks that the device of 'port' can be a port at all. */
static int
check_device(const struct afxdp_port *port, char **errp)
{
    const struct afxdp_device *device = &port->device;

    if (afxdp_device_is_lag_driver(device->driver)) {
        *errp = xasprintf("it is the master of a bond (driver %s), and packets"
                          " come in on its members; take it apart and add the "
                          "members with 'ovs-vsctl add-bond'",
                          device->driver);
        return EOPNOTSUPP;
    }
    if (device->mtu > afxdp_port_max_mtu()) {
        *errp = xasprintf("its MTU %d is above %d, what a frame has room for; "
                          "lower it with 'ip link set dev %s mtu %d'",
                          device->mtu, afxdp_port_max_mtu(), port->name,
                          afxdp_port_max_mtu());
        return EMSGSIZE;
    }
    *errp = afxdp_prog_foreign(port->name, device->ifindex);
    return *errp ? EBUSY : 0;
}

static void
close_queues(struct afxdp_port *port)
{
    for (int i = 0; i < port->n_queues; i++) {
        afxdp_socket_close(port->queues[i]);
    }
    free(port->queues);
    port->queues = NULL;
    port->n_queues = 0;
}

/* Opens 'n' queues and has the program deliver to them: all, or none. */
static int
open_queues(struct afxdp_port *port, int n, bool zero_copy, char **errp)
{
    int error = 0;

    port->queues = xcalloc(n, sizeof *port->queues);
    for (int i = 0; i < n && !error; i++) {
        struct afxdp_queue *q
            = afxdp_socket_open(port->arena, port->name, i, zero_copy,
                                port->wanted.need_wakeup, &error, errp);

        if (q) {
            port->queues[port->n_queues++] = q;
            error = afxdp_prog_set_socket(port->prog, i, q->fd, errp);
        }
    }
    if (error) {
        close_queues(port);
    }
    return error;
}

/* Returns why the program could not be attached. */
static char *
attach_error(const struct afxdp_port *port, bool generic, int error)
{
    const struct afxdp_device *device = &port->device;
    char *foreign = afxdp_prog_foreign(port->name, device->ifindex);

    if (foreign) {
        return foreign;
    }
    if (error == ERANGE && !strcmp(device->driver, "veth")) {
        return xasprintf("the MTU of its peer is above %d, the limit of native"
                         " XDP on a veth; lower it on both ends, or use "
                         "xdp-mode=generic", VETH_NATIVE_MAX_MTU);
    }
    return xasprintf("cannot attach the XDP program in %s mode: %s%s",
                     generic ? "generic" : "native", ovs_strerror(error),
                     generic ? ""
                     : error == ERANGE || error == EINVAL
                     ? "; its MTU may be above the driver's limit for XDP: "
                       "lower it, or use xdp-mode=generic"
                     : "; use xdp-mode=best-effort or generic");
}

static int
attach(struct afxdp_port *port, bool generic, char **errp)
{
    int error = afxdp_prog_attach(port->prog, generic);

    if (error) {
        *errp = attach_error(port, generic, error);
    }
    return error;
}

/* Forgets what 'errp' says of an attempt that failed, before the next one. */
static void
next_attempt(const struct afxdp_port *port, char **errp)
{
    VLOG_DBG("%s: %s", port->name, *errp);
    free(*errp);
    *errp = NULL;
}

/* Opens 'n' queues in copy mode and attaches the program, in the driver if
 * 'native', after it if 'generic', trying the first first. */
static int
try_copy(struct afxdp_port *port, int n, bool native, bool generic,
         char **errp)
{
    int error = open_queues(port, n, false, errp);

    if (error) {
        return error;
    }
    if (native) {
        port->mode = AFXDP_NATIVE;
        error = attach(port, false, errp);
        if (error && generic) {
            next_attempt(port, errp);
        }
    }
    if (generic && (error || !native)) {
        port->mode = AFXDP_GENERIC;
        error = attach(port, true, errp);
    }
    if (error) {
        close_queues(port);
    }
    return error;
}

static int
try_zero_copy(struct afxdp_port *port, int n, char **errp)
{
    int error = open_queues(port, n, true, errp);

    if (!error) {
        port->mode = AFXDP_NATIVE_ZC;
        error = attach(port, false, errp);
        if (error) {
            close_queues(port);
        }
    }
    return error;
}

/* Brings up the queues of 'port' in the first mode that works, of those that
 * its configuration allows. */
static int
try_modes(struct afxdp_port *port, int n, char **errp)
{
    int error;

    switch (port->wanted.mode) {
    case AFXDP_NATIVE_ZC:
        return try_zero_copy(port, n, errp);

    case AFXDP_NATIVE:
        return try_copy(port, n, true, false, errp);

    case AFXDP_GENERIC:
        return try_copy(port, n, false, true, errp);

    case AFXDP_BEST_EFFORT:
        error = try_zero_copy(port, n, errp);
        if (!error || error == EBUSY) {
            return error;
        }
        next_attempt(port, errp);
        return try_copy(port, n, true, true, errp);

    case AFXDP_N_MODES:
    default:
        OVS_NOT_REACHED();
    }
}

/* Says which channels of the device have no queue of ours, if any. */
static void
warn_left_out(const struct afxdp_port *port)
{
    int n = port->device.n_channels;

    if (port->n_queues == n - 1) {
        VLOG_WARN("%s: n_rxq=%d leaves out queue %d: packets that arrive there"
                  " go to the kernel's stack, not to Open vSwitch",
                  port->name, port->n_queues, n - 1);
    } else if (port->n_queues < n) {
        VLOG_WARN("%s: n_rxq=%d leaves out queues %d to %d: packets that "
                  "arrive there go to the kernel's stack, not to Open vSwitch",
                  port->name, port->n_queues, port->n_queues, n - 1);
    }
}

/* Brings up 'port', which is down, as port->wanted says, with frames of NUMA
 * node 'numa_id'.  Returns 0, or a positive errno value and a message in
 * '*errp', which the caller must free; then 'port' and its device are as they
 * were before. */
int
afxdp_port_up(struct afxdp_port *port, int numa_id, char **errp)
{
    int error, n;

    error = afxdp_device_read(port->name, &port->device, errp);
    if (!error) {
        error = check_device(port, errp);
    }
    if (error) {
        return error;
    }

    port->arena = afxdp_umem_get(numa_id, errp);
    if (!port->arena) {
        return ENOMEM;
    }
    n = port->wanted.n_rxq ? port->wanted.n_rxq : port->device.n_channels;
    port->prog = afxdp_prog_open(port->device.ifindex, n, errp);
    if (!port->prog) {
        return EPERM;
    }
    error = try_modes(port, n, errp);
    if (error) {
        afxdp_prog_close(port->prog);
        port->prog = NULL;
        return error;
    }

    port->config = port->wanted;
    warn_left_out(port);
    VLOG_INFO("%s: %d queue%s in %s mode", port->name, port->n_queues,
              port->n_queues == 1 ? "" : "s", afxdp_mode_name(port->mode));
    return 0;
}

/* Brings 'port' down: its device is as it was before, and its frames are free.
 * Does nothing if it is down. */
void
afxdp_port_down(struct afxdp_port *port)
{
    afxdp_prog_close(port->prog);
    port->prog = NULL;
    close_queues(port);
}

/* Must 'port' be brought down and up again, since it is not up, was asked for
 * another configuration, or has, as 'now' tells, another device or other
 * channels? */
bool
afxdp_port_is_stale(const struct afxdp_port *port,
                    const struct afxdp_device *now)
{
    return (!port->queues
            || !afxdp_config_equal(&port->wanted, &port->config)
            || now->ifindex != port->device.ifindex
            || now->n_channels != port->device.n_channels);
}
