/* SPDX-License-Identifier: Apache-2.0 */

/* A port: see afxdp-port.h.
 *
 * Sockets are bound before the program is attached, and nothing after the
 * attachment can fail.  An attempt that fails thus leaves no trace on the
 * device: attaching and detaching would send a notice of a changed link, on
 * which Open vSwitch tries the port again, without end.
 *
 * Sockets that do without a program (skip-bpf) have their packets with bind().
 * That the kernel then keeps others' programs away from the device, sends no
 * such notice. */

#include <config.h>

#include "afxdp-port.h"

#include <errno.h>
#include <linux/bpf.h>

#include "afxdp-frame.h"
#include "afxdp-prog.h"
#include "afxdp-queue.h"
#include "afxdp-skip.h"
#include "afxdp-socket.h"
#include "afxdp-umem.h"
#include "netdev-offload.h"
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
    smap_init(&port->args);
    return port;
}

/* Brings 'port' down and frees it. */
void
afxdp_port_destroy(struct afxdp_port *port)
{
    afxdp_port_down(port);
    afxdp_mtu_restore(&port->mtu, port->name);
    smap_destroy(&port->args);
    free(port->name);
    free(port);
}

/* Checks that the device of 'port' can be a port at all. */
static int
check_device(const struct afxdp_port *port, char **errp)
{
    const struct afxdp_device *device = &port->device;
    int mtu = afxdp_mtu_of(device);
    bool peer = false;

    if (afxdp_device_is_lag_driver(device->driver)) {
        *errp = xasprintf("it is the master of a bond (driver %s), and packets"
                          " come in on its members; take it apart and add the "
                          "members with 'ovs-vsctl add-bond'",
                          device->driver);
        return EOPNOTSUPP;
    }
    if (afxdp_mtu_of_sender(&port->mtu, device) > mtu
        && port->wanted.mode != AFXDP_NATIVE) {
        mtu = afxdp_mtu_of_sender(&port->mtu, device);
        peer = true;
    }
    if (mtu > afxdp_port_max_mtu()) {
        *errp = xasprintf("%s MTU %d is above %d, what a frame has room for; "
                          "lower it with 'ip link set dev %s mtu %d'%s",
                          peer ? "its peer's" : "its", mtu,
                          afxdp_port_max_mtu(), peer ? "PEER" : port->name,
                          afxdp_port_max_mtu(),
                          peer ? " where the peer is" : "");
        return EMSGSIZE;
    }
    *errp = afxdp_prog_foreign(port->name, &device->link);
    return *errp ? EBUSY : 0;
}

/* Checks that 'port' can do without a program if it has to. */
static int
check_skip(const struct afxdp_port *port, char **errp)
{
    int error;

    if (port->wanted.skip_bpf != AFXDP_SKIP_ON) {
        return 0;
    }
    if (netdev_is_flow_api_enabled()) {
        *errp = xstrdup("skip-bpf=on cannot be while "
                        "other_config:hw-offload=true, which needs the XDP "
                        "program; use skip-bpf=auto, or set hw-offload=false "
                        "and restart ovs-vswitchd");
        return EINVAL;
    }
    error = afxdp_skip_supported();
    if (error == EPERM) {
        *errp = xstrdup("skip-bpf=on needs CAP_NET_ADMIN, which this process "
                        "lacks; give it to ovs-vswitchd");
    } else if (error) {
        *errp = xstrdup("this kernel cannot do without the XDP program "
                        "(skip-bpf=on); use skip-bpf=auto, or a kernel with "
                        "the patches of kernel-patches/");
    }
    return error;
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

/* Opens 'n' queues and has the program, if there is to be one, deliver to
 * them: all, or none. */
static int
open_queues(struct afxdp_port *port, int n,
            const struct afxdp_socket_options *options, char **errp)
{
    int error = 0;

    port->queues = xcalloc(n, sizeof *port->queues);
    for (int i = 0; i < n && !error; i++) {
        struct afxdp_queue *q
            = afxdp_socket_open(port->arena, port->name, i, options, &error,
                                errp);

        if (q) {
            port->queues[port->n_queues++] = q;
            if (!options->skip_bpf) {
                error = afxdp_prog_set_socket(port->prog, i, q->fd, errp);
            }
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
    struct afxdp_link now;
    char *foreign = NULL;

    if (afxdp_link_read(device->ifindex, NULL, &now)) {
        foreign = afxdp_prog_foreign(port->name, &now);
    }
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

/* Forgets what 'errp' says of an attempt that failed, before the next one. */
static void
next_attempt(const struct afxdp_port *port, char **errp)
{
    VLOG_DBG("%s: %s", port->name, *errp);
    free(*errp);
    *errp = NULL;
}

/* Opens 'n' queues as 'options' say and attaches the program for 'mode', if
 * there is to be one: all, or nothing. */
static int
try_once(struct afxdp_port *port, int n, enum afxdp_xdp_mode mode,
         struct afxdp_socket_options *options, char **errp)
{
    bool generic = mode == AFXDP_GENERIC;
    int error;

    options->generic = generic;
    options->zero_copy = mode == AFXDP_NATIVE_ZC;
    options->need_wakeup = port->wanted.need_wakeup;
    options->mtu = afxdp_mtu_of_sender(&port->mtu, &port->device);
    error = open_queues(port, n, options, errp);
    if (error) {
        return error;
    }
    if (!options->skip_bpf) {
        error = afxdp_prog_attach(port->prog, generic);
        if (error) {
            *errp = attach_error(port, generic, error);
            close_queues(port);
            return error;
        }
    }
    port->mode = mode;
    port->skip_bpf = options->skip_bpf;
    return 0;
}

/* Is 'port' to be tried without a program first in 'mode'?  In generic mode
 * that would lose what the program tells of packets, so that it takes a user
 * who wants it. */
static bool
wants_skip(const struct afxdp_port *port, enum afxdp_xdp_mode mode)
{
    switch (port->wanted.skip_bpf) {
    case AFXDP_SKIP_AUTO:
        return (mode != AFXDP_GENERIC
                && !netdev_is_flow_api_enabled()
                && !afxdp_skip_supported());

    case AFXDP_SKIP_ON:
        return true;

    case AFXDP_SKIP_OFF:
        return false;

    case AFXDP_N_SKIPS:
    default:
        OVS_NOT_REACHED();
    }
}

/* Checks for native mode with a copy what the kernel checks only when it
 * attaches a program. */
static int
check_skip_native(const struct afxdp_port *port, char **errp)
{
    const struct afxdp_device *device = &port->device;

    if (!afxdp_skip_has_native(device->ifindex)) {
        *errp = attach_error(port, false, EOPNOTSUPP);
        return EOPNOTSUPP;
    }
    if (afxdp_device_is_veth(device) && device->peer.known
        && device->peer.mtu > VETH_NATIVE_MAX_MTU) {
        *errp = attach_error(port, false, ERANGE);
        return ERANGE;
    }
    return 0;
}

/* Brings up 'n' queues in 'mode' as 'options' say, without a program if that
 * is wanted and works. */
static int
try_mode(struct afxdp_port *port, int n, enum afxdp_xdp_mode mode,
         struct afxdp_socket_options *options, char **errp)
{
    options->skip_bpf = wants_skip(port, mode);
    if (options->skip_bpf) {
        int error = mode == AFXDP_NATIVE ? check_skip_native(port, errp) : 0;

        if (!error) {
            error = try_once(port, n, mode, options, errp);
        }
        if (!error || error == EBUSY
            || port->wanted.skip_bpf == AFXDP_SKIP_ON) {
            return error;
        }
        next_attempt(port, errp);
        options->skip_bpf = false;
    }
    return try_once(port, n, mode, options, errp);
}

/* Is the device of 'port' a way to a container, or something else, that uses
 * the kernel's stack?  Native mode would take its offloads away, and its
 * packets come without checksums. */
static bool
has_stack_behind(const struct afxdp_port *port)
{
    const struct afxdp_device *device = &port->device;

    return (afxdp_device_is_veth(device)
            && device->peer.known && !device->peer.xdp);
}

/* Tries native mode.  Checksums are looked after if nobody asked for this mode
 * but the other end may be a container that leaves them to its device.  A veth
 * in zero-copy mode completes them itself. */
static int
try_native(struct afxdp_port *port, int n, bool zero_copy, char **errp)
{
    bool guess = (port->wanted.mode == AFXDP_BEST_EFFORT
                  && !zero_copy && has_stack_behind(port));
    struct afxdp_socket_options options = {
        .raw = guess ? AFXDP_RAW_GUESS : AFXDP_RAW_NONE,
    };

    port->why = guess ? "the kernel takes no batches of segments" : NULL;
    return try_mode(port, n, zero_copy ? AFXDP_NATIVE_ZC : AFXDP_NATIVE,
                    &options, errp);
}

/* Can sockets take packets of several frames?  That is found out when the
 * first one is opened. */
static bool long_packets = true;

/* Tries generic mode, in which packets are as the kernel's stack left them.
 * If 'need_long', they must be allowed to be batches of segments. */
static int
try_generic(struct afxdp_port *port, int n, bool need_long, char **errp)
{
    struct afxdp_socket_options options = {
        .raw = (port->wanted.skip_bpf != AFXDP_SKIP_ON
                && afxdp_prog_add_notes(port->prog)
                ? AFXDP_RAW_NOTES : AFXDP_RAW_GUESS),
        .long_packets = true,
    };
    int error = EINVAL;

    port->why = "takes batches of TCP and UDP segments";
    if (long_packets) {
        error = try_mode(port, n, AFXDP_GENERIC, &options, errp);
        if (error != EINVAL) {
            return error;
        }
        long_packets = false;
        VLOG_INFO("the kernel has no AF_XDP packets of several frames (Linux "
                  "6.6 or later): containers send TCP and UDP segments one by "
                  "one");
        next_attempt(port, errp);
    }
    if (need_long) {
        *errp = xstrdup("no packets of several frames");
        return error;
    }
    options.long_packets = false;
    port->why = "the kernel takes no batches of segments";
    return try_mode(port, n, AFXDP_GENERIC, &options, errp);
}

/* Brings up the queues of 'port' in the best mode that works. */
static int
try_all_modes(struct afxdp_port *port, int n, char **errp)
{
    int error;

    if (has_stack_behind(port) && port->wanted.skip_bpf != AFXDP_SKIP_ON) {
        error = try_generic(port, n, true, errp);
        if (!error || error == EBUSY) {
            return error;
        }
        next_attempt(port, errp);
    }
    error = try_native(port, n, true, errp);
    if (!error || error == EBUSY) {
        return error;
    }
    next_attempt(port, errp);
    error = try_native(port, n, false, errp);
    if (!error || error == EBUSY) {
        return error;
    }
    next_attempt(port, errp);
    return try_generic(port, n, false, errp);
}

/* Brings up the queues of 'port' in the mode that its configuration wants. */
static int
try_modes(struct afxdp_port *port, int n, char **errp)
{
    switch (port->wanted.mode) {
    case AFXDP_NATIVE_ZC:
    case AFXDP_NATIVE:
        return try_native(port, n, port->wanted.mode == AFXDP_NATIVE_ZC, errp);

    case AFXDP_GENERIC:
        return try_generic(port, n, false, errp);

    case AFXDP_BEST_EFFORT:
        return try_all_modes(port, n, errp);

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

/* Gives the device of 'port', which is up and as 'now' says, the MTU that its
 * mode wants. */
static void
settle_mtu(struct afxdp_port *port, const struct afxdp_device *now)
{
    bool veth = afxdp_device_is_veth(now);
    bool wanted = (veth && port->mode == AFXDP_GENERIC
                   && netdev_is_flow_api_enabled());

    if (wanted || (veth && now->mtu == AFXDP_MTU_RAISED)) {
        afxdp_mtu_raise(&port->mtu, port->name, now);
    }
    if (!wanted) {
        afxdp_mtu_restore(&port->mtu, port->name);
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
    if (!error) {
        error = check_skip(port, errp);
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
    settle_mtu(port, &port->device);
    warn_left_out(port);
    VLOG_INFO("%s: %d queue%s in %s mode%s%s%s", port->name, port->n_queues,
              port->n_queues == 1 ? "" : "s", afxdp_mode_name(port->mode),
              port->skip_bpf ? " without an XDP program" : "",
              port->why ? ": " : "", port->why ? port->why : "");
    return 0;
}

/* Brings 'port' down: its device is as it was before, and its frames are free.
 * Does nothing if it is down. */
void
afxdp_port_down(struct afxdp_port *port)
{
    if (port->prog) {
        afxdp_prog_detach(port->prog);
        close_queues(port);
        afxdp_prog_close(port->prog);
        port->prog = NULL;
    }
}

/* Follows a change, of which 'now' tells, of the MTU of the peer of 'port', or
 * that flows are offloaded now.  Returns true if Open vSwitch sees another MTU
 * of 'port' then. */
bool
afxdp_port_update_mtu(struct afxdp_port *port, const struct afxdp_device *now)
{
    bool changed = afxdp_mtu_update(&port->mtu, port->name, now);

    if (port->queues && !port->mtu.raised) {
        settle_mtu(port, now);
        changed = port->mtu.raised;
    }
    for (int i = 0; i < port->n_queues; i++) {
        afxdp_raw_set_mtu(port->queues[i],
                          afxdp_mtu_of_sender(&port->mtu, now));
    }
    return changed;
}

/* Is 'port' up as it was asked for last, with the program if offload needs it,
 * and on the device 'ifindex', which has its name now? */
static bool
is_current(const struct afxdp_port *port, int ifindex)
{
    return (port->queues
            && afxdp_config_equal(&port->wanted, &port->config)
            && !(port->skip_bpf && netdev_is_flow_api_enabled())
            && ifindex == port->device.ifindex);
}

/* Is 'port' up, as 'args' say and on the device that has its name?  That costs
 * little, so that a bridge of many ports can ask it of each at every change.
 * What else may be new of a device only afxdp_device_read() tells. */
bool
afxdp_port_is_settled(const struct afxdp_port *port, const struct smap *args)
{
    return (smap_equal(&port->args, args)
            && is_current(port, afxdp_device_ifindex(port->name)));
}

/* Must 'port' be brought down and up again, since it is not up, was asked for
 * another configuration, lacks the program that offload needs, or has, as
 * 'now' tells, another device or other channels, or a peer that became or
 * stopped to be the kernel's stack? */
bool
afxdp_port_is_stale(const struct afxdp_port *port,
                    const struct afxdp_device *now)
{
    return (!is_current(port, now->ifindex)
            || now->n_channels != port->device.n_channels
            || (port->config.mode == AFXDP_BEST_EFFORT
                && now->peer.known && port->device.peer.known
                && now->peer.xdp != port->device.peer.xdp));
}
