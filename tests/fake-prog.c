/* SPDX-License-Identifier: Apache-2.0 */

/* An XDP program that exists in name only, in place of lib/afxdp-prog.c and
 * lib/afxdp-skip.c, for the fake kernel of fake-xsk.h: its sockets receive
 * without one, whether they ask for that or not. */

#include <config.h>

#include "afxdp-prog.h"
#include "afxdp-skip.h"

#include <errno.h>

#include "fake-xsk.h"
#include "util.h"

struct afxdp_prog {
    int n_queues;
};

void
afxdp_prog_init(void)
{
}

struct afxdp_prog *
afxdp_prog_open(int ifindex OVS_UNUSED, int n_queues, char **errp OVS_UNUSED)
{
    struct afxdp_prog *prog = xmalloc(sizeof *prog);

    prog->n_queues = n_queues;
    return prog;
}

int
afxdp_prog_set_socket(struct afxdp_prog *prog, int qid, int fd OVS_UNUSED,
                      char **errp OVS_UNUSED)
{
    ovs_assert(qid < prog->n_queues);
    return 0;
}

int
afxdp_prog_attach(struct afxdp_prog *prog OVS_UNUSED, bool generic OVS_UNUSED)
{
    return 0;
}

void
afxdp_prog_detach(struct afxdp_prog *prog OVS_UNUSED)
{
}

void
afxdp_prog_close(struct afxdp_prog *prog)
{
    free(prog);
}

int
afxdp_prog_load_flows(struct afxdp_flow_maps *maps OVS_UNUSED, char **errp)
{
    *errp = xstrdup("this is not the kernel");
    return EOPNOTSUPP;
}

int
afxdp_prog_set_flows(struct afxdp_prog *prog OVS_UNUSED,
                     uint16_t id OVS_UNUSED, const uint8_t *masks OVS_UNUSED,
                     int n_masks OVS_UNUSED)
{
    return 0;
}

void
afxdp_prog_clear_flows(struct afxdp_prog *prog OVS_UNUSED)
{
}

bool
afxdp_prog_add_notes(struct afxdp_prog *prog OVS_UNUSED)
{
    return true;
}

const char *
afxdp_prog_name(const struct afxdp_prog *prog OVS_UNUSED, uint32_t *id)
{
    *id = 1;
    return "fake";
}

char *
afxdp_prog_foreign(const char *name OVS_UNUSED,
                   const struct afxdp_link *link OVS_UNUSED)
{
    return NULL;
}

static int skip_error = EOPNOTSUPP;
static bool skip_native;

/* Makes the kernel one that can do without a program (0), or not (EPERM,
 * EOPNOTSUPP), and drivers receive for XDP themselves or not. */
void
fake_xsk_set_skip(int error, bool native)
{
    skip_error = error;
    skip_native = native;
}

int
afxdp_skip_supported(void)
{
    return skip_error;
}

bool
afxdp_skip_has_native(int ifindex OVS_UNUSED)
{
    return skip_native;
}
