/* SPDX-License-Identifier: Apache-2.0 */

/* ovs-appctl afxdp/offload: see afxdp-offload-unixctl.h. */

#include <config.h>

#include "afxdp-offload-unixctl.h"

#include <stdlib.h>

#include "afxdp-flow-stats.h"
#include "afxdp-flow-table.h"
#include "afxdp-offload-flow.h"
#include "afxdp-offload-group.h"
#include "afxdp-offload-port.h"
#include "afxdp-offload-put.h"
#include "openvswitch/dynamic-string.h"
#include "unixctl.h"
#include "util.h"

static void
format_table(struct ds *ds)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    const struct afxdp_offload_group *group = NULL;
    struct afxdp_flow_table_usage usage;
    int n_groups = 0, n_open = 0;

    while ((group = afxdp_offload_group_next(group)) != NULL) {
        n_groups++;
        n_open += group->open;
    }
    afxdp_flow_table_usage(&usage);
    ds_put_format(ds, "  flows:  %u of %d (%u remembered in all)\n",
                  usage.flows, AFXDP_MAX_FLOWS, usage.counters);
    ds_put_format(ds, "  masks:  %u of %d, at most %d for one port\n",
                  usage.masks, AFXDP_MAX_MASKS, AFXDP_MAX_PORT_MASKS);
    ds_put_format(ds, "  groups: %d of %d, %d open\n", n_groups,
                  AFXDP_MAX_GROUPS, n_open);
}

static void
format_refusals(struct ds *ds)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    static const struct {
        const char *name;
        const char *what;
    } refusals[] = {
#define AFXDP_REFUSAL(ENUM, NAME, WHAT) \
        [AFXDP_REFUSED_##ENUM] = { NAME, WHAT },
        AFXDP_REFUSALS
#undef AFXDP_REFUSAL
    };
    bool any = false;

    ds_put_cstr(ds, "  refused:");
    for (int i = 1; i < AFXDP_N_REFUSALS; i++) {
        if (afxdp_offload_refused[i]) {
            ds_put_format(ds, "\n    %-15s %8"PRIu64"  %s", refusals[i].name,
                          afxdp_offload_refused[i], refusals[i].what);
            any = true;
        }
    }
    ds_put_cstr(ds, any ? "\n" : " none\n");
}

static void
format_target(const char *what, const char *why_not, struct ds *ds)
{
    ds_put_format(ds, "    packets of %s ports: %s%s\n", what,
                  why_not ? "not sent to it, " : "sent to it",
                  why_not ? why_not : "");
}

static void
format_port(const struct afxdp_offload_port *port, struct ds *ds)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    const struct afxdp_offload_flow *flow;
    struct afxdp_flow_misses misses;
    int n_flows = 0, n_parked = 0;
    uint64_t hits = 0;

    if (!port->enabled) {
        ds_put_format(ds, "  %s: off\n", port->name);
        return;
    }
    LIST_FOR_EACH (flow, port_node, &port->flows) {
        struct afxdp_flow_counts counts;

        if (!afxdp_flow_stats_read(flow->entry.counter, &counts)) {
            hits += counts.packets;
        }
        n_flows += flow->key != NULL;
        n_parked += !flow->key;
    }
    afxdp_flow_stats_read_misses(port->id, &misses);

    ds_put_format(ds, "  %s: id %u, %s mode%s, %d flow%s, %d mask%s",
                  port->name, port->id, port->generic ? "generic" : "native",
                  port->prog ? "" : ", down",
                  n_flows, n_flows == 1 ? "" : "s",
                  port->n_masks, port->n_masks == 1 ? "" : "s");
    if (n_parked) {
        ds_put_format(ds, ", %d flow%s taken out again", n_parked,
                      n_parked == 1 ? "" : "s");
    }
    ds_put_format(ds, "\n    packets of these flows: %"PRIu64"\n", hits);
    ds_put_format(ds, "    packets to user space: %"PRIu64" without a flow, "
                  "%"PRIu64" not parsed, %"PRIu64" not taken by the target\n",
                  (uint64_t) misses.misses, (uint64_t) misses.unknown,
                  (uint64_t) misses.refused);
    format_target("native", port->target.no_native, ds);
    format_target("generic", port->target.no_generic, ds);
}

static int
compare_ports(const void *a_, const void *b_)
{
    const struct afxdp_offload_port *const *a = a_;
    const struct afxdp_offload_port *const *b = b_;

    return strcmp((*a)->name, (*b)->name);
}

/* Appends all ports, or the one with the given 'name'.  Returns false if there
 * is none. */
static bool
format_ports(const char *name, struct ds *ds)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    const struct afxdp_offload_port **ports = NULL;
    const struct afxdp_offload_port *port = NULL;
    size_t n = 0, allocated = 0;

    while ((port = afxdp_offload_port_next(port)) != NULL) {
        if (!name || !strcmp(name, port->name)) {
            if (n >= allocated) {
                ports = x2nrealloc(ports, &allocated, sizeof *ports);
            }
            ports[n++] = port;
        }
    }
    if (n) {
        qsort(ports, n, sizeof *ports, compare_ports);
    }
    for (size_t i = 0; i < n; i++) {
        format_port(ports[i], ds);
    }
    free(ports);
    return n > 0;
}

/* afxdp/offload [PORT] */
static void
afxdp_unixctl_offload(struct unixctl_conn *conn, int argc, const char *argv[],
                      void *status_)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    const struct afxdp_offload_status *status = status_;
    struct ds ds = DS_EMPTY_INITIALIZER;
    bool found = true;

    ovs_mutex_lock(&afxdp_offload_mutex);
    if (status->open) {
        if (!name) {
            ds_put_cstr(&ds, "offload: on\n");
            format_table(&ds);
            format_refusals(&ds);
        }
        found = format_ports(name, &ds) || !name;
    } else {
        ds_put_format(&ds, "offload: off (%s)\n",
                      status->error ? status->error
                      : "other_config:hw-offload is not true, or there is no "
                        "port of type afxdp");
    }
    ovs_mutex_unlock(&afxdp_offload_mutex);

    if (found) {
        unixctl_command_reply(conn, ds_cstr(&ds));
    } else {
        ds_put_format(&ds, "%s is not an afxdp port", name);
        unixctl_command_reply_error(conn, ds_cstr(&ds));
    }
    ds_destroy(&ds);
}

/* Registers the command, which shows 'status', too. */
void
afxdp_offload_unixctl_init(const struct afxdp_offload_status *status)
{
    unixctl_command_register("afxdp/offload", "[port]", 0, 1,
                             afxdp_unixctl_offload,
                             CONST_CAST(struct afxdp_offload_status *,
                                        status));
}
