/* SPDX-License-Identifier: Apache-2.0 */

/* One interface of one container: see cni-attachment.h. */

#include <config.h>

#include "cni-attachment.h"

#include <stdlib.h>
#include <string.h>

#include "cni-config.h"
#include "cni-error.h"
#include "cni-flows.h"
#include "cni-ipam.h"
#include "cni-link.h"
#include "cni-ovsdb.h"
#include "openvswitch/json.h"
#include "openvswitch/shash.h"
#include "sha1.h"
#include "sset.h"
#include "unaligned.h"
#include "util.h"

void
cni_attachment_init(struct cni_attachment *a, const struct cni_config *config,
                    const struct cni_env *env)
{
    char *identity = xasprintf("%s/%s", env->container, env->ifname);
    uint8_t digest[SHA1_DIGEST_SIZE];

    a->config = config;
    a->env = env;
    sha1_bytes(identity, strlen(identity), digest);
    memcpy(&a->cookie, digest, sizeof a->cookie);
    snprintf(a->device, sizeof a->device, CNI_DEVICE_PREFIX"%012"PRIx64,
             a->cookie >> 16);
    free(identity);
}

/* Returns the alias of the host's device: whose it is, if nothing else
 * says. */
char *
cni_attachment_alias(const struct cni_attachment *a)
{
    return xasprintf(CNI_PLUGIN" %s %s %s", a->env->container,
                     a->env->ifname, a->config->name);
}

/* Does the IPAM plugin talk through the container's interface to give an
 * address back? */
static bool
ipam_needs_port(const struct cni_config *config)
{
    return config->ipam && !strcmp(config->ipam, "dhcp");
}

static struct cni_error *
undo_ipam(const struct cni_attachment *a, unsigned int what)
{
    return (what & CNI_UNDO_IPAM && a->config->ipam
            ? cni_ipam_call(a->config, a->env, "DEL", NULL) : NULL);
}

/* Takes away 'what' there is of 'a', all that can be.  'db' may be null.
 *
 * ovs-vswitchd is waited for only in the end: to close its sockets on the
 * device, and to delete the device, both mean to wait in the kernel, which
 * takes half the time at the same time.
 *
 * Without the database, or with an ovs-vswitchd that does not work, the device
 * goes away all the same, and the port is left to a later collection. */
struct cni_error *
cni_attachment_undo(const struct cni_attachment *a, struct cni_ovsdb *db,
                    unsigned int what)
{
    bool ipam_first = ipam_needs_port(a->config);
    struct cni_error *error = ipam_first ? undo_ipam(a, what) : NULL;

    if (db && what & CNI_UNDO_PORT) {
        struct sset devices = SSET_INITIALIZER(&devices);

        sset_add(&devices, a->device);
        cni_error_destroy(cni_ovsdb_del_ports(db, &devices));
        sset_destroy(&devices);
    }
    if (db && what & CNI_UNDO_FLOWS && a->config->n_flows) {
        cni_error_destroy(cni_flows_del(a->config, a->cookie));
    }
    if (what & CNI_UNDO_LINK) {
        error = cni_error_first(error, cni_link_delete(a->device));
    }
    if (!ipam_first) {
        error = cni_error_first(error, undo_ipam(a, what));
    }
    if (db && what & CNI_UNDO_PORT) {
        cni_error_destroy(cni_ovsdb_wait(db));
    }
    return error;
}

/* Dead attachments. */

/* Removes the ports of ours, of any network, that have lost their device: the
 * machine has been started again, or a container's namespace has gone without
 * a DEL.  What IPAM has given to those is left to the DEL or GC that a runtime
 * sends. */
struct cni_error *
cni_collect_dead(struct cni_ovsdb *db)
{
    struct sset dead = SSET_INITIALIZER(&dead);
    struct cni_port *ports;
    struct cni_error *error;
    size_t n;

    error = cni_ovsdb_list(db, &ports, &n);
    for (size_t i = 0; i < n; i++) {
        if (!cni_link_exists(ports[i].device)) {
            sset_add(&dead, ports[i].device);
        }
    }
    if (!error && !sset_is_empty(&dead)) {
        error = cni_ovsdb_del_ports(db, &dead);
        if (!error) {
            error = cni_ovsdb_wait(db);
        }
    }
    cni_ports_destroy(ports, n);
    sset_destroy(&dead);
    return error;
}

static char *
identity(const char *container, const char *ifname)
{
    return xasprintf("%s/%s", container, ifname);
}

/* Reads "cni.dev/valid-attachments" into 'valid'. */
static struct cni_error *
read_valid(const struct cni_config *config, struct sset *valid)
{
    const struct json *list = config->valid_attachments;

    if (!list) {
        return cni_error(CNI_BAD_CONFIG, "GC needs the key "
                         "cni.dev/valid-attachments");
    }
    for (size_t i = 0; i < list->array.n; i++) {
        const struct json *elem = list->array.elems[i];
        const struct json *container = NULL, *ifname = NULL;

        if (elem->type == JSON_OBJECT) {
            container = shash_find_data(elem->object, "containerID");
            ifname = shash_find_data(elem->object, "ifname");
        }
        if (!container || container->type != JSON_STRING
            || !ifname || ifname->type != JSON_STRING) {
            return cni_error(CNI_BAD_CONFIG, "cni.dev/valid-attachments"
                             "[%"PRIuSIZE"] must be an object with the "
                             "strings containerID and ifname", i);
        }
        sset_add_and_free(valid, identity(container->string,
                                          ifname->string));
    }
    return NULL;
}

struct device_list {
    const struct cni_config *config;
    struct sset found;
};

/* Adds the identity of 'host', if its alias has one and is of the network. */
static void
find_device(const char *host OVS_UNUSED, const char *alias, void *list_)
{
    struct device_list *list = list_;
    char *copy = xstrdup(alias);
    char *rest = copy;
    char *plugin = strsep(&rest, " ");
    char *container = strsep(&rest, " ");
    char *ifname = strsep(&rest, " ");

    if (rest && !strcmp(plugin, CNI_PLUGIN)
        && !strcmp(rest, list->config->name)) {
        sset_add_and_free(&list->found, identity(container, ifname));
    }
    free(copy);
}

/* Stores in 'found' all attachments of the network that there are, from the
 * database and from the devices. */
static struct cni_error *
find_attachments(const struct cni_config *config, struct cni_ovsdb *db,
                 struct device_list *list)
{
    struct cni_port *ports;
    struct cni_error *error;
    size_t n;

    error = cni_ovsdb_list(db, &ports, &n);
    for (size_t i = 0; i < n; i++) {
        if (!strcmp(ports[i].network, config->name)) {
            sset_add_and_free(&list->found, identity(ports[i].container,
                                                     ports[i].ifname));
        }
    }
    cni_ports_destroy(ports, n);
    return error ? error : cni_link_for_each(find_device, list);
}

/* Takes away each attachment of the network that is not valid, as DEL would,
 * with what IPAM has given to it. */
struct cni_error *
cni_collect_invalid(const struct cni_config *config,
                    const struct cni_env *env, struct cni_ovsdb *db)
{
    struct device_list list = { .config = config };
    struct sset valid = SSET_INITIALIZER(&valid);
    struct cni_error *error = read_valid(config, &valid);
    const char *name;

    sset_init(&list.found);
    if (!error) {
        error = find_attachments(config, db, &list);
    }
    if (!error) {
        SSET_FOR_EACH (name, &list.found) {
            const char *slash = strchr(name, '/');
            struct cni_attachment a;
            struct cni_env its = *env;
            char *container;

            if (sset_contains(&valid, name)) {
                continue;
            }
            container = xmemdup0(name, slash - name);
            its.container = container;
            its.ifname = slash + 1;
            its.netns = NULL;
            cni_attachment_init(&a, config, &its);
            error = cni_error_first(error, cni_attachment_undo(&a, db,
                                                          CNI_UNDO_ALL));
            free(container);
        }
    }
    sset_destroy(&list.found);
    sset_destroy(&valid);
    return error;
}
