/* SPDX-License-Identifier: Apache-2.0 */

/* Sets of ports that flows flood: see afxdp-offload-group.h. */

#include <config.h>

#include "afxdp-offload-group.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "afxdp-offload-port.h"
#include "afxdp-pool.h"
#include "afxdp-prog.h"
#include "openvswitch/vlog.h"
#include "ovs-rcu.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(afxdp_offload_group);

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 5);

/* By id.  Those without references wait to be taken out of the kernel. */
static struct afxdp_offload_group *groups[AFXDP_MAX_GROUPS];
static struct afxdp_pool pool;
static int groups_fd;
static uint8_t *group_open;

/* Prepares for groups in 'maps'. */
void
afxdp_offload_group_open_maps(const struct afxdp_flow_maps *maps)
{
    groups_fd = maps->groups;
    group_open = maps->group_open;
    if (!pool.n) {
        afxdp_pool_init(&pool, 0, AFXDP_MAX_GROUPS);
    }
}

/* Returns the group with an id after that of 'group', or the first one if that
 * is NULL.  Returns NULL if there are no more. */
struct afxdp_offload_group *
afxdp_offload_group_next(const struct afxdp_offload_group *group)
{
    for (uint32_t i = group ? group->id + 1 : 0; i < AFXDP_MAX_GROUPS; i++) {
        if (groups[i]) {
            return groups[i];
        }
    }
    return NULL;
}

static int
compare_ports(const void *a_, const void *b_)
{
    const struct afxdp_offload_port *const *a = a_;
    const struct afxdp_offload_port *const *b = b_;

    return (*a)->id < (*b)->id ? -1 : (*a)->id > (*b)->id;
}

/* Returns the group in use of the 'n' sorted 'ports', or NULL. */
static struct afxdp_offload_group *
find_group(struct afxdp_offload_port *const *ports, size_t n, bool generic)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    struct afxdp_offload_group *group = NULL;

    while ((group = afxdp_offload_group_next(group)) != NULL) {
        if (group->refs && group->generic == generic && group->n == n
            && !memcmp(group->ports, ports, n * sizeof *ports)) {
            return group;
        }
    }
    return NULL;
}

/* Returns a group of the 'n' 'ports', for packets from ports in generic mode
 * if 'generic', or NULL if there are too many groups. */
struct afxdp_offload_group *
afxdp_offload_group_get(struct afxdp_offload_port *const *ports, size_t n,
                        bool generic)
{
    struct afxdp_offload_port **sorted = xmemdup(ports, n * sizeof *ports);
    struct afxdp_offload_group *group;
    uint32_t id;

    qsort(sorted, n, sizeof *sorted, compare_ports);
    group = find_group(sorted, n, generic);
    if (group || !afxdp_pool_get(&pool, &id)) {
        free(sorted);
    } else {
        group = xzalloc(sizeof *group);
        group->id = id;
        group->generic = generic;
        group->fd = -1;
        group->n = n;
        group->ports = sorted;
        for (size_t i = 0; i < n; i++) {
            afxdp_offload_port_ref(sorted[i]);
        }
        groups[id] = group;
        afxdp_offload_wake();
    }
    if (group) {
        group->refs++;
    }
    return group;
}

/* Gives a reference to 'group' back. */
void
afxdp_offload_group_put(struct afxdp_offload_group *group)
{
    if (!--group->refs) {
        afxdp_offload_wake();
    }
}

/* Lets the XDP program use 'group', or not. */
static void
set_open(struct afxdp_offload_group *group, bool open)
{
    group->open = open;
    __atomic_store_n(&group_open[group->id], open, __ATOMIC_RELEASE);
}

/* Frees 'group', which no flow uses.  What the map of groups has for it stays
 * there, closed, until its id is another group's. */
static void
free_group(struct afxdp_offload_group *group)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    set_open(group, false);
    if (group->fd >= 0) {
        close(group->fd);
    }
    for (size_t i = 0; i < group->n; i++) {
        afxdp_offload_port_unref(group->ports[i]);
    }
    groups[group->id] = NULL;
    afxdp_pool_put(&pool, group->id);
    free(group->ports);
    free(group);
}

/* Does every port of 'group' take the packets? */
static bool
may_open(const struct afxdp_offload_group *group)
{
    for (size_t i = 0; i < group->n; i++) {
        if (!group->ports[i]->open[group->generic]) {
            return false;
        }
    }
    return true;
}

/* Puts the devices of all ports of 'group', each of which takes the packets,
 * into its map.  Returns 0 or a positive errno value. */
static int
fill_in(struct afxdp_offload_group *group)
{
    if (group->fd < 0) {
        group->fd = bpf_map_create(BPF_MAP_TYPE_DEVMAP, "afxdp_group",
                                   sizeof(uint32_t), sizeof(uint32_t),
                                   group->n, NULL);
        if (group->fd < 0) {
            return errno;
        }
    }
    for (uint32_t i = 0; i < group->n; i++) {
        int ifindex = group->ports[i]->open[group->generic];

        if (bpf_map_update_elem(group->fd, &i, &ifindex, BPF_ANY)) {
            return errno;
        }
    }
    return 0;
}

/* Puts the map of 'group' into the map of groups, if it is not there yet.
 * That waits for a grace period of the kernel, and gives up the mutex
 * meanwhile. Returns 0 or a positive errno value. */
static int
install(struct afxdp_offload_group *group)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    uint32_t id = group->id;
    int fd = group->fd;
    int error;

    if (group->installed) {
        return 0;
    }
    ovs_mutex_unlock(&afxdp_offload_mutex);
    ovsrcu_quiesce_start();
    error = bpf_map_update_elem(groups_fd, &id, &fd, BPF_ANY) ? errno : 0;
    ovsrcu_quiesce_end();
    ovs_mutex_lock(&afxdp_offload_mutex);
    group->installed = !error;
    return error;
}

/* Opens 'group' if all of its ports take the packets. */
static void
try_open(struct afxdp_offload_group *group)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    int error = fill_in(group);

    if (!error) {
        error = install(group);
    }
    /* The ports may have changed meanwhile. */
    if (!error && may_open(group)) {
        error = fill_in(group);
        set_open(group, !error);
    }
    if (error) {
        group->failed = true;
        VLOG_WARN_RL(&rl, "the kernel refused a set of %"PRIuSIZE" output "
                     "ports (%s); packets to them go through user space",
                     group->n, ovs_strerror(error));
    }
}

/* Has the groups of 'port', whose targets changed, follow. */
void
afxdp_offload_group_port_changed(const struct afxdp_offload_port *port)
{
    struct afxdp_offload_group *group = NULL;

    while ((group = afxdp_offload_group_next(group)) != NULL) {
        for (size_t i = 0; i < group->n; i++) {
            if (group->ports[i] == port) {
                /* The thread opens it again, if that can be. */
                set_open(group, false);
                group->failed = false;
                afxdp_offload_wake();
            }
        }
    }
}

/* Opens the groups that can be opened, and frees those that no flow uses.  May
 * give up the mutex and take it again.  Only one thread calls this. */
void
afxdp_offload_group_run(void)
{
    for (uint32_t i = 0; i < AFXDP_MAX_GROUPS; i++) {
        struct afxdp_offload_group *group = groups[i];

        if (group && !group->refs) {
            free_group(group);
        } else if (group && !group->open && !group->failed
                   && may_open(group)) {
            try_open(group);
        }
    }
}

/* Are there groups that wait for a grace period? */
bool
afxdp_offload_group_is_waiting(void)
{
    return pool.n_waiting != 0;
}

void
afxdp_offload_group_grace_begin(void)
{
    afxdp_pool_grace_begin(&pool);
}

void
afxdp_offload_group_grace_end(void)
{
    afxdp_pool_grace_end(&pool);
}
