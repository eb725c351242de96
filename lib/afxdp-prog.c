/* SPDX-License-Identifier: Apache-2.0 */

/* The XDP program and the ports that use it: see afxdp-prog.h. */

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
#include "afxdp-link.h"
#include "afxdp-notes.h"
#include "afxdp-port-table.h"
#include "bitmap.h"
#include "bpf/afxdp-flow.h"
#include "bpf/afxdp-flow.skel.h"
#include "bpf/afxdp-xsk.skel.h"
#include "openvswitch/vlog.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(afxdp_prog);

struct afxdp_prog {
    uint32_t ifindex;           /* Of the device. */
    struct afxdp_flow_port *port; /* Its slot in the table of ports. */
    const struct bpf_program *attached; /* NULL while none is. */
    int link_fd;                /* bpf_link that attaches it. */
    bool notes;                 /* Are notes taken for it? */
};

/* The programs in the kernel.  The first is NULL before the first port, the
 * second before offload is asked for. */
static struct afxdp_xsk *skel;
static struct afxdp_flow *flow_skel;

/* Indexes of the map of sockets that ports have. */
static struct ovs_mutex used_mutex = OVS_MUTEX_INITIALIZER;
static unsigned long used[BITMAP_N_LONGS(AFXDP_MAX_QUEUES)]
    OVS_GUARDED_BY(used_mutex);

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

/* Tries to load the programs; that for packets in several pieces (Linux 5.18
 * or later) only if 'frags'.  Returns 0 or a positive errno value. */
static int
try_load(bool frags)
{
    int notes = afxdp_notes_map();
    int error = 0;

    skel = afxdp_xsk__open();
    if (!skel) {
        return errno;
    }
    bpf_program__set_autoload(skel->progs.afxdp_xsk_skb, frags);
    if (notes >= 0) {
        error = -bpf_map__reuse_fd(skel->maps.notes, notes);
    }
    if (!error) {
        error = -afxdp_xsk__load(skel);
    }
    if (!error) {
        error = afxdp_port_table_open(bpf_map__fd(skel->maps.ports));
    }
    if (error) {
        afxdp_xsk__destroy(skel);
        skel = NULL;
    }
    return error;
}

/* Loads the programs, if that has not been done. */
static int
load(char **errp)
{
    int error;

    if (skel) {
        return 0;
    }
    error = try_load(true);
    if (error) {
        error = try_load(false);
    }
    if (error) {
        *errp = load_error(error);
    }
    return error;
}

/* Loads the programs that look up flows, with the maps of ports, sockets and
 * notes of the others.  Returns 0 or a positive errno value. */
static int
load_flow_program(void)
{
    struct afxdp_flow *flow = afxdp_flow__open();
    int error;

    if (!flow) {
        return errno;
    }
    error = -bpf_map__reuse_fd(flow->maps.ports,
                               bpf_map__fd(skel->maps.ports));
    if (!error) {
        error = -bpf_map__reuse_fd(flow->maps.xsks,
                                   bpf_map__fd(skel->maps.xsks));
    }
    if (!error) {
        error = -bpf_map__reuse_fd(flow->maps.notes,
                                   bpf_map__fd(skel->maps.notes));
    }
    if (!error) {
        error = -afxdp_flow__load(flow);
    }
    if (error) {
        afxdp_flow__destroy(flow);
    } else {
        flow_skel = flow;
    }
    return error;
}

/* Loads the programs that look up flows, if that has not been done, and stores
 * their maps in '*maps'.  Returns 0, or a positive errno value and a message
 * in '*errp', which the caller must free. */
int
afxdp_prog_load_flows(struct afxdp_flow_maps *maps, char **errp)
{
    int error = load(errp);

    if (error) {
        return error;
    }
    error = flow_skel ? 0 : load_flow_program();
    if (error) {
        *errp = load_error(error);
        return error;
    }
    maps->masks = bpf_map__fd(flow_skel->maps.masks);
    maps->buckets = bpf_map__fd(flow_skel->maps.buckets);
    maps->flows = bpf_map__fd(flow_skel->maps.flows);
    maps->counters = bpf_map__fd(flow_skel->maps.counters);
    maps->misses = bpf_map__fd(flow_skel->maps.misses);
    maps->targets[0] = bpf_map__fd(flow_skel->maps.targets);
    maps->targets[1] = bpf_map__fd(flow_skel->maps.targets_skb);
    maps->groups = bpf_map__fd(flow_skel->maps.groups);
    maps->group_open = flow_skel->bss->group_open;
    return 0;
}

/* Returns the first of 'n' indexes side by side that no port has, or
 * AFXDP_MAX_QUEUES if there are none. */
static size_t
find_free(size_t n)
    OVS_REQUIRES(used_mutex)
{
    size_t start = 0;

    for (;;) {
        size_t end;

        start = bitmap_scan(used, false, start, AFXDP_MAX_QUEUES);
        if (start + n > AFXDP_MAX_QUEUES) {
            return AFXDP_MAX_QUEUES;
        }
        end = bitmap_scan(used, true, start, start + n);
        if (end == start + n) {
            return start;
        }
        start = end;
    }
}

/* Takes the place of 'prog', which has 'n_queues' queues, among the sockets.
 * Returns false if there is none. */
static bool
take_sockets(struct afxdp_prog *prog, size_t n_queues)
{
    size_t base;

    ovs_mutex_lock(&used_mutex);
    base = find_free(n_queues);
    if (base != AFXDP_MAX_QUEUES) {
        bitmap_set_multiple(used, base, n_queues, true);
        prog->port->base = base;
        prog->port->n_queues = n_queues;
    }
    ovs_mutex_unlock(&used_mutex);
    return base != AFXDP_MAX_QUEUES;
}

/* Prepares the program for the device 'ifindex' with 'n_queues' queues,
 * loading it for the first.  Returns NULL and a message in '*errp', which the
 * caller must free, if that fails.  The caller must close the result with
 * afxdp_prog_close(). */
struct afxdp_prog *
afxdp_prog_open(int ifindex, int n_queues, char **errp)
{
    struct afxdp_flow_port *port;
    struct afxdp_prog *prog;

    if (load(errp)) {
        return NULL;
    }
    port = afxdp_port_table_claim(ifindex);
    if (!port) {
        *errp = xasprintf("%d ports have an ifindex that is the same modulo "
                          "%d; make the device anew, so that it gets another",
                          AFXDP_PORT_PROBES, AFXDP_PORT_SLOTS);
        return NULL;
    }
    prog = xzalloc(sizeof *prog);
    prog->ifindex = ifindex;
    prog->port = port;
    if (!take_sockets(prog, n_queues)) {
        *errp = xasprintf("all ports together have more than %d queues",
                          AFXDP_MAX_QUEUES);
        afxdp_port_table_release(port);
        free(prog);
        return NULL;
    }
    return prog;
}

/* Makes the program deliver the packets of queue 'qid' of the device of 'prog'
 * to the AF_XDP socket 'fd'.  Returns 0, or a positive errno value and a
 * message in '*errp', which the caller must free. */
int
afxdp_prog_set_socket(struct afxdp_prog *prog, int qid, int fd, char **errp)
{
    uint32_t key = prog->port->base + qid, value = fd;
    int error = -bpf_map__update_elem(skel->maps.xsks, &key, sizeof key,
                                      &value, sizeof value, BPF_ANY);

    if (error) {
        *errp = xasprintf("cannot put the socket of queue %d into the XDP "
                          "program's map: %s", qid, ovs_strerror(error));
    }
    return error;
}

/* Returns the program that sends all packets to user space. */
static const struct bpf_program *
plain_program(bool generic)
{
    if (generic && bpf_program__fd(skel->progs.afxdp_xsk_skb) >= 0) {
        return skel->progs.afxdp_xsk_skb;
    }
    return skel->progs.afxdp_xsk;
}

/* Returns the program that looks flows up, which is loaded. */
static const struct bpf_program *
flow_program(bool generic)
{
    return (generic ? flow_skel->progs.afxdp_flow_skb
            : flow_skel->progs.afxdp_flow);
}

/* Puts 'program' in the place of the one that is attached for 'prog', without
 * a gap.  Returns 0 or a positive errno value. */
static int
replace_program(struct afxdp_prog *prog, const struct bpf_program *program)
{
    int error = 0;

    if (prog->attached != program) {
        error = -bpf_link_update(prog->link_fd, bpf_program__fd(program),
                                 NULL);
        if (!error) {
            prog->attached = program;
        }
    }
    return error;
}

/* Attaches 'program' to the device of 'prog', after the driver if 'generic',
 * otherwise in it.  Returns 0 or a positive errno value. */
static int
attach_program(struct afxdp_prog *prog, const struct bpf_program *program,
               bool generic)
{
    LIBBPF_OPTS(bpf_link_create_opts, opts,
                .flags = generic ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE);
    int fd = bpf_link_create(bpf_program__fd(program), prog->ifindex, BPF_XDP,
                             &opts);

    if (fd < 0) {
        return -fd;
    }
    prog->link_fd = fd;
    prog->attached = program;
    return 0;
}

/* Attaches a program that sends all packets to user space to the device of
 * 'prog', after the driver if 'generic', otherwise in it.  Returns 0 or a
 * positive errno value.
 *
 * As soon as there is one that looks up flows, that is it: it has no masks to
 * look up yet, and need not take the place of another one later on.  A program
 * that comes to its first device or leaves its last one makes the kernel wait
 * for a grace period (see bpf/afxdp-xsk.bpf.c), with rtnl_lock held. */
int
afxdp_prog_attach(struct afxdp_prog *prog, bool generic)
{
    int error = ENOENT;

    prog->port->flags = generic ? AFXDP_PORT_GENERIC : 0;
    afxdp_port_table_show(prog->port, prog->ifindex);
    if (flow_skel) {
        error = attach_program(prog, flow_program(generic), generic);
    }
    if (error) {
        error = attach_program(prog, plain_program(generic), generic);
    }
    if (error) {
        afxdp_port_table_hide(prog->port);
    }
    return error;
}

/* Makes the device of 'prog', which is attached, look its packets up as port
 * 'id' under the 'n_masks' masks whose numbers are in 'masks'.
 * afxdp_prog_load_flows() must have succeeded before.  Returns 0 or a positive
 * errno value. */
int
afxdp_prog_set_flows(struct afxdp_prog *prog, uint16_t id,
                     const uint8_t *masks, int n_masks)
{
    struct afxdp_flow_port *port = prog->port;

    port->id = id;
    for (int i = 0; i < n_masks; i++) {
        __atomic_store_n(&port->masks[i], masks[i], __ATOMIC_RELAXED);
    }
    __atomic_store_n(&port->n_masks, n_masks, __ATOMIC_RELEASE);
    return replace_program(prog,
                           flow_program(port->flags & AFXDP_PORT_GENERIC));
}

/* Makes the device of 'prog' look up no flows any more.  Its program, without
 * masks, sends all packets to user space. */
void
afxdp_prog_clear_flows(struct afxdp_prog *prog)
{
    __atomic_store_n(&prog->port->n_masks, 0, __ATOMIC_RELEASE);
}

/* Takes the program of 'prog' off its device, if it is there, and its sockets
 * out of the map. */
void
afxdp_prog_detach(struct afxdp_prog *prog)
{
    if (prog->attached) {
        bpf_link_detach(prog->link_fd);
        close(prog->link_fd);
        prog->attached = NULL;
    }
    afxdp_port_table_hide(prog->port);
    for (uint32_t i = 0; i < prog->port->n_queues; i++) {
        uint32_t key = prog->port->base + i;

        bpf_map__delete_elem(skel->maps.xsks, &key, sizeof key, 0);
    }
}

/* Frees 'prog', which is not attached or has been detached, with its places in
 * the maps.  After a detachment an RCU grace period must have passed first:
 * closing an AF_XDP socket takes one (xsk_unbind_dev() in net/xdp/xsk.c). */
void
afxdp_prog_close(struct afxdp_prog *prog)
{
    ovs_mutex_lock(&used_mutex);
    bitmap_set_multiple(used, prog->port->base, prog->port->n_queues, false);
    ovs_mutex_unlock(&used_mutex);
    afxdp_port_table_release(prog->port);
    if (prog->notes) {
        afxdp_notes_put();
    }
    free(prog);
}

/* Has a struct afxdp_skb put in front of each packet that 'prog' delivers in
 * generic mode.  To be asked for before the program is attached.  Returns
 * false if the kernel has no such program. */
bool
afxdp_prog_add_notes(struct afxdp_prog *prog)
{
    if (bpf_program__fd(skel->progs.afxdp_xsk_skb) < 0) {
        return false;
    }
    prog->notes = prog->notes || afxdp_notes_get();
    return true;
}

/* Returns the name of the program attached for 'prog', as bpftool shows it,
 * and stores the kernel's id of it in '*id'. */
const char *
afxdp_prog_name(const struct afxdp_prog *prog, uint32_t *id)
{
    struct bpf_prog_info info;
    uint32_t len = sizeof info;

    memset(&info, 0, sizeof info);
    bpf_obj_get_info_by_fd(bpf_program__fd(prog->attached), &info, &len);
    *id = info.id;
    return bpf_program__name(prog->attached);
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
 * the device 'link' of the given 'name', or NULL if there is none.  The caller
 * must free the message. */
char *
afxdp_prog_foreign(const char *name, const struct afxdp_link *link)
{
    char prog[BPF_OBJ_NAME_LEN];
    uint32_t id = (link->native_id ? link->native_id
                   : link->generic_id ? link->generic_id : link->hw_id);

    if (!id) {
        return NULL;
    }
    read_program_name(id, prog, sizeof prog);
    return xasprintf("another XDP program, \"%s\" with id %"PRIu32", is "
                     "attached to %s; stop what put it there, or detach it "
                     "with 'ip link set dev %s %s off'", prog, id, name, name,
                     link->native_id ? "xdp"
                     : link->generic_id ? "xdpgeneric" : "xdpoffload");
}
