/* SPDX-License-Identifier: Apache-2.0 */

/* Flows: see afxdp-offload-flow.h. */

#include <config.h>

#include "afxdp-offload-flow.h"

#include <string.h>

#include "afxdp-flow-stats.h"
#include "afxdp-flow-translate.h"
#include "afxdp-offload-group.h"
#include "afxdp-offload-port.h"
#include "hash.h"
#include "util.h"

static struct hmap flows = HMAP_INITIALIZER(&flows);

static uint32_t
hash_flow(const struct afxdp_offload_port *port, const ovs_u128 *ufid)
{
    return hash_pointer(port, ufid->u32[0]);
}

/* Returns the flow 'ufid' that comes in on 'port', or NULL. */
struct afxdp_offload_flow *
afxdp_offload_flow_find(const struct afxdp_offload_port *port,
                        const ovs_u128 *ufid)
{
    struct afxdp_offload_flow *flow;

    HMAP_FOR_EACH_WITH_HASH (flow, node, hash_flow(port, ufid), &flows) {
        if (flow->port == port && ovs_u128_equals(flow->ufid, *ufid)) {
            return flow;
        }
    }
    return NULL;
}

/* Makes the actions of 'flow' output to its ports, by way of 'flow->group' if
 * there are several. */
static enum afxdp_refusal
aim(struct afxdp_offload_flow *flow)
{
    struct afxdp_flow_actions *act = &flow->entry.actions;
    bool generic = flow->port->generic;

    act->flags &= ~(AFXDP_ACT_OUTPUT | AFXDP_ACT_GROUP);
    if (flow->n_outputs == 1) {
        act->flags |= AFXDP_ACT_OUTPUT;
        act->out = afxdp_flow_target(flow->outputs[0]->id, generic);
    } else if (flow->n_outputs) {
        flow->group = afxdp_offload_group_get(flow->outputs, flow->n_outputs,
                                              generic);
        if (!flow->group) {
            return AFXDP_REFUSED_GROUPS_FULL;
        }
        act->flags |= AFXDP_ACT_GROUP;
        act->out = flow->group->id;
    }
    return AFXDP_TAKEN;
}

static void
put_group(struct afxdp_offload_group *group)
{
    if (group) {
        afxdp_offload_group_put(group);
    }
}

/* Takes 'flow' out of the kernel's table, if it is there. */
static void
uninstall(struct afxdp_offload_flow *flow)
{
    if (flow->installed) {
        afxdp_flow_table_remove(&flow->place);
        afxdp_offload_port_unref_mask(flow->port, flow->entry.mask);
        put_group(flow->group);
        flow->group = NULL;
        flow->installed = false;
    }
}

/* Puts 'flow' into the kernel's table.  It is not there. */
static enum afxdp_refusal
install(struct afxdp_offload_flow *flow)
{
    struct afxdp_offload_port *port = flow->port;
    enum afxdp_refusal refusal;

    refusal = afxdp_offload_port_ref_mask(port, &flow->mask,
                                          &flow->entry.mask);
    if (refusal) {
        return refusal;
    }
    refusal = aim(flow);
    if (!refusal) {
        refusal = afxdp_flow_table_insert(&flow->entry, &flow->place);
    }
    if (refusal) {
        afxdp_offload_port_unref_mask(port, flow->entry.mask);
        put_group(flow->group);
        flow->group = NULL;
        return refusal;
    }
    flow->installed = true;
    if (afxdp_offload_port_sync(port)) {
        uninstall(flow);
        return AFXDP_REFUSED_KERNEL;
    }
    return AFXDP_TAKEN;
}

/* Makes the kernel's table carry out the actions of 'flow', which is in it and
 * has changed them. */
static enum afxdp_refusal
reinstall(struct afxdp_offload_flow *flow)
{
    struct afxdp_offload_group *old = flow->group;
    enum afxdp_refusal refusal;

    flow->group = NULL;
    refusal = aim(flow);
    if (!refusal) {
        refusal = afxdp_flow_table_replace(&flow->entry, &flow->place);
    }
    put_group(old);
    if (refusal) {
        uninstall(flow);
    }
    return refusal;
}

/* Gives 'flow' the actions of 't', with the 't->n_outputs' 'outputs'. */
static void
set_actions(struct afxdp_offload_flow *flow, const struct afxdp_translation *t,
            struct afxdp_offload_port *const *outputs)
{
    struct afxdp_offload_port **old = flow->outputs;
    size_t n_old = flow->n_outputs;

    flow->entry.actions = t->actions;
    flow->n_outputs = t->n_outputs;
    flow->outputs = xcalloc(MAX(t->n_outputs, 1), sizeof *outputs);
    for (size_t i = 0; i < flow->n_outputs; i++) {
        flow->outputs[i] = outputs[i];
        afxdp_offload_port_ref(outputs[i]);
    }
    for (size_t i = 0; i < n_old; i++) {
        afxdp_offload_port_unref(old[i]);
    }
    free(old);
}

/* Puts a flow that there is not yet. */
static enum afxdp_refusal
create(struct afxdp_offload_port *port, const ovs_u128 *ufid,
       const struct afxdp_translation *t,
       struct afxdp_offload_port *const *outputs)
{
    struct afxdp_offload_flow *flow;
    enum afxdp_refusal refusal;
    uint32_t counter;

    if (!afxdp_flow_table_get_counter(&counter)) {
        return AFXDP_REFUSED_FLOWS_FULL;
    }
    if (afxdp_flow_stats_clear(counter)) {
        afxdp_flow_table_put_counter(counter);
        return AFXDP_REFUSED_KERNEL;
    }

    flow = xzalloc(sizeof *flow);
    flow->port = port;
    flow->ufid = *ufid;
    flow->mask = t->mask;
    memcpy(flow->entry.words, t->words, sizeof flow->entry.words);
    flow->entry.port = port->id;
    flow->entry.counter = counter;
    hmap_insert(&flows, &flow->node, hash_flow(port, ufid));
    ovs_list_push_back(&port->flows, &flow->port_node);
    set_actions(flow, t, outputs);

    refusal = install(flow);
    if (refusal) {
        afxdp_offload_flow_delete(flow);
    }
    return refusal;
}

/* Puts the flow 'ufid' that comes in on 'port', translated into 't', with the
 * 't->n_outputs' ports 'outputs' in place of those in 't'.
 *
 * Returns why it was refused.  If there is a flow of that ufid already, it is
 * then remembered, but no longer in the kernel's table. */
enum afxdp_refusal
afxdp_offload_flow_put(struct afxdp_offload_port *port, const ovs_u128 *ufid,
                       const struct afxdp_translation *t,
                       struct afxdp_offload_port *const *outputs)
{
    struct afxdp_offload_flow *flow = afxdp_offload_flow_find(port, ufid);
    enum afxdp_refusal refusal;

    if (!flow) {
        return create(port, ufid, t, outputs);
    }
    if (memcmp(&flow->mask, &t->mask, sizeof flow->mask)
        || memcmp(flow->entry.words, t->words, sizeof t->words)) {
        /* The datapath goes on matching what it did.  Who knows which of the
         * two the new actions are right for? */
        afxdp_offload_flow_park(flow, AFXDP_REFUSED_FIELD);
        return AFXDP_REFUSED_FIELD;
    }
    set_actions(flow, t, outputs);
    refusal = flow->installed ? reinstall(flow) : install(flow);
    flow->why_not = refusal;
    return refusal;
}

/* Takes 'flow' out of the kernel's table, for the reason 'why', but does not
 * forget it. */
void
afxdp_offload_flow_park(struct afxdp_offload_flow *flow,
                        enum afxdp_refusal why)
{
    uninstall(flow);
    flow->why_not = why;
}

/* Forgets 'flow'. */
void
afxdp_offload_flow_delete(struct afxdp_offload_flow *flow)
{
    uninstall(flow);
    afxdp_flow_table_put_counter(flow->entry.counter);
    for (size_t i = 0; i < flow->n_outputs; i++) {
        afxdp_offload_port_unref(flow->outputs[i]);
    }
    hmap_remove(&flows, &flow->node);
    ovs_list_remove(&flow->port_node);
    afxdp_flow_claims_destroy(&flow->claims);
    free(flow->outputs);
    free(flow);
    if (afxdp_flow_table_should_reclaim()) {
        afxdp_offload_wake();
    }
}

/* Forgets all flows that come in on 'port'. */
void
afxdp_offload_flow_flush(struct afxdp_offload_port *port)
{
    struct afxdp_offload_flow *flow;

    LIST_FOR_EACH_SAFE (flow, port_node, &port->flows) {
        afxdp_offload_flow_delete(flow);
    }
}

/* Puts the flows of 'port' into the kernel's table anew, since their packets
 * have become, or ceased to be, ones of generic mode. */
void
afxdp_offload_flow_rebuild(struct afxdp_offload_port *port)
{
    struct afxdp_offload_flow *flow;

    LIST_FOR_EACH (flow, port_node, &port->flows) {
        if (flow->installed) {
            flow->why_not = reinstall(flow);
        }
    }
}

/* Stores in '*counts' what the kernel counted for 'flow', or rather the share
 * of the datapath's flow whose member 'mega_ufid' is. */
void
afxdp_offload_flow_read(struct afxdp_offload_flow *flow,
                        const ovs_u128 *mega_ufid,
                        struct afxdp_flow_counts *counts)
{
    struct afxdp_flow_claims *claims = &flow->claims;

    if (afxdp_flow_stats_read(flow->entry.counter, counts)) {
        counts->packets = claims->packets;
        counts->bytes = claims->bytes;
    }
    if (flow->installed) {
        afxdp_offload_port_hit(flow->port, flow->entry.mask,
                               counts->packets - claims->packets);
    }
    afxdp_flow_claims_take(claims, mega_ufid, counts);
}
