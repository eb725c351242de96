/* SPDX-License-Identifier: Apache-2.0 */

/* Packets as the kernel's stack leaves them to a device, made into ordinary
 * ones: checksums completed, batches of segments (GSO) taken apart.
 *
 * These functions know of packets only, not of rings or frames: afxdp-raw.c
 * uses them on what a queue in generic mode receives.  What is to be done with
 * a packet stands in struct afxdp_skb, which comes from the kernel, or from
 * afxdp_gso_guess().
 *
 * A batch of segments is one long packet, with headers once, whose payload is
 * to be cut every gso_size bytes.  It comes in pieces:
 *
 *     afxdp_gso_reset()
 *     afxdp_gso_add()     for each piece; the first has all headers
 *     afxdp_gso_start()   how many segments?
 *     afxdp_gso_next()    one after the other
 *
 * Whatever stands in the packet or in struct afxdp_skb, nothing outside the
 * pieces is read. */

#ifndef AFXDP_GSO_H
#define AFXDP_GSO_H 1

#include <stdbool.h>
#include <stdint.h>

#include "bpf/afxdp-skb.h"

/* Pieces of a packet, at most: enough for 64 KiB and its Ethernet header in
 * what a frame has room for. */
#define AFXDP_GSO_MAX_PIECES 20

/* Longest headers, and longest segment with its headers. */
#define AFXDP_GSO_MAX_HEADER 512
#define AFXDP_GSO_MAX_SEGMENT 3584

struct afxdp_gso_piece {
    const char *data;
    uint32_t len;
};

struct afxdp_gso {
    struct afxdp_gso_piece pieces[AFXDP_GSO_MAX_PIECES];
    unsigned int n_pieces;
    uint32_t len;               /* Of all pieces together. */

    /* Since afxdp_gso_start(). */
    unsigned int piece;         /* Where the next byte of payload is: which */
    uint32_t ofs;               /* piece, and where in it. */
    uint32_t left;              /* Bytes of payload to come. */
    uint32_t done;              /* Bytes of payload that segments have. */
    uint32_t index;             /* Number of the next segment. */
    uint16_t mss;               /* Payload of a segment. */
    uint16_t flags;             /* As in struct afxdp_skb. */

    /* Headers of all segments: offsets, and themselves. */
    uint16_t ip[2];             /* IP headers, from the outside in. */
    unsigned int n_ip;
    uint16_t tunnel_udp;        /* UDP header of a tunnel, 0 if there is
                                 * none. */
    uint16_t l4;                /* TCP or UDP header of the payload. */
    uint16_t pseudo;            /* Sum of its pseudo header without length. */
    uint16_t header_len;
    char header[AFXDP_GSO_MAX_HEADER];
};

void afxdp_gso_reset(struct afxdp_gso *);
bool afxdp_gso_add(struct afxdp_gso *, const char *data, uint32_t len);
uint32_t afxdp_gso_start(struct afxdp_gso *, const struct afxdp_skb *);
uint32_t afxdp_gso_next(struct afxdp_gso *, char *segment);

bool afxdp_gso_complete(char *data, uint32_t len, const struct afxdp_skb *);
void afxdp_gso_guess(const char *data, uint32_t len, uint32_t total,
                     uint32_t mtu, struct afxdp_skb *);

#endif /* afxdp-gso.h */
