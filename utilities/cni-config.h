/* SPDX-License-Identifier: Apache-2.0 */

/* What ovs-afxdp-cni is told: the network configuration from its standard
 * input and the CNI_* variables of its environment, parsed and validated.
 * Nothing behind this looks at either of them again.
 *
 * ovs-afxdp-cni(8) describes the keys. */

#ifndef CNI_CONFIG_H
#define CNI_CONFIG_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "openvswitch/types.h"

struct cni_error;
struct json;

/* Versions of the specification, oldest first. */
enum cni_version {
    CNI_0_3_1,
    CNI_0_4_0,
    CNI_1_0_0,
    CNI_1_1_0,
    CNI_N_VERSIONS
};

const char *cni_version_name(enum cni_version);

struct cni_env {
    const char *command;
    const char *container;      /* CNI_CONTAINERID. */
    const char *netns;          /* CNI_NETNS, or NULL. */
    const char *ifname;         /* CNI_IFNAME. */
    const char *args;           /* CNI_ARGS, or NULL. */
    const char *path;           /* CNI_PATH, or NULL. */
};

/* What a command cannot do without. */
enum {
    CNI_NEEDS_CONTAINER = 1 << 0,
    CNI_NEEDS_NETNS = 1 << 1,
    CNI_NEEDS_IFNAME = 1 << 2,
    CNI_NEEDS_PATH = 1 << 3,
};

struct cni_trunk {
    int min, max;
};

struct cni_config {
    struct json *json;          /* All of it; the pointers below are into it,
                                 * unless they say otherwise. */
    enum cni_version version;
    const char *name;           /* Of the network. */

    /* The port. */
    const char *bridge;
    bool create_bridge;
    int vlan;                   /* 0 for none. */
    struct cni_trunk *trunks;   /* Owned. */
    size_t n_trunks;
    int mtu;                    /* 0 for the kernel's default. */
    int n_rxq;                  /* 0 for the daemon's default. */
    const char *xdp_mode;       /* NULL for the daemon's default. */
    bool has_mac;
    struct eth_addr mac;
    int rate, burst;            /* kbit/s and kbit; 0 for no limit. */
    const char **flows;         /* Owned. */
    size_t n_flows;

    /* Where Open vSwitch is. */
    const char *ovsdb;
    int timeout;                /* In seconds. */

    /* For others. */
    const char *ipam;           /* Type, or NULL for no IPAM. */
    const struct json *dns;
    const struct json *prev_result;
    const struct json *valid_attachments;
};

struct cni_error *cni_env_read(const char *command, unsigned int needs,
                               struct cni_env *);
char *cni_env_arg(const struct cni_env *, const char *name);

struct cni_error *cni_config_parse(const char *text, struct cni_config *);
struct cni_error *cni_config_apply_args(struct cni_config *,
                                        const struct cni_env *);
void cni_config_destroy(struct cni_config *);

#endif /* cni-config.h */
