/* SPDX-License-Identifier: Apache-2.0 */

/* The flow table in the kernel: see afxdp-flow-table.h.
 *
 * The maps of masks, buckets and flows are mapped into our memory, so that
 * changing them takes no system call. */

#include <config.h>

#include "afxdp-flow-table.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "afxdp-prog.h"
#include "openvswitch/util.h"
#include "util.h"

/* The maps, as the kernel sees them. */
static struct afxdp_flow_mask *masks;
static struct afxdp_flow_bucket *buckets;
static struct afxdp_flow_entry *flows;

/* Flows that use each mask. */
static uint32_t mask_refs[AFXDP_MAX_MASKS];

static struct afxdp_pool mask_pool;
static struct afxdp_pool flow_pool;
static struct afxdp_pool counter_pool;

/* Maps all of an array map of 'n' elements of 'size' bytes. */
static void *
map_array(int fd, size_t n, size_t size)
{
    size_t bytes = ROUND_UP(n * ROUND_UP(size, 8), getpagesize());
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    return p == MAP_FAILED ? NULL : p;
}

/* Makes the table, which is empty, the one in 'maps'.  Returns 0 or a positive
 * errno value. */
int
afxdp_flow_table_open(const struct afxdp_flow_maps *maps)
{
    if (flows) {
        return 0;
    }
    masks = map_array(maps->masks, AFXDP_MAX_MASKS, sizeof *masks);
    buckets = map_array(maps->buckets, AFXDP_BUCKETS, sizeof *buckets);
    flows = map_array(maps->flows, AFXDP_MAX_FLOWS, sizeof *flows);
    if (!masks || !buckets || !flows) {
        int error = errno;

        flows = NULL;
        return error;
    }
    afxdp_pool_init(&mask_pool, 0, AFXDP_MAX_MASKS);
    afxdp_pool_init(&flow_pool, 0, AFXDP_MAX_FLOWS);
    afxdp_pool_init(&counter_pool, 0, AFXDP_MAX_FLOWS);
    return 0;
}

/* Returns the number of the mask in use that equals 'mask', or AFXDP_MAX_MASKS
 * if there is none. */
static uint32_t
find_mask(const struct afxdp_flow_mask *mask)
{
    uint32_t i;

    for (i = 0; i < AFXDP_MAX_MASKS; i++) {
        if (mask_refs[i] && !memcmp(&masks[i], mask, sizeof *mask)) {
            break;
        }
    }
    return i;
}

/* Stores the number of 'mask' in '*id', and takes a reference to it.  Returns
 * false if there are too many masks. */
bool
afxdp_flow_table_ref_mask(const struct afxdp_flow_mask *mask, uint16_t *id)
{
    uint32_t i = find_mask(mask);

    if (i == AFXDP_MAX_MASKS) {
        if (!afxdp_pool_get(&mask_pool, &i)) {
            return false;
        }
        masks[i] = *mask;
    }
    mask_refs[i]++;
    *id = i;
    return true;
}

/* Gives a reference to mask 'id' back. */
void
afxdp_flow_table_unref_mask(uint16_t id)
{
    if (!--mask_refs[id]) {
        afxdp_pool_put(&mask_pool, id);
    }
}

/* Returns mask 'id', which must be in use. */
const struct afxdp_flow_mask *
afxdp_flow_table_mask(uint16_t id)
{
    return &masks[id];
}

/* Stores the number of a counter, with any value, in '*id'.  Returns false if
 * there is none left. */
bool
afxdp_flow_table_get_counter(uint32_t *id)
{
    return afxdp_pool_get(&counter_pool, id);
}

void
afxdp_flow_table_put_counter(uint32_t id)
{
    afxdp_pool_put(&counter_pool, id);
}

static uint64_t
hash_entry(const struct afxdp_flow_entry *entry)
{
    return afxdp_flow_hash(entry->port, entry->mask, masks[entry->mask].used,
                           entry->words);
}

/* Makes the slot at 'place' refer to the flow there, whose entry is
 * complete. */
static void
publish(const struct afxdp_flow_place *place)
{
    __atomic_store_n(&buckets[place->bucket].flow[place->slot], place->flow,
                     __ATOMIC_RELEASE);
}

/* Puts 'entry' into the table and stores where it is in '*place'. */
enum afxdp_refusal
afxdp_flow_table_insert(const struct afxdp_flow_entry *entry,
                        struct afxdp_flow_place *place)
{
    uint64_t hash = hash_entry(entry);
    struct afxdp_flow_bucket *bucket;

    place->bucket = afxdp_flow_hash_bucket(hash);
    bucket = &buckets[place->bucket];
    for (place->slot = 0; afxdp_flow_tag(bucket, place->slot); place->slot++) {
        if (place->slot == AFXDP_BUCKET_SLOTS - 1) {
            return AFXDP_REFUSED_BUCKET_FULL;
        }
    }
    if (!afxdp_pool_get(&flow_pool, &place->flow)) {
        return AFXDP_REFUSED_FLOWS_FULL;
    }
    flows[place->flow] = *entry;
    publish(place);
    afxdp_flow_set_tag(bucket, place->slot, afxdp_flow_hash_tag(hash));
    return AFXDP_TAKEN;
}

/* Replaces the flow at '*place' by 'entry', which has the same key. */
enum afxdp_refusal
afxdp_flow_table_replace(const struct afxdp_flow_entry *entry,
                         struct afxdp_flow_place *place)
{
    uint32_t old = place->flow;
    uint32_t new;

    if (!afxdp_pool_get(&flow_pool, &new)) {
        return AFXDP_REFUSED_FLOWS_FULL;
    }
    flows[new] = *entry;
    place->flow = new;
    publish(place);
    afxdp_pool_put(&flow_pool, old);
    return AFXDP_TAKEN;
}

/* Takes the flow at 'place' out of the table. */
void
afxdp_flow_table_remove(const struct afxdp_flow_place *place)
{
    afxdp_flow_set_tag(&buckets[place->bucket], place->slot, 0);
    afxdp_pool_put(&flow_pool, place->flow);
}

static uint32_t
n_waiting(void)
{
    return (mask_pool.n_waiting + flow_pool.n_waiting
            + counter_pool.n_waiting);
}

/* Is so much waiting for a grace period that it should be waited for now? */
bool
afxdp_flow_table_should_reclaim(void)
{
    return (flow_pool.n_waiting > AFXDP_MAX_FLOWS / 16
            || counter_pool.n_waiting > AFXDP_MAX_FLOWS / 16
            || mask_pool.n_waiting > AFXDP_MAX_MASKS / 16);
}

/* What was given back before this call is free after a grace period and
 * afxdp_flow_table_grace_end(). */
void
afxdp_flow_table_grace_begin(void)
{
    afxdp_pool_grace_begin(&mask_pool);
    afxdp_pool_grace_begin(&flow_pool);
    afxdp_pool_grace_begin(&counter_pool);
}

void
afxdp_flow_table_grace_end(void)
{
    afxdp_pool_grace_end(&mask_pool);
    afxdp_pool_grace_end(&flow_pool);
    afxdp_pool_grace_end(&counter_pool);
}

void
afxdp_flow_table_usage(struct afxdp_flow_table_usage *usage)
{
    usage->flows = afxdp_pool_used(&flow_pool);
    usage->masks = afxdp_pool_used(&mask_pool);
    usage->counters = afxdp_pool_used(&counter_pool);
    usage->waiting = n_waiting();
}
