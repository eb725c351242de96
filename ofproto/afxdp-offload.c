/* SPDX-License-Identifier: Apache-2.0 */

/* The flow API provider "afxdp": see afxdp-offload.h.
 *
 * dpif-netdev's offload threads put and delete flows; handlers, revalidators
 * and the main thread ask for their counts; the main thread brings ports up
 * and down.  A thread of ours hears of devices that change, opens groups and
 * waits for grace periods of the kernel. */

#include <config.h>

#include "afxdp-offload.h"

#include <errno.h>

#include "afxdp-flow-stats.h"
#include "afxdp-flow-table.h"
#include "afxdp-grace.h"
#include "afxdp-offload-flow.h"
#include "afxdp-offload-group.h"
#include "afxdp-offload-port.h"
#include "afxdp-offload-put.h"
#include "afxdp-offload-tc.h"
#include "afxdp-offload-unixctl.h"
#include "afxdp-prog.h"
#include "afxdp-target.h"
#include "dpif.h"
#include "netdev-offload-provider.h"
#include "netdev-provider.h"
#include "openvswitch/poll-loop.h"
#include "openvswitch/vlog.h"
#include "ovs-thread.h"
#include "seq.h"
#include "timeval.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(afxdp_offload);

/* How often masks are sorted and grace periods waited for, in ms. */
#define HOUSEKEEPING_INTERVAL 1000

/* 'dp_layer' of flows here, as in "dpctl/dump-flows -m". */
#define DP_LAYER "xdp"

static struct afxdp_offload_status status OVS_GUARDED_BY(afxdp_offload_mutex);

/* Changes when the thread has something to do. */
static struct seq *wake_seq;

void
afxdp_offload_wake(void)
{
    seq_change(wake_seq);
}

/* Asks the kernel what the device of 'netdev', 'ifindex', takes, and lets
 * packets be sent to it accordingly. */
static void
probe_target(const struct netdev *netdev, int ifindex)
{
    struct afxdp_offload_port *port;
    struct afxdp_target target;
    uint64_t probe;

    ovs_mutex_lock(&afxdp_offload_mutex);
    probe = afxdp_offload_port_probe_begin();
    ovs_mutex_unlock(&afxdp_offload_mutex);

    afxdp_target_probe(ifindex, &target);

    ovs_mutex_lock(&afxdp_offload_mutex);
    port = afxdp_offload_port_find(netdev);
    if (port && port->prog && port->ifindex == ifindex) {
        afxdp_offload_port_set_target(port, probe, &target);
    }
    ovs_mutex_unlock(&afxdp_offload_mutex);
}

/* The device 'ifindex', or with 0 any device, changed. */
static void
device_changed(int ifindex)
{
    struct device {
        const struct netdev *netdev;
        int ifindex;
    } *devices = NULL;
    struct afxdp_offload_port *port = NULL;
    size_t n = 0, allocated = 0;

    ovs_mutex_lock(&afxdp_offload_mutex);
    while ((port = afxdp_offload_port_next(port)) != NULL) {
        if (port->enabled && port->prog
            && (!ifindex || port->ifindex == ifindex)) {
            if (n >= allocated) {
                devices = x2nrealloc(devices, &allocated, sizeof *devices);
            }
            devices[n++] = (struct device) { port->netdev, port->ifindex };
        }
    }
    ovs_mutex_unlock(&afxdp_offload_mutex);

    for (size_t i = 0; i < n; i++) {
        probe_target(devices[i].netdev, devices[i].ifindex);
    }
    free(devices);
}

/* Waits for a grace period of the kernel and frees what waited for it. */
static void
reclaim(void)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    afxdp_flow_table_grace_begin();
    afxdp_offload_group_grace_begin();
    afxdp_offload_port_grace_begin();
    ovs_mutex_unlock(&afxdp_offload_mutex);

    afxdp_grace_wait();

    ovs_mutex_lock(&afxdp_offload_mutex);
    afxdp_flow_table_grace_end();
    afxdp_offload_group_grace_end();
    afxdp_offload_port_grace_end();
}

static bool
is_waiting(void)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    struct afxdp_flow_table_usage usage;

    afxdp_flow_table_usage(&usage);
    return (usage.waiting || afxdp_offload_group_is_waiting()
            || afxdp_offload_port_is_waiting());
}

/* Does what the table needs from time to time: at once, and if 'due', also
 * what has some time. */
static void
run(bool due)
{
    struct afxdp_offload_port *port = NULL;

    ovs_mutex_lock(&afxdp_offload_mutex);
    afxdp_offload_group_run();
    while (due && (port = afxdp_offload_port_next(port)) != NULL) {
        if (port->enabled) {
            afxdp_offload_port_sort_masks(port);
        }
    }
    if (due ? is_waiting() : afxdp_flow_table_should_reclaim()) {
        reclaim();
    }
    ovs_mutex_unlock(&afxdp_offload_mutex);
}

static void *
offload_main(void *arg OVS_UNUSED)
{
    long long int next = time_msec() + HOUSEKEEPING_INTERVAL;

    for (;;) {
        uint64_t seq = seq_read(wake_seq);
        bool due = time_msec() >= next;

        afxdp_target_watch_run(device_changed);
        run(due);
        if (due) {
            next = time_msec() + HOUSEKEEPING_INTERVAL;
        }

        afxdp_target_watch_wait();
        seq_wait(wake_seq, seq);
        poll_timer_wait_until(next);
        poll_block();
    }
    return NULL;
}

/* Makes the table.  Returns 0, or a positive errno value and a message in
 * '*errp', which the caller must free. */
static int
open_table(char **errp)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    struct afxdp_flow_maps maps;
    int error = afxdp_prog_load_flows(&maps, errp);

    if (error) {
        return error;
    }
    error = afxdp_flow_table_open(&maps);
    if (error) {
        *errp = xasprintf("cannot map the flow table into memory: %s",
                          ovs_strerror(error));
        return error;
    }
    error = afxdp_target_watch_open();
    if (error) {
        *errp = xasprintf("cannot watch network devices: %s",
                          ovs_strerror(error));
        return error;
    }
    afxdp_flow_stats_open(&maps);
    afxdp_offload_port_open(&maps);
    afxdp_offload_group_open_maps(&maps);
    ovs_thread_create("afxdp_offload", offload_main, NULL);
    return 0;
}

/* Makes the table, unless that has been done or tried. */
static int
open_table_once(void)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    char *message = NULL;

    if (!status.open && !status.error) {
        if (open_table(&message)) {
            VLOG_ERR("flows are not offloaded, all packets go through user "
                     "space: %s", message);
            status.error = message;
        } else {
            status.open = true;
        }
    }
    return status.open ? 0 : EOPNOTSUPP;
}

static int
afxdp_init_flow_api(struct netdev *netdev)
{
    struct afxdp_offload_port *port;
    int ifindex = 0;
    int error;

    if (!afxdp_offload_is_ours(netdev)) {
        return EOPNOTSUPP;
    }
    ovs_mutex_lock(&afxdp_offload_mutex);
    error = open_table_once();
    port = error ? NULL : afxdp_offload_port_find(netdev);
    if (!error) {
        if (!port) {
            port = afxdp_offload_port_create(netdev, netdev_get_name(netdev));
        }
        if (!afxdp_offload_port_enable(port)
            || afxdp_offload_port_sync(port)) {
            afxdp_offload_port_disable(port);
            error = EOPNOTSUPP;
        }
        ifindex = port->prog ? port->ifindex : 0;
    }
    ovs_mutex_unlock(&afxdp_offload_mutex);

    if (!error && ifindex) {
        probe_target(netdev, ifindex);
    }
    return error;
}

static void
afxdp_uninit_flow_api(struct netdev *netdev)
{
    struct afxdp_offload_port *port;

    ovs_mutex_lock(&afxdp_offload_mutex);
    port = afxdp_offload_port_find(netdev);
    if (port) {
        afxdp_offload_flow_flush(port);
        afxdp_offload_port_disable(port);
    }
    ovs_mutex_unlock(&afxdp_offload_mutex);
}

/* 'ufid' must be the mega_ufid of a struct dp_netdev_flow. */
static int
afxdp_flow_put(struct netdev *netdev, struct match *match OVS_UNUSED,
               struct nlattr *actions OVS_UNUSED,
               size_t actions_len OVS_UNUSED, const ovs_u128 *ufid,
               struct offload_info *info OVS_UNUSED,
               struct dpif_flow_stats *stats)
{
    if (stats) {
        memset(stats, 0, sizeof *stats);
    }
    return afxdp_offload_put(netdev, ufid) ? EOPNOTSUPP : 0;
}

static int
afxdp_flow_del(struct netdev *netdev OVS_UNUSED, const ovs_u128 *ufid,
               struct dpif_flow_stats *stats)
{
    struct afxdp_offload_flow *flow;

    if (stats) {
        memset(stats, 0, sizeof *stats);
    }
    ovs_mutex_lock(&afxdp_offload_mutex);
    flow = afxdp_offload_flow_find(ufid);
    if (flow) {
        afxdp_offload_flow_delete(flow);
    }
    ovs_mutex_unlock(&afxdp_offload_mutex);
    return flow ? 0 : ENOENT;
}

static int
afxdp_flow_get(struct netdev *netdev OVS_UNUSED,
               struct match *match OVS_UNUSED,
               struct nlattr **actions OVS_UNUSED, const ovs_u128 *ufid,
               struct dpif_flow_stats *stats, struct dpif_flow_attrs *attrs,
               struct ofpbuf *wbuffer OVS_UNUSED)
{
    struct afxdp_offload_flow *flow;
    struct afxdp_flow_counts counts;
    int error;

    ovs_mutex_lock(&afxdp_offload_mutex);
    flow = afxdp_offload_flow_find(ufid);
    error = flow ? afxdp_offload_flow_read(flow, &counts) : ENOENT;
    if (!error) {
        stats->n_packets = counts.packets;
        stats->n_bytes = counts.bytes;
        stats->used = counts.used;
        stats->tcp_flags = counts.tcp_flags;
        attrs->offloaded = flow->key != NULL;
        attrs->dp_layer = flow->key ? DP_LAYER : "ovs";
        attrs->dp_extra_info = NULL;
    }
    ovs_mutex_unlock(&afxdp_offload_mutex);
    return error;
}

static int
afxdp_flow_flush(struct netdev *netdev)
{
    struct afxdp_offload_port *port;

    ovs_mutex_lock(&afxdp_offload_mutex);
    port = afxdp_offload_port_find(netdev);
    if (port) {
        afxdp_offload_flow_flush(port);
    }
    ovs_mutex_unlock(&afxdp_offload_mutex);
    return 0;
}

/* Adds to 'n_flows', which has an element for each offload thread. */
static int
afxdp_flow_get_n_flows(struct netdev *netdev, uint64_t *n_flows)
{
    const struct afxdp_offload_flow *flow;
    struct afxdp_offload_port *port;

    ovs_mutex_lock(&afxdp_offload_mutex);
    port = afxdp_offload_port_find(netdev);
    if (port) {
        LIST_FOR_EACH (flow, port_node, &port->flows) {
            if (flow->key) {
                n_flows[netdev_offload_ufid_to_thread_id(flow->ufid)]++;
            }
        }
    }
    ovs_mutex_unlock(&afxdp_offload_mutex);
    return 0;
}

static const struct netdev_flow_api afxdp_flow_api = {
    .type = "afxdp",
    .init_flow_api = afxdp_init_flow_api,
    .uninit_flow_api = afxdp_uninit_flow_api,
    .flow_put = afxdp_flow_put,
    .flow_del = afxdp_flow_del,
    .flow_get = afxdp_flow_get,
    .flow_flush = afxdp_flow_flush,
    .flow_get_n_flows = afxdp_flow_get_n_flows,
};

/* Registers the provider.  Called once, when the first class of our netdevs is
 * registered. */
void
afxdp_offload_init(void)
{
    wake_seq = seq_create();
    afxdp_offload_unixctl_init(&status);
    afxdp_offload_keep_tc_away();
    netdev_register_flow_api_provider(&afxdp_flow_api);
}

/* The device 'ifindex' of 'netdev' now has 'prog' attached to it, in generic
 * mode if 'generic'. */
void
afxdp_offload_port_up(const struct netdev *netdev, struct afxdp_prog *prog,
                      int ifindex, bool generic)
{
    struct afxdp_offload_port *port;
    bool enabled;

    ovs_mutex_lock(&afxdp_offload_mutex);
    port = afxdp_offload_port_find(netdev);
    if (!port) {
        port = afxdp_offload_port_create(netdev, netdev_get_name(netdev));
    }
    port->prog = prog;
    port->ifindex = ifindex;
    if (port->generic != generic) {
        port->generic = generic;
        afxdp_offload_flow_rebuild(port);
    }
    port->masks_changed = true;
    afxdp_offload_port_sync(port);
    enabled = port->enabled;
    ovs_mutex_unlock(&afxdp_offload_mutex);

    if (enabled) {
        probe_target(netdev, ifindex);
    }
}

/* The program of the device of 'netdev' is about to be detached. */
void
afxdp_offload_port_down(const struct netdev *netdev)
{
    struct afxdp_offload_port *port;

    ovs_mutex_lock(&afxdp_offload_mutex);
    port = afxdp_offload_port_find(netdev);
    if (port) {
        port->prog = NULL;
        if (port->id) {
            afxdp_offload_port_close_target(port);
        }
    }
    ovs_mutex_unlock(&afxdp_offload_mutex);
}

/* 'netdev', which is down, is about to be freed. */
void
afxdp_offload_port_gone(const struct netdev *netdev)
{
    struct afxdp_offload_port *port;

    ovs_mutex_lock(&afxdp_offload_mutex);
    port = afxdp_offload_port_find(netdev);
    if (port) {
        afxdp_offload_flow_flush(port);
        afxdp_offload_port_destroy(port);
    }
    ovs_mutex_unlock(&afxdp_offload_mutex);
}
