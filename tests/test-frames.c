/* SPDX-License-Identifier: Apache-2.0 */

/* Tests of who owns a frame: lib/afxdp-frame.c and lib/afxdp-packet.c. */

#include <config.h>

#include "test-afxdp.h"

#include <string.h>

#include "afxdp-frame.h"
#include "afxdp-packet.h"
#include "ovs-thread.h"
#include "random.h"
#include "util.h"

#define N_FRAMES 1024
#define N_THREADS 4
#define N_ROUNDS 20000

static struct afxdp_arena *
arena_create(void)
{
    struct afxdp_arena *arena = xzalloc_cacheline(sizeof *arena);
    void *memory = xmalloc_pagealign(N_FRAMES * AFXDP_FRAME_SIZE);

    afxdp_frames_init(arena, memory, N_FRAMES, 0);
    return arena;
}

static void
arena_destroy(struct afxdp_arena *arena)
{
    char *memory = arena->base;

    afxdp_frames_uninit(arena);
    free_pagealign(memory);
    free_cacheline(arena);
}

/* Checks that the census is consistent and has so many frames of each kind. */
static void
check_census(struct afxdp_arena *arena, unsigned int n_free,
             unsigned int n_user, unsigned int n_rx, unsigned int n_tx)
{
    struct afxdp_census census;

    afxdp_frames_census(arena, &census);
    CHECK(census.consistent);
    CHECK_EQ(census.free, n_free);
    CHECK_EQ(census.user, n_user);
    CHECK_EQ(census.rx_all, n_rx);
    CHECK_EQ(census.tx_all, n_tx);
    afxdp_census_destroy(&census);
}

/* Out of line: where compilers see the packet inside its arena they warn of a
 * free() that such a packet never gets to. */
static void __attribute__((noinline))
delete_packet(struct dp_packet *packet)
{
    dp_packet_delete(packet);
}

/* All frames can be taken, each once, and given back. */
static void
test_take_all(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct afxdp_arena *arena = arena_create();
    static __u64 addrs[N_FRAMES];
    bool seen[N_FRAMES] = { false };
    unsigned int n = 0, got;

    check_census(arena, N_FRAMES, 0, 0, 0);
    while ((got = afxdp_frames_take(arena, &addrs[n],
                                    MIN(7, N_FRAMES - n), AFXDP_USER))) {
        n += got;
        check_census(arena, N_FRAMES - n, n, 0, 0);
    }
    CHECK_EQ(n, N_FRAMES);
    CHECK_EQ(afxdp_frames_take(arena, addrs, 0, AFXDP_USER), 0);

    for (unsigned int i = 0; i < n; i++) {
        CHECK(addrs[i] % AFXDP_FRAME_SIZE == 0 && addrs[i] < arena->size);
        CHECK(!seen[addrs[i] / AFXDP_FRAME_SIZE]);
        seen[addrs[i] / AFXDP_FRAME_SIZE] = true;
        addrs[i] += i % AFXDP_FRAME_SIZE; /* Any address inside will do. */
    }
    for (unsigned int i = 0; i < n; i += 64) {
        afxdp_frames_give(arena, &addrs[i], 64);
        check_census(arena, i + 64, n - i - 64, 0, 0);
    }
    arena_destroy(arena);
}

/* A closed queue gives back what it has, and nothing else. */
static void
test_reclaim(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct afxdp_arena *arena = arena_create();
    struct afxdp_queue *dummy = (void *) arena;
    __u64 addrs[64];
    int a = afxdp_slot_alloc(arena, dummy);
    int b = afxdp_slot_alloc(arena, dummy);

    CHECK(a >= 0 && b >= 0 && a != b);
    afxdp_frames_take(arena, addrs, 30, afxdp_tag(AFXDP_RX, a));
    afxdp_frames_take(arena, addrs, 20, afxdp_tag(AFXDP_TX, a));
    afxdp_frames_take(arena, addrs, 10, afxdp_tag(AFXDP_RX, b));
    afxdp_frames_take(arena, addrs, 5, AFXDP_USER);
    check_census(arena, N_FRAMES - 65, 5, 40, 20);

    CHECK_EQ(afxdp_frames_reclaim(arena, a), 50);
    check_census(arena, N_FRAMES - 15, 5, 10, 0);
    CHECK_EQ(afxdp_frames_reclaim(arena, a), 0);
    afxdp_slot_free(arena, a);

    /* The slot is used again, the frames of the other queue stay. */
    CHECK_EQ(afxdp_slot_alloc(arena, dummy), a);
    CHECK_EQ(afxdp_frames_reclaim(arena, b), 10);
    afxdp_frames_give(arena, addrs, 5);
    check_census(arena, N_FRAMES, 0, 0, 0);
    afxdp_slot_free(arena, a);
    afxdp_slot_free(arena, b);
    arena_destroy(arena);
}

static void
test_slots(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct afxdp_arena *arena = arena_create();
    struct afxdp_queue *dummy = (void *) arena;

    for (int i = 0; i < AFXDP_MAX_SLOTS; i++) {
        CHECK_EQ(afxdp_slot_alloc(arena, dummy), i);
    }
    CHECK_EQ(afxdp_slot_alloc(arena, dummy), -1);

    /* The last one still fits into a tag. */
    CHECK_EQ(afxdp_tag(AFXDP_TX, AFXDP_MAX_SLOTS - 1) >> AFXDP_OWNER_BITS,
             AFXDP_MAX_SLOTS - 1);
    afxdp_slot_free(arena, 77);
    CHECK_EQ(afxdp_slot_alloc(arena, dummy), 77);
    arena_destroy(arena);
}

/* The census notices what must not be. */
static void
test_census_notices(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct afxdp_census census;
    struct afxdp_arena *arena;
    __u64 addrs[2];

    /* A frame given twice. */
    arena = arena_create();
    CHECK_EQ(afxdp_frames_take(arena, addrs, 2, AFXDP_USER), 2);
    addrs[1] = addrs[0];
    afxdp_frames_give(arena, addrs, 2);
    afxdp_frames_census(arena, &census);
    CHECK(!census.consistent);
    afxdp_census_destroy(&census);
    arena_destroy(arena);

    /* A free frame that nobody has. */
    arena = arena_create();
    CHECK_EQ(afxdp_frames_take(arena, addrs, 1, AFXDP_FREE), 1);
    afxdp_frames_census(arena, &census);
    CHECK(!census.consistent);
    afxdp_census_destroy(&census);
    arena_destroy(arena);
}

/* Threads that take, pass on and give frames at the same time. */

struct worker {
    struct afxdp_arena *arena;
    pthread_t thread;
    uint32_t seed;
};

static atomic_uint holders[N_FRAMES];

static void
hold(__u64 addr)
{
    unsigned int before;

    atomic_add(&holders[addr >> AFXDP_FRAME_SHIFT], 1, &before);
    CHECK_EQ(before, 0);
}

static void
release(__u64 addr)
{
    unsigned int before;

    atomic_sub(&holders[addr >> AFXDP_FRAME_SHIFT], 1, &before);
    CHECK_EQ(before, 1);
}

static void *
worker_main(void *worker_)
{
    struct worker *worker = worker_;
    __u64 mine[256];
    unsigned int n = 0;

    for (int i = 0; i < N_ROUNDS; i++) {
        unsigned int k;

        worker->seed = worker->seed * 1103515245 + 12345;
        k = worker->seed >> 16 & 31;
        if (worker->seed >> 30 & 1) {
            k = MIN(k, ARRAY_SIZE(mine) - n);
            k = afxdp_frames_take(worker->arena, &mine[n], k, AFXDP_USER);
            for (unsigned int j = 0; j < k; j++) {
                hold(mine[n + j]);
            }
            n += k;
        } else {
            k = MIN(k, n);
            n -= k;
            for (unsigned int j = 0; j < k; j++) {
                release(mine[n + j]);
            }
            afxdp_frames_give(worker->arena, &mine[n], k);
        }
    }
    while (n > 0) {
        n--;
        release(mine[n]);
        afxdp_frames_give(worker->arena, &mine[n], 1);
    }
    return NULL;
}

static void
test_threads(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct afxdp_arena *arena = arena_create();
    struct worker workers[N_THREADS];
    struct afxdp_census census;

    for (int i = 0; i < N_THREADS; i++) {
        workers[i].arena = arena;
        workers[i].seed = i + 1;
        workers[i].thread = ovs_thread_create("worker", worker_main,
                                              &workers[i]);
    }
    /* A census in between may find no quiet moment; it must never stop the
     * threads or look at memory that is gone. */
    for (int i = 0; i < 20; i++) {
        afxdp_frames_census(arena, &census);
        afxdp_census_destroy(&census);
    }
    for (int i = 0; i < N_THREADS; i++) {
        xpthread_join(workers[i].thread, NULL);
    }

    /* Threads that ended have left their caches to the depot. */
    check_census(arena, N_FRAMES, 0, 0, 0);
    afxdp_frames_census(arena, &census);
    CHECK_EQ(census.n_caches, 0);
    CHECK_EQ(census.depot, N_FRAMES);
    afxdp_census_destroy(&census);
    arena_destroy(arena);
}

/* A packet that grows out of its frame. */
static void
test_packet_grows(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct afxdp_arena *arena = arena_create();
    struct dp_packet *packet;
    __u64 addr;
    size_t size = 1000;

    CHECK_EQ(afxdp_frames_take(arena, &addr, 1, AFXDP_USER), 1);
    packet = afxdp_frame_packet(arena, addr + 512, size);
    CHECK_EQ(dp_packet_headroom(packet), 512);
    memset(dp_packet_data(packet), 0xa5, size);

    /* As far as the headroom goes it stays in the frame. */
    memset(dp_packet_push_uninit(packet, 512), 0x01, 512);
    CHECK(dp_packet_base(packet) == arena->base + addr);
    CHECK_EQ(dp_packet_headroom(packet), 0);
    size += 512;

    /* Beyond it moves, front and back, more than once. */
    for (int i = 0; i < 20; i++) {
        memset(dp_packet_push_uninit(packet, 300), 0x02 + i, 300);
        memset(dp_packet_put_uninit(packet, 500), 0x82 + i, 500);
        size += 800;
    }
    CHECK_EQ(dp_packet_size(packet), size);
    CHECK(dp_packet_base(packet) != arena->base + addr);
    CHECK_EQ(packet->source, DPBUF_AFXDP);
    check_census(arena, N_FRAMES - 1, 1, 0, 0);

    for (int i = 19; i >= 0; i--) {
        const uint8_t *front = dp_packet_pull(packet, 300);

        CHECK(front[0] == 0x02 + i && front[299] == 0x02 + i);
    }
    CHECK_EQ(((uint8_t *) dp_packet_data(packet))[0], 0x01);
    dp_packet_pull(packet, 512);
    for (int i = 0; i < 1000; i++) {
        CHECK_EQ(((uint8_t *) dp_packet_data(packet))[i], 0xa5);
    }

    /* Freed it is a frame like any other. */
    delete_packet(packet);
    check_census(arena, N_FRAMES, 0, 0, 0);
    CHECK_EQ(afxdp_frames_take(arena, &addr, 1, AFXDP_USER), 1);
    packet = afxdp_frame_packet(arena, addr + 512, 60);
    CHECK(dp_packet_base(packet) == arena->base + addr);
    delete_packet(packet);
    arena_destroy(arena);
}

/* What others do with packets: clones, and packets of other kinds. */
static void
test_packet_clones(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct afxdp_arena *arena = arena_create();
    struct dp_packet *packet, *clone, *other;
    __u64 addr;

    CHECK_EQ(afxdp_frames_take(arena, &addr, 1, AFXDP_USER), 1);
    packet = afxdp_frame_packet(arena, addr + 512, 100);
    memset(dp_packet_data(packet), 0xa5, 100);
    clone = dp_packet_clone_with_headroom(packet, 128);
    CHECK_EQ(clone->source, DPBUF_MALLOC);
    delete_packet(packet);
    check_census(arena, N_FRAMES, 0, 0, 0);
    CHECK_EQ(((uint8_t *) dp_packet_data(clone))[99], 0xa5);
    delete_packet(clone);

    /* dp_packet_resize() is ours for packets of every kind. */
    other = dp_packet_new_with_headroom(100, 10);
    memset(dp_packet_put_uninit(other, 100), 0x5a, 100);
    memset(dp_packet_push_uninit(other, 1000), 0x01, 1000);
    memset(dp_packet_put_uninit(other, 5000), 0x02, 5000);
    CHECK_EQ(dp_packet_size(other), 6100);
    CHECK_EQ(((uint8_t *) dp_packet_data(other))[1000], 0x5a);
    delete_packet(other);
    arena_destroy(arena);
}

const struct ovs_cmdl_command test_frames_commands[] = {
    { "frames-take-all", NULL, 0, 0, test_take_all, OVS_RO },
    { "frames-reclaim", NULL, 0, 0, test_reclaim, OVS_RO },
    { "frames-slots", NULL, 0, 0, test_slots, OVS_RO },
    { "frames-census-notices", NULL, 0, 0, test_census_notices, OVS_RO },
    { "frames-threads", NULL, 0, 0, test_threads, OVS_RO },
    { "packet-grows", NULL, 0, 0, test_packet_grows, OVS_RO },
    { "packet-clones", NULL, 0, 0, test_packet_clones, OVS_RO },
    { NULL, NULL, 0, 0, NULL, OVS_RO },
};
