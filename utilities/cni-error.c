/* SPDX-License-Identifier: Apache-2.0 */

/* Errors of ovs-afxdp-cni: see cni-error.h. */

#include <config.h>

#include "cni-error.h"

#include <stdarg.h>
#include <stdlib.h>

#include "openvswitch/json.h"
#include "util.h"

struct cni_error *
cni_error(int code, const char *format, ...)
{
    struct cni_error *error = xmalloc(sizeof *error);
    va_list args;

    error->code = code;
    va_start(args, format);
    error->msg = xvasprintf(format, args);
    va_end(args);
    return error;
}

void
cni_error_destroy(struct cni_error *error)
{
    if (error) {
        free(error->msg);
        free(error);
    }
}

/* Returns 'a', or 'b' if there is no 'a'; destroys the other one. */
struct cni_error *
cni_error_first(struct cni_error *a, struct cni_error *b)
{
    if (!a) {
        return b;
    }
    cni_error_destroy(b);
    return a;
}

/* Returns 'error' as the object that a runtime expects, in 'version' of the
 * specification. */
struct json *
cni_error_to_json(const struct cni_error *error, const char *version)
{
    struct json *json = json_object_create();

    json_object_put_string(json, "cniVersion", version);
    json_object_put(json, "code", json_integer_create(error->code));
    json_object_put_string(json, "msg", error->msg);
    return json;
}
