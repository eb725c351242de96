/* SPDX-License-Identifier: Apache-2.0 */

/* AF_XDP sockets that get all packets of a queue without an XDP program
 * (XDP_SKIP_BPF), on a kernel with the patches of kernel-patches/. */

#ifndef AFXDP_SKIP_H
#define AFXDP_SKIP_H 1

#include <stdbool.h>

int afxdp_skip_supported(void);
bool afxdp_skip_has_native(int ifindex);

#endif /* afxdp-skip.h */
