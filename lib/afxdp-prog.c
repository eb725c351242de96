/* SPDX-License-Identifier: Apache-2.0 */

/* The XDP program of a port: see afxdp-prog.h. */

#include <config.h>

#include "afxdp-prog.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/if_link.h>
#include <unistd.h>
#include <xdp/libxdp.h>

#include "afxdp-device.h"
#include "bpf/afxdp-xsk.skel.h"
#include "openvswitch/vlog.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(afxdp_prog);

struct afxdp_prog {
    struct afxdp_xsk *skel;
    int link_fd;                /* bpf_link, -1 while not attached. */
    uint32_t id;                /* Of the program, in the kernel. */
};

/* Passes a message of libbpf or libxdp on, one level lower: what matters of
 * it, our own messages say in their own words. */
static void
library_print(bool warning, const char *format, va_list args)
{
    if (warning) {
        vlog_valist(&this_module, VLL_INFO, format, args);
    } else {
        vlog_valist(&this_module, VLL_DBG, format, args);
    }
}

static int OVS_PRINTF_FORMAT(2, 0)
libbpf_message(enum libbpf_print_level level, const char *format,
               va_list args)
{
    library_print(level == LIBBPF_WARN, format, args);
    return 0;
}

static int OVS_PRINTF_FORMAT(2, 0)
libxdp_message(enum libxdp_print_level level, const char *format,
               va_list args)
{
    library_print(level == LIBXDP_WARN, format, args);
    return 0;
}

/* Sends the messages of libbpf and libxdp to the log. */
void
afxdp_prog_init(void)
{
    libbpf_set_print(libbpf_message);
    libxdp_set_print(libxdp_message);
}

/* Returns why the kernel refused to load the program with 'error'. */
static char *
load_error(int error)
{
    static const unsigned int caps[] = { CAP_BPF, CAP_NET_ADMIN };
    char *missing = NULL, *message;

    if (error == EPERM || error == EACCES) {
        missing = afxdp_missing_caps(caps, ARRAY_SIZE(caps));
    }
    if (missing) {
        message = xasprintf("loading the XDP program needs %s, which this "
                            "process lacks; give it to ovs-vswitchd", missing);
        free(missing);
    } else {
        message = xasprintf("the kernel refused the XDP program: %s",
                            ovs_strerror(error));
    }
    return message;
}

/* Loads the program for a device of 'n_channels' channels.  Returns NULL and
 * a message in '*errp', which the caller must free, if that fails.  The caller
 * must destroy the program with afxdp_prog_destroy(). */
struct afxdp_prog *
afxdp_prog_load(int n_channels, char **errp)
{
    struct bpf_prog_info info;
    uint32_t len = sizeof info;
    struct afxdp_xsk *skel = afxdp_xsk__open();
    struct afxdp_prog *prog;
    int error;

    if (!skel) {
        *errp = xasprintf("cannot open the XDP program: %s",
                          ovs_strerror(errno));
        return NULL;
    }
    bpf_map__set_max_entries(skel->maps.xsks, n_channels);
    error = -afxdp_xsk__load(skel);
    if (error) {
        *errp = load_error(error);
        afxdp_xsk__destroy(skel);
        return NULL;
    }

    prog = xzalloc(sizeof *prog);
    prog->skel = skel;
    prog->link_fd = -1;
    memset(&info, 0, sizeof info);
    if (!bpf_obj_get_info_by_fd(bpf_program__fd(skel->progs.afxdp_xsk),
                                &info, &len)) {
        prog->id = info.id;
    }
    return prog;
}

/* Makes 'prog' deliver the packets of channel 'qid' to the AF_XDP socket 'fd'.
 * Returns 0, or a positive errno value and a message in '*errp', which the
 * caller must free. */
int
afxdp_prog_set_socket(struct afxdp_prog *prog, int qid, int fd, char **errp)
{
    uint32_t key = qid, value = fd;
    int error = -bpf_map__update_elem(prog->skel->maps.xsks,
                                      &key, sizeof key, &value, sizeof value,
                                      BPF_ANY);

    if (error) {
        *errp = xasprintf("cannot put the socket of queue %d into the XDP "
                          "program's map: %s", qid, ovs_strerror(error));
    }
    return error;
}

/* Attaches 'prog' to the device 'ifindex', after the driver if 'generic',
 * otherwise in it.  Returns 0 or a positive errno value. */
int
afxdp_prog_attach(struct afxdp_prog *prog, int ifindex, bool generic)
{
    LIBBPF_OPTS(bpf_link_create_opts, opts,
                .flags = generic ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE);
    int fd = bpf_link_create(bpf_program__fd(prog->skel->progs.afxdp_xsk),
                             ifindex, BPF_XDP, &opts);

    if (fd < 0) {
        return -fd;
    }
    prog->link_fd = fd;
    return 0;
}

/* Detaches 'prog' from its device, if it is attached, and unloads it. */
void
afxdp_prog_destroy(struct afxdp_prog *prog)
{
    if (prog) {
        if (prog->link_fd >= 0) {
            bpf_link_detach(prog->link_fd);
            close(prog->link_fd);
        }
        afxdp_xsk__destroy(prog->skel);
        free(prog);
    }
}

/* Returns the kernel's id of 'prog', as bpftool shows it. */
uint32_t
afxdp_prog_id(const struct afxdp_prog *prog)
{
    return prog->id;
}

/* Stores in 'name', of 'size' bytes, the name of the program 'id', or "?". */
static void
read_program_name(uint32_t id, char *name, size_t size)
{
    struct bpf_prog_info info;
    uint32_t len = sizeof info;
    int fd = bpf_prog_get_fd_by_id(id);

    memset(&info, 0, sizeof info);
    if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len)) {
        ovs_strlcpy(info.name, "?", sizeof info.name);
    }
    ovs_strlcpy(name, info.name, size);
    if (fd >= 0) {
        close(fd);
    }
}

/* Returns a message that names the XDP program, not ours, that is attached to
 * the device 'ifindex' of the given 'name', or NULL if there is none.  The
 * caller must free the message. */
char *
afxdp_prog_foreign(const char *name, int ifindex)
{
    LIBBPF_OPTS(bpf_xdp_query_opts, opts);
    uint32_t id;
    char prog[BPF_OBJ_NAME_LEN];

    if (bpf_xdp_query(ifindex, 0, &opts)) {
        return NULL;
    }
    id = (opts.drv_prog_id ? opts.drv_prog_id
          : opts.skb_prog_id ? opts.skb_prog_id : opts.hw_prog_id);
    if (!id) {
        return NULL;
    }
    read_program_name(id, prog, sizeof prog);
    return xasprintf("another XDP program, \"%s\" with id %"PRIu32", is "
                     "attached to %s; stop what put it there, or detach it "
                     "with 'ip link set dev %s %s off'", prog, id, name, name,
                     opts.drv_prog_id ? "xdp"
                     : opts.skb_prog_id ? "xdpgeneric" : "xdpoffload");
}
