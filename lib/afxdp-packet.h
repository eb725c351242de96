/* SPDX-License-Identifier: Apache-2.0 */

/* The end of a packet's life in a frame: freed, or grown out of it. */

#ifndef AFXDP_PACKET_H
#define AFXDP_PACKET_H 1

#include "afxdp-frame.h"

void afxdp_packet_shrink(struct afxdp_frame *);

/* Frees 'packet', whose source is DPBUF_AFXDP: its frame is free again. */
static inline void
afxdp_packet_free(struct dp_packet *packet)
{
    struct afxdp_frame *frame = afxdp_frame_of(packet);
    struct afxdp_arena *arena = frame->arena;
    char *memory = afxdp_frame_memory(frame);
    __u64 addr = memory - arena->base;

    if (OVS_UNLIKELY(dp_packet_base(packet) != memory)) {
        afxdp_packet_shrink(frame);
    }
    afxdp_frames_give(arena, &addr, 1);
}

#endif /* afxdp-packet.h */
