/* SPDX-License-Identifier: Apache-2.0 */

/* Tests of the options' parser, lib/afxdp-config.c. */

#include <config.h>

#include "test-afxdp.h"

#include <errno.h>
#include <string.h>

#include "afxdp-config.h"
#include "smap.h"
#include "util.h"

#define N_CHANNELS 4
#define AUTO AFXDP_SKIP_AUTO

/* Parses "NAME=VALUE NAME=VALUE..." for a device of N_CHANNELS channels. */
static int
parse(const char *options, struct afxdp_config *config, char **errp)
{
    struct smap smap = SMAP_INITIALIZER(&smap);
    char *copy = xstrdup(options);
    char *save = NULL;
    int error;

    for (char *s = strtok_r(copy, " ", &save); s;
         s = strtok_r(NULL, " ", &save)) {
        char *value = strchr(s, '=');

        *value++ = '\0';
        smap_add(&smap, s, value);
    }
    *errp = NULL;
    error = afxdp_config_parse(&smap, N_CHANNELS, config, errp);
    smap_destroy(&smap);
    free(copy);
    return error;
}

static void
test_good(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const struct {
        const char *options;
        struct afxdp_config config;
    } cases[] = {
        { "", { 0, AFXDP_BEST_EFFORT, true, AUTO } },
        { "n_rxq=1", { 1, AFXDP_BEST_EFFORT, true, AUTO } },
        { "n_rxq=4", { 4, AFXDP_BEST_EFFORT, true, AUTO } },
        { "xdp-mode=best-effort", { 0, AFXDP_BEST_EFFORT, true, AUTO } },
        { "xdp-mode=native-with-zerocopy",
          { 0, AFXDP_NATIVE_ZC, true, AUTO } },
        { "xdp-mode=native", { 0, AFXDP_NATIVE, true, AUTO } },
        { "xdp-mode=Native", { 0, AFXDP_NATIVE, true, AUTO } },
        { "xdp-mode=generic", { 0, AFXDP_GENERIC, true, AUTO } },
        { "use-need-wakeup=true", { 0, AFXDP_BEST_EFFORT, true, AUTO } },
        { "use-need-wakeup=false", { 0, AFXDP_BEST_EFFORT, false, AUTO } },
        { "skip-bpf=auto", { 0, AFXDP_BEST_EFFORT, true, AUTO } },
        { "skip-bpf=on", { 0, AFXDP_BEST_EFFORT, true, AFXDP_SKIP_ON } },
        { "skip-bpf=Off", { 0, AFXDP_BEST_EFFORT, true, AFXDP_SKIP_OFF } },
        { "xdp-mode=native skip-bpf=on",
          { 0, AFXDP_NATIVE, true, AFXDP_SKIP_ON } },
        { "n_rxq=2 xdp-mode=generic use-need-wakeup=false",
          { 2, AFXDP_GENERIC, false, AUTO } },
        /* Options of others are nobody's business. */
        { "pmd-rxq-affinity=0:1 n_rxq=3",
          { 3, AFXDP_BEST_EFFORT, true, AUTO } },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct afxdp_config config;
        char *error;

        CHECK_EQ(parse(cases[i].options, &config, &error), 0);
        CHECK(!error);
        CHECK(afxdp_config_equal(&config, &cases[i].config));
    }
}

static void
test_bad(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const struct {
        const char *options;
        const char *says[4];    /* All of it must be in the message. */
    } cases[] = {
        { "n_rxq=0", { "n_rxq=0", "1 to 4" } },
        { "n_rxq=-1", { "n_rxq=-1", "1 to 4" } },
        { "n_rxq=", { "n_rxq=", "1 to 4" } },
        { "n_rxq=two", { "n_rxq=two", "number", "1 to 4" } },
        { "n_rxq=2x", { "n_rxq=2x", "number" } },
        { "n_rxq=0x2", { "n_rxq=0x2", "number" } },
        { "n_rxq=99999999999", { "n_rxq=99999999999" } },
        { "n_rxq=5", { "Too big 'n_rxq'", "5 is above", "4 channels" } },
        { "xdp-mode=", { "xdp-mode=", "best-effort" } },
        { "xdp-mode=fast", { "xdp-mode=fast", "native-with-zerocopy",
                             "best-effort", "generic" } },
        { "use-need-wakeup=yes", { "use-need-wakeup=yes", "true",
                                   "false" } },
        { "skip-bpf=", { "skip-bpf=", "auto", "on", "off" } },
        { "skip-bpf=true", { "skip-bpf=true", "auto", "on", "off" } },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct afxdp_config config;
        char *error;

        CHECK_EQ(parse(cases[i].options, &config, &error), EINVAL);
        CHECK(error);
        for (int j = 0; j < 4 && cases[i].says[j]; j++) {
            if (!strstr(error, cases[i].says[j])) {
                ovs_fatal(0, "%s: \"%s\" does not say \"%s\"",
                          cases[i].options, error, cases[i].says[j]);
            }
        }
        free(error);
    }
}

static void
test_names(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    for (int mode = 0; mode < AFXDP_N_MODES; mode++) {
        char *options = xasprintf("xdp-mode=%s", afxdp_mode_name(mode));
        struct afxdp_config config;
        char *error;

        CHECK_EQ(parse(options, &config, &error), 0);
        CHECK_EQ(config.mode, mode);
        free(options);
    }
    for (int skip = 0; skip < AFXDP_N_SKIPS; skip++) {
        char *options = xasprintf("skip-bpf=%s", afxdp_skip_name(skip));
        struct afxdp_config config;
        char *error;

        CHECK_EQ(parse(options, &config, &error), 0);
        CHECK_EQ(config.skip_bpf, skip);
        free(options);
    }
}

const struct ovs_cmdl_command test_config_commands[] = {
    { "config-good", NULL, 0, 0, test_good, OVS_RO },
    { "config-bad", NULL, 0, 0, test_bad, OVS_RO },
    { "config-names", NULL, 0, 0, test_names, OVS_RO },
    { NULL, NULL, 0, 0, NULL, OVS_RO },
};
