/* SPDX-License-Identifier: Apache-2.0 */

/* The database of Open vSwitch: see cni-ovsdb.h. */

#include <config.h>

#include "cni-ovsdb.h"

#include <stdlib.h>
#include <string.h>

#include "cni-config.h"
#include "cni-error.h"
#include "cni-transact.h"
#include "openvswitch/json.h"
#include "openvswitch/shash.h"
#include "smap.h"
#include "sset.h"
#include "timeval.h"
#include "util.h"

static struct json *
any_row(void)
{
    return json_array_create_empty();
}

static struct json *
named(const char *name)
{
    return cni_where("name", "==", json_string_create(name));
}

static struct json *
named_uuid(const char *name)
{
    return cni_pair("named-uuid", json_string_create(name));
}

static struct json *
set_of(struct json *element)
{
    return cni_pair("set", json_array_create_1(element));
}

/* Waiting for ovs-vswitchd. */

/* Adds the operations by which one sees in the end whether ovs-vswitchd has
 * taken what 'transaction' does: see cni_ovsdb_wait(). */
static void
add_next_cfg(struct json *transaction)
{
    cni_add_mutate(transaction, "Open_vSwitch", any_row(),
                   "next_cfg", "+=", json_integer_create(1));
    cni_add_select(transaction, "Open_vSwitch", any_row(),
                   "cur_cfg next_cfg");
}

/* Waits until cur_cfg is no longer what we know, or for the deadline. */
static struct cni_error *
wait_for_change(struct cni_ovsdb *db)
{
    long long int left = db->deadline - time_msec();
    struct json *transaction = cni_txn_new();
    struct json *row = json_object_create();
    struct json *op, *results;
    struct cni_error *error;
    char *refused;

    json_object_put(row, "cur_cfg", json_integer_create(db->cur_cfg));
    op = cni_add_operation(transaction, "wait", "Open_vSwitch");
    json_object_put(op, "timeout", json_integer_create(MAX(left, 0)));
    json_object_put(op, "where", json_array_create_empty());
    json_object_put(op, "columns", json_array_create_1(
        json_string_create("cur_cfg")));
    json_object_put_string(op, "until", "!=");
    json_object_put(op, "rows", json_array_create_1(row));
    cni_add_select(transaction, "Open_vSwitch", any_row(), "cur_cfg");

    /* The database is the first to say that the time is up. */
    db->deadline += 1000;
    error = cni_txn_send(db, transaction, &results, &refused);
    db->deadline -= 1000;
    if (error) {
        if (refused && !strcmp(refused, "timed out")) {
            cni_error_destroy(error);
            error = cni_error(CNI_PORT, "ovs-vswitchd did nothing for %d s; "
                              "is it running?", db->timeout);
        }
        free(refused);
        return error;
    }
    db->cur_cfg = cni_column_int(cni_rows(results, 1), 0, "cur_cfg");
    json_destroy(results);
    return NULL;
}

/* Takes a note of the change whose 'results' end with those of
 * add_next_cfg(). */
static void
note_change(struct cni_ovsdb *db, const struct json *results)
{
    const struct json_array *rows = cni_rows(results, results->array.n - 1);

    db->cur_cfg = cni_column_int(rows, 0, "cur_cfg");
    db->next_cfg = cni_column_int(rows, 0, "next_cfg");
}

/* Waits until ovs-vswitchd has taken our last change. */
struct cni_error *
cni_ovsdb_wait(struct cni_ovsdb *db)
{
    while (db->cur_cfg < db->next_cfg) {
        struct cni_error *error = wait_for_change(db);

        if (error) {
            return error;
        }
    }
    return NULL;
}

/* Does an ovs-vswitchd with ports of type afxdp work on this database? */
struct cni_error *
cni_ovsdb_check_daemon(struct cni_ovsdb *db)
{
    struct json *transaction = cni_txn_new();
    struct cni_error *error;
    struct json *results;
    const struct json *types;
    char *s;

    cni_add_select(transaction, "Open_vSwitch", any_row(), "iface_types");
    add_next_cfg(transaction);
    error = cni_txn_send(db, transaction, &results, NULL);
    if (error) {
        return error;
    }
    note_change(db, results);
    error = cni_ovsdb_wait(db);
    types = cni_column(cni_rows(results, 0), 0, "iface_types");
    s = types ? json_to_string(types, 0) : xstrdup("");
    if (!error && !strstr(s, "\"afxdp\"")) {
        error = cni_error(CNI_PORT, "this ovs-vswitchd has no ports of type "
                          "afxdp; start that of ovs-afxdp");
    }
    free(s);
    json_destroy(results);
    return error;
}

/* Bridges. */

static struct cni_error *
create_bridge(struct cni_ovsdb *db, const char *name, char **refused)
{
    struct json *transaction = cni_txn_new();
    struct json *iface = json_object_create();
    struct json *port = json_object_create();
    struct json *bridge = json_object_create();
    struct cni_error *error;
    struct json *results;

    json_object_put_string(iface, "name", name);
    json_object_put_string(iface, "type", "internal");
    cni_add_insert(transaction, "Interface", "iface", iface);
    json_object_put_string(port, "name", name);
    json_object_put(port, "interfaces", named_uuid("iface"));
    cni_add_insert(transaction, "Port", "port", port);
    json_object_put_string(bridge, "name", name);
    json_object_put_string(bridge, "datapath_type", "netdev");
    json_object_put(bridge, "ports", named_uuid("port"));
    cni_add_insert(transaction, "Bridge", "bridge", bridge);
    cni_add_mutate(transaction, "Open_vSwitch", any_row(), "bridges",
                   "insert", set_of(named_uuid("bridge")));
    error = cni_txn_send(db, transaction, &results, refused);
    json_destroy(results);
    return error;
}

/* Stores in '*exists' whether there is a bridge 'name', having made it if
 * 'create'.  One that cannot have afxdp ports is an error. */
struct cni_error *
cni_ovsdb_find_bridge(struct cni_ovsdb *db, const char *name, bool create,
                      bool *exists)
{
    struct json *transaction = cni_txn_new();
    struct cni_error *error;
    struct json *results;
    const char *type;

    cni_add_select(transaction, "Bridge",
                   named(name),
                   "datapath_type");
    error = cni_txn_send(db, transaction, &results, NULL);
    if (error) {
        return error;
    }
    type = cni_column_text(cni_rows(results, 0), 0, "datapath_type");
    *exists = type != NULL;
    if (type && strcmp(type, "netdev")) {
        error = cni_error(CNI_BAD_CONFIG, "bridge %s has datapath_type "
                          "\"%s\", but ports of type afxdp need \"netdev\": "
                          "ovs-vsctl set bridge %s datapath_type=netdev",
                          name, type, name);
    }
    json_destroy(results);

    if (!error && !*exists && create) {
        char *refused;

        error = create_bridge(db, name, &refused);
        if (refused && !strcmp(refused, "constraint violation")) {
            /* Another ADD was quicker. */
            cni_error_destroy(error);
            error = cni_ovsdb_find_bridge(db, name, false, exists);
        } else {
            *exists = !error;
        }
        free(refused);
    }
    return error;
}

/* Ports. */

static struct json *
trunks_to_set(const struct cni_config *config)
{
    struct json *vlans = json_array_create_empty();

    for (size_t i = 0; i < config->n_trunks; i++) {
        for (int v = config->trunks[i].min; v <= config->trunks[i].max; v++) {
            json_array_add(vlans, json_integer_create(v));
        }
    }
    return cni_pair("set", vlans);
}

static struct json *
port_row(const struct cni_config *config, const char *device)
{
    struct json *row = json_object_create();

    json_object_put_string(row, "name", device);
    json_object_put(row, "interfaces", named_uuid("iface"));
    if (config->vlan) {
        json_object_put(row, "tag", json_integer_create(config->vlan));
    }
    if (config->n_trunks) {
        json_object_put(row, "trunks", trunks_to_set(config));
        json_object_put_string(row, "vlan_mode", config->vlan
                               ? "native-untagged" : "trunk");
    }
    return row;
}

static struct json *
interface_row(const struct cni_config *config, const char *device,
              const struct smap *external_ids)
{
    struct smap options = SMAP_INITIALIZER(&options);
    struct json *row = json_object_create();

    if (config->n_rxq) {
        smap_add_format(&options, "n_rxq", "%d", config->n_rxq);
    }
    if (config->xdp_mode) {
        smap_add(&options, "xdp-mode", config->xdp_mode);
    }
    json_object_put_string(row, "name", device);
    json_object_put_string(row, "type", "afxdp");
    json_object_put(row, "options", cni_map_from_smap(&options));
    json_object_put(row, "external_ids", cni_map_from_smap(external_ids));
    smap_destroy(&options);
    return row;
}

/* Reads from the database whether Open vSwitch has 'device' working. */
static struct cni_error *
check_port(struct cni_ovsdb *db, const char *device, int *ofport)
{
    struct json *transaction = cni_txn_new();
    const struct json_array *rows;
    struct cni_error *error;
    struct json *results;
    const char *message;

    cni_add_select(transaction, "Interface", named(device),
                   "error ofport");
    error = cni_txn_send(db, transaction, &results, NULL);
    if (error) {
        return error;
    }
    rows = cni_rows(results, 0);
    message = cni_column_text(rows, 0, "error");
    *ofport = cni_column_int(rows, 0, "ofport");
    if (message) {
        error = cni_error(CNI_PORT, "Open vSwitch cannot use port %s: %s",
                          device, message);
    } else if (*ofport < 1) {
        error = cni_error(CNI_PORT, "Open vSwitch has not added port %s; the "
                          "log of ovs-vswitchd says why", device);
    }
    json_destroy(results);
    return error;
}

/* Adds 'device' to the bridge that 'config' names, waits until ovs-vswitchd
 * has it working, and stores its OpenFlow number in '*ofport'.  On failure the
 * port may be left in the database. */
struct cni_error *
cni_ovsdb_add_port(struct cni_ovsdb *db, const struct cni_config *config,
                   const char *device, const struct smap *external_ids,
                   int *ofport)
{
    struct json *transaction = cni_txn_new();
    struct cni_error *error;
    struct json *results;

    cni_add_insert(transaction, "Interface", "iface",
                   interface_row(config, device, external_ids));
    cni_add_insert(transaction, "Port", "port", port_row(config, device));
    cni_add_mutate(transaction, "Bridge", named(config->bridge), "ports",
                   "insert", set_of(named_uuid("port")));
    add_next_cfg(transaction);
    error = cni_txn_send(db, transaction, &results, NULL);
    if (error) {
        return error;
    }
    if (cni_count(results, 2) != 1) {
        error = cni_error(CNI_BAD_CONFIG, "there is no bridge %s; add it "
                          "with 'ovs-vsctl add-br %s -- set bridge %s "
                          "datapath_type=netdev', or set createBridge to true",
                          config->bridge, config->bridge, config->bridge);
    } else {
        note_change(db, results);
        error = cni_ovsdb_wait(db);
    }
    json_destroy(results);
    return error ? error : check_port(db, device, ofport);
}

/* Removes the ports of 'devices', those that there are. */
struct cni_error *
cni_ovsdb_del_ports(struct cni_ovsdb *db, const struct sset *devices)
{
    struct json *transaction = cni_txn_new();
    struct json *uuids = json_array_create_empty();
    struct cni_error *error;
    struct json *results;
    const char *device;
    bool any;

    SSET_FOR_EACH (device, devices) {
        cni_add_select(transaction, "Port", named(device), "_uuid");
    }
    error = cni_txn_send(db, transaction, &results, NULL);
    if (error) {
        json_destroy(uuids);
        return error;
    }
    for (size_t i = 0; i < results->array.n; i++) {
        const struct json *uuid = cni_column(cni_rows(results, i), 0, "_uuid");

        if (uuid) {
            json_array_add(uuids, json_clone(uuid));
        }
    }
    json_destroy(results);
    any = uuids->array.n > 0;
    transaction = cni_txn_new();
    cni_add_mutate(transaction, "Bridge", any_row(), "ports",
                   "delete", cni_pair("set", uuids));
    add_next_cfg(transaction);
    if (!any) {
        json_destroy(transaction);
        return NULL;
    }
    error = cni_txn_send(db, transaction, &results, NULL);
    if (!error) {
        note_change(db, results);
        json_destroy(results);
    }
    return error;
}

/* Stores in '*yes' whether 'device' is a port of 'bridge'. */
struct cni_error *
cni_ovsdb_on_bridge(struct cni_ovsdb *db, const char *device,
                    const char *bridge, bool *yes)
{
    struct json *transaction = cni_txn_new();
    const struct json *uuid;
    struct cni_error *error;
    struct json *results;

    *yes = false;
    cni_add_select(transaction, "Port", named(device), "_uuid");
    error = cni_txn_send(db, transaction, &results, NULL);
    if (error) {
        return error;
    }
    uuid = cni_column(cni_rows(results, 0), 0, "_uuid");
    if (uuid) {
        const char *name;

        transaction = cni_txn_new();
        cni_add_select(transaction, "Bridge",
                       cni_where("ports", "includes",
                                 set_of(json_clone(uuid))), "name");
        json_destroy(results);
        error = cni_txn_send(db, transaction, &results, NULL);
        if (error) {
            return error;
        }
        name = cni_column_text(cni_rows(results, 0), 0, "name");
        *yes = name && !strcmp(bridge, name);
    }
    json_destroy(results);
    return NULL;
}

static char *
copy_id(const struct smap *ids, const char *key)
{
    return xstrdup(smap_get_def(ids, key, ""));
}

/* Stores in '*portsp' all ports of ours, of every network; the caller must
 * destroy them. */
struct cni_error *
cni_ovsdb_list(struct cni_ovsdb *db, struct cni_port **portsp, size_t *n)
{
    struct json *transaction = cni_txn_new();
    struct smap ours = SMAP_INITIALIZER(&ours);
    const struct json_array *rows;
    struct cni_error *error;
    struct json *results;

    *portsp = NULL;
    *n = 0;
    smap_add(&ours, CNI_ID_PLUGIN, CNI_PLUGIN);
    cni_add_select(transaction, "Interface",
                   cni_where("external_ids", "includes",
                             cni_map_from_smap(&ours)),
                   "name external_ids error ofport");
    smap_destroy(&ours);
    error = cni_txn_send(db, transaction, &results, NULL);
    if (error) {
        return error;
    }

    rows = cni_rows(results, 0);
    *portsp = xcalloc(rows->n, sizeof **portsp);
    *n = rows->n;
    for (size_t i = 0; i < rows->n; i++) {
        struct smap ids = SMAP_INITIALIZER(&ids);
        struct cni_port *port = &(*portsp)[i];

        cni_map_to_smap(cni_column(rows, i, "external_ids"), &ids);
        port->device = xstrdup(cni_column_text(rows, i, "name")
                               ? cni_column_text(rows, i, "name") : "");
        port->network = copy_id(&ids, CNI_ID_NETWORK);
        port->container = copy_id(&ids, CNI_ID_CONTAINER);
        port->ifname = copy_id(&ids, CNI_ID_IFNAME);
        port->error = nullable_xstrdup(cni_column_text(rows, i, "error"));
        port->ofport = cni_column_int(rows, i, "ofport");
        smap_destroy(&ids);
    }
    json_destroy(results);
    return NULL;
}

void
cni_ports_destroy(struct cni_port *ports, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(ports[i].device);
        free(ports[i].network);
        free(ports[i].container);
        free(ports[i].ifname);
        free(ports[i].error);
    }
    free(ports);
}
