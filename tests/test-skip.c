/* SPDX-License-Identifier: Apache-2.0 */

/* Tests of ports with and without an XDP program (options:skip-bpf): which of
 * the two a port is, and what it says of it, on a kernel (fake-xsk.h) that can
 * do without or not. */

#include <config.h>

#include "test-afxdp.h"

#include <errno.h>
#include <linux/if_xdp.h>
#include <string.h>

#include "afxdp-compat.h"
#include "afxdp-frame.h"
#include "afxdp-umem.h"
#include "fake-xsk.h"
#include "netdev.h"
#include "netdev-offload.h"
#include "netdev-provider.h"
#include "smap.h"
#include "util.h"

/* Opens device "fake0" in 'mode', with options:skip-bpf=SKIP.  Returns what
 * netdev_set_config() does. */
static int
port_open(struct netdev **netdev, const char *mode, const char *skip,
          char **errp)
{
    struct smap args = SMAP_INITIALIZER(&args);
    int error;

    smap_add(&args, "xdp-mode", mode);
    smap_add(&args, "skip-bpf", skip);
    CHECK_EQ(netdev_open("fake0", "afxdp", netdev), 0);
    error = (*netdev)->netdev_class->set_config(*netdev, &args, errp);
    smap_destroy(&args);
    return error;
}

/* Closes 'netdev', and checks that nothing of it is left. */
static void
port_close(struct netdev *netdev)
{
    struct afxdp_arena *arena = afxdp_umem_next(NULL);
    struct afxdp_census census;

    netdev_close(netdev);
    CHECK_EQ(fake_xsk_n_sockets(), 0);
    CHECK_EQ(fake_xsk_n_umems(), 0);
    afxdp_frames_census(arena, &census);
    CHECK(census.consistent);
    CHECK_EQ(census.free, arena->n_frames);
    afxdp_census_destroy(&census);
}

/* Is 'netdev' up without a program?  Its sockets and what it says of itself
 * must agree. */
static bool
is_skipping(const struct netdev *netdev)
{
    uint16_t flags = fake_xsk_bind_flags(fake_xsk_lookup("fake0", 0));
    struct smap config = SMAP_INITIALIZER(&config);
    bool skipping = flags & XDP_SKIP_BPF;

    CHECK_EQ(netdev_get_config(netdev, &config), 0);
    CHECK_EQ(smap_get_bool(&config, "skip-bpf-in-use", !skipping), skipping);
    smap_destroy(&config);
    for (int i = 1; i < FAKE_XSK_QUEUES; i++) {
        CHECK_EQ(fake_xsk_bind_flags(fake_xsk_lookup("fake0", i)), flags);
    }
    return skipping;
}

/* Checks that a port comes up in 'mode' with options:skip-bpf=SKIP, without a
 * program if 'skips'. */
static void
check_up(const char *mode, const char *skip, bool skips)
{
    struct netdev *netdev;

    CHECK_EQ(port_open(&netdev, mode, skip, NULL), 0);
    CHECK_EQ(is_skipping(netdev), skips);
    port_close(netdev);
}

/* Checks that one does not, and that the message contains 'says'. */
static void
check_error(const char *mode, const char *skip, const char *says)
{
    struct netdev *netdev;
    char *error = NULL;

    CHECK(port_open(&netdev, mode, skip, &error) > 0);
    if (!strstr(error, says)) {
        ovs_fatal(0, "\"%s\" does not say \"%s\"", error, says);
    }
    free(error);
    port_close(netdev);
}

/* Without a program where the kernel can, with one otherwise, and an error if
 * that is not what the user wants. */
static void
test_kernels(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const struct {
        int error;              /* What the kernel can. */
        bool native;            /* What the driver can. */
        int bind_error;         /* What binding without a program gives. */
        bool skips;             /* With skip-bpf=auto. */
        const char *says;       /* With skip-bpf=on; NULL if it works. */
    } cases[] = {
        { 0, true, 0, true, NULL },
        { EOPNOTSUPP, true, 0, false, "skip-bpf=auto" },
        { EPERM, true, 0, false, "CAP_NET_ADMIN" },
        { 0, false, 0, false, "native mode" },
        { 0, true, EINVAL, false, "skip-bpf=auto" },
        { 0, true, EEXIST, false, "skip-bpf=auto" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        fake_xsk_set_skip(cases[i].error, cases[i].native);

        /* The second queue is refused: the first one must be undone. */
        fake_xsk_fail_after(FAKE_XSK_BIND, cases[i].bind_error,
                            cases[i].bind_error ? 1 : 0, 1);
        check_up("native", "auto", cases[i].skips);

        fake_xsk_fail_after(FAKE_XSK_BIND, cases[i].bind_error,
                            cases[i].bind_error ? 1 : 0, 1);
        if (cases[i].says) {
            check_error("native", "on", cases[i].says);
        } else {
            check_up("native", "on", true);
        }
        fake_xsk_fail(FAKE_XSK_BIND, 0, 0);
        check_up("native", "off", false);
    }
}

/* In generic mode the program is of use.  The flags name the mode. */
static void
test_modes(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct netdev *netdev;
    uint16_t flags;

    fake_xsk_set_skip(0, true);
    check_up("best-effort", "auto", true);
    check_up("generic", "auto", false);
    check_up("generic", "on", true);

    CHECK_EQ(port_open(&netdev, "generic", "on", NULL), 0);
    flags = fake_xsk_bind_flags(fake_xsk_lookup("fake0", 0));
    CHECK(flags & XDP_SKIP_BPF_GENERIC);
    port_close(netdev);
    CHECK_EQ(port_open(&netdev, "native", "on", NULL), 0);
    flags = fake_xsk_bind_flags(fake_xsk_lookup("fake0", 0));
    CHECK(!(flags & XDP_SKIP_BPF_GENERIC));
    port_close(netdev);

    /* A driver that the kernel would take packets from in generic mode. */
    fake_xsk_set_skip(0, false);
    check_error("native", "on", "generic");
    CHECK_EQ(port_open(&netdev, "best-effort", "on", NULL), 0);
    flags = fake_xsk_bind_flags(fake_xsk_lookup("fake0", 0));
    CHECK(flags & XDP_SKIP_BPF_GENERIC);
    port_close(netdev);
}

/* A queue that is in use is not tried again with a program. */
static void
test_busy(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    fake_xsk_set_skip(0, true);
    fake_xsk_fail(FAKE_XSK_BIND, EBUSY, 30);
    check_error("native", "auto", "in use");
    fake_xsk_fail(FAKE_XSK_BIND, 0, 0);
}

/* Offload needs the program, from the moment on that it is asked for. */
static void
test_offload(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct smap other_config = SMAP_INITIALIZER(&other_config);
    struct netdev *netdev;

    fake_xsk_set_skip(0, true);
    CHECK_EQ(port_open(&netdev, "native", "auto", NULL), 0);
    CHECK(is_skipping(netdev));
    smap_add(&other_config, "hw-offload", "true");
    netdev_set_flow_api_enabled(&other_config);
    smap_destroy(&other_config);
    CHECK_EQ(netdev_reconfigure(netdev), 0);
    CHECK(!is_skipping(netdev));
    port_close(netdev);
    check_error("native", "on", "hw-offload=true");
}

const struct ovs_cmdl_command test_skip_commands[] = {
    { "skip-kernels", NULL, 0, 0, test_kernels, OVS_RO },
    { "skip-modes", NULL, 0, 0, test_modes, OVS_RO },
    { "skip-busy", NULL, 0, 0, test_busy, OVS_RO },
    { "skip-offload", NULL, 0, 0, test_offload, OVS_RO },
    { NULL, NULL, 0, 0, NULL, OVS_RO },
};
