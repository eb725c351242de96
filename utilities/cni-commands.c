/* SPDX-License-Identifier: Apache-2.0 */

/* The commands: see cni-commands.h. */

#include <config.h>

#include "cni-commands.h"

#include <stdlib.h>
#include <string.h>

#include "cni-attachment.h"
#include "cni-config.h"
#include "cni-error.h"
#include "cni-flows.h"
#include "cni-ipam.h"
#include "cni-link.h"
#include "cni-ovsdb.h"
#include "cni-result.h"
#include "openvswitch/json.h"
#include "openvswitch/shash.h"
#include "packets.h"
#include "smap.h"
#include "util.h"

/* How long DEL waits for Open vSwitch, at most: an ovs-vswitchd that does not
 * run must not keep containers from going away. */
#define DEL_TIMEOUT 2

/* ADD. */

static void
put_arg(struct smap *ids, const struct cni_env *env, const char *arg,
        const char *key)
{
    char *value = cni_env_arg(env, arg);

    if (value) {
        smap_add_nocopy(ids, xstrdup(key), value);
    }
}

/* Fills 'ids' with what tells an administrator, or a controller, whose the
 * port is. */
static void
make_external_ids(const struct cni_attachment *a, const struct cni_link *link,
                  struct smap *ids)
{
    smap_init(ids);
    smap_add_format(ids, "iface-id", "%s.%s", a->env->container,
                    a->env->ifname);
    smap_add_format(ids, "attached-mac", ETH_ADDR_FMT,
                    ETH_ADDR_ARGS(link->mac));
    smap_add(ids, CNI_ID_PLUGIN, CNI_PLUGIN);
    smap_add(ids, CNI_ID_NETWORK, a->config->name);
    smap_add(ids, CNI_ID_CONTAINER, a->env->container);
    smap_add(ids, CNI_ID_IFNAME, a->env->ifname);
    smap_add(ids, CNI_ID_NETNS, a->env->netns);
    put_arg(ids, a->env, "K8S_POD_NAMESPACE", "k8s-namespace");
    put_arg(ids, a->env, "K8S_POD_NAME", "k8s-pod");
}

/* Has Open vSwitch take the port. */
static struct cni_error *
add_port(const struct cni_attachment *a, const struct cni_link *link,
         struct cni_ovsdb *db, int *ofport)
{
    struct cni_error *error;
    struct smap ids;

    make_external_ids(a, link, &ids);
    error = cni_ovsdb_add_port(db, a->config, a->device, &ids, ofport);
    smap_destroy(&ids);
    return error;
}

/* Gets the addresses of the container, if there is an IPAM plugin, and sets
 * them. */
static struct cni_error *
add_addresses(const struct cni_attachment *a, const struct cni_link *link,
              struct cni_result *result)
{
    struct json *output;
    struct cni_error *error;
    char *whose;

    if (!a->config->ipam) {
        return NULL;
    }
    error = cni_ipam_call(a->config, a->env, "ADD", &output);
    if (error) {
        return error;
    }
    whose = xasprintf("the result of IPAM plugin %s", a->config->ipam);
    error = cni_result_parse(output, whose, result);
    json_destroy(output);
    free(whose);
    if (!error && !result->n_ips) {
        error = cni_error(CNI_IPAM, "IPAM plugin %s gives no address",
                          a->config->ipam);
    }
    return error ? error : cni_link_configure(link, result);
}

/* Connects the container, step by step.  What was done is in '*done', also
 * after an error.
 *
 * A DHCP client must be able to talk already when IPAM is asked, so that comes
 * after Open vSwitch. */
static struct cni_error *
connect_container(const struct cni_attachment *a, struct cni_link *link,
                  struct cni_ovsdb *db, struct cni_result *result,
                  unsigned int *done)
{
    struct cni_error *error = cni_link_create(link, a->config);
    int ofport;

    if (error) {
        return error;
    }
    *done |= CNI_UNDO_LINK | CNI_UNDO_PORT;
    error = add_port(a, link, db, &ofport);
    if (!error) {
        error = cni_link_up(link, a->config);
    }
    if (!error) {
        *done |= CNI_UNDO_IPAM;
        error = add_addresses(a, link, result);
    }
    if (!error) {
        *done |= CNI_UNDO_FLOWS;
        error = cni_flows_add(a->config, a->cookie, ofport, link->mac,
                              result);
    }
    return error;
}

static struct json *
add_output(const struct cni_attachment *a, const struct cni_link *link,
           const struct cni_result *result)
{
    char *host_mac = xasprintf(ETH_ADDR_FMT, ETH_ADDR_ARGS(link->host_mac));
    char *mac = xasprintf(ETH_ADDR_FMT, ETH_ADDR_ARGS(link->mac));
    struct cni_ends ends = {
        .host = link->host,
        .host_mac = host_mac,
        .ifname = link->ifname,
        .mac = mac,
        .netns = link->netns,
        .mtu = link->mtu,
    };
    struct json *json = cni_result_to_json(result, a->config, &ends);

    free(host_mac);
    free(mac);
    return json;
}

/* Connects to the database and sees to it that there is a bridge. */
static struct cni_error *
prepare(const struct cni_config *config, struct cni_ovsdb **dbp)
{
    struct cni_error *error;
    bool exists;

    error = cni_ovsdb_open(config->ovsdb, config->timeout, dbp);
    if (!error) {
        error = cni_ovsdb_find_bridge(*dbp, config->bridge,
                                      config->create_bridge, &exists);
    }
    return error ? error : cni_collect_dead(*dbp);
}

struct cni_error *
cni_add(struct cni_config *config, const struct cni_env *env,
        struct json **outputp)
{
    struct cni_attachment a;
    struct cni_link link = {
        .ifname = env->ifname,
        .netns = env->netns,
        .netns_fd = -1,
    };
    struct cni_result result = { .json = NULL };
    struct cni_ovsdb *db = NULL;
    struct cni_error *error;
    unsigned int done = 0;
    char *alias;

    cni_attachment_init(&a, config, env);
    alias = cni_attachment_alias(&a);
    link.host = a.device;
    link.alias = alias;
    error = cni_flows_check(config);
    if (!error) {
        error = cni_link_open_netns(&link);
    }
    if (!error) {
        error = prepare(config, &db);
    }
    if (!error) {
        error = connect_container(&a, &link, db, &result, &done);
    }
    if (!error) {
        *outputp = add_output(&a, &link, &result);
    } else if (done) {
        cni_ovsdb_limit(db, DEL_TIMEOUT);
        cni_error_destroy(cni_attachment_undo(&a, db, done));
    }
    cni_result_destroy(&result);
    cni_link_close_netns(&link);
    cni_ovsdb_close(db);
    free(alias);
    return error;
}

/* DEL. */

struct cni_error *
cni_del(struct cni_config *config, const struct cni_env *env,
        struct json **outputp OVS_UNUSED)
{
    struct cni_attachment a;
    struct cni_ovsdb *db;
    struct cni_error *error;

    cni_attachment_init(&a, config, env);
    cni_error_destroy(cni_ovsdb_open(config->ovsdb, DEL_TIMEOUT, &db));
    error = cni_attachment_undo(&a, db, CNI_UNDO_ALL);
    cni_ovsdb_close(db);
    return error;
}

/* CHECK. */

static struct cni_error *
check_port(const struct cni_attachment *a, struct cni_ovsdb *db)
{
    struct cni_port *ports;
    struct cni_error *error;
    bool on_bridge = false;
    bool found = false;
    size_t n;

    error = cni_ovsdb_list(db, &ports, &n);
    for (size_t i = 0; i < n && !error; i++) {
        if (strcmp(ports[i].device, a->device)) {
            continue;
        }
        found = true;
        if (ports[i].error || ports[i].ofport < 1) {
            error = cni_error(CNI_CHECK, "port %s does not work: %s",
                              a->device, ports[i].error
                              ? ports[i].error : "it has no number");
        }
    }
    cni_ports_destroy(ports, n);
    if (!error && !found) {
        error = cni_error(CNI_CHECK, "port %s is not in the database of Open "
                          "vSwitch", a->device);
    }
    if (!error) {
        error = cni_ovsdb_on_bridge(db, a->device, a->config->bridge,
                                    &on_bridge);
    }
    if (!error && !on_bridge) {
        error = cni_error(CNI_CHECK, "port %s is not on bridge %s",
                          a->device, a->config->bridge);
    }
    return error;
}

static struct cni_error *
check_container(const struct cni_attachment *a)
{
    struct cni_link link = {
        .host = a->device,
        .ifname = a->env->ifname,
        .netns = a->env->netns,
        .netns_fd = -1,
    };
    struct cni_result result;
    struct cni_error *error;

    error = cni_result_parse(a->config->prev_result, "prevResult", &result);
    if (!error) {
        error = cni_link_open_netns(&link);
    }
    if (!error && !cni_link_exists(a->device)) {
        error = cni_error(CNI_CHECK, "device %s is gone", a->device);
    }
    if (!error) {
        error = cni_link_check(&link, a->config, &result);
    }
    cni_link_close_netns(&link);
    cni_result_destroy(&result);
    return error;
}

struct cni_error *
cni_check(struct cni_config *config, const struct cni_env *env,
          struct json **outputp OVS_UNUSED)
{
    struct cni_attachment a;
    struct cni_ovsdb *db;
    struct cni_error *error;

    if (!config->prev_result) {
        return cni_error(CNI_BAD_CONFIG, "CHECK needs the key prevResult");
    }
    cni_attachment_init(&a, config, env);
    error = cni_ovsdb_open(config->ovsdb, config->timeout, &db);
    if (!error) {
        error = check_port(&a, db);
    }
    if (!error) {
        error = check_container(&a);
    }
    if (!error && config->ipam) {
        error = cni_ipam_call(config, env, "CHECK", NULL);
    }
    cni_ovsdb_close(db);
    return error;
}

/* Commands of version 1.1.0. */

/* Has the IPAM plugin do 'command', which an older one does not know. */
static struct cni_error *
call_newer(const struct cni_config *config, const struct cni_env *env,
           const char *command)
{
    struct cni_error *error;

    if (!config->ipam) {
        return NULL;
    }
    error = cni_ipam_call(config, env, command, NULL);
    if (error && (error->code == CNI_BAD_ENV
                  || error->code == CNI_BAD_VERSION)) {
        cni_error_destroy(error);
        error = NULL;
    }
    return error;
}

struct cni_error *
cni_gc(struct cni_config *config, const struct cni_env *env,
       struct json **outputp OVS_UNUSED)
{
    struct cni_ovsdb *db;
    struct cni_error *error;

    error = cni_ovsdb_open(config->ovsdb, config->timeout, &db);
    if (!error) {
        error = cni_collect_invalid(config, env, db);
    }
    cni_ovsdb_close(db);
    return cni_error_first(error, call_newer(config, env, "GC"));
}

struct cni_error *
cni_status(struct cni_config *config, const struct cni_env *env,
           struct json **outputp OVS_UNUSED)
{
    struct cni_ovsdb *db;
    struct cni_error *error;
    bool exists = false;

    error = cni_ovsdb_open(config->ovsdb, config->timeout, &db);
    if (!error) {
        error = cni_ovsdb_check_daemon(db);
    }
    if (!error) {
        error = cni_ovsdb_find_bridge(db, config->bridge, false, &exists);
    }
    if (!error && !exists && !config->create_bridge) {
        error = cni_error(CNI_NOT_READY, "there is no bridge %s",
                          config->bridge);
    }
    if (!error) {
        error = call_newer(config, env, "STATUS");
    }
    cni_ovsdb_close(db);
    if (error) {
        error->code = CNI_NOT_READY;
    }
    return error;
}
