/* SPDX-License-Identifier: Apache-2.0 */

/* Results: what an IPAM plugin gives, what an earlier ADD of ours printed, and
 * what ours prints, each in its version of the CNI specification. */

#ifndef CNI_RESULT_H
#define CNI_RESULT_H 1

#include <stdbool.h>
#include <stddef.h>

#include "cni-config.h"

struct json;

struct cni_ip {
    const char *address;        /* With the length of its prefix. */
    const char *gateway;        /* Or NULL. */
    bool v6;
};

struct cni_route {
    const char *dst;
    const char *gw;             /* Or NULL. */
    int mtu, advmss, priority, table, scope; /* -1 if not given. */
};

struct cni_result {
    struct json *json;          /* Owned; strings are in it. */
    struct cni_ip *ips;
    size_t n_ips;
    struct cni_route *routes;
    size_t n_routes;
};

/* The two ends of the veth pair of a container. */
struct cni_ends {
    const char *host, *host_mac;
    const char *ifname, *mac, *netns;
    int mtu;
};

struct cni_error *cni_result_parse(const struct json *, const char *whose,
                                   struct cni_result *);
void cni_result_destroy(struct cni_result *);
const struct cni_ip *cni_result_find_ip(const struct cni_result *, bool v6);
const char *cni_result_gateway(const struct cni_result *,
                               const struct cni_route *);

struct json *cni_result_to_json(const struct cni_result *,
                                const struct cni_config *,
                                const struct cni_ends *);

#endif /* cni-result.h */
