/* SPDX-License-Identifier: Apache-2.0 */

/* Frames of an arena, and who owns each of them.
 *
 * An arena is one piece of memory cut into frames of AFXDP_FRAME_SIZE bytes,
 * shared by all AF_XDP ports of a NUMA node.  Every queue's socket registers
 * the whole arena as its UMEM, so a frame received on one port can be handed
 * to the TX ring of any other port by its address alone.
 *
 * A frame is in exactly one of four states, kept in arena->owner[frame]:
 *
 *                    +------------------------------------------+
 *                    |                  FREE                    |
 *                    |  in a thread's cache or in the depot     |
 *                    +------------------------------------------+
 *      afxdp_frames_take() |        ^  ^  ^         | afxdp_frames_take()
 *                          v        |  |  |         v
 *       +--------------------+      |  |  |      +--------------------+
 *       | RX of one queue    |------+  |  +------| TX of one queue    |
 *       | fill ring, kernel, | queue   | comple- | TX ring, kernel,   |
 *       | RX ring            | closed  | tion or | completion ring    |
 *       +--------------------+         | closed  +--------------------+
 *                          |           |            ^
 *      afxdp_rx_recv()     v           |            | afxdp_tx_send()
 *                    +------------------------------------------+
 *                    |  USER: a dp_packet of Open vSwitch       |
 *                    |  (freed by free_afxdp_buf())             |
 *                    +------------------------------------------+
 *
 * Rules:
 *
 *   - Only the owner of a frame changes its state: the thread that polls or
 *     sends on the queue for RX and TX, whoever holds the dp_packet for USER.
 *
 *   - Free frames are taken and returned through a small cache of the calling
 *     thread, which trades with the depot of the arena (a stack under a spin
 *     lock) half a cache at a time.
 *
 *   - When a queue is closed, and the kernel has let go of it, one pass over
 *     owner[] returns whatever still belongs to the queue, wherever in the
 *     rings or in the kernel it was: see afxdp_frames_reclaim().
 *
 *   - So at any time the frames whose owner is FREE are those in the depot and
 *     in the caches: see afxdp_frames_census(), which proves it.
 *
 * Memory of a frame, of which a dp_packet's base is always the first byte:
 *
 *     0                 256                512                       4096
 *     +------------------+------------------+--------------------------+
 *     | AFXDP_HEADROOM   | XDP's own        | packet                   |
 *     +------------------+------------------+--------------------------+
 *
 * All of the first 512 bytes are headroom for what OpenFlow pushes. */

#ifndef AFXDP_FRAME_H
#define AFXDP_FRAME_H 1

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp-packet.h"
#include "openvswitch/list.h"
#include "openvswitch/thread.h"
#include "ovs-atomic.h"
#include "ovs-thread.h"
#include "util.h"

/* Size of a frame in bytes: the largest chunk that AF_XDP takes in aligned
 * mode on every kernel is one page. */
#define AFXDP_FRAME_SHIFT 12
#define AFXDP_FRAME_SIZE (1u << AFXDP_FRAME_SHIFT)

/* Bytes that the kernel leaves free in front of its own XDP_PACKET_HEADROOM
 * (256 bytes).  Together they hold the longest header that one tunnel push
 * can bring, TNL_PUSH_HEADER_SIZE (512 bytes). */
#define AFXDP_HEADROOM 256

/* Most queues that one arena serves: what fits beside the state in a tag. */
#define AFXDP_MAX_SLOTS 16384

/* Most arenas (NUMA nodes with AF_XDP ports) in a process. */
#define AFXDP_MAX_ARENAS 32

/* State of a frame: the low two bits of its tag.  The upper bits hold the
 * slot of the queue for RX and TX, and 0 otherwise. */
enum afxdp_owner {
    AFXDP_FREE,                 /* In the depot or in a thread's cache. */
    AFXDP_USER,                 /* A packet in user space. */
    AFXDP_RX,                   /* Given to a queue to receive into. */
    AFXDP_TX,                   /* Given to a queue to send. */
};

#define AFXDP_OWNER_MASK 3u
#define AFXDP_OWNER_BITS 2

static inline uint16_t
afxdp_tag(enum afxdp_owner owner, unsigned int slot)
{
    return slot << AFXDP_OWNER_BITS | owner;
}

struct afxdp_queue;

/* What Open vSwitch sees of a frame.  The head of the dp_packet, with all that
 * receiving and sending write, shares one cache line with 'arena', and its
 * metadata starts on the next. */
struct afxdp_frame {
    struct afxdp_arena *arena;  /* Arena that the frame belongs to. */
    uint64_t pad;
    struct dp_packet packet;
};

BUILD_ASSERT_DECL(offsetof(struct afxdp_frame, packet.md) == CACHE_LINE_SIZE);
BUILD_ASSERT_DECL(sizeof(struct afxdp_frame) % CACHE_LINE_SIZE == 0);

/* Free frames of one thread.  Only the thread itself changes it.  'seq' is odd
 * while it does, for afxdp_frames_census(). */
#define AFXDP_CACHE_SIZE 128

struct afxdp_cache {
    ATOMIC(unsigned int) seq;
    ATOMIC(unsigned int) n;     /* Number of frames in 'frames'. */
    uint32_t frames[AFXDP_CACHE_SIZE];

    /* Cold. */
    struct ovs_list node;       /* In arena->caches, under arena->mutex. */
    struct afxdp_arena *arena;
};

struct afxdp_arena {
    /* Hot, read only after the arena is made. */
    char *base;                 /* First byte of the memory. */
    uint64_t size;              /* Bytes of memory: n_frames frames. */
    ATOMIC(uint16_t) *owner;    /* Tag of each frame. */
    struct afxdp_frame *frames; /* Packet of each frame. */
    unsigned int n_frames;
    unsigned int id;            /* Index into the threads' caches. */

    /* Depot of free frames. */
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) struct ovs_spin depot_lock;
    uint32_t *depot;
    ATOMIC(unsigned int) n_depot;

    /* Cold. */
    struct ovs_mutex mutex;     /* Protects what follows. */
    struct ovs_list caches;     /* Contains "struct afxdp_cache"s. */
    struct afxdp_queue **slots; /* Queues by slot, AFXDP_MAX_SLOTS of them;
                                 * NULL where the slot is free. */
    unsigned int n_queues;      /* Number of slots in use. */
    int numa_id;                /* NUMA node that the memory is on. */
    bool huge;                  /* Are huge pages behind it? */
};

/* The calling thread's caches, by arena->id. */
struct afxdp_caches {
    struct afxdp_cache *of[AFXDP_MAX_ARENAS];
};
DECLARE_EXTERN_PER_THREAD_DATA(struct afxdp_caches, afxdp_caches);

void afxdp_frames_init(struct afxdp_arena *, void *memory,
                       unsigned int n_frames, unsigned int id);
void afxdp_frames_uninit(struct afxdp_arena *);

int afxdp_slot_alloc(struct afxdp_arena *, struct afxdp_queue *);
void afxdp_slot_free(struct afxdp_arena *, int slot);

struct afxdp_cache *afxdp_cache_create(struct afxdp_arena *);
unsigned int afxdp_cache_refill(struct afxdp_arena *, struct afxdp_cache *,
                                unsigned int n);
void afxdp_cache_flush(struct afxdp_arena *, struct afxdp_cache *,
                       unsigned int n);
unsigned int afxdp_frames_reclaim(struct afxdp_arena *, int slot);

/* Where the frames of an arena are.  'user' and 'free' count frames; 'rx' and
 * 'tx' have one count for each slot. */
struct afxdp_census {
    unsigned int free;          /* Tagged FREE. */
    unsigned int user;          /* Tagged USER. */
    unsigned int rx_all, tx_all;
    unsigned int *rx, *tx;      /* By slot. */
    unsigned int depot;         /* Frames in the depot. */
    unsigned int cached;        /* Frames in threads' caches. */
    unsigned int n_caches;      /* Threads that have a cache. */
    bool consistent;            /* Is free depot + cached, no frame twice? */
};

void afxdp_frames_census(struct afxdp_arena *, struct afxdp_census *);
void afxdp_census_destroy(struct afxdp_census *);

/* Returns the cache of the calling thread for 'arena', making it at the
 * thread's first use. */
static inline struct afxdp_cache *
afxdp_cache_get(struct afxdp_arena *arena)
{
    struct afxdp_cache *cache = afxdp_caches_get()->of[arena->id];

    return OVS_LIKELY(cache) ? cache : afxdp_cache_create(arena);
}

static inline void
afxdp_set_owner(struct afxdp_arena *arena, uint32_t frame, uint16_t tag)
{
    atomic_store_relaxed(&arena->owner[frame], tag);
}

/* Opens and closes a change of 'cache', so that a census that runs meanwhile
 * in another thread sees that its count is not to be trusted. */
static inline void
afxdp_cache_begin(struct afxdp_cache *cache)
{
    unsigned int seq;

    atomic_read_relaxed(&cache->seq, &seq);
    atomic_store_relaxed(&cache->seq, seq + 1);
    atomic_thread_fence(memory_order_release);
}

static inline void
afxdp_cache_end(struct afxdp_cache *cache, unsigned int n)
{
    unsigned int seq;

    atomic_store_relaxed(&cache->n, n);
    atomic_read_relaxed(&cache->seq, &seq);
    atomic_store_explicit(&cache->seq, seq + 1, memory_order_release);
}

/* Takes up to 'n' free frames, at most AFXDP_CACHE_SIZE / 2, tags them 'tag'
 * and stores their addresses (bytes from the start of the arena) in 'addrs',
 * which may be the entries of a ring.  Returns how many there were: less than
 * 'n' only when the depot is empty. */
static inline unsigned int
afxdp_frames_take(struct afxdp_arena *arena, __u64 *addrs, unsigned int n,
                  uint16_t tag)
{
    struct afxdp_cache *cache = afxdp_cache_get(arena);
    ATOMIC(uint16_t) *owner = arena->owner;
    unsigned int have;

    afxdp_cache_begin(cache);
    atomic_read_relaxed(&cache->n, &have);
    if (OVS_UNLIKELY(have < n)) {
        have = afxdp_cache_refill(arena, cache, n);
        n = MIN(n, have);
    }
    for (unsigned int i = 0; i < n; i++) {
        uint32_t frame = cache->frames[--have];

        atomic_store_relaxed(&owner[frame], tag);
        addrs[i] = (__u64) frame << AFXDP_FRAME_SHIFT;
    }
    afxdp_cache_end(cache, have);
    return n;
}

/* Returns the 'n' frames (at most AFXDP_CACHE_SIZE / 2) at 'addrs', any
 * addresses inside the frames, which the caller must own. */
static inline void
afxdp_frames_give(struct afxdp_arena *arena, const __u64 *addrs,
                  unsigned int n)
{
    struct afxdp_cache *cache = afxdp_cache_get(arena);
    ATOMIC(uint16_t) *owner = arena->owner;
    unsigned int have;

    afxdp_cache_begin(cache);
    atomic_read_relaxed(&cache->n, &have);
    if (OVS_UNLIKELY(have + n > AFXDP_CACHE_SIZE)) {
        afxdp_cache_flush(arena, cache, AFXDP_CACHE_SIZE / 2);
        atomic_read_relaxed(&cache->n, &have);
    }
    for (unsigned int i = 0; i < n; i++) {
        uint32_t frame = addrs[i] >> AFXDP_FRAME_SHIFT;

        atomic_store_relaxed(&owner[frame], AFXDP_FREE);
        cache->frames[have++] = frame;
    }
    afxdp_cache_end(cache, have);
}

/* Makes the packet of the frame that holds address 'addr' describe the 'len'
 * bytes there, and returns it.  Its metadata is left alone: dpif-netdev sets
 * that for every packet itself. */
static inline struct dp_packet *
afxdp_frame_packet(struct afxdp_arena *arena, uint64_t addr, uint32_t len)
{
    struct dp_packet *p = &arena->frames[addr >> AFXDP_FRAME_SHIFT].packet;

    p->data_ofs = addr & (AFXDP_FRAME_SIZE - 1);
    p->size_ = len;
    p->ol_flags = 0;
    p->cutlen = 0;
    p->packet_type = htonl(PT_ETH);
    dp_packet_reset_offsets(p);
    return p;
}

/* Returns the frame that 'packet', whose source is DPBUF_AFXDP, stands for. */
static inline struct afxdp_frame *
afxdp_frame_of(const struct dp_packet *packet)
{
    return CONTAINER_OF(packet, struct afxdp_frame, packet);
}

/* Returns the memory of 'frame', AFXDP_FRAME_SIZE bytes. */
static inline char *
afxdp_frame_memory(const struct afxdp_frame *frame)
{
    const struct afxdp_arena *arena = frame->arena;
    size_t index = frame - arena->frames;

    return arena->base + (index << AFXDP_FRAME_SHIFT);
}

#endif /* afxdp-frame.h */
