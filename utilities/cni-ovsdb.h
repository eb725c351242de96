/* SPDX-License-Identifier: Apache-2.0 */

/* The database of Open vSwitch, as ovs-afxdp-cni uses it.
 *
 * Each function is one or a few transactions.  ovs-vswitchd takes what they
 * change a little later; adding a port waits for that, after others
 * cni_ovsdb_wait() does.  'timeout' is for all that is done on a
 * connection. */

#ifndef CNI_OVSDB_H
#define CNI_OVSDB_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "openvswitch/types.h"

struct cni_config;
struct cni_error;
struct cni_ovsdb;
struct smap;
struct sset;

/* Keys in Interface:external_ids of a port of ours. */
#define CNI_ID_PLUGIN "cni-plugin"
#define CNI_ID_NETWORK "cni-network"
#define CNI_ID_CONTAINER "cni-container"
#define CNI_ID_IFNAME "cni-ifname"
#define CNI_ID_NETNS "cni-netns"

/* The value of CNI_ID_PLUGIN, by which ours are found. */
#define CNI_PLUGIN "ovs-afxdp-cni"

/* A port of ours in the database. */
struct cni_port {
    char *device;
    char *network, *container, *ifname;
    char *error;                /* Interface:error, or NULL. */
    int ofport;                 /* Less than 1 if it does not work. */
};

struct cni_error *cni_ovsdb_open(const char *remote, int timeout,
                                 struct cni_ovsdb **);
void cni_ovsdb_close(struct cni_ovsdb *);
void cni_ovsdb_limit(struct cni_ovsdb *, int timeout);

struct cni_error *cni_ovsdb_check_daemon(struct cni_ovsdb *);
struct cni_error *cni_ovsdb_find_bridge(struct cni_ovsdb *, const char *name,
                                        bool create, bool *exists);

struct cni_error *cni_ovsdb_add_port(struct cni_ovsdb *,
                                     const struct cni_config *,
                                     const char *device,
                                     const struct smap *external_ids,
                                     int *ofport);
struct cni_error *cni_ovsdb_del_ports(struct cni_ovsdb *,
                                      const struct sset *devices);
struct cni_error *cni_ovsdb_wait(struct cni_ovsdb *);
struct cni_error *cni_ovsdb_on_bridge(struct cni_ovsdb *, const char *device,
                                      const char *bridge, bool *yes);

struct cni_error *cni_ovsdb_list(struct cni_ovsdb *, struct cni_port **,
                                 size_t *n);
void cni_ports_destroy(struct cni_port *, size_t n);

#endif /* cni-ovsdb.h */
