/* SPDX-License-Identifier: Apache-2.0 */

/* What the kernel has and its headers on the oldest system we build on do
 * not. */

#ifndef AFXDP_COMPAT_H
#define AFXDP_COMPAT_H 1

#include <linux/if_xdp.h>

/* Linux 6.6: packets of several descriptors. */
#ifndef XDP_USE_SG
#define XDP_USE_SG (1 << 4)
#endif
#ifndef XDP_PKT_CONTD
#define XDP_PKT_CONTD (1 << 0)
#endif

/* Linux 6.12 with kernel-patches/: no XDP program in front of the socket. */
#ifndef XDP_SKIP_BPF
#define XDP_SKIP_BPF (1 << 5)
#define XDP_SKIP_BPF_GENERIC (1 << 6)
#endif

#endif /* afxdp-compat.h */
