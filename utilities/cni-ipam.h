/* SPDX-License-Identifier: Apache-2.0 */

/* Delegation to an IPAM plugin, which decides on addresses and routes: a
 * program that is found in CNI_PATH and is given our configuration. */

#ifndef CNI_IPAM_H
#define CNI_IPAM_H 1

struct cni_config;
struct cni_env;
struct cni_error;
struct json;

struct cni_error *cni_ipam_call(const struct cni_config *,
                                const struct cni_env *, const char *command,
                                struct json **outputp);

#endif /* cni-ipam.h */
