/* SPDX-License-Identifier: Apache-2.0 */

/* "ovs-appctl afxdp/offload": what is offloaded, and what is not and why. */

#ifndef AFXDP_OFFLOAD_UNIXCTL_H
#define AFXDP_OFFLOAD_UNIXCTL_H 1

#include <stdbool.h>

#include "afxdp-offload-private.h"

/* State of the whole. */
struct afxdp_offload_status {
    bool open;                  /* Is the table there? */
    const char *error;          /* Why it cannot be, or NULL. */
};

void afxdp_offload_unixctl_init(const struct afxdp_offload_status *);

#endif /* afxdp-offload-unixctl.h */
