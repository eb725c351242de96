/* SPDX-License-Identifier: Apache-2.0 */

/* The flow program in the kernel, in a network namespace of its own, with the
 * table filled by the simplest code that keeps the rules of bpf/afxdp-flow.h:
 * ofproto/, which does that in the daemon, takes no part in it.  See
 * flow-test.h. */

#include <config.h>

#include "flow-test.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/membarrier.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf/afxdp-flow.skel.h"
#include "util.h"

/* The port with the id P is one end of a veth pair, "p<P>"; packets that are
 * sent there come out of "q<P>". */
static int ifindexes[N_DEVICES + 1];
static int sockets[N_DEVICES + 1];      /* AF_PACKET, on q<P>. */

static struct afxdp_flow *skel;
static int prog_fd, generic_fd;
static int ports_fd, counters_fd, misses_fd, targets_fds[2], groups_fd;
static struct afxdp_flow_mask *masks;
static struct afxdp_flow_bucket *buckets;
static struct afxdp_flow_entry *flows;

static struct afxdp_flow_port in_port;
static struct {
    struct afxdp_flow_bucket *bucket;   /* NULL if it is in none. */
    int slot;
} places[AFXDP_MAX_FLOWS];              /* Where each flow is. */
static int n_flows;
static int n_cpus;

static void
skip(const char *why)
{
    printf("cannot be tested here: %s\n", why);
    exit(EXIT_SKIPPED);
}

static void OVS_PRINTF_FORMAT(1, 2)
run(const char *format, ...)
{
    va_list args;
    char *command;

    va_start(args, format);
    command = xvasprintf(format, args);
    va_end(args);
    if (system(command)) {
        ovs_fatal(0, "failed: %s", command);
    }
    free(command);
}

static int
open_packet_socket(const char *device)
{
    struct sockaddr_ll sll = {
        .sll_family = AF_PACKET,
        .sll_protocol = htons(ETH_P_ALL),
        .sll_ifindex = if_nametoindex(device),
    };
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *) &sll, sizeof sll)) {
        ovs_fatal(errno, "socket on %s", device);
    }
    return fd;
}

/* Makes the devices.  The far end of a pair takes redirected frames only while
 * it polls, which generic receive offload makes it do. */
static void
make_devices(void)
{
    if (unshare(CLONE_NEWNET)) {
        skip("no right to make a network namespace");
    }
    run("echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6");
    for (int i = 1; i <= N_DEVICES; i++) {
        char far[IFNAMSIZ];

        run("ip link add p%d type veth peer name q%d", i, i);
        run("ethtool -K q%d gro on", i);
        run("ip link set p%d up && ip link set q%d up", i, i);
        snprintf(far, sizeof far, "p%d", i);
        ifindexes[i] = if_nametoindex(far);
        far[0] = 'q';
        sockets[i] = open_packet_socket(far);
    }
}

static int
quiet(enum libbpf_print_level level, const char *format, va_list args)
{
    return level == LIBBPF_WARN ? vfprintf(stderr, format, args) : 0;
}

/* Returns the contents of 'map', of elements of 'size' bytes, which can be
 * changed. */
static void *
open_array(struct bpf_map *map, size_t size)
{
    void *p;

    CHECK_EQ(bpf_map__value_size(map), size);
    p = mmap(NULL, size * bpf_map__max_entries(map), PROT_READ | PROT_WRITE,
             MAP_SHARED, bpf_map__fd(map), 0);
    if (p == MAP_FAILED) {
        ovs_fatal(errno, "mapping of %s", bpf_map__name(map));
    }
    return p;
}

static void
update(int fd, uint32_t key, const void *value)
{
    if (bpf_map_update_elem(fd, &key, value, BPF_ANY)) {
        ovs_fatal(errno, "bpf_map_update_elem");
    }
}

/* Loads the program and attaches it to the first port, whose receive queue
 * BPF_PROG_RUN needs. */
static void
load(void)
{
    LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);

    libbpf_set_print(quiet);
    skel = afxdp_flow__open_and_load();
    if (!skel) {
        ovs_fatal(errno, "the kernel refuses the program");
    }
    prog_fd = bpf_program__fd(skel->progs.afxdp_flow);
    generic_fd = bpf_program__fd(skel->progs.afxdp_flow_skb);
    if (bpf_link_create(prog_fd, ifindexes[IN_PORT], BPF_XDP, &opts) < 0) {
        ovs_fatal(errno, "attaching the program");
    }

    ports_fd = bpf_map__fd(skel->maps.ports);
    counters_fd = bpf_map__fd(skel->maps.counters);
    misses_fd = bpf_map__fd(skel->maps.misses);
    targets_fds[0] = bpf_map__fd(skel->maps.targets);
    targets_fds[1] = bpf_map__fd(skel->maps.targets_skb);
    groups_fd = bpf_map__fd(skel->maps.groups);
    masks = open_array(skel->maps.masks, sizeof *masks);
    buckets = open_array(skel->maps.buckets, sizeof *buckets);
    flows = open_array(skel->maps.flows, sizeof *flows);
    n_cpus = libbpf_num_possible_cpus();
}

/* Makes everything ready, once.  The ports 2 and up can be sent to. */
void
prog_start(void)
{
    if (prog_fd) {
        return;
    }
    if (geteuid()) {
        skip("must be run as root");
    }
    make_devices();
    load();
    for (int i = 1; i <= N_DEVICES; i++) {
        prog_set_target(i, i != IN_PORT);
    }
    in_port.id = IN_PORT;
    in_port.n_queues = 1;
    prog_clear();
}

static void
write_port(void)
{
    in_port.ifindex = ifindexes[IN_PORT];
    update(ports_fd, afxdp_port_slot(in_port.ifindex, 0), &in_port);
}

/* Returns the program that a port with the flags of this one has. */
static int
program(void)
{
    return in_port.flags & AFXDP_PORT_GENERIC ? generic_fd : prog_fd;
}

/* Empties the table. */
void
prog_clear(void)
{
    for (int i = 0; i < n_flows; i++) {
        prog_del_flow(i);
    }
    n_flows = 0;
    in_port.n_masks = 0;
    in_port.flags = 0;
    write_port();
}

/* Sets the AFXDP_PORT_* of the port that packets come in on. */
void
prog_set_flags(uint8_t flags)
{
    in_port.flags = flags;
    write_port();
}

/* Makes 'port' one that can be sent to, or one that cannot. */
void
prog_set_target(uint16_t port, bool present)
{
    uint32_t key = port;

    for (int i = 0; i < 2; i++) {
        if (present) {
            update(targets_fds[i], port, &ifindexes[port]);
        } else {
            bpf_map_delete_elem(targets_fds[i], &key);
        }
    }
}

/* Makes 'group' the 'n' ports in 'ports'. */
void
prog_set_group(uint32_t group, const uint16_t *ports, size_t n)
{
    int fd = bpf_map_create(BPF_MAP_TYPE_DEVMAP, NULL, sizeof(uint32_t),
                            sizeof(uint32_t), AFXDP_GROUP_PORTS, NULL);

    if (fd < 0) {
        ovs_fatal(errno, "map of a group");
    }
    for (size_t i = 0; i < n; i++) {
        update(fd, i, &ifindexes[ports[i]]);
    }
    update(groups_fd, group, &fd);
    close(fd);
    prog_open_group(group, true);
}

/* Makes 'group' one whose ports all can be sent to, or one that has a port
 * that cannot. */
void
prog_open_group(uint32_t group, bool open)
{
    skel->bss->group_open[group] = open;
}

/* Returns the number of the mask 'bits', which becomes one of the port's if it
 * is not yet. */
static int
find_mask(const struct afxdp_flow_key *bits)
{
    struct afxdp_flow_mask mask = { .used = 0 };
    int i;

    memcpy(mask.bits, bits, sizeof mask.bits);
    for (i = 0; i < AFXDP_FLOW_WORDS; i++) {
        mask.used |= (uint64_t) !!mask.bits[i] << i;
    }
    for (i = 0; i < in_port.n_masks; i++) {
        if (!memcmp(&masks[in_port.masks[i]], &mask, sizeof mask)) {
            return in_port.masks[i];
        }
    }

    /* Not 0, so that a program that confuses indexes is found out. */
    CHECK(i < AFXDP_MAX_PORT_MASKS);
    in_port.masks[i] = i + 7;
    masks[i + 7] = mask;
    in_port.n_masks++;
    write_port();
    return i + 7;
}

/* Takes a slot for the flow 'index'. */
static void
take_slot(int index, uint64_t hash)
{
    struct afxdp_flow_bucket *bucket;

    bucket = &buckets[afxdp_flow_hash_bucket(hash)];
    for (int i = 0; i < AFXDP_BUCKET_SLOTS; i++) {
        if (!afxdp_flow_tag(bucket, i)) {
            places[index].bucket = bucket;
            places[index].slot = i;
            return;
        }
    }
    ovs_fatal(0, "a bucket is full");
}

/* Writes the flow with the number 'index' and returns its hash. */
static uint64_t
write_flow(int index, const struct afxdp_flow_key *key,
           const struct afxdp_flow_key *mask,
           const struct afxdp_flow_actions *actions)
{
    struct afxdp_flow_entry *flow = &flows[index];
    int m = find_mask(mask);

    CHECK(index < AFXDP_MAX_FLOWS);
    memset(flow, 0, sizeof *flow);
    memcpy(flow->words, key, sizeof flow->words);
    for (int i = 0; i < AFXDP_FLOW_WORDS; i++) {
        flow->words[i] &= masks[m].bits[i];
    }
    flow->port = IN_PORT;
    flow->mask = m;
    flow->counter = AFXDP_MAX_FLOWS - 1 - index;
    flow->actions = *actions;
    return afxdp_flow_hash(IN_PORT, m, masks[m].used, flow->words);
}

static void
write_slot(int index)
{
    __atomic_store_n(&places[index].bucket->flow[places[index].slot], index,
                     __ATOMIC_RELEASE);
}

/* Puts a flow into the table and returns its number, for prog_del_flow() and
 * prog_counter(). */
int
prog_add_flow(const struct afxdp_flow_key *key,
              const struct afxdp_flow_key *mask,
              const struct afxdp_flow_actions *actions)
{
    static const struct afxdp_flow_counter zero[256];
    int index = n_flows++;
    uint64_t hash = write_flow(index, key, mask, actions);

    CHECK(n_cpus <= ARRAY_SIZE(zero));
    update(counters_fd, flows[index].counter, zero);
    take_slot(index, hash);
    write_slot(index);
    afxdp_flow_set_tag(places[index].bucket, places[index].slot,
                       afxdp_flow_hash_tag(hash));
    return index;
}

/* Puts a flow of the same key in the place of flow 'old', which packets may be
 * looking up, and returns its number.  Waits until no packet uses 'old'. */
int
prog_replace_flow(int old, const struct afxdp_flow_key *key,
                  const struct afxdp_flow_key *mask,
                  const struct afxdp_flow_actions *actions)
{
    static int spare = -1;
    int index = spare < 0 ? n_flows++ : spare;

    write_flow(index, key, mask, actions);
    places[index] = places[old];
    places[old].bucket = NULL;
    write_slot(index);
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0)) {
        ovs_fatal(errno, "membarrier");
    }
    spare = old;
    return index;
}

void
prog_del_flow(int index)
{
    if (places[index].bucket) {
        afxdp_flow_set_tag(places[index].bucket, places[index].slot, 0);
        places[index].bucket = NULL;
    }
}

/* Stores in '*sum' what packets of the flow counted. */
void
prog_counter(int index, struct afxdp_flow_counter *sum)
{
    struct afxdp_flow_counter value[n_cpus];
    uint32_t key = flows[index].counter;

    if (bpf_map_lookup_elem(counters_fd, &key, value)) {
        ovs_fatal(errno, "counter");
    }
    memset(sum, 0, sizeof *sum);
    for (int i = 0; i < n_cpus; i++) {
        sum->packets += value[i].packets;
        sum->bytes += value[i].bytes;
        sum->used = MAX(sum->used, value[i].used);
        sum->tcp_flags |= value[i].tcp_flags;
    }
}

static void
read_misses(struct outcome *o, int sign)
{
    struct afxdp_flow_misses value[n_cpus];
    uint32_t key = IN_PORT;

    if (bpf_map_lookup_elem(misses_fd, &key, value)) {
        ovs_fatal(errno, "misses");
    }
    for (int i = 0; i < n_cpus; i++) {
        o->misses += sign * value[i].misses;
        o->unknown += sign * value[i].unknown;
        o->refused += sign * value[i].refused;
    }
}

/* Runs the program on a packet that came in on the first port. */
void
prog_run(const struct frame *in, struct outcome *o)
{
    struct xdp_md ctx = {
        .data_end = in->len,
        .ingress_ifindex = ifindexes[IN_PORT],
    }, ctx_out = { 0 };
    LIBBPF_OPTS(bpf_test_run_opts, opts,
                .data_in = in->data,
                .data_size_in = in->len,
                .data_out = o->frame.data,
                .data_size_out = sizeof o->frame.data,
                .ctx_in = &ctx,
                .ctx_size_in = sizeof ctx,
                .ctx_out = &ctx_out,
                .ctx_size_out = sizeof ctx_out);

    size_t metadata;

    o->misses = o->unknown = o->refused = 0;
    read_misses(o, -1);
    if (bpf_prog_test_run_opts(program(), &opts)) {
        ovs_fatal(errno, "BPF_PROG_RUN with %"PRIuSIZE" bytes", in->len);
    }
    read_misses(o, 1);
    o->verdict = opts.retval;

    /* What goes to user space in generic mode has metadata in front, which
     * the output starts with. */
    metadata = ctx_out.data - ctx_out.data_meta;
    o->frame.len = opts.data_size_out - metadata;
    memmove(o->frame.data, o->frame.data + metadata, o->frame.len);
}

/* Runs the program on a packet that really goes where the program sends it. */
void
prog_send(const struct frame *in)
{
    struct xdp_md ctx = {
        .data_end = in->len,
        .ingress_ifindex = ifindexes[IN_PORT],
    };
    LIBBPF_OPTS(bpf_test_run_opts, opts,
                .data_in = in->data,
                .data_size_in = in->len,
                .ctx_in = &ctx,
                .ctx_size_in = sizeof ctx,
                .repeat = 1,
                .flags = BPF_F_TEST_XDP_LIVE_FRAMES);

    if (bpf_prog_test_run_opts(program(), &opts)) {
        ovs_fatal(errno, "BPF_PROG_RUN of a live frame");
    }
}

/* Waits up to 'timeout_ms' for a packet that 'port' sent.  Returns false if
 * there was none. */
bool
prog_receive(uint16_t port, struct frame *frame, int timeout_ms)
{
    struct pollfd pfd = { .fd = sockets[port], .events = POLLIN };
    ssize_t n;

    if (poll(&pfd, 1, timeout_ms) <= 0) {
        return false;
    }
    n = recv(sockets[port], frame->data, sizeof frame->data, 0);
    if (n < 0) {
        return false;
    }
    frame->len = n;
    return true;
}
