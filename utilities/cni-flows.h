/* SPDX-License-Identifier: Apache-2.0 */

/* OpenFlow rules of one container, which the key "flows" has: they come with
 * its port and go with it.  They all have one cookie, by which they are found
 * again.
 *
 * In a rule, as ovs-ofctl(8) takes it, these stand for what ADD finds out:
 * {port}, {mac}, {ip} and {ip6} (the first address of each family). */

#ifndef CNI_FLOWS_H
#define CNI_FLOWS_H 1

#include <stdint.h>

#include "openvswitch/types.h"

struct cni_config;
struct cni_error;
struct cni_result;

struct cni_error *cni_flows_check(const struct cni_config *);
struct cni_error *cni_flows_add(const struct cni_config *, uint64_t cookie,
                                int ofport, struct eth_addr mac,
                                const struct cni_result *);
struct cni_error *cni_flows_del(const struct cni_config *, uint64_t cookie);

#endif /* cni-flows.h */
