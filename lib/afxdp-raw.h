/* SPDX-License-Identifier: Apache-2.0 */

/* Receive for ports in generic mode, where packets are as the kernel's stack
 * left them to a device: the checksum may be missing, the VLAN tag may stand
 * beside the packet, and a packet may be a batch of TCP or UDP segments up to
 * 64 KiB long, in several frames.
 *
 *    RX ring                                            dp_packet batch
 *    +-------+-------+------------+-------+             +-------------+
 *    | frame | frame | ... CONTD  | frame |  segments   | frame       |
 *    |  one long packet, in USER  |  one  | ----------> | ...     USER|
 *    +-------+-------+------------+-------+  copied     +-------------+
 *
 * What the rest of Open vSwitch sees are ordinary packets, each in a frame of
 * its own.  The frames of a long packet stay with the queue until its last
 * segment is made, maybe in a later poll, and are free then. */

#ifndef AFXDP_RAW_H
#define AFXDP_RAW_H 1

#include <stdbool.h>
#include <stdint.h>

#include "afxdp-gso.h"
#include "ovs-atomic.h"

struct afxdp_queue;
struct dp_packet_batch;

/* How a queue learns what is to be done with a packet. */
enum afxdp_raw_mode {
    AFXDP_RAW_NONE,             /* Nothing is to be done. */
    AFXDP_RAW_GUESS,            /* It looks at the packet. */
    AFXDP_RAW_NOTES,            /* Struct afxdp_skb stands in front. */
};

struct afxdp_raw {
    enum afxdp_raw_mode mode;
    ATOMIC(uint32_t) mtu;       /* Of the device that sent the packets. */

    struct afxdp_gso gso;       /* Long packet. */
    struct afxdp_skb skb;       /* What is to be done with it. */
    __u64 addrs[AFXDP_GSO_MAX_PIECES]; /* Frames of gso.pieces. */
    uint32_t n_segments;        /* Segments to come. */
    bool too_long;              /* More pieces than that were there. */
};

void afxdp_raw_init(struct afxdp_queue *, enum afxdp_raw_mode, uint32_t mtu);
void afxdp_raw_set_mtu(struct afxdp_queue *, uint32_t mtu);
void afxdp_raw_uninit(struct afxdp_queue *);
int afxdp_raw_recv(struct afxdp_queue *, struct dp_packet_batch *);

#endif /* afxdp-raw.h */
