/* SPDX-License-Identifier: Apache-2.0 */

/* Commands of ovs-appctl: see afxdp-unixctl.h. */

#include <config.h>

#include "afxdp-unixctl.h"

#include "afxdp-port.h"
#include "afxdp-prog.h"
#include "afxdp-queue.h"
#include "afxdp-stats.h"
#include "afxdp-umem.h"
#include "netdev-afxdp-port.h"
#include "netdev-provider.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/shash.h"
#include "unixctl.h"

/* Returns how many entries are between the two ends of a ring. */
static uint32_t
ring_used(const uint32_t *producer, const uint32_t *consumer)
{
    return (__atomic_load_n(producer, __ATOMIC_RELAXED)
            - __atomic_load_n(consumer, __ATOMIC_RELAXED));
}

/* Appends those of 'stats' that are drops, if 'drops', or the others, as
 * "name value" pairs; zeros are left out. */
static void
format_stats(const struct afxdp_stat *stats, int n, bool drops, struct ds *ds)
{
    bool any = false;

    for (int i = 0; i < n; i++) {
        if (stats[i].drop == drops && stats[i].value) {
            ds_put_format(ds, "%s%s %"PRIu64, any ? ", " : "",
                          stats[i].name, stats[i].value);
            any = true;
        }
    }
    ds_put_format(ds, "%s\n", any ? "" : "none");
}

static void
format_queue(const struct afxdp_queue *q, struct ds *ds)
{
    struct afxdp_stat stats[AFXDP_MAX_STATS];
    int n = afxdp_queue_stats(q, stats);

    ds_put_format(ds, "  queue %d:\n", q->qid);
    ds_put_format(ds, "    rings:  rx %"PRIu32", fill %"PRIu32", tx %"PRIu32
                  ", completion %"PRIu32" of %d each\n",
                  ring_used(q->rx.producer, q->rx.consumer),
                  ring_used(q->fill.producer, q->fill.consumer),
                  ring_used(q->tx.producer, q->tx.consumer),
                  ring_used(q->comp.producer, q->comp.consumer),
                  AFXDP_RING_SIZE);
    ds_put_format(ds, "    frames: %"PRIu32" to receive (aims at %"PRIu32"), "
                  "%"PRIu32" being sent%s\n", q->rx_held, q->rx_target,
                  q->tx_held, q->tx_down ? "; the device refuses to send"
                  : "");
    ds_put_cstr(ds, "    counts: ");
    format_stats(stats, n, false, ds);
    ds_put_cstr(ds, "    drops:  ");
    format_stats(stats, n, true, ds);
}

/* Appends to 'ds' what 'port' is and does. */
void
afxdp_format_port(const struct afxdp_port *port, struct ds *ds)
{
    const char *name;
    uint32_t id;

    if (!port->queues) {
        ds_put_format(ds, "%s: not in use\n", port->name);
        return;
    }
    ds_put_format(ds, "%s: %s mode", port->name, afxdp_mode_name(port->mode));
    if (port->mode != port->config.mode) {
        ds_put_format(ds, " (%s)", afxdp_mode_name(port->config.mode));
    }
    if (port->why) {
        ds_put_format(ds, ", %s", port->why);
    }
    ds_put_format(ds, ", driver %s, MTU %d, %d of %d queue%s\n",
                  port->device.driver[0] ? port->device.driver : "unknown",
                  port->mtu.raised ? port->mtu.seen : port->device.mtu,
                  port->n_queues, port->device.n_channels,
                  port->device.n_channels == 1 ? "" : "s");
    if (port->skip_bpf) {
        ds_put_cstr(ds, "  XDP program: none (skip-bpf)\n");
    } else {
        name = afxdp_prog_name(port->prog, &id);
        ds_put_format(ds, "  XDP program: %s, id %"PRIu32"\n", name, id);
    }
    ds_put_format(ds, "  frames: from the arena of NUMA node %d\n",
                  port->arena->numa_id);
    ds_put_format(ds, "  kicks: %s\n",
                  port->config.need_wakeup ? "when the kernel asks for them"
                  : "for every batch");
    for (int i = 0; i < port->n_queues; i++) {
        format_queue(port->queues[i], ds);
    }
}

/* Adds a reference to each netdev of our classes to 'devices'. */
static void
get_devices(struct shash *devices)
{
    netdev_get_devices(&netdev_afxdp_class, devices);
    netdev_get_devices(&netdev_afxdp_nonpmd_class, devices);
}

/* afxdp/show [PORT] */
static void
afxdp_unixctl_show(struct unixctl_conn *conn, int argc, const char *argv[],
                   void *aux OVS_UNUSED)
{
    const char *wanted = argc > 1 ? argv[1] : NULL;
    struct shash devices = SHASH_INITIALIZER(&devices);
    struct ds ds = DS_EMPTY_INITIALIZER;
    const struct shash_node **nodes;
    bool found = false;

    get_devices(&devices);
    nodes = shash_sort(&devices);
    for (size_t i = 0; i < shash_count(&devices); i++) {
        if (!wanted || !strcmp(wanted, nodes[i]->name)) {
            netdev_afxdp_format(nodes[i]->data, &ds);
            found = true;
        }
        netdev_close(nodes[i]->data);
    }
    free(nodes);
    shash_destroy(&devices);

    if (wanted && !found) {
        ds_put_format(&ds, "%s is not an afxdp port", wanted);
        unixctl_command_reply_error(conn, ds_cstr(&ds));
    } else {
        unixctl_command_reply(conn, found ? ds_cstr(&ds)
                              : "no afxdp ports\n");
    }
    ds_destroy(&ds);
}

static void
format_census(struct afxdp_arena *arena, struct ds *ds)
{
    struct afxdp_census c;

    afxdp_frames_census(arena, &c);
    ds_put_format(ds, "NUMA node %d: %u frames of %u bytes%s, %u queues\n",
                  arena->numa_id, arena->n_frames, AFXDP_FRAME_SIZE,
                  arena->huge ? " in huge pages" : "", arena->n_queues);
    ds_put_format(ds, "  free:          %u (%u in the depot, %u in the caches "
                  "of %u threads)\n", c.free, c.depot, c.cached, c.n_caches);
    ds_put_format(ds, "  to receive:    %u\n", c.rx_all);
    ds_put_format(ds, "  being sent:    %u\n", c.tx_all);
    ds_put_format(ds, "  in user space: %u\n", c.user);

    ovs_mutex_lock(&arena->mutex);
    for (int i = 0; i < AFXDP_MAX_SLOTS; i++) {
        const struct afxdp_queue *q = arena->slots[i];

        if (q) {
            ds_put_format(ds, "    %s queue %d: %u to receive, %u being "
                          "sent\n", q->name, q->qid, c.rx[i], c.tx[i]);
        }
    }
    ovs_mutex_unlock(&arena->mutex);
    ds_put_format(ds, "  consistent: %s\n",
                  c.consistent ? "yes"
                  : "no: the free frames are not those in the depot and the "
                    "caches");
    afxdp_census_destroy(&c);
}

/* afxdp/frames */
static void
afxdp_unixctl_frames(struct unixctl_conn *conn, int argc OVS_UNUSED,
                     const char *argv[] OVS_UNUSED, void *aux OVS_UNUSED)
{
    struct ds ds = DS_EMPTY_INITIALIZER;
    struct afxdp_arena *arena = NULL;

    while ((arena = afxdp_umem_next(arena)) != NULL) {
        format_census(arena, &ds);
    }
    if (!ds.length) {
        ds_put_cstr(&ds, "no arena: there has been no afxdp port yet\n");
    }
    unixctl_command_reply(conn, ds_cstr(&ds));
    ds_destroy(&ds);
}

/* Registers the commands. */
void
afxdp_unixctl_init(void)
{
    unixctl_command_register("afxdp/show", "[port]", 0, 1,
                             afxdp_unixctl_show, NULL);
    unixctl_command_register("afxdp/frames", "", 0, 0,
                             afxdp_unixctl_frames, NULL);
}
