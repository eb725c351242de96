/* SPDX-License-Identifier: Apache-2.0 */

/* Options of a port: see afxdp-config.h. */

#include <config.h>

#include "afxdp-config.h"

#include <errno.h>
#include <string.h>

#include "smap.h"
#include "util.h"

static const char *mode_names[AFXDP_N_MODES] = {
    [AFXDP_BEST_EFFORT] = "best-effort",
    [AFXDP_NATIVE_ZC] = "native-with-zerocopy",
    [AFXDP_NATIVE] = "native",
    [AFXDP_GENERIC] = "generic",
};

static const char *skip_names[AFXDP_N_SKIPS] = {
    [AFXDP_SKIP_AUTO] = "auto",
    [AFXDP_SKIP_ON] = "on",
    [AFXDP_SKIP_OFF] = "off",
};

/* Returns the name that the option xdp-mode has for 'mode'. */
const char *
afxdp_mode_name(enum afxdp_xdp_mode mode)
{
    return mode_names[mode];
}

/* Returns the name that the option skip-bpf has for 'skip'. */
const char *
afxdp_skip_name(enum afxdp_skip_bpf skip)
{
    return skip_names[skip];
}

bool
afxdp_config_equal(const struct afxdp_config *a, const struct afxdp_config *b)
{
    return (a->n_rxq == b->n_rxq
            && a->mode == b->mode
            && a->need_wakeup == b->need_wakeup
            && a->skip_bpf == b->skip_bpf);
}

/* Returns the index of 's', in upper or lower case, among the 'n' strings in
 * 'names', or 'n' if it is none of them. */
static int
find_name(const char *const names[], int n, const char *s)
{
    int i;

    for (i = 0; i < n; i++) {
        if (!strcasecmp(s, names[i])) {
            break;
        }
    }
    return i;
}

static int
parse_mode(const char *s, enum afxdp_xdp_mode *mode, char **errp)
{
    int i = find_name(mode_names, AFXDP_N_MODES, s);

    if (i < AFXDP_N_MODES) {
        *mode = i;
        return 0;
    }
    *errp = xasprintf("xdp-mode=%s is unknown; use %s, %s, %s or %s", s,
                      mode_names[AFXDP_BEST_EFFORT],
                      mode_names[AFXDP_NATIVE_ZC], mode_names[AFXDP_NATIVE],
                      mode_names[AFXDP_GENERIC]);
    return EINVAL;
}

static int
parse_skip(const char *s, enum afxdp_skip_bpf *skip, char **errp)
{
    int i = find_name(skip_names, AFXDP_N_SKIPS, s);

    if (i < AFXDP_N_SKIPS) {
        *skip = i;
        return 0;
    }
    *errp = xasprintf("skip-bpf=%s is unknown; use %s, %s or %s", s,
                      skip_names[AFXDP_SKIP_AUTO], skip_names[AFXDP_SKIP_ON],
                      skip_names[AFXDP_SKIP_OFF]);
    return EINVAL;
}

static int
parse_n_rxq(const char *s, int n_channels, int *n_rxq, char **errp)
{
    if (!str_to_int(s, 10, n_rxq) || *n_rxq < 1) {
        *errp = xasprintf("n_rxq=%s is not a number from 1 to %d, the "
                          "channels of the device", s, n_channels);
        return EINVAL;
    }
    if (*n_rxq > n_channels) {
        /* "Too big 'n_rxq'" are upstream's words, which its tests expect. */
        *errp = xasprintf("Too big 'n_rxq': %d is above the %d channel%s of "
                          "the device; use at most that, or give it more with "
                          "'ethtool -L'", *n_rxq, n_channels,
                          n_channels == 1 ? "" : "s");
        return EINVAL;
    }
    return 0;
}

static int
parse_bool(const char *name, const char *s, bool *value, char **errp)
{
    if (!strcasecmp(s, "true")) {
        *value = true;
    } else if (!strcasecmp(s, "false")) {
        *value = false;
    } else {
        *errp = xasprintf("%s=%s is neither true nor false", name, s);
        return EINVAL;
    }
    return 0;
}

/* Stores in '*config' what 'options' say for a device of 'n_channels'
 * channels, with the default for each option that is not there.
 *
 * Returns 0, or EINVAL and a message in '*errp', which the caller must free,
 * that names the option, its value and what is allowed. */
int
afxdp_config_parse(const struct smap *options, int n_channels,
                   struct afxdp_config *config, char **errp)
{
    const char *mode = smap_get(options, "xdp-mode");
    const char *n_rxq = smap_get(options, "n_rxq");
    const char *wakeup = smap_get(options, "use-need-wakeup");
    const char *skip = smap_get(options, "skip-bpf");
    int error = 0;

    *config = (struct afxdp_config) {
        .n_rxq = 0,
        .mode = AFXDP_BEST_EFFORT,
        .need_wakeup = true,
        .skip_bpf = AFXDP_SKIP_AUTO,
    };
    if (mode) {
        error = parse_mode(mode, &config->mode, errp);
    }
    if (!error && n_rxq) {
        error = parse_n_rxq(n_rxq, n_channels, &config->n_rxq, errp);
    }
    if (!error && wakeup) {
        error = parse_bool("use-need-wakeup", wakeup, &config->need_wakeup,
                           errp);
    }
    if (!error && skip) {
        error = parse_skip(skip, &config->skip_bpf, errp);
    }
    return error;
}
