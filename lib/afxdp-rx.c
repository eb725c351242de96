/* SPDX-License-Identifier: Apache-2.0 */

/* Receive: see afxdp-rx.h.
 *
 * Nothing here allocates memory, takes a mutex or makes a system call, but for
 * the kick that a zero-copy driver asks for. */

#include <config.h>

#include "afxdp-rx.h"

#include <errno.h>
#include <sys/socket.h>

#include "afxdp-queue.h"
#include "afxdp-raw.h"
#include "netdev.h"

/* Frames given to the fill ring at once, at most. */
#define REFILL_MAX (AFXDP_CACHE_SIZE / 2)

/* Frames that must be missing before a refill is worth its cost: so many, or a
 * quarter of the target if that is less. */
#define REFILL_MIN 16

/* Polls after which the frames that a queue holds are thought over: some
 * tenths of a second of a PMD thread that has little to do. */
#define WINDOW (1u << 18)

/* A burst that the longest ring cannot hold takes more polls than this, of
 * NETDEV_MAX_BURST packets each; and the most of them that are remembered. */
#define BURST_POLLS (AFXDP_RING_SIZE / NETDEV_MAX_BURST)
#define FLOOD_POLLS (16 * BURST_POLLS)

/* Polls without a kick after a kick failed. */
#define KICK_PAUSE 4096

/* Polls without a refill after no frame was free. */
#define REFILL_PAUSE 1024

/* Returns how many frames 'q' should hold while it is idle.  What the kernel
 * has it does not give back, so a queue starts with an even share of an eighth
 * of the arena: the more ports there are, the fewer each later one gets, and
 * all together take n/8 * (1 + ln(ports / 4)) frames at most, until the share
 * falls to the minimum at some 64 ports.  The minimum of a queue that receives
 * long packets is one of them. */
static uint32_t
idle_target(const struct afxdp_queue *q)
{
    const struct afxdp_arena *arena = q->arena;
    uint32_t share = arena->n_frames / 8 / MAX(arena->n_queues, 1);
    uint32_t min = q->rx_raw ? AFXDP_GSO_MAX_PIECES : AFXDP_RX_IDLE_MIN;

    return MAX(min, MIN(share, AFXDP_RX_IDLE_MAX));
}

/* Gives 'q' four times the frames, as long as an eighth of the arena is left
 * for the others: bursts of TCP double in length with each round trip, and the
 * frames must be there before the burst is. */
static void
target_grow(struct afxdp_queue *q)
{
    struct afxdp_arena *arena = q->arena;
    uint32_t target = MIN(4 * q->rx_target, AFXDP_RING_SIZE);
    unsigned int n_depot;

    atomic_read_relaxed(&arena->n_depot, &n_depot);
    if (n_depot >= target - q->rx_held + arena->n_frames / 8) {
        q->rx_target = target;
    }
}

/* More than half of the frames of 'q' wait to be received.  That makes it
 * grow, unless it is flooded, which is to say that it is like this for longer
 * than any burst, and again and again: however long it is, it then is full,
 * and the longer it is, the older and the colder in the cache are the packets
 * that come out of it.  So a flooded queue gets no more frames than an idle
 * one. */
static void
half_full(struct afxdp_queue *q)
{
    q->rx_flood = MIN(q->rx_flood + 1, FLOOD_POLLS);
    if (q->rx_flood > BURST_POLLS) {
        q->rx_target = MIN(q->rx_target, idle_target(q));
    } else if (q->rx_target < AFXDP_RING_SIZE) {
        target_grow(q);
    }
}

/* A burst has come to its end: the queue 'q' was not empty and is now. */
static void
drained(struct afxdp_queue *q)
{
    q->rx_flood -= MIN(q->rx_flood, BURST_POLLS);
    q->rx_busy = false;
}

/* Ends a window of WINDOW polls: a queue that never needed an eighth of its
 * frames gives up half of them.  They leave the fill ring as packets come in;
 * the kernel does not take back what it was given. */
static void
target_review(struct afxdp_queue *q)
{
    if (q->rx_peak < q->rx_target / 8) {
        q->rx_target = MIN(q->rx_target,
                           MAX(q->rx_target / 2, idle_target(q)));
    }
    q->rx_peak = 0;
    q->rx_polls = 0;
}

/* Puts frames into the fill ring of 'q', straight from the thread's cache, as
 * far as it misses some and up to the end of the ring: the next poll goes on
 * from its start. */
static inline void
refill(struct afxdp_queue *q)
{
    uint32_t n = MIN(q->rx_target - q->rx_held, REFILL_MAX);
    uint32_t idx = q->fill.cached_prod;
    uint32_t got;

    n = MIN(n, xsk_prod_nb_free(&q->fill, n));
    n = MIN(n, q->fill.size - (idx & q->fill.mask));
    got = afxdp_frames_take(q->arena, xsk_ring_prod__fill_addr(&q->fill, idx),
                            n, q->rx_tag);
    if (OVS_UNLIKELY(got < n)) {
        afxdp_count(&q->rx_count.rx_no_frame, 1);
        q->rx_refill_pause = REFILL_PAUSE;
    }
    q->fill.cached_prod += got;
    xsk_ring_prod__submit(&q->fill, got);
    q->rx_held += got;
}

/* Does 'q' miss enough frames to be refilled?  While no frame is free, it asks
 * only now and then. */
static inline bool
wants_refill(struct afxdp_queue *q)
{
    uint32_t missing = MIN(REFILL_MIN, q->rx_target / 4);

    if (OVS_LIKELY(q->rx_held + missing > q->rx_target)) {
        return false;
    }
    if (OVS_UNLIKELY(q->rx_refill_pause)) {
        q->rx_refill_pause--;
        return false;
    }
    return true;
}

/* Makes the driver look at the fill ring again.  A device that is down or gone
 * refuses: then it is left alone for KICK_PAUSE polls. */
static void
kick(struct afxdp_queue *q)
{
    if (q->rx_kick_pause) {
        q->rx_kick_pause--;
        return;
    }
    afxdp_count(&q->rx_count.rx_kicks, 1);
    if (recvfrom(q->fd, NULL, 0, MSG_DONTWAIT, NULL, NULL) < 0
        && errno != EAGAIN && errno != EBUSY) {
        q->rx_kick_pause = KICK_PAUSE;
    }
}

/* Nothing was received: does the rest of the work of a poll. */
static inline int
idle(struct afxdp_queue *q)
{
    if (OVS_UNLIKELY(q->rx_busy)) {
        drained(q);
    }
    if (OVS_UNLIKELY(wants_refill(q))) {
        refill(q);
    }
    if (q->rx_wakeup && xsk_ring_prod__needs_wakeup(&q->fill)) {
        kick(q);
    }
    return EAGAIN;
}

/* 'n' frames have been taken from the RX ring: does the rest of the work of a
 * poll. */
static inline void
took(struct afxdp_queue *q, uint32_t n)
{
    /* What was ready at this poll, of all that the queue held. */
    uint32_t waiting = q->rx.cached_prod - q->rx.cached_cons + n;

    q->rx_held -= n;
    q->rx_busy = true;
    q->rx_peak = MAX(q->rx_peak, waiting);
    if (OVS_UNLIKELY(waiting > q->rx_target / 2)) {
        half_full(q);
    }
    if (wants_refill(q)) {
        refill(q);
    }
}

/* The same two for afxdp-raw.c. */
void
afxdp_rx_took(struct afxdp_queue *q, uint32_t n)
{
    took(q, n);
}

int
afxdp_rx_idle(struct afxdp_queue *q)
{
    return idle(q);
}

/* Gives 'q', whose rings are empty, its first frames. */
void
afxdp_rx_start(struct afxdp_queue *q)
{
    q->rx_target = idle_target(q);
    q->rx_held = q->rx_peak = q->rx_polls = q->rx_flood = 0;
    q->rx_kick_pause = q->rx_refill_pause = 0;
    q->rx_busy = false;
    while (wants_refill(q)) {
        refill(q);
    }
}

/* Moves up to NETDEV_MAX_BURST received packets from 'q' to 'batch', which is
 * empty.  The packets belong to the caller then, who frees or sends them.
 * Returns 0, or EAGAIN if nothing was received. */
int
afxdp_rx_recv(struct afxdp_queue *q, struct dp_packet_batch *batch)
{
    struct afxdp_arena *arena = q->arena;
    ATOMIC(uint16_t) *owner = arena->owner;
    uint32_t n, idx;

    if (OVS_UNLIKELY(++q->rx_polls == WINDOW)) {
        target_review(q);
    }
    if (OVS_UNLIKELY(q->rx_raw)) {
        return afxdp_raw_recv(q, batch);
    }

    n = xsk_ring_cons__peek(&q->rx, NETDEV_MAX_BURST, &idx);
    if (!n) {
        return idle(q);
    }

    for (uint32_t i = 0; i < n; i++) {
        const struct xdp_desc *desc = xsk_ring_cons__rx_desc(&q->rx, idx + i);
        uint64_t addr = desc->addr;

        atomic_store_relaxed(&owner[addr >> AFXDP_FRAME_SHIFT], AFXDP_USER);
        batch->packets[i] = afxdp_frame_packet(arena, addr, desc->len);
    }
    batch->count = n;
    xsk_ring_cons__release(&q->rx, n);
    afxdp_count(&q->rx_count.rx_packets, n);
    took(q, n);
    return 0;
}
