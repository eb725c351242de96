/* SPDX-License-Identifier: Apache-2.0 */

/* The commands afxdp/show and afxdp/frames of ovs-appctl. */

#ifndef AFXDP_UNIXCTL_H
#define AFXDP_UNIXCTL_H 1

struct afxdp_port;
struct ds;

void afxdp_unixctl_init(void);
void afxdp_format_port(const struct afxdp_port *, struct ds *);

#endif /* afxdp-unixctl.h */
