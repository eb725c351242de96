/* SPDX-License-Identifier: Apache-2.0 */

/* Netlink sockets in a namespace, for cni-link.c and cni-container.c. */

#ifndef CNI_NL_H
#define CNI_NL_H 1

#include <netlink/netlink.h>

struct cni_error;

struct cni_error *cni_nl_open(struct nl_sock **);
void cni_nl_sysctl(const char *family, const char *device, const char *name,
                   const char *value);

#endif /* cni-nl.h */
