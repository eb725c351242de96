/* SPDX-License-Identifier: Apache-2.0 */

/* An XDP program that exists in name only, in place of lib/afxdp-prog.c, for
 * the fake kernel of fake-xsk.h: its sockets receive without one. */

#include <config.h>

#include "afxdp-prog.h"

#include "util.h"

struct afxdp_prog {
    int n_channels;
};

void
afxdp_prog_init(void)
{
}

struct afxdp_prog *
afxdp_prog_load(int n_channels, char **errp OVS_UNUSED)
{
    struct afxdp_prog *prog = xmalloc(sizeof *prog);

    prog->n_channels = n_channels;
    return prog;
}

int
afxdp_prog_set_socket(struct afxdp_prog *prog, int qid, int fd OVS_UNUSED,
                      char **errp OVS_UNUSED)
{
    ovs_assert(qid < prog->n_channels);
    return 0;
}

int
afxdp_prog_attach(struct afxdp_prog *prog OVS_UNUSED, int ifindex OVS_UNUSED,
                  bool generic OVS_UNUSED)
{
    return 0;
}

void
afxdp_prog_destroy(struct afxdp_prog *prog)
{
    free(prog);
}

uint32_t
afxdp_prog_id(const struct afxdp_prog *prog OVS_UNUSED)
{
    return 1;
}

char *
afxdp_prog_foreign(const char *name OVS_UNUSED, int ifindex OVS_UNUSED)
{
    return NULL;
}
