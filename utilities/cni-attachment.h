/* SPDX-License-Identifier: Apache-2.0 */

/* One interface of one container, and how it is taken away again.
 *
 * Its identity is the container's id and the interface's name: the name of the
 * host's device and the cookie of the flows are computed from them, so that
 * nothing has to be remembered anywhere. */

#ifndef CNI_ATTACHMENT_H
#define CNI_ATTACHMENT_H 1

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

struct cni_config;
struct cni_env;
struct cni_error;
struct cni_ovsdb;

struct cni_attachment {
    const struct cni_config *config;
    const struct cni_env *env;
    char device[IFNAMSIZ];
    uint64_t cookie;
};

/* How each of our devices begins, and the word that its alias begins with. */
#define CNI_DEVICE_PREFIX "afx"

void cni_attachment_init(struct cni_attachment *, const struct cni_config *,
                         const struct cni_env *);
char *cni_attachment_alias(const struct cni_attachment *);

/* What to take away. */
enum {
    CNI_UNDO_PORT = 1 << 0,
    CNI_UNDO_FLOWS = 1 << 1,
    CNI_UNDO_LINK = 1 << 2,
    CNI_UNDO_IPAM = 1 << 3,
    CNI_UNDO_ALL = (1 << 4) - 1,
};

struct cni_error *cni_attachment_undo(const struct cni_attachment *,
                                      struct cni_ovsdb *, unsigned int what);

/* Attachments whose containers are gone. */
struct cni_error *cni_collect_dead(struct cni_ovsdb *);
struct cni_error *cni_collect_invalid(const struct cni_config *,
                                      const struct cni_env *,
                                      struct cni_ovsdb *);

#endif /* cni-attachment.h */
