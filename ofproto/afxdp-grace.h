/* SPDX-License-Identifier: Apache-2.0 */

/* Waiting until no packet is looked up any more in what was taken out of the
 * flow table before: an RCU grace period of the kernel. */

#ifndef AFXDP_GRACE_H
#define AFXDP_GRACE_H 1

void afxdp_grace_wait(void);

#endif /* afxdp-grace.h */
