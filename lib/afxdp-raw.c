/* SPDX-License-Identifier: Apache-2.0 */

/* Receive in generic mode: see afxdp-raw.h. */

#include <config.h>

#include "afxdp-raw.h"

#include <errno.h>

#include "afxdp-compat.h"
#include "afxdp-queue.h"
#include "afxdp-rx.h"
#include "netdev.h"
#include "openvswitch/poll-loop.h"

/* Where a segment starts in its frame: behind as much headroom as a packet
 * that the kernel received has. */
#define SEGMENT_OFS (AFXDP_HEADROOM + XDP_PACKET_HEADROOM)

BUILD_ASSERT_DECL(SEGMENT_OFS + AFXDP_GSO_MAX_SEGMENT <= AFXDP_FRAME_SIZE);

/* Descriptors taken in one poll, at most. */
#define TAKE_MAX (2 * NETDEV_MAX_BURST)

/* Prepares 'q' to receive such packets, of a device with the given 'mtu'. */
void
afxdp_raw_init(struct afxdp_queue *q, enum afxdp_raw_mode mode, uint32_t mtu)
{
    q->rx_raw = mode != AFXDP_RAW_NONE;
    if (q->rx_raw) {
        q->raw = xzalloc(sizeof *q->raw);
        q->raw->mode = mode;
        atomic_init(&q->raw->mtu, mtu);
        afxdp_gso_reset(&q->raw->gso);
    }
}

/* The device of 'q' has another 'mtu' from now on. */
void
afxdp_raw_set_mtu(struct afxdp_queue *q, uint32_t mtu)
{
    if (q->rx_raw) {
        atomic_store_relaxed(&q->raw->mtu, mtu);
    }
}

/* Frees the frames of the long packet of 'q', if there is one. */
static void
drop_pieces(struct afxdp_queue *q)
{
    struct afxdp_raw *raw = q->raw;

    afxdp_frames_give(q->arena, raw->addrs, raw->gso.n_pieces);
    afxdp_gso_reset(&raw->gso);
    raw->n_segments = 0;
    raw->too_long = false;
}

/* Frees what afxdp_raw_init() made.  No thread may poll 'q' any more. */
void
afxdp_raw_uninit(struct afxdp_queue *q)
{
    if (q->rx_raw) {
        drop_pieces(q);
        free(q->raw);
        q->raw = NULL;
        q->rx_raw = false;
    }
}

/* Stores in '*skb' what is to be done with the packet of 'total' bytes of
 * which the first 'len' are at 'data'. */
static void
read_note(struct afxdp_raw *raw, const char *data, uint32_t len,
          uint32_t total, struct afxdp_skb *skb)
{
    uint32_t mtu;

    if (raw->mode == AFXDP_RAW_NOTES) {
        memcpy(skb, data - sizeof *skb, sizeof *skb);
        if (OVS_LIKELY(skb->flags & AFXDP_SKB_KNOWN)) {
            return;
        }
    }
    atomic_read_relaxed(&raw->mtu, &mtu);
    afxdp_gso_guess(data, len, total, mtu, skb);
}

/* Puts the VLAN tag of 'skb' into 'packet'. */
static void
insert_tag(struct dp_packet *packet, const struct afxdp_skb *skb)
{
    char *data = dp_packet_push_uninit(packet, VLAN_HEADER_LEN);
    ovs_be16 tag[2] = { skb->vlan_tpid, htons(skb->vlan_tci) };

    memmove(data, data + VLAN_HEADER_LEN, 2 * ETH_ADDR_LEN);
    memcpy(data + 2 * ETH_ADDR_LEN, tag, sizeof tag);
}

/* Does with the packet in the frame of 'addr', of 'len' bytes, what 'skb'
 * says, and appends it to 'batch'. */
static void
finish_packet(struct afxdp_queue *q, uint64_t addr, uint32_t len,
              const struct afxdp_skb *skb, struct dp_packet_batch *batch)
{
    struct dp_packet *packet = afxdp_frame_packet(q->arena, addr, len);

    if (skb->flags & AFXDP_SKB_PARTIAL) {
        if (afxdp_gso_complete(dp_packet_data(packet), len, skb)) {
            afxdp_count(&q->rx_count.rx_completed, 1);
        }
    }
    if (skb->flags & AFXDP_SKB_VLAN) {
        insert_tag(packet, skb);
    }
    batch->packets[batch->count++] = packet;
}

/* Appends the next segments of the long packet of 'q' to 'batch', as many as
 * fit.  If no frame is free for one, it and the rest are lost. */
static void
make_segments(struct afxdp_queue *q, struct dp_packet_batch *batch)
{
    struct afxdp_raw *raw = q->raw;
    uint32_t n = MIN(raw->n_segments, NETDEV_MAX_BURST - batch->count);
    __u64 addrs[NETDEV_MAX_BURST];
    uint32_t got = afxdp_frames_take(q->arena, addrs, n, AFXDP_USER);

    for (uint32_t i = 0; i < got; i++) {
        uint64_t addr = addrs[i] + SEGMENT_OFS;
        uint32_t len = afxdp_gso_next(&raw->gso, q->arena->base + addr);

        batch->packets[batch->count++] = afxdp_frame_packet(q->arena, addr,
                                                            len);
    }
    raw->n_segments -= got;
    if (got < n) {
        afxdp_count(&q->rx_count.rx_gso_no_frame, raw->n_segments);
        raw->n_segments = 0;
    }
    if (!raw->n_segments) {
        drop_pieces(q);
    }
}

/* All pieces of the long packet of 'q' are there: starts to make segments of
 * it, in 'batch'. */
static void
start_segments(struct afxdp_queue *q, struct dp_packet_batch *batch)
{
    struct afxdp_raw *raw = q->raw;
    const struct afxdp_gso_piece *first = &raw->gso.pieces[0];
    uint32_t n;

    if (raw->too_long || !(raw->skb.flags & AFXDP_SKB_GSO)) {
        afxdp_count(&q->rx_count.rx_too_long, 1);
        drop_pieces(q);
        return;
    }
    n = afxdp_gso_start(&raw->gso, &raw->skb);
    if (!n) {
        afxdp_count(&q->rx_count.rx_gso_unknown, 1);
        drop_pieces(q);
    } else if (n == 1 && raw->gso.n_pieces == 1) {
        finish_packet(q, first->data - q->arena->base, first->len, &raw->skb,
                      batch);
        raw->gso.n_pieces = 0;
        drop_pieces(q);
    } else {
        afxdp_count(&q->rx_count.rx_gso, 1);
        raw->n_segments = n;
        make_segments(q, batch);
    }
}

/* Takes the frame of 'desc' from the RX ring of 'q': a packet, which goes to
 * 'batch', or a piece of one. */
static void
take(struct afxdp_queue *q, const struct xdp_desc *desc,
     struct dp_packet_batch *batch)
{
    struct afxdp_raw *raw = q->raw;
    __u64 addr = desc->addr;
    const char *data = q->arena->base + addr;
    uint32_t len = desc->len;
    bool more = desc->options & XDP_PKT_CONTD;

    afxdp_set_owner(q->arena, addr >> AFXDP_FRAME_SHIFT, AFXDP_USER);
    if (!raw->gso.n_pieces) {
        struct afxdp_skb skb;

        read_note(raw, data, len, len, &skb);
        if (OVS_LIKELY(!more && !(skb.flags & AFXDP_SKB_GSO))) {
            finish_packet(q, addr, len, &skb, batch);
            return;
        }
        raw->skb = skb;
    }

    if (raw->gso.n_pieces < AFXDP_GSO_MAX_PIECES) {
        raw->addrs[raw->gso.n_pieces] = addr;
        afxdp_gso_add(&raw->gso, data, len);
    } else {
        afxdp_frames_give(q->arena, &addr, 1);
        raw->too_long = true;
    }
    if (!more) {
        if (OVS_UNLIKELY(!(raw->skb.flags & AFXDP_SKB_KNOWN))) {
            read_note(raw, raw->gso.pieces[0].data, raw->gso.pieces[0].len,
                      raw->gso.len, &raw->skb);
        }
        start_segments(q, batch);
    }
}

/* Does what afxdp_rx_recv() does, for a queue that receives such packets. */
int
afxdp_raw_recv(struct afxdp_queue *q, struct dp_packet_batch *batch)
{
    struct afxdp_raw *raw = q->raw;
    uint32_t taken = 0;

    batch->count = 0;
    if (raw->n_segments) {
        make_segments(q, batch);
    }
    while (batch->count < NETDEV_MAX_BURST && taken < TAKE_MAX) {
        uint32_t idx, i;
        uint32_t n = xsk_ring_cons__peek(&q->rx, NETDEV_MAX_BURST, &idx);

        if (!n) {
            break;
        }
        for (i = 0; i < n && batch->count < NETDEV_MAX_BURST; i++) {
            take(q, xsk_ring_cons__rx_desc(&q->rx, idx + i), batch);
        }
        xsk_ring_cons__cancel(&q->rx, n - i);
        xsk_ring_cons__release(&q->rx, i);
        taken += i;
    }

    if (taken) {
        afxdp_rx_took(q, taken);
    } else if (!batch->count) {
        return afxdp_rx_idle(q);
    }
    if (raw->n_segments) {
        /* A thread that sleeps between polls must not now. */
        poll_immediate_wake();
    }
    afxdp_count(&q->rx_count.rx_packets, batch->count);
    return batch->count ? 0 : EAGAIN;
}
