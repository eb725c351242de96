/* SPDX-License-Identifier: Apache-2.0 */

/* The seam with Open vSwitch: the functions that its other objects expect of
 * netdev-afxdp.o, and nothing else.  This object takes the place of upstream's
 * at link time; what the functions do stands in afxdp-*.c.
 *
 * netdev_linux has room for state of ours in 'xsks', a pointer that only
 * netdev-afxdp.o looks at: it holds the port. */

#include <config.h>

#include "netdev-afxdp.h"

#include <errno.h>

#include "afxdp-packet.h"
#include "afxdp-port.h"
#include "afxdp-prog.h"
#include "afxdp-queue.h"
#include "afxdp-rcu.h"
#include "afxdp-rx.h"
#include "afxdp-stats.h"
#include "afxdp-tx.h"
#include "afxdp-umem.h"
#include "afxdp-unixctl.h"
#include "netdev-afxdp-port.h"
#include "netdev-linux-private.h"
#include "ofproto/afxdp-offload.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/vlog.h"
#include "rtnetlink.h"
#include "smap.h"

VLOG_DEFINE_THIS_MODULE(netdev_afxdp);

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 20);

void __wrap_dpdk_init(const struct smap *);
void __real_dpdk_init(const struct smap *);
int __wrap_netdev_get_mtu(const struct netdev *, int *);
int __real_netdev_get_mtu(const struct netdev *, int *);
int __wrap_netdev_set_mtu(struct netdev *, int);
int __real_netdev_set_mtu(struct netdev *, int);
int __wrap_netdev_turn_flags_on(struct netdev *, enum netdev_flags,
                                struct netdev_saved_flags **);
int __real_netdev_turn_flags_on(struct netdev *, enum netdev_flags,
                                struct netdev_saved_flags **);

static struct afxdp_port *
port_of(const struct netdev *netdev)
{
    return ALIGNED_CAST(struct afxdp_port *, netdev_linux_cast(netdev)->xsks);
}

/* Brings the port of 'netdev' up, and lets flows be offloaded on it if it has
 * a program. */
static int
port_up(const struct netdev *netdev, int numa_id, char **errp)
{
    struct afxdp_port *port = port_of(netdev);
    int error = afxdp_port_up(port, numa_id, errp);

    if (!error && !port->skip_bpf) {
        afxdp_offload_port_up(netdev, port->prog, port->device.ifindex,
                              port->mode == AFXDP_GENERIC);
    }
    return error;
}

static void
port_down(const struct netdev *netdev)
{
    afxdp_offload_port_down(netdev);
    afxdp_port_down(port_of(netdev));
}

/* bridge.c offers Open_vSwitch:other_config to DPDK before it opens the first
 * port and whenever it may have changed: the linker passes the call through
 * here (--wrap), so that arenas get their size the same way. */
void
__wrap_dpdk_init(const struct smap *other_config)
{
    afxdp_umem_set_config(other_config);
    __real_dpdk_init(other_config);
}

/* Both classes call this, with the netdev class mutex held. */
int
netdev_afxdp_init(void)
{
    static struct ovsthread_once once = OVSTHREAD_ONCE_INITIALIZER;

    if (ovsthread_once_start(&once)) {
        afxdp_prog_init();
        afxdp_unixctl_init();
        afxdp_offload_init();
        ovsthread_once_done(&once);
    }
    return 0;
}

int
netdev_afxdp_construct(struct netdev *netdev)
{
    struct netdev_linux *dev = netdev_linux_cast(netdev);
    int error = netdev_linux_construct(netdev);

    if (error) {
        return error;
    }

    /* No queue is there before the first configuration. */
    netdev->n_rxq = 0;
    netdev->n_txq = 0;
    dev->xsks = (struct xsk_socket_info **) afxdp_port_create(netdev->name);
    netdev_request_reconfigure(netdev);
    return 0;
}

void
netdev_afxdp_destruct(struct netdev *netdev)
{
    struct netdev_linux *dev = netdev_linux_cast(netdev);

    port_down(netdev);
    afxdp_offload_port_gone(netdev);
    afxdp_port_destroy(port_of(netdev));
    dev->xsks = NULL;
    ovs_mutex_destroy(&dev->mutex);
}

/* Checks 'args' and remembers them for the next netdev_afxdp_reconfigure().
 * Called for every port whenever anything of the configuration changes.
 *
 * A port that is down is brought up right here, since only here can the reason
 * why that fails reach the user, through '*errp' and the error column. */
int
netdev_afxdp_set_config(struct netdev *netdev, const struct smap *args,
                        char **errp)
{
    struct netdev_linux *dev = netdev_linux_cast(netdev);
    struct afxdp_port *port = port_of(netdev);
    int numa_id = netdev_get_numa_id(netdev);
    struct afxdp_device device;
    char *message = NULL;
    int error;

    ovs_mutex_lock(&dev->mutex);
    if (afxdp_port_is_settled(port, args)) {
        ovs_mutex_unlock(&dev->mutex);
        return 0;
    }
    error = afxdp_device_read(port->name, &device, &message);
    if (!error) {
        error = afxdp_config_parse(args, device.n_channels, &port->wanted,
                                   &message);
    }
    if (!error) {
        smap_destroy(&port->args);
        smap_clone(&port->args, args);
    }
    if (!error && !port->queues) {
        error = port_up(netdev, numa_id, &message);
        netdev_request_reconfigure(netdev);
    } else if (!error && afxdp_port_is_stale(port, &device)) {
        netdev_request_reconfigure(netdev);
    }
    ovs_mutex_unlock(&dev->mutex);

    if (error) {
        VLOG_WARN_RL(&rl, "%s: %s", port->name, message);
        if (errp) {
            *errp = xasprintf("%s: %s", port->name, message);
        }
        free(message);
    }
    return error;
}

int
netdev_afxdp_get_config(const struct netdev *netdev, struct smap *args)
{
    struct netdev_linux *dev = netdev_linux_cast(netdev);
    const struct afxdp_port *port = port_of(netdev);

    ovs_mutex_lock(&dev->mutex);
    smap_add_format(args, "n_rxq", "%d", netdev->n_rxq);
    smap_add(args, "xdp-mode", afxdp_mode_name(port->wanted.mode));
    if (port->queues) {
        smap_add(args, "xdp-mode-in-use", afxdp_mode_name(port->mode));
        if (port->why) {
            smap_add(args, "xdp-mode-note", port->why);
        }
    }
    smap_add(args, "use-need-wakeup",
             port->wanted.need_wakeup ? "true" : "false");
    smap_add(args, "skip-bpf", afxdp_skip_name(port->wanted.skip_bpf));
    if (port->queues) {
        smap_add(args, "skip-bpf-in-use", port->skip_bpf ? "true" : "false");
    }
    ovs_mutex_unlock(&dev->mutex);
    return 0;
}

/* Brings the port up with the configuration of the last
 * netdev_afxdp_set_config().  No thread receives or sends on it now.
 *
 * If that fails, dpif-netdev drops the port without a word to the bridge.  A
 * report of a changed link makes the bridge add it again, and the reason why
 * that fails, in netdev_afxdp_set_config(), reaches the error column. */
int
netdev_afxdp_reconfigure(struct netdev *netdev)
{
    struct netdev_linux *dev = netdev_linux_cast(netdev);
    struct afxdp_port *port = port_of(netdev);
    int numa_id = netdev_get_numa_id(netdev);
    struct afxdp_device device;
    char *message = NULL;
    int error;

    ovs_mutex_lock(&dev->mutex);
    error = afxdp_device_read(port->name, &device, &message);
    if (error) {
        port_down(netdev);
    } else if (afxdp_port_is_stale(port, &device)) {
        port_down(netdev);
        error = port_up(netdev, numa_id, &message);
        netdev_change_seq_changed(netdev);
    }
    if (error) {
        VLOG_ERR("%s: %s", port->name, message);
        free(message);
    }
    netdev->n_rxq = netdev->n_txq = port->n_queues;
    ovs_mutex_unlock(&dev->mutex);
    if (error) {
        rtnetlink_report_link();
    }
    return error;
}

/* Called by netdev_linux_set_mtu(), with the mutex of 'netdev' held. */
int
netdev_afxdp_verify_mtu_size(const struct netdev *netdev, int mtu)
{
    if (mtu > afxdp_port_max_mtu()) {
        VLOG_WARN_RL(&rl, "%s: MTU %d is above %d, what a frame has room for",
                     netdev_get_name(netdev), mtu, afxdp_port_max_mtu());
        return EINVAL;
    }
    return 0;
}

/* Is 'netdev' one of ours? */
static bool
is_ours(const struct netdev *netdev)
{
    return (netdev->netdev_class == &netdev_afxdp_class
            || netdev->netdev_class == &netdev_afxdp_nonpmd_class);
}

/* Is 'netdev' one of ours, with two MTUs (see afxdp-mtu.h)? */
static bool
has_two_mtus(const struct netdev *netdev)
{
    return is_ours(netdev) && port_of(netdev)->mtu.raised;
}

/* The linker passes the calls of all others for a netdev's MTU through here:
 * they see the MTU that a port would have if we did not raise it. */
int
__wrap_netdev_get_mtu(const struct netdev *netdev, int *mtup)
{
    if (has_two_mtus(netdev)) {
        struct netdev_linux *dev = netdev_linux_cast(netdev);

        ovs_mutex_lock(&dev->mutex);
        *mtup = port_of(netdev)->mtu.seen;
        ovs_mutex_unlock(&dev->mutex);
        return 0;
    }
    return __real_netdev_get_mtu(netdev, mtup);
}

int
__wrap_netdev_set_mtu(struct netdev *netdev, int mtu)
{
    if (has_two_mtus(netdev)) {
        struct netdev_linux *dev = netdev_linux_cast(netdev);
        int error = netdev_afxdp_verify_mtu_size(netdev, mtu);

        if (!error) {
            ovs_mutex_lock(&dev->mutex);
            afxdp_mtu_request(&port_of(netdev)->mtu, mtu);
            ovs_mutex_unlock(&dev->mutex);
        }
        return error;
    }
    return __real_netdev_set_mtu(netdev, mtu);
}

/* The linker passes the calls of all others through here.  dpif-netdev makes
 * each port promiscuous.  A veth gets what its other end sends in any case,
 * and the notice of the changed flag would make ovs-vswitchd read all routes
 * and go through the configuration of all ports once more: half of the time
 * that one more of 100 ports takes. */
int
__wrap_netdev_turn_flags_on(struct netdev *netdev, enum netdev_flags flags,
                            struct netdev_saved_flags **saved)
{
    if (flags == NETDEV_PROMISC && is_ours(netdev)
        && afxdp_device_is_veth(&port_of(netdev)->device)) {
        *saved = NULL;
        return 0;
    }
    return __real_netdev_turn_flags_on(netdev, flags, saved);
}

/* Called when the process dies of a signal.  The kernel detaches the program
 * with the bpf_link that the process held. */
void
signal_remove_xdp(struct netdev *netdev)
{
    struct afxdp_port *port = port_of(netdev);

    afxdp_mtu_restore(&port->mtu, port->name);
}

int
netdev_afxdp_rxq_construct(struct netdev_rxq *rxq)
{
    struct netdev_rxq_linux *rx = netdev_rxq_linux_cast(rxq);

    /* For the poll loop of the main thread, which waits on 'fd' in
     * netdev_linux_rxq_wait() for ports of type afxdp-nonpmd. */
    rx->is_tap = false;
    rx->fd = port_of(rxq->netdev)->queues[rxq->queue_id]->fd;
    return 0;
}

/* The queue's socket is the port's, not the rxq's. */
void
netdev_afxdp_rxq_destruct(struct netdev_rxq *rxq OVS_UNUSED)
{
}

int
netdev_afxdp_rxq_recv(struct netdev_rxq *rxq, struct dp_packet_batch *batch,
                      int *qfill)
{
    int error = afxdp_rx_recv(port_of(rxq->netdev)->queues[rxq->queue_id],
                              batch);

    if (error && netdev_is_pmd(rxq->netdev)) {
        afxdp_rcu_idle();
    }
    if (OVS_UNLIKELY(qfill != NULL)) {
        *qfill = -ENOTSUP;
    }
    return error;
}

int
netdev_afxdp_batch_send(struct netdev *netdev, int qid,
                        struct dp_packet_batch *batch, bool concurrent)
{
    const struct afxdp_port *port = port_of(netdev);

    if (OVS_UNLIKELY(qid >= port->n_queues)) {
        if (!port->n_queues) {
            dp_packet_delete_batch(batch, true);
            return ENODEV;
        }
        qid %= port->n_queues;
    }
    return afxdp_tx_send(port->queues[qid], batch, concurrent);
}

void
free_afxdp_buf(struct dp_packet *packet)
{
    afxdp_packet_free(packet);
}

/* Nobody tells of a device that got more channels, or whose peer changed, so
 * the statistics, which are asked for every few seconds, are the moment to
 * look. */
static void
check_device(const struct netdev *netdev_, struct afxdp_port *port)
{
    struct netdev *netdev = CONST_CAST(struct netdev *, netdev_);
    struct afxdp_device device;
    char *message = NULL;

    if (afxdp_device_read(port->name, &device, &message)) {
        free(message);
        return;
    }
    if (afxdp_port_update_mtu(port, &device)) {
        netdev_change_seq_changed(netdev);
    }
    if (port->queues && afxdp_port_is_stale(port, &device)) {
        netdev_request_reconfigure(netdev);
    }
}

int
netdev_afxdp_get_stats(const struct netdev *netdev,
                       struct netdev_stats *stats)
{
    struct netdev_linux *dev = netdev_linux_cast(netdev);
    struct afxdp_port *port = port_of(netdev);
    int error;

    ovs_mutex_lock(&dev->mutex);
    error = get_stats_via_netlink(netdev, stats);
    if (!error) {
        stats->tx_dropped += afxdp_stats_tx_dropped(port);
    }
    check_device(netdev, port);
    ovs_mutex_unlock(&dev->mutex);
    return error;
}

int
netdev_afxdp_get_custom_stats(const struct netdev *netdev,
                              struct netdev_custom_stats *custom)
{
    struct netdev_linux *dev = netdev_linux_cast(netdev);

    ovs_mutex_lock(&dev->mutex);
    afxdp_stats_custom(port_of(netdev), custom);
    ovs_mutex_unlock(&dev->mutex);
    return 0;
}

/* Appends what 'netdev' is and does to 'ds', for people. */
void
netdev_afxdp_format(struct netdev *netdev, struct ds *ds)
{
    struct netdev_linux *dev = netdev_linux_cast(netdev);

    ovs_mutex_lock(&dev->mutex);
    afxdp_format_port(port_of(netdev), ds);
    ovs_mutex_unlock(&dev->mutex);
}
