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

/* Returns the flow 'ufid', or NULL. */
struct afxdp_offload_flow *
afxdp_offload_flow_find(const ovs_u128 *ufid)
{
    struct afxdp_offload_flow *flow;

    HMAP_FOR_EACH_WITH_HASH (flow, node, ufid->u32[0], &flows) {
        if (ovs_u128_equals(flow->ufid, *ufid)) {
            return flow;
        }
    }
    return NULL;
}

/* An entry of the kernel's table. */
struct afxdp_offload_key {
    struct hmap_node node;      /* In 'keys'. */
    struct ovs_list flows;      /* Its flows, that in the table first. */
    struct afxdp_flow_place place;
};

static struct hmap keys = HMAP_INITIALIZER(&keys);

static uint32_t
hash_key(const struct afxdp_flow_entry *entry)
{
    return hash_bytes(entry->words, sizeof entry->words,
                      hash_2words(entry->port, entry->mask));
}

static struct afxdp_offload_flow *
first_flow(const struct afxdp_offload_key *key)
{
    return CONTAINER_OF(ovs_list_front(&key->flows),
                        struct afxdp_offload_flow, key_node);
}

/* Returns the key of 'entry', or NULL if there is none. */
static struct afxdp_offload_key *
find_key(const struct afxdp_flow_entry *entry)
{
    struct afxdp_offload_key *key;

    HMAP_FOR_EACH_WITH_HASH (key, node, hash_key(entry), &keys) {
        const struct afxdp_flow_entry *other = &first_flow(key)->entry;

        if (other->port == entry->port && other->mask == entry->mask
            && !memcmp(other->words, entry->words, sizeof other->words)) {
            return key;
        }
    }
    return NULL;
}

static void
put_group(struct afxdp_offload_flow *flow)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    if (flow->group) {
        afxdp_offload_group_put(flow->group);
        flow->group = NULL;
    }
}

/* Makes the actions of 'flow' output to its ports, by way of 'flow->group' if
 * there are several. */
static enum afxdp_refusal
aim(struct afxdp_offload_flow *flow)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    struct afxdp_flow_actions *act = &flow->entry.actions;
    bool generic = flow->port->generic;

    put_group(flow);
    act->flags &= ~(AFXDP_ACT_OUTPUT | AFXDP_ACT_GROUP);
    if (flow->n_outputs == 1) {
        act->flags |= AFXDP_ACT_OUTPUT;
        act->out = flow->outputs[0]->id;
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

/* Adds 'flow' to the flows of its mask. */
static void
join_mask(struct afxdp_offload_flow *flow)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    struct afxdp_port_mask *mask
        = afxdp_offload_port_find_mask(flow->port, flow->entry.mask);
    struct afxdp_mask_flow *end;

    if (mask->n_flows >= mask->allocated_flows) {
        mask->flows = x2nrealloc(mask->flows, &mask->allocated_flows,
                                 sizeof *mask->flows);
    }
    flow->mask_index = mask->n_flows++;
    end = &mask->flows[flow->mask_index];
    memcpy(end->words, flow->entry.words, sizeof end->words);
    end->flow = flow;
}

/* Undoes join_mask(). */
static void
leave_mask(struct afxdp_offload_flow *flow)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    struct afxdp_port_mask *mask
        = afxdp_offload_port_find_mask(flow->port, flow->entry.mask);
    struct afxdp_mask_flow *end = &mask->flows[--mask->n_flows];

    mask->flows[flow->mask_index] = *end;
    end->flow->mask_index = flow->mask_index;
}

/* Makes 'flow' the first of 'key', a new one if that is NULL. */
static enum afxdp_refusal
enter(struct afxdp_offload_flow *flow, struct afxdp_offload_key *key)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    enum afxdp_refusal refusal;

    if (key) {
        refusal = afxdp_flow_table_replace(&flow->entry, &key->place);
        if (refusal) {
            return refusal;
        }
    } else {
        struct afxdp_flow_place place;

        refusal = afxdp_flow_table_insert(&flow->entry, &place);
        if (refusal) {
            return refusal;
        }
        key = xzalloc(sizeof *key);
        key->place = place;
        ovs_list_init(&key->flows);
        hmap_insert(&keys, &key->node, hash_key(&flow->entry));
    }
    ovs_list_push_front(&key->flows, &flow->key_node);
    join_mask(flow);
    flow->key = key;
    return AFXDP_TAKEN;
}

/* Parts 'flow' from its key, and takes it out of the kernel's table if it is
 * there. */
static void
leave(struct afxdp_offload_flow *flow)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    struct afxdp_offload_key *key = flow->key;
    bool first = first_flow(key) == flow;

    ovs_list_remove(&flow->key_node);
    leave_mask(flow);
    flow->key = NULL;
    if (!first) {
        return;
    }
    while (!ovs_list_is_empty(&key->flows)) {
        struct afxdp_offload_flow *next = first_flow(key);

        if (!afxdp_flow_table_replace(&next->entry, &key->place)) {
            return;
        }
        ovs_list_remove(&next->key_node);
        leave_mask(next);
        next->key = NULL;
        put_group(next);
        afxdp_offload_port_unref_mask(next->port, next->entry.mask);
    }
    afxdp_flow_table_remove(&key->place);
    hmap_remove(&keys, &key->node);
    free(key);
}

/* Takes 'flow' out of the kernel's table, but does not forget it. */
void
afxdp_offload_flow_take_out(struct afxdp_offload_flow *flow)
{
    if (flow->key) {
        leave(flow);
        afxdp_offload_port_unref_mask(flow->port, flow->entry.mask);
        put_group(flow);
    }
}

/* Returns a flow of 'mask' that matches a packet which 'flow', of the same
 * port, matches, too, or NULL if there is none. */
static struct afxdp_offload_flow *
find_overlapping_in(const struct afxdp_port_mask *mask,
                    const struct afxdp_offload_flow *flow)
{
    uint64_t common[AFXDP_FLOW_WORDS];

    if (!mask->n_flows) {
        return NULL;
    }
    for (int w = 0; w < AFXDP_FLOW_WORDS; w++) {
        common[w] = mask->flows[0].flow->mask.bits[w] & flow->mask.bits[w];
    }
    for (size_t i = 0; i < mask->n_flows; i++) {
        const struct afxdp_mask_flow *other = &mask->flows[i];
        uint64_t differ = 0;

        for (int w = 0; w < AFXDP_FLOW_WORDS; w++) {
            differ |= (other->words[w] ^ flow->entry.words[w]) & common[w];
        }
        if (!differ) {
            return other->flow;
        }
    }
    return NULL;
}

/* Returns a flow in the kernel's table with another mask that matches a packet
 * which 'flow' matches, too, or NULL if there is none. */
static struct afxdp_offload_flow *
find_overlapping(const struct afxdp_offload_flow *flow)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    const struct afxdp_offload_port *port = flow->port;
    struct afxdp_offload_flow *other = NULL;

    for (int i = 0; i < port->n_masks && !other; i++) {
        if (port->masks[i]->id != flow->entry.mask) {
            other = find_overlapping_in(port->masks[i], flow);
        }
    }
    return other;
}

/* Takes the flows out of the kernel's table that match packets which 'flow',
 * just put in, matches, too. */
static void
take_out_overlapping(const struct afxdp_offload_flow *flow)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    struct afxdp_offload_flow *other;

    while ((other = find_overlapping(flow)) != NULL) {
        afxdp_offload_flow_take_out(other);
    }
}

/* Puts 'flow', which is not there, into the kernel's table. */
static enum afxdp_refusal
put_in(struct afxdp_offload_flow *flow)
    OVS_REQUIRES(afxdp_offload_mutex)
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
        refusal = enter(flow, find_key(&flow->entry));
    }
    if (refusal) {
        afxdp_offload_port_unref_mask(port, flow->entry.mask);
        put_group(flow);
    } else if (afxdp_offload_port_sync(port)) {
        afxdp_offload_flow_take_out(flow);
        refusal = AFXDP_REFUSED_KERNEL;
    } else {
        take_out_overlapping(flow);
    }
    return refusal;
}

/* Makes the kernel's table carry out the actions of 'flow', which have
 * changed.  The flow is in the table, or would be but for others with the same
 * key. */
static enum afxdp_refusal
put_again(struct afxdp_offload_flow *flow)
    OVS_REQUIRES(afxdp_offload_mutex)
{
    struct afxdp_offload_group *old = flow->group;
    struct afxdp_offload_key *key = flow->key;
    enum afxdp_refusal refusal;

    /* Packets are still sent to the old group. */
    flow->group = NULL;
    refusal = aim(flow);
    if (!refusal) {
        refusal = afxdp_flow_table_replace(&flow->entry, &key->place);
    }
    if (refusal) {
        afxdp_offload_flow_take_out(flow);
    } else {
        ovs_list_remove(&flow->key_node);
        ovs_list_push_front(&key->flows, &flow->key_node);
        take_out_overlapping(flow);
    }
    if (old) {
        afxdp_offload_group_put(old);
    }
    return refusal;
}

/* Gives 'flow' the actions of 't', with the 't->n_outputs' 'outputs'. */
static void
set_actions(struct afxdp_offload_flow *flow, const struct afxdp_translation *t,
            struct afxdp_offload_port *const *outputs)
    OVS_REQUIRES(afxdp_offload_mutex)
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
    OVS_REQUIRES(afxdp_offload_mutex)
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
    hmap_insert(&flows, &flow->node, ufid->u32[0]);
    ovs_list_push_back(&port->flows, &flow->port_node);
    set_actions(flow, t, outputs);

    refusal = put_in(flow);
    if (refusal) {
        afxdp_offload_flow_delete(flow);
    }
    return refusal;
}

/* Puts the flow 'ufid' that comes in on 'port', translated into 't', with the
 * 't->n_outputs' ports 'outputs' in place of those in 't'.  If there is a flow
 * of that ufid already, it must have the same key and mask.
 *
 * Returns why it was refused.  The flow that was there already is then
 * remembered, but no longer in the kernel's table. */
enum afxdp_refusal
afxdp_offload_flow_put(struct afxdp_offload_port *port, const ovs_u128 *ufid,
                       const struct afxdp_translation *t,
                       struct afxdp_offload_port *const *outputs)
{
    struct afxdp_offload_flow *flow = afxdp_offload_flow_find(ufid);

    if (!flow) {
        return create(port, ufid, t, outputs);
    }
    set_actions(flow, t, outputs);
    return flow->key ? put_again(flow) : put_in(flow);
}

/* Forgets 'flow'. */
void
afxdp_offload_flow_delete(struct afxdp_offload_flow *flow)
{
    afxdp_offload_flow_take_out(flow);
    afxdp_flow_table_put_counter(flow->entry.counter);
    for (size_t i = 0; i < flow->n_outputs; i++) {
        afxdp_offload_port_unref(flow->outputs[i]);
    }
    hmap_remove(&flows, &flow->node);
    ovs_list_remove(&flow->port_node);
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
        if (flow->key) {
            put_again(flow);
        }
    }
}

/* Stores in '*counts' what the kernel counted for 'flow'.  Returns 0 or a
 * positive errno value. */
int
afxdp_offload_flow_read(struct afxdp_offload_flow *flow,
                        struct afxdp_flow_counts *counts)
{
    int error = afxdp_flow_stats_read(flow->entry.counter, counts);

    if (!error && flow->key) {
        afxdp_offload_port_hit(flow->port, flow->entry.mask,
                               counts->packets - flow->seen);
    }
    flow->seen = counts->packets;
    return error;
}
