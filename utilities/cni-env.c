/* SPDX-License-Identifier: Apache-2.0 */

/* The CNI_* variables of the environment: see cni-config.h. */

#include <config.h>

#include "cni-config.h"

#include <ctype.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "cni-error.h"
#include "openvswitch/dynamic-string.h"
#include "util.h"

/* An empty variable is none. */
static const char *
get_variable(const char *name)
{
    const char *value = getenv(name);

    return value && value[0] ? value : NULL;
}

static bool
is_container_id(const char *s)
{
    if (!isalnum((unsigned char) *s)) {
        return false;
    }
    for (; *s; s++) {
        if (!isalnum((unsigned char) *s) && !strchr("_.-", *s)) {
            return false;
        }
    }
    return true;
}

static bool
is_ifname(const char *s)
{
    if (strlen(s) >= IFNAMSIZ || !strcmp(s, ".") || !strcmp(s, "..")) {
        return false;
    }
    for (; *s; s++) {
        if (isspace((unsigned char) *s) || *s == '/' || *s == ':') {
            return false;
        }
    }
    return true;
}

/* Reads the environment into '*env'; 'command' cannot do without what 'needs'
 * says. */
struct cni_error *
cni_env_read(const char *command, unsigned int needs, struct cni_env *env)
{
    struct ds missing = DS_EMPTY_INITIALIZER;
    struct cni_error *error = NULL;
    struct {
        const char *name;
        const char **value;
        unsigned int flag;
    } variables[] = {
        { "CNI_CONTAINERID", &env->container, CNI_NEEDS_CONTAINER },
        { "CNI_NETNS", &env->netns, CNI_NEEDS_NETNS },
        { "CNI_IFNAME", &env->ifname, CNI_NEEDS_IFNAME },
        { "CNI_PATH", &env->path, CNI_NEEDS_PATH },
        { "CNI_ARGS", &env->args, 0 },
    };

    env->command = command;
    for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
        *variables[i].value = get_variable(variables[i].name);
        if (!*variables[i].value && needs & variables[i].flag) {
            ds_put_format(&missing, "%s%s", missing.length ? ", " : "",
                          variables[i].name);
        }
    }
    if (missing.length) {
        error = cni_error(CNI_BAD_ENV, "%s needs what is not set: %s", command,
                          ds_cstr(&missing));
    } else if (env->container && !is_container_id(env->container)) {
        error = cni_error(CNI_BAD_ENV, "CNI_CONTAINERID must be of letters, "
                          "digits and \"_.-\", but is \"%s\"",
                          env->container);
    } else if (env->ifname && !is_ifname(env->ifname)) {
        error = cni_error(CNI_BAD_ENV, "CNI_IFNAME must be a name of at most "
                          "15 characters without blanks, slashes and colons, "
                          "but is \"%s\"", env->ifname);
    }
    ds_destroy(&missing);
    return error;
}

/* Returns the value of 'name' in CNI_ARGS ("NAME=VALUE;NAME=VALUE..."), which
 * the caller must free, or NULL. */
char *
cni_env_arg(const struct cni_env *env, const char *name)
{
    const char *s = env->args ? env->args : "";
    size_t name_len = strlen(name);

    while (*s) {
        size_t len = strcspn(s, ";");

        if (len > name_len && s[name_len] == '='
            && !strncmp(s, name, name_len)) {
            return xmemdup0(s + name_len + 1, len - name_len - 1);
        }
        s += len;
        s += strspn(s, ";");
    }
    return NULL;
}
