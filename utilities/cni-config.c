/* SPDX-License-Identifier: Apache-2.0 */

/* The network configuration: see cni-config.h. */

#include <config.h>

#include "cni-config.h"

#include <stdlib.h>
#include <string.h>

#include "afxdp-config.h"
#include "cni-error.h"
#include "openvswitch/json.h"
#include "openvswitch/shash.h"
#include "packets.h"
#include "util.h"

#define DEFAULT_OVSDB "unix:/run/openvswitch/db.sock"
#define DEFAULT_TIMEOUT 20

static const char *version_names[CNI_N_VERSIONS] = {
    [CNI_0_3_1] = "0.3.1",
    [CNI_0_4_0] = "0.4.0",
    [CNI_1_0_0] = "1.0.0",
    [CNI_1_1_0] = "1.1.0",
};

const char *
cni_version_name(enum cni_version version)
{
    return version_names[version];
}

/* Values of one type.  'key' is for the message. */

static const char *
type_name(enum json_type type)
{
    switch (type) {
    case JSON_NULL: return "null";
    case JSON_FALSE:
    case JSON_TRUE: return "true or false";
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "an array";
    case JSON_INTEGER: return "a whole number";
    case JSON_REAL: return "a fraction";
    case JSON_STRING: return "a string";
    case JSON_N_TYPES:
    case JSON_SERIALIZED_OBJECT:
    default: return "nothing known";
    }
}

static struct cni_error *
get_type(const struct json *value, const char *key, enum json_type type)
{
    if (value->type != type) {
        return cni_error(CNI_BAD_CONFIG, "%s must be %s, but is %s", key,
                         type_name(type), type_name(value->type));
    }
    return NULL;
}

static struct cni_error *
get_string(const struct json *value, const char *key, const char **s)
{
    struct cni_error *error = get_type(value, key, JSON_STRING);

    if (!error && !value->string[0]) {
        error = cni_error(CNI_BAD_CONFIG, "%s must not be empty", key);
    }
    if (!error) {
        *s = value->string;
    }
    return error;
}

static struct cni_error *
get_int(const struct json *value, const char *key, int min, int max, int *n)
{
    struct cni_error *error = get_type(value, key, JSON_INTEGER);

    if (!error && (value->integer < min || value->integer > max)) {
        error = cni_error(CNI_BAD_CONFIG, "%s must be from %d to %d, but is "
                          "%lld", key, min, max, value->integer);
    }
    if (!error) {
        *n = value->integer;
    }
    return error;
}

static struct cni_error *
get_bool(const struct json *value, const char *key, bool *b)
{
    if (value->type != JSON_TRUE && value->type != JSON_FALSE) {
        return get_type(value, key, JSON_TRUE);
    }
    *b = value->type == JSON_TRUE;
    return NULL;
}

static struct cni_error *
get_mac(const char *s, const char *key, struct cni_config *config)
{
    if (!eth_addr_from_string(s, &config->mac)
        || eth_addr_is_zero(config->mac)
        || eth_addr_is_multicast(config->mac)) {
        return cni_error(CNI_BAD_CONFIG, "%s must be an address of one "
                         "device, such as 02:00:00:00:00:01, but is \"%s\"",
                         key, s);
    }
    config->has_mac = true;
    return NULL;
}

/* Objects in the configuration. */

/* Checks that 'object', the value of 'key', has no members but those in the
 * list 'known', which ends with NULL. */
static struct cni_error *
check_members(const struct json *object, const char *key,
              const char *const *known)
{
    const struct shash_node *node;

    SHASH_FOR_EACH (node, object->object) {
        const char *const *name = known;

        while (*name && strcmp(*name, node->name)) {
            name++;
        }
        if (!*name) {
            return cni_error(CNI_UNKNOWN_KEY, "%s.%s is unknown", key,
                             node->name);
        }
    }
    return NULL;
}

static struct cni_error *
member_int(const struct json *object, const char *key, const char *name,
           int min, int max, int *n)
{
    const struct json *value = shash_find_data(object->object, name);
    char *full = xasprintf("%s.%s", key, name);
    struct cni_error *error;

    error = (value
             ? get_int(value, full, min, max, n)
             : cni_error(CNI_BAD_CONFIG, "%s is missing", full));
    free(full);
    return error;
}

/* Keys.  One function for each that is not of a plain type. */

static struct cni_error *
parse_bridge(const struct json *value, const char *key,
             struct cni_config *config)
{
    struct cni_error *error = get_string(value, key, &config->bridge);

    if (!error && (strlen(config->bridge) > 15
                   || config->bridge[strcspn(config->bridge, "/ \t\n")])) {
        error = cni_error(CNI_BAD_CONFIG, "%s must be a name of at most 15 "
                          "characters without blanks and slashes, but is "
                          "\"%s\"", key, config->bridge);
    }
    return error;
}

static struct cni_error *
parse_create_bridge(const struct json *value, const char *key,
                    struct cni_config *config)
{
    return get_bool(value, key, &config->create_bridge);
}

static struct cni_error *
parse_vlan(const struct json *value, const char *key,
           struct cni_config *config)
{
    return get_int(value, key, 1, 4094, &config->vlan);
}

static struct cni_error *
parse_trunk_range(const struct json *range, const char *key,
                  struct cni_trunk *trunk)
{
    static const char *const id_member[] = { "id", NULL };
    static const char *const range_members[] = { "minID", "maxID", NULL };
    struct cni_error *error = get_type(range, key, JSON_OBJECT);

    if (error) {
        return error;
    }
    if (shash_find(range->object, "id")) {
        error = check_members(range, key, id_member);
        if (!error) {
            error = member_int(range, key, "id", 1, 4094, &trunk->min);
            trunk->max = trunk->min;
        }
        return error;
    }
    error = check_members(range, key, range_members);
    if (!error) {
        error = member_int(range, key, "minID", 1, 4094, &trunk->min);
    }
    if (!error) {
        error = member_int(range, key, "maxID", 1, 4094, &trunk->max);
    }
    if (!error && trunk->min > trunk->max) {
        error = cni_error(CNI_BAD_CONFIG, "%s.minID is above %s.maxID", key,
                          key);
    }
    return error;
}

static struct cni_error *
parse_trunk(const struct json *value, const char *key,
            struct cni_config *config)
{
    struct cni_error *error = get_type(value, key, JSON_ARRAY);

    if (error) {
        return error;
    }
    config->trunks = xcalloc(value->array.n, sizeof *config->trunks);
    for (size_t i = 0; i < value->array.n; i++) {
        char *full = xasprintf("%s[%"PRIuSIZE"]", key, i);

        error = parse_trunk_range(value->array.elems[i], full,
                                  &config->trunks[i]);
        free(full);
        if (error) {
            return error;
        }
    }
    config->n_trunks = value->array.n;
    return NULL;
}

static struct cni_error *
parse_mtu(const struct json *value, const char *key,
          struct cni_config *config)
{
    return get_int(value, key, 68, 65535, &config->mtu);
}

static struct cni_error *
parse_n_rxq(const struct json *value, const char *key,
            struct cni_config *config)
{
    return get_int(value, key, 1, 64, &config->n_rxq);
}

static struct cni_error *
parse_xdp_mode(const struct json *value, const char *key,
               struct cni_config *config)
{
    struct cni_error *error = get_string(value, key, &config->xdp_mode);

    if (error) {
        return error;
    }
    for (int i = 0; i < AFXDP_N_MODES; i++) {
        if (!strcmp(config->xdp_mode, afxdp_mode_name(i))) {
            return NULL;
        }
    }
    return cni_error(CNI_BAD_CONFIG, "%s must be %s, %s, %s or %s, but is "
                     "\"%s\"", key, afxdp_mode_name(AFXDP_BEST_EFFORT),
                     afxdp_mode_name(AFXDP_NATIVE_ZC),
                     afxdp_mode_name(AFXDP_NATIVE),
                     afxdp_mode_name(AFXDP_GENERIC), config->xdp_mode);
}

static struct cni_error *
parse_mac(const struct json *value, const char *key,
          struct cni_config *config)
{
    const char *s;
    struct cni_error *error = get_string(value, key, &s);

    return error ? error : get_mac(s, key, config);
}

static struct cni_error *
parse_policing(const struct json *value, const char *key,
               struct cni_config *config)
{
    static const char *const members[] = { "rate", "burst", NULL };
    struct cni_error *error = get_type(value, key, JSON_OBJECT);

    if (!error) {
        error = check_members(value, key, members);
    }
    if (!error) {
        error = member_int(value, key, "rate", 8, 17000000, &config->rate);
    }
    if (!error && shash_find(value->object, "burst")) {
        error = member_int(value, key, "burst", 16, 10000000,
                           &config->burst);
    } else if (!error) {
        /* As much as 50 ms send, but no less than some packets. */
        config->burst = MAX(config->rate / 20, 1024);
    }
    return error;
}

static struct cni_error *
parse_flows(const struct json *value, const char *key,
            struct cni_config *config)
{
    struct cni_error *error = get_type(value, key, JSON_ARRAY);

    if (error) {
        return error;
    }
    config->flows = xcalloc(value->array.n, sizeof *config->flows);
    for (size_t i = 0; i < value->array.n && !error; i++) {
        char *full = xasprintf("%s[%"PRIuSIZE"]", key, i);

        error = get_string(value->array.elems[i], full, &config->flows[i]);
        free(full);
    }
    config->n_flows = value->array.n;
    return error;
}

static struct cni_error *
parse_ovsdb(const struct json *value, const char *key,
            struct cni_config *config)
{
    struct cni_error *error = get_string(value, key, &config->ovsdb);

    /* With another machine's database, ports would appear there. */
    if (!error && strncmp(config->ovsdb, "unix:/", 6)) {
        error = cni_error(CNI_BAD_CONFIG, "%s must be a socket of this "
                          "machine, such as "DEFAULT_OVSDB", but is \"%s\"",
                          key, config->ovsdb);
    }
    return error;
}

static struct cni_error *
parse_timeout(const struct json *value, const char *key,
              struct cni_config *config)
{
    return get_int(value, key, 1, 600, &config->timeout);
}

/* Keys of the specification. */

static struct cni_error *
parse_name(const struct json *value, const char *key,
           struct cni_config *config)
{
    return get_string(value, key, &config->name);
}

static struct cni_error *
parse_ipam(const struct json *value, const char *key,
           struct cni_config *config)
{
    struct cni_error *error = get_type(value, key, JSON_OBJECT);
    const struct json *type;

    if (error || shash_is_empty(value->object)) {
        return error;
    }
    type = shash_find_data(value->object, "type");
    if (!type) {
        return cni_error(CNI_BAD_CONFIG, "%s.type is missing", key);
    }
    error = get_string(type, "ipam.type", &config->ipam);
    if (!error && strchr(config->ipam, '/')) {
        error = cni_error(CNI_BAD_CONFIG, "ipam.type must be the name of a "
                          "plugin, but is \"%s\"", config->ipam);
    }
    return error;
}

static struct cni_error *
parse_dns(const struct json *value, const char *key,
          struct cni_config *config)
{
    config->dns = value;
    return get_type(value, key, JSON_OBJECT);
}

static struct cni_error *
parse_prev_result(const struct json *value, const char *key,
                  struct cni_config *config)
{
    if (value->type == JSON_NULL) {
        return NULL;
    }
    config->prev_result = value;
    return get_type(value, key, JSON_OBJECT);
}

static struct cni_error *
parse_valid_attachments(const struct json *value, const char *key,
                        struct cni_config *config)
{
    config->valid_attachments = value;
    return get_type(value, key, JSON_ARRAY);
}

static struct cni_error *
parse_runtime_config(const struct json *value, const char *key,
                     struct cni_config *config)
{
    struct cni_error *error = get_type(value, key, JSON_OBJECT);
    const struct json *mac;
    const char *s;

    if (error) {
        return error;
    }
    mac = shash_find_data(value->object, "mac");
    if (!mac) {
        return NULL;
    }
    error = get_string(mac, "runtimeConfig.mac", &s);
    return error ? error : get_mac(s, "runtimeConfig.mac", config);
}

static struct cni_error *
parse_object(const struct json *value, const char *key,
             struct cni_config *config OVS_UNUSED)
{
    return get_type(value, key, JSON_OBJECT);
}

static struct cni_error *
parse_anything(const struct json *value OVS_UNUSED,
               const char *key OVS_UNUSED,
               struct cni_config *config OVS_UNUSED)
{
    return NULL;
}

/* All keys.  A later one takes precedence over an earlier one that sets the
 * same. */
static const struct {
    const char *name;
    struct cni_error *(*parse)(const struct json *, const char *key,
                               struct cni_config *);
} keys[] = {
    { "cniVersion", parse_anything }, /* Before all others. */
    { "type", parse_anything },
    { "name", parse_name },
    { "capabilities", parse_object },
    { "args", parse_object },
    { "ipam", parse_ipam },
    { "dns", parse_dns },
    { "prevResult", parse_prev_result },
    { "cni.dev/valid-attachments", parse_valid_attachments },
    { "cni.dev/attachments", parse_anything }, /* An older name. */

    { "bridge", parse_bridge },
    { "createBridge", parse_create_bridge },
    { "vlan", parse_vlan },
    { "trunk", parse_trunk },
    { "mtu", parse_mtu },
    { "n_rxq", parse_n_rxq },
    { "xdp-mode", parse_xdp_mode },
    { "mac", parse_mac },
    { "ingressPolicing", parse_policing },
    { "flows", parse_flows },
    { "ovsdb", parse_ovsdb },
    { "timeout", parse_timeout },

    { "runtimeConfig", parse_runtime_config },
};

static struct cni_error *
check_keys(const struct json *json)
{
    const struct shash_node *node;

    SHASH_FOR_EACH (node, json->object) {
        size_t i = 0;

        while (i < ARRAY_SIZE(keys) && strcmp(node->name, keys[i].name)) {
            i++;
        }
        if (i >= ARRAY_SIZE(keys)) {
            char *value = json_to_string(node->data, 0);
            struct cni_error *error = cni_error(
                CNI_UNKNOWN_KEY, "%s is unknown (its value is %.60s); "
                "ovs-afxdp-cni(8) has the list of keys", node->name, value);

            free(value);
            return error;
        }
    }
    return NULL;
}

static struct cni_error *
parse_version(const struct json *json, enum cni_version *version)
{
    const struct json *value = shash_find_data(json->object, "cniVersion");
    struct cni_error *error;
    const char *s;

    if (!value) {
        return cni_error(CNI_BAD_CONFIG, "cniVersion is missing");
    }
    error = get_string(value, "cniVersion", &s);
    if (error) {
        return error;
    }
    for (int i = 0; i < CNI_N_VERSIONS; i++) {
        if (!strcmp(s, version_names[i])) {
            *version = i;
            return NULL;
        }
    }
    return cni_error(CNI_BAD_VERSION, "cniVersion \"%s\" is unknown; use %s, "
                     "%s, %s or %s", s, version_names[CNI_0_3_1],
                     version_names[CNI_0_4_0], version_names[CNI_1_0_0],
                     version_names[CNI_1_1_0]);
}

/* Parses 'text' into '*config', which the caller must destroy whether that
 * succeeds or not.  config->version is right even if it does not, or the
 * newest if 'text' does not say. */
struct cni_error *
cni_config_parse(const char *text, struct cni_config *config)
{
    struct cni_error *error;

    *config = (struct cni_config) {
        .version = CNI_1_1_0,
        .ovsdb = DEFAULT_OVSDB,
        .timeout = DEFAULT_TIMEOUT,
    };
    config->json = json_from_string(text);
    if (config->json->type == JSON_STRING) {
        return cni_error(CNI_BAD_JSON, "the network configuration is not "
                         "JSON: %s", config->json->string);
    } else if (config->json->type != JSON_OBJECT) {
        return cni_error(CNI_BAD_JSON, "the network configuration must be an "
                         "object, but is %s",
                         type_name(config->json->type));
    }
    error = parse_version(config->json, &config->version);
    if (!error) {
        error = check_keys(config->json);
    }
    for (size_t i = 0; i < ARRAY_SIZE(keys) && !error; i++) {
        const struct json *value = shash_find_data(config->json->object,
                                                   keys[i].name);
        if (value) {
            error = keys[i].parse(value, keys[i].name, config);
        }
    }
    if (!error && !config->name) {
        error = cni_error(CNI_BAD_CONFIG, "name is missing");
    }
    if (!error && !config->bridge) {
        error = cni_error(CNI_BAD_CONFIG, "bridge is missing; it names the "
                          "Open vSwitch bridge to connect containers to");
    }
    return error;
}

/* Takes from CNI_ARGS what the configuration leaves to it. */
struct cni_error *
cni_config_apply_args(struct cni_config *config, const struct cni_env *env)
{
    const struct json *runtime = shash_find_data(config->json->object,
                                                 "runtimeConfig");
    struct cni_error *error = NULL;
    char *mac = cni_env_arg(env, "MAC");

    if (mac && !(runtime && shash_find(runtime->object, "mac"))) {
        error = get_mac(mac, "CNI_ARGS: MAC", config);
    }
    free(mac);
    return error;
}

void
cni_config_destroy(struct cni_config *config)
{
    json_destroy(config->json);
    free(config->trunks);
    free(config->flows);
}
