/* SPDX-License-Identifier: Apache-2.0 */

/* What ovs-afxdp-cni does for each CNI command.  main() in ovs-afxdp-cni.c
 * has their table. */

#ifndef CNI_COMMANDS_H
#define CNI_COMMANDS_H 1

struct cni_config;
struct cni_env;
struct cni_error;
struct json;

/* Does the command, and stores in '*outputp' what is to be printed, or leaves
 * it NULL. */
typedef struct cni_error *cni_command(struct cni_config *,
                                      const struct cni_env *,
                                      struct json **outputp);

cni_command cni_add, cni_del, cni_check, cni_gc, cni_status;

#endif /* cni-commands.h */
