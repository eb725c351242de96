/* SPDX-License-Identifier: Apache-2.0 */

/* Errors of ovs-afxdp-cni, as the CNI specification wants them.
 *
 * A function that can fail returns NULL or an error, which its caller owns:
 * to hand on, or to destroy with cni_error_destroy(). */

#ifndef CNI_ERROR_H
#define CNI_ERROR_H 1

#include "compiler.h"

struct json;

/* Numbers below 100 are the specification's. */
enum cni_code {
    CNI_BAD_VERSION = 1,        /* A cniVersion that we do not know. */
    CNI_UNKNOWN_KEY = 2,        /* A key that we do not know. */
    CNI_NO_CONTAINER = 3,       /* There is no such container. */
    CNI_BAD_ENV = 4,            /* A CNI_* variable is missing or wrong. */
    CNI_IO = 5,                 /* A file or a program. */
    CNI_BAD_JSON = 6,           /* What is not JSON. */
    CNI_BAD_CONFIG = 7,         /* A key with a wrong value. */
    CNI_NOT_READY = 50,         /* STATUS: no ADD can succeed. */
    CNI_OVSDB = 100,            /* The database of Open vSwitch. */
    CNI_PORT = 101,             /* Open vSwitch cannot use the port. */
    CNI_LINK = 102,             /* A device, an address or a route. */
    CNI_FLOWS = 103,            /* OpenFlow. */
    CNI_IPAM = 104,             /* The IPAM plugin. */
    CNI_CHECK = 105,            /* CHECK: something is not as ADD made it. */
};

struct cni_error {
    int code;
    char *msg;                  /* What is wrong and what to do. */
};

struct cni_error *cni_error(int code, const char *format, ...)
    OVS_PRINTF_FORMAT(2, 3) OVS_WARN_UNUSED_RESULT;
void cni_error_destroy(struct cni_error *);
struct cni_error *cni_error_first(struct cni_error *, struct cni_error *)
    OVS_WARN_UNUSED_RESULT;
struct json *cni_error_to_json(const struct cni_error *, const char *version);

#endif /* cni-error.h */
