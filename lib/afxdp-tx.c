/* SPDX-License-Identifier: Apache-2.0 */

/* Send: see afxdp-tx.h.
 *
 * A packet that lies in a frame of the queue's own arena is sent from there.
 * Any other (a clone for a flood, a packet of another kind of port, one that
 * outgrew its frame) is copied into a frame first. */

#include <config.h>

#include "afxdp-tx.h"

#include <errno.h>
#include <sys/socket.h>

#include "afxdp-queue.h"
#include "netdev.h"

/* Frames taken from the completion ring at once, at most. */
#define COMPLETE_MAX (AFXDP_CACHE_SIZE / 2)

/* Fewest packets that one kick sends in copy mode: TX_BATCH_SIZE in
 * net/xdp/xsk.c was 16 until Linux 5.16 and is 32 since. */
#define KICK_BATCH 16

/* Returns to the arena the frames that the kernel has sent for 'q', straight
 * from the completion ring. */
static inline void
complete(struct afxdp_queue *q)
{
    uint32_t n;

    while ((n = xsk_cons_nb_avail(&q->comp, COMPLETE_MAX)) > 0) {
        uint32_t idx = q->comp.cached_cons;

        n = MIN(n, q->comp.size - (idx & q->comp.mask));
        afxdp_frames_give(q->arena, xsk_ring_cons__comp_addr(&q->comp, idx),
                          n);
        q->comp.cached_cons += n;
        xsk_ring_cons__release(&q->comp, n);
        q->tx_held -= n;
    }
}

/* Makes the kernel send what is in the TX ring of 'q', as far as it needs to
 * be told.  Sets q->tx_down to whether the device refused. */
static inline void
kick(struct afxdp_queue *q)
{
    uint32_t tries = q->tx_sync ? q->tx_held / KICK_BATCH + 1 : 1;
    bool down = false;

    if (q->tx_wakeup && !xsk_ring_prod__needs_wakeup(&q->tx)) {
        q->tx_down = false;
        return;
    }
    while (tries--) {
        afxdp_count(&q->tx_count.tx_kicks, 1);
        if (OVS_LIKELY(sendto(q->fd, NULL, 0, MSG_DONTWAIT, NULL, 0) >= 0)) {
            break;
        }
        if (errno != EAGAIN) {
            /* ENOBUFS and EBUSY pass: the next kick sends what is left. */
            afxdp_count(&q->tx_count.tx_kick_errors, 1);
            down = errno != ENOBUFS && errno != EBUSY;
            break;
        }
    }
    q->tx_down = down;
}

/* Copies 'packet' into a frame of the arena of 'q' and frees it.  Stores the
 * address of the copy in '*addr' and returns true, or counts why not and
 * returns false. */
static bool
copy_packet(struct afxdp_queue *q, struct dp_packet *packet, __u64 *addr)
{
    uint32_t size = dp_packet_size(packet);
    bool ok = false;

    if (size > AFXDP_FRAME_SIZE) {
        afxdp_count(&q->tx_count.tx_too_long, 1);
    } else if (!afxdp_frames_take(q->arena, addr, 1, q->tx_tag)) {
        afxdp_count(&q->tx_count.tx_no_frame, 1);
    } else {
        memcpy(q->arena->base + *addr, dp_packet_data(packet), size);
        afxdp_count(&q->tx_count.tx_copied, 1);
        ok = true;
    }
    dp_packet_delete(packet);
    return ok;
}

/* Frees the packets of 'batch' from number 'from' on. */
static void
delete_from(struct dp_packet_batch *batch, size_t from)
{
    for (size_t i = from; i < batch->count; i++) {
        dp_packet_delete(batch->packets[i]);
    }
}

/* Returns how many of 'n' packets the TX ring of 'q' has room for. */
static inline uint32_t
make_room(struct afxdp_queue *q, uint32_t n)
{
    uint32_t room = xsk_prod_nb_free(&q->tx, n);

    if (OVS_UNLIKELY(room < n)) {
        kick(q);
        complete(q);
        room = xsk_prod_nb_free(&q->tx, n);
    }
    return MIN(room, n);
}

/* Puts the packets of 'batch' into the TX ring of 'q', as many as have room.
 * Returns how many were put there. */
static inline uint32_t
enqueue(struct afxdp_queue *q, struct dp_packet_batch *batch)
{
    struct afxdp_arena *arena = q->arena;
    ATOMIC(uint16_t) *owner = arena->owner;
    const char *base = arena->base;
    uint64_t arena_size = arena->size;
    uint32_t count = batch->count;
    uint32_t room = make_room(q, count);
    uint32_t idx = q->tx.cached_prod;
    uint32_t n = 0, own = 0;
    uint16_t tag = q->tx_tag;

    for (uint32_t i = 0; i < room; i++) {
        struct dp_packet *packet = batch->packets[i];
        __u64 addr = (char *) dp_packet_data(packet) - base;
        uint32_t size = dp_packet_size(packet);
        struct xdp_desc *desc;

        if (OVS_LIKELY(addr < arena_size)) {
            atomic_store_relaxed(&owner[addr >> AFXDP_FRAME_SHIFT], tag);
            own++;
        } else if (!copy_packet(q, packet, &addr)) {
            continue;
        }
        desc = xsk_ring_prod__tx_desc(&q->tx, idx + n++);
        desc->addr = addr;
        desc->len = size;
        desc->options = 0;
    }
    q->tx.cached_prod += n;
    xsk_ring_prod__submit(&q->tx, n);
    q->tx_held += n;
    afxdp_count(&q->tx_count.tx_own_frame, own);

    if (OVS_UNLIKELY(room < count)) {
        afxdp_count(&q->tx_count.tx_ring_full, count - room);
        delete_from(batch, room);
    }
    return n;
}

/* Sends 'batch' on a device that refused the last kick.  Returns true if it
 * refuses again, in which case the packets are dropped: a device that is down
 * must not hold frames that others need. */
static bool
still_down(struct afxdp_queue *q, struct dp_packet_batch *batch)
{
    kick(q);
    complete(q);
    if (q->tx_down) {
        afxdp_count(&q->tx_count.tx_device_down, batch->count);
        delete_from(batch, 0);
    }
    return q->tx_down;
}

/* Sends 'batch' on 'q' and takes its packets over, whatever happens.
 * 'concurrent' tells that other threads may send on 'q' at the same time.
 * Returns 0 if at least one packet was handed to the kernel, otherwise
 * ENOBUFS. */
int
afxdp_tx_send(struct afxdp_queue *q, struct dp_packet_batch *batch,
              bool concurrent)
    OVS_NO_THREAD_SAFETY_ANALYSIS /* It knows no lock under a condition. */
{
    uint32_t n = 0;

    if (concurrent) {
        ovs_spin_lock(&q->tx_lock);
    }
    if (OVS_LIKELY(!q->tx_down) || !still_down(q, batch)) {
        n = enqueue(q, batch);
        kick(q);
        complete(q);
    }
    if (concurrent) {
        ovs_spin_unlock(&q->tx_lock);
    }
    return n ? 0 : ENOBUFS;
}
