/* SPDX-License-Identifier: Apache-2.0 */

/* One queue of a port: an AF_XDP socket, its four rings and its counters.
 *
 *              user space                          kernel
 *
 *    afxdp-rx  --- fill ring: empty frames -------->
 *              <-- RX ring: received frames --------
 *
 *    afxdp-tx  --- TX ring: frames to send -------->
 *              <-- completion ring: frames sent ----
 *
 * The fields stand in three groups, each on cache lines of its own: what the
 * thread that polls the queue touches, what the thread that sends on it
 * touches, and what only configuration touches.  The first two threads may be
 * different ones.
 *
 * The rings are libxdp's; afxdp-socket.c makes them, and a test may make them
 * of plain memory. */

#ifndef AFXDP_QUEUE_H
#define AFXDP_QUEUE_H 1

#include <xdp/xsk.h>

#include "afxdp-frame.h"

/* Entries of every ring: a power of 2. */
#define AFXDP_RING_SIZE 2048
BUILD_ASSERT_DECL(AFXDP_RING_SIZE <= UINT16_MAX);

/* Named counters of a queue.  DROP tells whether each count is a packet lost;
 * all others lose nothing. */
#define AFXDP_RX_COUNTERS                                                    \
    /* Packets received. */                                                  \
    AFXDP_COUNTER(rx_packets, false)                                         \
    /* Generic mode: checksums completed, batches of segments (GSO) cut. */   \
    AFXDP_COUNTER(rx_completed, false)                                       \
    AFXDP_COUNTER(rx_gso, false)                                             \
    /* Segments lost since no frame was free for them. */                    \
    AFXDP_COUNTER(rx_gso_no_frame, true)                                     \
    /* Batches of segments of another protocol than TCP or UDP, or whose      \
     * headers or size nobody knows. */                                      \
    AFXDP_COUNTER(rx_gso_unknown, true)                                      \
    /* The packet is longer than a frame, and no batch of segments. */       \
    AFXDP_COUNTER(rx_too_long, true)                                         \
    /* The fill ring could not be refilled: no frame was free. */            \
    AFXDP_COUNTER(rx_no_frame, false)                                        \
    /* System calls to make the driver look at the fill ring. */             \
    AFXDP_COUNTER(rx_kicks, false)

#define AFXDP_TX_COUNTERS                                                    \
    /* Packets put into the TX ring: in their own frame, or copied. */       \
    AFXDP_COUNTER(tx_own_frame, false)                                       \
    AFXDP_COUNTER(tx_copied, false)                                          \
    /* System calls to make the kernel send, and those that failed. */       \
    AFXDP_COUNTER(tx_kicks, false)                                           \
    AFXDP_COUNTER(tx_kick_errors, false)                                     \
    /* The TX ring was full: the device sends slower than we do. */          \
    AFXDP_COUNTER(tx_ring_full, true)                                        \
    /* A packet from elsewhere needed a frame, and none was free. */         \
    AFXDP_COUNTER(tx_no_frame, true)                                         \
    /* The packet is longer than a frame. */                                 \
    AFXDP_COUNTER(tx_too_long, true)                                         \
    /* The device is down or gone: the kernel refuses to send. */            \
    AFXDP_COUNTER(tx_device_down, true)

#define AFXDP_COUNTER(NAME, DROP) ATOMIC(uint64_t) NAME;
struct afxdp_rx_counters {
    AFXDP_RX_COUNTERS
};
struct afxdp_tx_counters {
    AFXDP_TX_COUNTERS
};
#undef AFXDP_COUNTER

/* Adds N to *COUNTER, which only the calling thread changes: others may
 * read it at any time. */
#define afxdp_count(COUNTER, N)                                              \
    do {                                                                     \
        uint64_t count__;                                                    \
                                                                             \
        atomic_read_relaxed(COUNTER, &count__);                              \
        atomic_store_relaxed(COUNTER, count__ + (N));                        \
    } while (0)

struct afxdp_queue {
    /* Receive: the thread that polls the queue. */
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) struct xsk_ring_cons rx;
    struct afxdp_arena *arena;
    uint16_t rx_tag;            /* Owner of frames in the fill and RX rings. */
    uint16_t tx_tag;            /* Owner of frames in the TX and completion
                                 * rings. */
    uint32_t rx_polls;          /* Polls in this window. */

    uint32_t rx_held;           /* Frames in the fill ring, the RX ring or the
                                 * kernel between them. */
    uint32_t rx_target;         /* Frames there should be. */
    uint16_t rx_peak;           /* Most frames found waiting at once in this
                                 * window. */
    uint16_t rx_refill_pause;   /* Polls to go without a refill, after one that
                                 * found no free frame. */
    uint16_t rx_kick_pause;     /* Polls to go without a kick, after one that
                                 * failed. */
    bool rx_wakeup;             /* May the driver ask to be woken for RX? */
    bool rx_raw;                /* Are packets as the stack left them? */
    struct xsk_ring_prod fill;
    struct afxdp_rx_counters rx_count;
    uint16_t rx_flood;          /* Polls that found the queue more than half
                                 * full, less BURST_POLLS for each time that
                                 * it was emptied. */
    bool rx_busy;               /* Did the last poll receive anything? */

    /* Send: the thread that sends on the queue, under 'tx_lock' if there may
     * be several. */
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) struct xsk_ring_prod tx;
    int fd;                     /* AF_XDP socket. */
    uint32_t tx_held;           /* Frames in the TX ring, the completion ring
                                 * or the kernel between them. */
    bool tx_wakeup;             /* Kick only when the kernel asks for it? */
    bool tx_sync;               /* Does a kick itself send (copy mode)? */
    bool tx_down;               /* Did the last kick fail for good? */
    struct xsk_ring_cons comp;
    struct afxdp_tx_counters tx_count;
    struct ovs_spin tx_lock;

    /* Configuration. */
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) const char *name; /* Of the port. */
    int qid;                    /* Queue of the device. */
    int slot;                   /* In arena->slots. */
    bool zero_copy;             /* Does the driver use our frames itself? */
    bool skip_bpf;              /* Is there no XDP program? */
    struct xsk_umem *umem;
    struct xsk_socket *xsk;
    struct afxdp_raw *raw;      /* If 'rx_raw': the poll's state. */
};

BUILD_ASSERT_DECL(offsetof(struct afxdp_queue, rx_held) == CACHE_LINE_SIZE);
BUILD_ASSERT_DECL(offsetof(struct afxdp_queue, rx_count)
                  == 2 * CACHE_LINE_SIZE);

#endif /* afxdp-queue.h */
