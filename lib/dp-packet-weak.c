/* SPDX-License-Identifier: Apache-2.0 */

/* Open vSwitch's own dp-packet.c, as it is, but with dp_packet_resize() weak.
 *
 * Upstream stops the daemon when an AF_XDP packet needs more room than its
 * frame has.  afxdp-packet.c defines a dp_packet_resize() that copies such a
 * packet out of its frame and leaves all others to upstream's function, under
 * the name below.  A weak function is never inlined into its callers, so they
 * all reach ours. */

#include <config.h>

#include "dp-packet.h"

#pragma weak dp_packet_resize

#include "dp-packet.c"

void dp_packet_resize_upstream(struct dp_packet *, size_t, size_t)
    __attribute__((alias("dp_packet_resize")));
