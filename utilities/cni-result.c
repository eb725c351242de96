/* SPDX-License-Identifier: Apache-2.0 */

/* Results: see cni-result.h. */

#include <config.h>

#include "cni-result.h"

#include <stdlib.h>
#include <string.h>

#include "cni-error.h"
#include "openvswitch/json.h"
#include "openvswitch/shash.h"
#include "util.h"

static const char *
find_string(const struct json *object, const char *name)
{
    const struct json *value = shash_find_data(object->object, name);

    return (value && value->type == JSON_STRING && value->string[0]
            ? value->string : NULL);
}

static int
find_int(const struct json *object, const char *name)
{
    const struct json *value = shash_find_data(object->object, name);

    return (value && value->type == JSON_INTEGER && value->integer >= 0
            && value->integer <= INT32_MAX ? value->integer : -1);
}

/* Stores in '*array' the member 'name' of 'json', which must be an array of
 * objects that have a string 'needs', or absent. */
static struct cni_error *
find_objects(const struct json *json, const char *name, const char *needs,
             const char *whose, const struct json_array **array)
{
    static const struct json_array none;
    const struct json *value = shash_find_data(json->object, name);

    *array = &none;
    if (!value || value->type == JSON_NULL) {
        return NULL;
    }
    if (value->type != JSON_ARRAY) {
        return cni_error(CNI_IPAM, "%s has \"%s\" that is not an array",
                         whose, name);
    }
    for (size_t i = 0; i < value->array.n; i++) {
        const struct json *elem = value->array.elems[i];

        if (elem->type != JSON_OBJECT || !find_string(elem, needs)) {
            return cni_error(CNI_IPAM, "%s has %s[%"PRIuSIZE"] without "
                             "\"%s\"", whose, name, i, needs);
        }
    }
    *array = &value->array;
    return NULL;
}

/* Parses the result 'json' into '*result', which the caller must destroy, also
 * after an error.  'whose' result it is, for messages. */
struct cni_error *
cni_result_parse(const struct json *json, const char *whose,
                 struct cni_result *result)
{
    const struct json_array *ips, *routes;
    struct cni_error *error;

    memset(result, 0, sizeof *result);
    if (json->type != JSON_OBJECT) {
        return cni_error(CNI_IPAM, "%s is not an object", whose);
    }
    result->json = json_clone(json);
    error = find_objects(json, "ips", "address", whose, &ips);
    if (!error) {
        error = find_objects(json, "routes", "dst", whose, &routes);
    }
    if (error) {
        return error;
    }

    result->ips = xcalloc(ips->n, sizeof *result->ips);
    result->n_ips = ips->n;
    for (size_t i = 0; i < ips->n; i++) {
        struct cni_ip *ip = &result->ips[i];

        ip->address = find_string(ips->elems[i], "address");
        ip->gateway = find_string(ips->elems[i], "gateway");
        ip->v6 = strchr(ip->address, ':') != NULL;
    }
    result->routes = xcalloc(routes->n, sizeof *result->routes);
    result->n_routes = routes->n;
    for (size_t i = 0; i < routes->n; i++) {
        const struct json *elem = routes->elems[i];

        result->routes[i] = (struct cni_route) {
            .dst = find_string(elem, "dst"),
            .gw = find_string(elem, "gw"),
            .mtu = find_int(elem, "mtu"),
            .advmss = find_int(elem, "advmss"),
            .priority = find_int(elem, "priority"),
            .table = find_int(elem, "table"),
            .scope = find_int(elem, "scope"),
        };
    }
    return NULL;
}

void
cni_result_destroy(struct cni_result *result)
{
    json_destroy(result->json);
    free(result->ips);
    free(result->routes);
}

/* Returns the first address of the family, or NULL. */
const struct cni_ip *
cni_result_find_ip(const struct cni_result *result, bool v6)
{
    for (size_t i = 0; i < result->n_ips; i++) {
        if (result->ips[i].v6 == v6) {
            return &result->ips[i];
        }
    }
    return NULL;
}

/* Returns the gateway of 'route', by default that of an address of its family,
 * or NULL if its destination is on the link. */
const char *
cni_result_gateway(const struct cni_result *result,
                   const struct cni_route *route)
{
    bool v6 = strchr(route->dst, ':') != NULL;

    if (route->gw || route->scope > 0) {
        return route->gw;
    }
    for (size_t i = 0; i < result->n_ips; i++) {
        if (result->ips[i].v6 == v6 && result->ips[i].gateway) {
            return result->ips[i].gateway;
        }
    }
    return NULL;
}

/* Printing. */

static struct json *
interfaces_to_json(const struct cni_config *config,
                   const struct cni_ends *ends)
{
    struct json *host = json_object_create();
    struct json *container = json_object_create();

    json_object_put_string(host, "name", ends->host);
    json_object_put_string(host, "mac", ends->host_mac);
    json_object_put_string(container, "name", ends->ifname);
    json_object_put_string(container, "mac", ends->mac);
    json_object_put_string(container, "sandbox", ends->netns);
    if (config->version >= CNI_1_1_0) {
        json_object_put(host, "mtu", json_integer_create(ends->mtu));
        json_object_put(container, "mtu", json_integer_create(ends->mtu));
    }
    return json_array_create_2(host, container);
}

static struct json *
ips_to_json(const struct cni_result *result, const struct cni_config *config)
{
    struct json *array = json_array_create_empty();

    for (size_t i = 0; i < result->n_ips; i++) {
        const struct cni_ip *ip = &result->ips[i];
        struct json *json = json_object_create();

        if (config->version < CNI_1_0_0) {
            json_object_put_string(json, "version", ip->v6 ? "6" : "4");
        }
        json_object_put_string(json, "address", ip->address);
        if (ip->gateway) {
            json_object_put_string(json, "gateway", ip->gateway);
        }
        json_object_put(json, "interface", json_integer_create(1));
        json_array_add(array, json);
    }
    return array;
}

static struct json *
routes_to_json(const struct cni_result *result,
               const struct cni_config *config)
{
    struct json *array = json_array_create_empty();

    for (size_t i = 0; i < result->n_routes; i++) {
        const struct cni_route *route = &result->routes[i];
        struct json *json = json_object_create();
        const struct {
            const char *name;
            int value;
        } numbers[] = {
            { "mtu", route->mtu },
            { "advmss", route->advmss },
            { "priority", route->priority },
            { "table", route->table },
            { "scope", route->scope },
        };

        json_object_put_string(json, "dst", route->dst);
        if (route->gw) {
            json_object_put_string(json, "gw", route->gw);
        }
        for (size_t j = 0; j < ARRAY_SIZE(numbers); j++) {
            if (config->version >= CNI_1_1_0 && numbers[j].value >= 0) {
                json_object_put(json, numbers[j].name,
                                json_integer_create(numbers[j].value));
            }
        }
        json_array_add(array, json);
    }
    return array;
}

/* Returns what ADD prints. */
struct json *
cni_result_to_json(const struct cni_result *result,
                   const struct cni_config *config,
                   const struct cni_ends *ends)
{
    const struct json *dns = config->dns;
    struct json *json = json_object_create();

    if (!dns && result->json) {
        dns = shash_find_data(result->json->object, "dns");
    }
    json_object_put_string(json, "cniVersion",
                           cni_version_name(config->version));
    json_object_put(json, "interfaces", interfaces_to_json(config, ends));
    json_object_put(json, "ips", ips_to_json(result, config));
    json_object_put(json, "routes", routes_to_json(result, config));
    json_object_put(json, "dns", dns ? json_clone(dns)
                                     : json_object_create());
    return json;
}
