/* SPDX-License-Identifier: Apache-2.0 */

/* The veth pair of a container, and what is set on the container's end.
 *
 *       host's namespace            container's namespace
 *     +-------------------+       +-----------------------+
 *     | afxNNNNNNNNNNNN   |-------| CNI_IFNAME            |
 *     | no IPv6, no       |       | addresses, routes,    |
 *     | address: a port   |       | limit of its rate     |
 *     | of Open vSwitch   |       |                       |
 *     +-------------------+       +-----------------------+
 *
 * The host's end has an alias by which it is found if its port has got lost.
 * Deleting it deletes both, and so does the end of the container's
 * namespace. */

#ifndef CNI_LINK_H
#define CNI_LINK_H 1

#include <stdbool.h>

#include "openvswitch/types.h"

struct cni_config;
struct cni_error;
struct cni_result;

struct cni_link {
    const char *host;           /* Names. */
    const char *ifname;
    const char *netns;
    const char *alias;
    int netns_fd;               /* Open, or -1. */
    int mtu;
    struct eth_addr host_mac;
    struct eth_addr mac;
};

struct cni_error *cni_link_open_netns(struct cni_link *);
void cni_link_close_netns(struct cni_link *);

struct cni_error *cni_link_create(struct cni_link *,
                                  const struct cni_config *);
struct cni_error *cni_link_up(const struct cni_link *,
                              const struct cni_config *);
struct cni_error *cni_link_configure(const struct cni_link *,
                                     const struct cni_result *);
struct cni_error *cni_link_check(const struct cni_link *,
                                 const struct cni_config *,
                                 const struct cni_result *);
struct cni_error *cni_link_delete(const char *host);
bool cni_link_exists(const char *host);

struct cni_error *cni_link_for_each(void (*)(const char *host,
                                             const char *alias, void *aux),
                                    void *aux);

#endif /* cni-link.h */
