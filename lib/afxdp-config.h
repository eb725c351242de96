/* SPDX-License-Identifier: Apache-2.0 */

/* Options of a port, as written in Interface:options, and what they mean. */

#ifndef AFXDP_CONFIG_H
#define AFXDP_CONFIG_H 1

#include <stdbool.h>
#include <stdint.h>

struct smap;

/* How packets get from the device to the socket. */
enum afxdp_xdp_mode {
    AFXDP_BEST_EFFORT,          /* The first of those below that works. */
    AFXDP_NATIVE_ZC,            /* XDP in the driver, frames used by it. */
    AFXDP_NATIVE,               /* XDP in the driver, packets copied. */
    AFXDP_GENERIC,              /* XDP after the driver, packets copied. */
    AFXDP_N_MODES
};

/* Are packets to go to the socket without an XDP program? */
enum afxdp_skip_bpf {
    AFXDP_SKIP_AUTO,            /* Where that works, and loses nothing. */
    AFXDP_SKIP_ON,              /* Yes, or not at all. */
    AFXDP_SKIP_OFF,
    AFXDP_N_SKIPS
};

struct afxdp_config {
    int n_rxq;                  /* Queues to use; 0 for all channels. */
    enum afxdp_xdp_mode mode;
    bool need_wakeup;           /* Let the kernel ask for system calls, rather
                                 * than make one each time? */
    enum afxdp_skip_bpf skip_bpf;
};

const char *afxdp_mode_name(enum afxdp_xdp_mode);
const char *afxdp_skip_name(enum afxdp_skip_bpf);
bool afxdp_config_equal(const struct afxdp_config *,
                        const struct afxdp_config *);
int afxdp_config_parse(const struct smap *options, int n_channels,
                       struct afxdp_config *, char **errp);

#endif /* afxdp-config.h */
