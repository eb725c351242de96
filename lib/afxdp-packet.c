/* SPDX-License-Identifier: Apache-2.0 */

/* Packets that need more room than their frame has.
 *
 * A frame has 512 bytes of headroom, enough for any one tunnel header.  What
 * OpenFlow pushes beyond that (a tunnel in a tunnel, NSH and MPLS on top)
 * moves the packet to memory of its own.  The dp_packet stays the same, its
 * callers hold pointers to it, and so does the frame behind it, unused until
 * the packet is freed.  See dp-packet-weak.c for how this function takes
 * upstream's place. */

#include <config.h>

#include "afxdp-packet.h"

#include "coverage.h"

COVERAGE_DEFINE(afxdp_packet_grown);

void dp_packet_resize_upstream(struct dp_packet *, size_t, size_t);

/* Gives the packet of 'frame', which has outgrown it, back the frame's own
 * memory.  The data of the packet is lost. */
void
afxdp_packet_shrink(struct afxdp_frame *frame)
{
    struct dp_packet *packet = &frame->packet;

    free(dp_packet_base(packet));
    dp_packet_use_afxdp(packet, afxdp_frame_memory(frame), AFXDP_FRAME_SIZE,
                        0);
}

/* Moves a packet in a frame to memory with 'headroom' bytes in front of its
 * data and 'tailroom' behind. */
static void
packet_grow(struct dp_packet *packet, size_t headroom, size_t tailroom)
{
    char *memory = afxdp_frame_memory(afxdp_frame_of(packet));
    uint32_t size = dp_packet_size(packet);
    char *old = dp_packet_base(packet);
    char *base = xmalloc(headroom + size + tailroom);

    memcpy(base + headroom, dp_packet_data(packet), size);
    dp_packet_set_base(packet, base);
    dp_packet_set_allocated(packet, headroom + size + tailroom);
    dp_packet_set_data(packet, base + headroom);
    if (old != memory) {
        free(old);
    }
    COVERAGE_INC(afxdp_packet_grown);
}

/* Takes the place of the function of that name in dp-packet.c: changes the
 * room of 'b' to 'new_headroom' and 'new_tailroom' bytes, for packets of every
 * source. */
void
dp_packet_resize(struct dp_packet *b, size_t new_headroom,
                 size_t new_tailroom)
{
    if (b->source == DPBUF_AFXDP) {
        packet_grow(b, new_headroom, new_tailroom);
    } else {
        dp_packet_resize_upstream(b, new_headroom, new_tailroom);
    }
}
