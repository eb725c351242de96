/* SPDX-License-Identifier: Apache-2.0 */

/* Ownership of frames: the parts that are not on the road of every packet.
 * The picture and the rules are in afxdp-frame.h. */

#include <config.h>

#include "afxdp-frame.h"

#include <pthread.h>
#include <stdlib.h>

#include "bitmap.h"

DEFINE_EXTERN_PER_THREAD_DATA(afxdp_caches, { { NULL } });

/* Most attempts of a census to find all caches at rest. */
#define CENSUS_ATTEMPTS 1000

static void afxdp_caches_exit(void *);

/* Gives a dp_packet of 'arena' the memory of its own frame. */
static void
frame_reset(struct afxdp_arena *arena, unsigned int i)
{
    struct dp_packet *packet = &arena->frames[i].packet;
    char *memory = arena->base + ((size_t) i << AFXDP_FRAME_SHIFT);

    dp_packet_use_afxdp(packet, memory, AFXDP_FRAME_SIZE, 0);
}

/* Makes '*arena' an arena of the 'n_frames' * AFXDP_FRAME_SIZE bytes at
 * 'memory', page-aligned, which must outlive it.  All frames are free.  'id'
 * is below AFXDP_MAX_ARENAS and unique among the arenas of the process. */
void
afxdp_frames_init(struct afxdp_arena *arena, void *memory,
                  unsigned int n_frames, unsigned int id)
{
    memset(arena, 0, sizeof *arena);
    arena->base = memory;
    arena->size = (uint64_t) n_frames << AFXDP_FRAME_SHIFT;
    arena->n_frames = n_frames;
    arena->id = id;
    arena->owner = xcalloc(n_frames, sizeof *arena->owner);
    arena->frames = xzalloc_cacheline((size_t) n_frames
                                      * sizeof *arena->frames);
    arena->depot = xcalloc(n_frames, sizeof *arena->depot);
    arena->slots = xcalloc(AFXDP_MAX_SLOTS, sizeof *arena->slots);
    ovs_spin_init(&arena->depot_lock);
    ovs_mutex_init(&arena->mutex);
    ovs_list_init(&arena->caches);

    for (unsigned int i = 0; i < n_frames; i++) {
        arena->frames[i].arena = arena;
        frame_reset(arena, i);
        /* The frame on top of the stack is frame 0. */
        arena->depot[n_frames - 1 - i] = i;
    }
    atomic_init(&arena->n_depot, n_frames);
}

/* Frees what afxdp_frames_init() allocated for 'arena'.  No queue and no other
 * thread may use it any more. */
void
afxdp_frames_uninit(struct afxdp_arena *arena)
{
    struct afxdp_cache *cache;

    LIST_FOR_EACH_POP (cache, node, &arena->caches) {
        free_cacheline(cache);
    }
    afxdp_caches_get()->of[arena->id] = NULL;
    ovs_mutex_destroy(&arena->mutex);
    ovs_spin_destroy(&arena->depot_lock);
    free(arena->slots);
    free(arena->depot);
    free_cacheline(arena->frames);
    free(arena->owner);
}

/* Reserves a slot of 'arena' for 'queue'.  Returns it, or -1 if all of them
 * are taken. */
int
afxdp_slot_alloc(struct afxdp_arena *arena, struct afxdp_queue *queue)
{
    int slot = -1;

    ovs_mutex_lock(&arena->mutex);
    for (int i = 0; i < AFXDP_MAX_SLOTS; i++) {
        if (!arena->slots[i]) {
            arena->slots[i] = queue;
            arena->n_queues++;
            slot = i;
            break;
        }
    }
    ovs_mutex_unlock(&arena->mutex);
    return slot;
}

/* Releases 'slot' of 'arena'.  No frame may belong to it any more. */
void
afxdp_slot_free(struct afxdp_arena *arena, int slot)
{
    ovs_mutex_lock(&arena->mutex);
    arena->slots[slot] = NULL;
    arena->n_queues--;
    ovs_mutex_unlock(&arena->mutex);
}

/* Thread caches. */

static pthread_key_t cache_key;

static void
cache_key_init(void)
{
    static struct ovsthread_once once = OVSTHREAD_ONCE_INITIALIZER;

    if (ovsthread_once_start(&once)) {
        xpthread_key_create(&cache_key, afxdp_caches_exit);
        ovsthread_once_done(&once);
    }
}

/* Makes an empty cache of the calling thread for 'arena'.  It lives until the
 * thread ends. */
struct afxdp_cache *
afxdp_cache_create(struct afxdp_arena *arena)
{
    struct afxdp_caches *caches = afxdp_caches_get();
    struct afxdp_cache *cache = xzalloc_cacheline(sizeof *cache);

    cache->arena = arena;
    atomic_init(&cache->seq, 0);
    atomic_init(&cache->n, 0);
    ovs_mutex_lock(&arena->mutex);
    ovs_list_push_back(&arena->caches, &cache->node);
    ovs_mutex_unlock(&arena->mutex);

    cache_key_init();
    pthread_setspecific(cache_key, caches);
    caches->of[arena->id] = cache;
    return cache;
}

/* Moves frames from the depot until 'cache' has 'n' and half a cache more, or
 * the depot is empty.  Returns the number of frames in 'cache'. */
unsigned int
afxdp_cache_refill(struct afxdp_arena *arena, struct afxdp_cache *cache,
                   unsigned int n)
{
    unsigned int have, in_depot, moved;

    atomic_read_relaxed(&cache->n, &have);
    ovs_spin_lock(&arena->depot_lock);
    atomic_read_relaxed(&arena->n_depot, &in_depot);
    moved = MIN(n - have + AFXDP_CACHE_SIZE / 2, AFXDP_CACHE_SIZE - have);
    moved = MIN(moved, in_depot);
    in_depot -= moved;
    memcpy(&cache->frames[have], &arena->depot[in_depot],
           moved * sizeof *arena->depot);
    atomic_store_relaxed(&arena->n_depot, in_depot);
    ovs_spin_unlock(&arena->depot_lock);

    have += moved;
    atomic_store_relaxed(&cache->n, have);
    return have;
}

/* Moves 'n' frames, the ones that lay longest, from 'cache' to the depot. */
void
afxdp_cache_flush(struct afxdp_arena *arena, struct afxdp_cache *cache,
                  unsigned int n)
{
    unsigned int have, in_depot;

    atomic_read_relaxed(&cache->n, &have);
    n = MIN(n, have);
    ovs_spin_lock(&arena->depot_lock);
    atomic_read_relaxed(&arena->n_depot, &in_depot);
    memcpy(&arena->depot[in_depot], cache->frames, n * sizeof *arena->depot);
    atomic_store_relaxed(&arena->n_depot, in_depot + n);
    ovs_spin_unlock(&arena->depot_lock);

    have -= n;
    memmove(cache->frames, &cache->frames[n], have * sizeof *cache->frames);
    atomic_store_relaxed(&cache->n, have);
}

/* Called when a thread ends: returns the frames of all its caches. */
static void
afxdp_caches_exit(void *caches_)
{
    struct afxdp_caches *caches = caches_;

    for (int i = 0; i < AFXDP_MAX_ARENAS; i++) {
        struct afxdp_cache *cache = caches->of[i];

        if (cache) {
            struct afxdp_arena *arena = cache->arena;

            ovs_mutex_lock(&arena->mutex);
            afxdp_cache_flush(arena, cache, AFXDP_CACHE_SIZE);
            ovs_list_remove(&cache->node);
            ovs_mutex_unlock(&arena->mutex);
            caches->of[i] = NULL;
            free_cacheline(cache);
        }
    }
}

/* Returns to the depot every frame that belongs to the queue of 'slot', which
 * is closed: neither the kernel nor a thread uses its frames any more.
 * Returns their number. */
unsigned int
afxdp_frames_reclaim(struct afxdp_arena *arena, int slot)
{
    unsigned int in_depot, n = 0;

    ovs_spin_lock(&arena->depot_lock);
    atomic_read_relaxed(&arena->n_depot, &in_depot);
    for (uint32_t i = 0; i < arena->n_frames; i++) {
        uint16_t tag;

        atomic_read_relaxed(&arena->owner[i], &tag);
        if (tag == afxdp_tag(AFXDP_RX, slot)
            || tag == afxdp_tag(AFXDP_TX, slot)) {
            afxdp_set_owner(arena, i, AFXDP_FREE);
            arena->depot[in_depot++] = i;
            n++;
        }
    }
    atomic_store_relaxed(&arena->n_depot, in_depot);
    ovs_spin_unlock(&arena->depot_lock);
    return n;
}

/* Census. */

/* All tags of an arena, and its list of free frames, at one moment. */
struct snapshot {
    uint16_t *tags;             /* Of each frame. */
    uint32_t *list;             /* Frames in the depot, then in the caches. */
    unsigned int n_list;
};

/* Appends the 'n' frames at 'frames' to the list of 'snap'.  Returns false if
 * the list is longer than the arena has frames. */
static bool
snapshot_append(const struct afxdp_arena *arena, struct snapshot *snap,
                const uint32_t *frames, unsigned int n)
{
    if (snap->n_list + n > arena->n_frames) {
        return false;
    }
    memcpy(&snap->list[snap->n_list], frames, n * sizeof *frames);
    snap->n_list += n;
    return true;
}

/* Returns the sum of all caches' sequence numbers, or UINT64_MAX if one of
 * them is being changed. */
static uint64_t
caches_seq(struct afxdp_arena *arena)
{
    struct afxdp_cache *cache;
    uint64_t sum = 0;

    LIST_FOR_EACH (cache, node, &arena->caches) {
        unsigned int seq;

        atomic_read_explicit(&cache->seq, &seq, memory_order_acquire);
        if (seq & 1) {
            return UINT64_MAX;
        }
        sum += seq;
    }
    return sum;
}

/* Tries to take a snapshot of 'arena', whose depot is locked.  Returns false
 * if a thread took or gave frames meanwhile. */
static bool
snapshot_try(struct afxdp_arena *arena, struct snapshot *snap,
             struct afxdp_census *census)
{
    uint64_t before = caches_seq(arena);
    struct afxdp_cache *cache;
    bool fits;

    if (before == UINT64_MAX) {
        return false;
    }

    for (unsigned int i = 0; i < arena->n_frames; i++) {
        atomic_read_relaxed(&arena->owner[i], &snap->tags[i]);
    }
    snap->n_list = census->cached = census->n_caches = 0;
    atomic_read_relaxed(&arena->n_depot, &census->depot);
    fits = snapshot_append(arena, snap, arena->depot, census->depot);
    LIST_FOR_EACH (cache, node, &arena->caches) {
        unsigned int n;

        atomic_read_relaxed(&cache->n, &n);
        fits &= snapshot_append(arena, snap, cache->frames, n);
        census->cached += n;
        census->n_caches++;
    }
    census->consistent = fits;

    atomic_thread_fence(memory_order_acquire);
    return caches_seq(arena) == before;
}

/* Counts the tags of 'snap' into 'census'. */
static void
count_tags(const struct afxdp_arena *arena, const struct snapshot *snap,
           struct afxdp_census *census)
{
    for (unsigned int i = 0; i < arena->n_frames; i++) {
        unsigned int slot = snap->tags[i] >> AFXDP_OWNER_BITS;

        switch ((enum afxdp_owner) (snap->tags[i] & AFXDP_OWNER_MASK)) {
        case AFXDP_FREE:
            census->free++;
            break;
        case AFXDP_USER:
            census->user++;
            break;
        case AFXDP_RX:
            census->rx[slot]++;
            census->rx_all++;
            break;
        case AFXDP_TX:
            census->tx[slot]++;
            census->tx_all++;
            break;
        default:
            OVS_NOT_REACHED();
        }
    }
}

/* Returns true if the list of 'snap' has every frame that is tagged FREE once,
 * and no other. */
static bool
list_is_right(const struct afxdp_arena *arena, const struct snapshot *snap,
              unsigned int n_free)
{
    unsigned long *seen = bitmap_allocate(arena->n_frames);
    bool ok = snap->n_list == n_free;

    for (unsigned int i = 0; i < snap->n_list && ok; i++) {
        uint32_t frame = snap->list[i];

        ok = (frame < arena->n_frames
              && snap->tags[frame] == AFXDP_FREE
              && !bitmap_is_set(seen, frame));
        if (ok) {
            bitmap_set1(seen, frame);
        }
    }
    free(seen);
    return ok;
}

/* Counts where all frames of 'arena' are, at a moment when no thread takes or
 * gives frames, and checks that the free ones are in the depot and the caches,
 * each once.  Traffic goes on meanwhile; only threads that need the depot
 * wait, for some microseconds.
 *
 * The caller must free '*census' with afxdp_census_destroy(). */
void
afxdp_frames_census(struct afxdp_arena *arena, struct afxdp_census *census)
{
    struct snapshot snap = {
        .tags = xcalloc(arena->n_frames, sizeof *snap.tags),
        .list = xcalloc(arena->n_frames, sizeof *snap.list),
    };
    bool done = false;

    memset(census, 0, sizeof *census);
    census->rx = xcalloc(AFXDP_MAX_SLOTS, sizeof *census->rx);
    census->tx = xcalloc(AFXDP_MAX_SLOTS, sizeof *census->tx);

    ovs_mutex_lock(&arena->mutex);
    for (int i = 0; i < CENSUS_ATTEMPTS && !done; i++) {
        ovs_spin_lock(&arena->depot_lock);
        done = snapshot_try(arena, &snap, census);
        ovs_spin_unlock(&arena->depot_lock);
    }
    ovs_mutex_unlock(&arena->mutex);

    count_tags(arena, &snap, census);
    census->consistent &= done && list_is_right(arena, &snap, census->free);
    free(snap.tags);
    free(snap.list);
}

/* Frees what 'census' holds. */
void
afxdp_census_destroy(struct afxdp_census *census)
{
    free(census->rx);
    free(census->tx);
}
