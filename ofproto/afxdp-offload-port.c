/* SPDX-License-Identifier: Apache-2.0 */

/* Ports of the flow table: see afxdp-offload-port.h. */

#include <config.h>

#include "afxdp-offload-port.h"

#include <bpf/bpf.h>
#include <errno.h>

#include "afxdp-flow-stats.h"
#include "afxdp-flow-table.h"
#include "afxdp-offload-group.h"
#include "afxdp-pool.h"
#include "afxdp-prog.h"
#include "hash.h"
#include "openvswitch/vlog.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(afxdp_offload_port);

/* One for each message: many of one kind do not hide the other. */
static struct vlog_rate_limit target_rl = VLOG_RATE_LIMIT_INIT(5, 5);
static struct vlog_rate_limit masks_rl = VLOG_RATE_LIMIT_INIT(5, 5);

struct ovs_mutex afxdp_offload_mutex = OVS_MUTEX_INITIALIZER;

static struct hmap ports = HMAP_INITIALIZER(&ports);
static struct afxdp_pool id_pool;
static uint64_t last_probe;
static int targets_fds[2];      /* For native and for generic mode. */

/* Prepares for ports of the flow table in 'maps'. */
void
afxdp_offload_port_open(const struct afxdp_flow_maps *maps)
{
    memcpy(targets_fds, maps->targets, sizeof targets_fds);
    if (!id_pool.n) {
        afxdp_pool_init(&id_pool, 1, AFXDP_MAX_PORTS);
    }
}

/* Returns the port of 'netdev', or NULL if it has none. */
struct afxdp_offload_port *
afxdp_offload_port_find(const struct netdev *netdev)
{
    struct afxdp_offload_port *port;

    HMAP_FOR_EACH_WITH_HASH (port, node, hash_pointer(netdev, 0), &ports) {
        if (port->netdev == netdev) {
            return port;
        }
    }
    return NULL;
}

/* Returns the port after 'port', or the first one if that is NULL.  Returns
 * NULL if there are no more. */
struct afxdp_offload_port *
afxdp_offload_port_next(const struct afxdp_offload_port *port)
{
    struct hmap_node *node = (port ? hmap_next(&ports, &port->node)
                              : hmap_first(&ports));

    return node ? CONTAINER_OF(node, struct afxdp_offload_port, node) : NULL;
}

/* Makes a port for 'netdev', the device of the given 'name', which has none.
 * It is down, and offload is not enabled on it. */
struct afxdp_offload_port *
afxdp_offload_port_create(const struct netdev *netdev, const char *name)
{
    struct afxdp_offload_port *port = xzalloc(sizeof *port);

    port->netdev = netdev;
    port->name = xstrdup(name);
    port->refs = 1;
    port->target.no_native = port->target.no_generic = "it is down";
    ovs_list_init(&port->flows);
    hmap_insert(&ports, &port->node, hash_pointer(netdev, 0));
    return port;
}

/* Parts 'port', which is down and has no flows, from its netdev. */
void
afxdp_offload_port_destroy(struct afxdp_offload_port *port)
{
    afxdp_offload_port_disable(port);
    hmap_remove(&ports, &port->node);
    port->netdev = NULL;
    afxdp_offload_port_unref(port);
}

void
afxdp_offload_port_ref(struct afxdp_offload_port *port)
{
    port->refs++;
}

void
afxdp_offload_port_unref(struct afxdp_offload_port *port)
{
    if (!--port->refs) {
        if (port->id) {
            afxdp_pool_put(&id_pool, port->id);
            afxdp_offload_wake();
        }
        free(port->name);
        free(port);
    }
}

/* Is the slot of 'port' in the map of targets for packets that are generic or
 * not (1 or 0) to have its device in it? */
static bool
may_be_target(const struct afxdp_offload_port *port, int generic)
{
    return (port->enabled && port->prog
            && !(generic ? port->target.no_generic : port->target.no_native));
}

/* Notes that the kernel refused to send packets, generic or not, to 'port'. */
static void
target_refused(struct afxdp_offload_port *port, int generic, int error)
{
    const char **why = (generic ? &port->target.no_generic
                        : &port->target.no_native);

    VLOG_WARN_RL(&target_rl, "%s: the kernel does not take it as a target "
                 "(%s); packets to it go through user space", port->name,
                 ovs_strerror(error));
    *why = "the kernel refused it";
}

/* Makes the map of targets say where packets for 'port' go. */
static void
update_targets(struct afxdp_offload_port *port)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    bool changed = false;

    for (int generic = 0; generic < 2; generic++) {
        int fd = targets_fds[generic];
        uint32_t key = port->id;
        int ifindex = may_be_target(port, generic) ? port->ifindex : 0;

        if (ifindex == port->open[generic]) {
            continue;
        }
        if (!ifindex) {
            bpf_map_delete_elem(fd, &key);
        } else if (bpf_map_update_elem(fd, &key, &ifindex, BPF_ANY)) {
            target_refused(port, generic, errno);
            bpf_map_delete_elem(fd, &key);
            ifindex = 0;
        }
        port->open[generic] = ifindex;
        changed = true;
    }
    if (changed) {
        afxdp_offload_group_port_changed(port);
    }
}

/* Returns the number of a probe of a device that now begins. */
uint64_t
afxdp_offload_port_probe_begin(void)
{
    return ++last_probe;
}

/* Makes 'target', what the given 'probe' of its device found, what is known of
 * 'port', unless there is a later probe. */
void
afxdp_offload_port_set_target(struct afxdp_offload_port *port, uint64_t probe,
                              const struct afxdp_target *target)
{
    if (probe >= port->probe) {
        port->probe = probe;
        port->target = *target;
        update_targets(port);
    }
}

/* Makes packets for 'port' go to user space from now on, until a probe that
 * begins after this says otherwise. */
void
afxdp_offload_port_close_target(struct afxdp_offload_port *port)
{
    static const struct afxdp_target down = { "it is down", "it is down" };

    afxdp_offload_port_set_target(port, afxdp_offload_port_probe_begin(),
                                  &down);
}

/* Lets flows come in on and go out to 'port'.  Returns false if there are too
 * many ports. */
bool
afxdp_offload_port_enable(struct afxdp_offload_port *port)
{
    if (!port->id) {
        if (!afxdp_pool_get(&id_pool, &port->id)) {
            return false;
        }
        afxdp_flow_stats_clear_misses(port->id);
    }
    port->enabled = true;
    port->masks_changed = true;
    update_targets(port);
    return true;
}

/* Lets no flows go out to 'port' any more.  None comes in there either. */
void
afxdp_offload_port_disable(struct afxdp_offload_port *port)
{
    ovs_assert(ovs_list_is_empty(&port->flows));
    if (port->enabled) {
        port->enabled = false;
        update_targets(port);
        if (port->prog) {
            afxdp_prog_clear_flows(port->prog);
        }
    }
}

/* Returns mask 'id' of 'port', or NULL if no flow of 'port' uses it. */
struct afxdp_port_mask *
afxdp_offload_port_find_mask(const struct afxdp_offload_port *port,
                             uint16_t id)
{
    for (int i = 0; i < port->n_masks; i++) {
        if (port->masks[i]->id == id) {
            return port->masks[i];
        }
    }
    return NULL;
}

/* Stores the number of 'mask' in '*id' and notes that one more flow of 'port'
 * uses it.  afxdp_offload_port_sync() tells the program. */
enum afxdp_refusal
afxdp_offload_port_ref_mask(struct afxdp_offload_port *port,
                            const struct afxdp_flow_mask *mask, uint16_t *id)
{
    struct afxdp_port_mask *m;

    if (!afxdp_flow_table_ref_mask(mask, id)) {
        return AFXDP_REFUSED_MASKS_FULL;
    }
    m = afxdp_offload_port_find_mask(port, *id);
    if (!m) {
        if (port->n_masks >= AFXDP_MAX_PORT_MASKS) {
            afxdp_flow_table_unref_mask(*id);
            return AFXDP_REFUSED_PORT_MASKS_FULL;
        }
        m = port->masks[port->n_masks++] = xzalloc(sizeof *m);
        m->id = *id;
        port->masks_changed = true;
    }
    m->n_refs++;
    return AFXDP_TAKEN;
}

/* Takes 'm', which no flow uses any more, off the masks of 'port'. */
static void
remove_mask(struct afxdp_offload_port *port, struct afxdp_port_mask *m)
{
    int i = 0;

    while (port->masks[i] != m) {
        i++;
    }
    port->n_masks--;
    memmove(&port->masks[i], &port->masks[i + 1],
            (port->n_masks - i) * sizeof *port->masks);
    free(m->flows);
    free(m);
    port->masks_changed = true;
}

/* Notes that one flow less of 'port' uses mask 'id'. */
void
afxdp_offload_port_unref_mask(struct afxdp_offload_port *port, uint16_t id)
{
    struct afxdp_port_mask *m = afxdp_offload_port_find_mask(port, id);

    if (!--m->n_refs) {
        remove_mask(port, m);
        afxdp_offload_port_sync(port);
    }
    afxdp_flow_table_unref_mask(id);
}

/* Notes that 'n' packets of 'port' matched a flow with mask 'id'. */
void
afxdp_offload_port_hit(struct afxdp_offload_port *port, uint16_t id,
                       uint64_t n)
{
    afxdp_offload_port_find_mask(port, id)->hits += n;
}

/* Has the masks of 'port' tried in the order in which they were hit lately. */
void
afxdp_offload_port_sort_masks(struct afxdp_offload_port *port)
{
    for (int i = 1; i < port->n_masks; i++) {
        struct afxdp_port_mask *m = port->masks[i];
        int j = i;

        /* Not for a small difference, which comes and goes. */
        while (j > 0 && m->hits > port->masks[j - 1]->hits * 5 / 4) {
            port->masks[j] = port->masks[j - 1];
            j--;
        }
        if (j != i) {
            port->masks[j] = m;
            port->masks_changed = true;
        }
    }
    for (int i = 0; i < port->n_masks; i++) {
        port->masks[i]->hits /= 2;
    }
    afxdp_offload_port_sync(port);
}

/* Tells the program which masks 'port' uses, if that changed and it is up.
 * Returns 0 or a positive errno value. */
int
afxdp_offload_port_sync(struct afxdp_offload_port *port)
{
    uint8_t ids[AFXDP_MAX_PORT_MASKS];
    int error;

    if (!port->masks_changed || !port->prog || !port->enabled) {
        return 0;
    }
    BUILD_ASSERT(AFXDP_MAX_MASKS <= UINT8_MAX + 1);
    for (int i = 0; i < port->n_masks; i++) {
        ids[i] = port->masks[i]->id;
    }
    error = afxdp_prog_set_flows(port->prog, port->id, ids, port->n_masks);
    if (error) {
        VLOG_WARN_RL(&masks_rl, "%s: the kernel refused a change of its flow "
                     "table (%s)", port->name, ovs_strerror(error));
    } else {
        port->masks_changed = false;
    }
    return error;
}

/* Are there ids that wait for a grace period? */
bool
afxdp_offload_port_is_waiting(void)
{
    return id_pool.n_waiting != 0;
}

void
afxdp_offload_port_grace_begin(void)
{
    afxdp_pool_grace_begin(&id_pool);
}

void
afxdp_offload_port_grace_end(void)
{
    afxdp_pool_grace_end(&id_pool);
}
