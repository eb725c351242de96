/* SPDX-License-Identifier: Apache-2.0 */

/* The flow program's look-ups, targets, counters and checksums of packets that
 * are not complete yet.  See flow-test.h. */

#include <config.h>

#include "flow-test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "byte-order.h"
#include "csum.h"
#include "ovs-atomic.h"
#include "ovs-thread.h"
#include "random.h"
#include "util.h"

#define ETH "dl_src=02:00:00:00:00:0a,dl_dst=02:00:00:00:00:0b"
#define IP4 ETH ",nw_src=10.1.2.3,nw_dst=10.4.5.6,nw_ttl=64"
#define IP6 ETH ",ipv6_src=fd00:1::2:3,ipv6_dst=fd00:4::5:6,nw_ttl=64"
#define TCP "tcp," IP4 ",tp_src=1234,tp_dst=80,tcp_flags=0x018"
#define UDP "udp," IP4 ",tp_src=1234,tp_dst=80"
#define TCP6 "tcp6," IP6 ",tp_src=1234,tp_dst=80"
#define UDP6 "udp6," IP6 ",tp_src=1234,tp_dst=80"

static const struct afxdp_flow_actions drop = { .flags = 0 };

static struct afxdp_flow_actions
output(uint16_t port)
{
    return (struct afxdp_flow_actions) { .flags = AFXDP_ACT_OUTPUT,
                                         .out = port };
}

static int
add_flow(const char *match, struct afxdp_flow_actions actions)
{
    struct afxdp_flow_key key, mask;

    oracle_match(match, &key, &mask);
    return prog_add_flow(&key, &mask, &actions);
}

static uint32_t
run_text(const char *base, const char *changes)
{
    struct frame frame;
    struct outcome o;

    frame_from_text(&frame, base, changes);
    prog_run(&frame, &o);
    return o.verdict;
}

/* An empty table, a port without masks. */
static void
test_table_empty(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct frame frame;
    struct outcome o;

    frame_from_text(&frame, TCP, "");
    prog_run(&frame, &o);
    CHECK_EQ(o.verdict, XDP_PASS);

    /* A mask that has lost its last flow. */
    prog_del_flow(add_flow("tcp", drop));
    prog_run(&frame, &o);
    CHECK_EQ(o.verdict, XDP_PASS);
    CHECK_EQ(o.misses, 1);
}

/* As many masks as a port can have: the flow of each is found. */
static void
test_table_masks(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    int flows[AFXDP_MAX_PORT_MASKS];

    for (int i = 0; i < AFXDP_MAX_PORT_MASKS; i++) {
        char *match = xasprintf("ip,nw_src=%d.0.0.0/%d", i + 1, i + 1);

        if (i < 8) {
            /* Prefixes that have all bits of that number. */
            free(match);
            match = xasprintf("ip,nw_tos=0,nw_src=%d.0.0.0/255.%d.0.0", i + 1,
                              128 >> i);
        }
        flows[i] = add_flow(match, drop);
        free(match);
    }
    for (int i = 0; i < AFXDP_MAX_PORT_MASKS; i++) {
        struct afxdp_flow_counter counter;
        char *src = xasprintf("nw_src=%d.0.0.0", i + 1);

        CHECK_EQ(run_text(UDP, src), XDP_DROP);
        prog_counter(flows[i], &counter);
        CHECK_EQ(counter.packets, 1);
        free(src);
    }
    CHECK_EQ(run_text(UDP, "nw_src=99.0.0.0"), XDP_PASS);
}

/* A packet that only has the hash of a flow, made on purpose, is another. */
static void
test_table_collision(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct afxdp_flow_key key, mask, other;
    __u64 words[AFXDP_FLOW_WORDS] = { 0 };
    uint64_t inverse = AFXDP_HASH_3, hash;
    const uint64_t used = 1 << 2 | 1 << 3;
    struct frame frame;
    struct outcome o;

    frame_from_text(&frame, UDP6, "");
    oracle_match("ipv6," IP6, &key, &mask);
    memset(&mask, 0, sizeof mask);
    memset(mask.ip6.src, 0xff, sizeof mask.ip6.src);
    prog_add_flow(&key, &mask, &drop);
    prog_run(&frame, &o);
    CHECK_EQ(o.verdict, XDP_DROP);

    /* The mask uses the words 2 and 3; whatever word 2 is, there is a word 3
     * that makes the same hash of it.  7 is the first mask's number. */
    memcpy(&words[2], &key.ip6.src, sizeof key.ip6.src);
    hash = afxdp_flow_hash(IN_PORT, 7, used, words);
    for (int i = 0; i < 5; i++) {
        /* Newton's method: the right bits double each time. */
        inverse *= 2 - AFXDP_HASH_3 * inverse;
    }
    for (int i = 0; i < 1000; i++) {
        uint64_t sum = words[2] * AFXDP_HASH_2 + words[3] * AFXDP_HASH_3;
        uint64_t w2 = random_uint64();
        uint64_t w3 = (sum - w2 * AFXDP_HASH_2) * inverse;

        words[2] = w2;
        words[3] = w3;
        CHECK_EQ(afxdp_flow_hash(IN_PORT, 7, used, words), hash);
        memcpy(frame.data + 14 + 8, &w2, 8);
        memcpy(frame.data + 14 + 16, &w3, 8);
        CHECK_EQ(oracle_key(&frame, &other), KNOWN);
        prog_run(&frame, &o);
        CHECK_FRAME(o.verdict == XDP_PASS, &frame, "the hash of a flow");
        CHECK_EQ(o.misses, 1);
    }

    /* Flows of the same hash are all found. */
    prog_add_flow(&other, &mask, &drop);
    prog_run(&frame, &o);
    CHECK_EQ(o.verdict, XDP_DROP);
    frame_from_text(&frame, UDP6, "");
    prog_run(&frame, &o);
    CHECK_EQ(o.verdict, XDP_DROP);
}

/* All slots of one bucket in use: each of its flows is found. */
static void
test_table_bucket(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    const uint64_t used = 1 << 0 | 1 << 2 | 1 << 6;
    struct afxdp_flow_key key, mask;
    char *src[AFXDP_BUCKET_SLOTS];
    int n = 0;

    for (uint32_t i = 1; n < AFXDP_BUCKET_SLOTS; i++) {
        char *match = xasprintf("udp,nw_src=10.%u.%u.%u", i >> 16,
                                i >> 8 & 255, i & 255);
        __u64 words[AFXDP_FLOW_WORDS];
        uint64_t hash;

        oracle_match(match, &key, &mask);
        memcpy(words, &key, sizeof words);
        hash = afxdp_flow_hash(IN_PORT, 7, used, words);
        if (afxdp_flow_hash_bucket(hash) == 123) {
            prog_add_flow(&key, &mask, &drop);
            src[n++] = xstrdup(match + strlen("udp,"));
        }
        free(match);
    }
    for (int i = 0; i < n; i++) {
        CHECK_EQ(run_text(UDP, src[i]), XDP_DROP);
        free(src[i]);
    }
}

/* Returns 'match' with "@d", "@x", "@a" and "@m" become the number 'v' in
 * decimal, in hexadecimal, as an address and as the end of a MAC. */
static char *
insert_number(const char *match, unsigned int v)
{
    const char *at = strchr(match, '@');
    int n = at - match;

    switch (at[1]) {
    case 'd':
        return xasprintf("%.*s%u%s", n, match, v, at + 2);
    case 'x':
        return xasprintf("%.*s%x%s", n, match, v, at + 2);
    case 'a':
        return xasprintf("%.*s10.9.%u.%u%s", n, match, v / 256, v % 256,
                         at + 2);
    default:
        return xasprintf("%.*s02:00:00:00:%02x:%02x%s", n, match, v / 256,
                         v % 256, at + 2);
    }
}

/* Flows that differ in one field only, as those of a table of ports or of
 * addresses do, are spread over the buckets: none is ever full. */
static void
test_table_spread(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const char *const matches[] = {
        "tcp,tp_dst=@d", "udp,tp_src=@d", "tcp,nw_src=10.1.1.1,tp_dst=@d",
        "tcp6,tp_dst=@d", "udp,tp_dst=80,tp_src=@d",
        "ip,nw_src=@a", "ip,nw_dst=@a", "ip,nw_ttl=64,nw_src=@a",
        "ip,dl_src=02:00:00:00:00:01,dl_dst=02:00:00:00:00:02,nw_dst=@a",
        "ip,dl_vlan=@d", "dl_vlan=@d,dl_dst=02:00:00:00:00:02",
        "ip,dl_dst=@m", "arp,dl_src=@m", "ip,dl_src=@m,nw_dst=10.1.1.1",
        "arp,arp_tpa=10.1.1.1,arp_spa=@a", "arp,arp_sha=@m", "arp,arp_tha=@m",
        "ipv6,ipv6_dst=fd00::@x", "ipv6,ipv6_dst=fd00::@x:0:0:1",
        "ipv6,ipv6_src=fd00:@x::1", "ipv6,ipv6_src=fd00:0:0:@x::1",
        "ipv6,ipv6_label=@d", "tcp,tcp_flags=@d",
    };

    for (size_t i = 0; i < ARRAY_SIZE(matches); i++) {
        for (unsigned int v = 1; v <= 1000; v++) {
            char *match = insert_number(matches[i], v);
            struct afxdp_flow_key key, mask;

            oracle_match(match, &key, &mask);
            prog_add_flow(&key, &mask, &drop);
            free(match);
        }
        prog_clear();
    }
}

/* What a flow counts. */
static void
test_counters(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    int tcp = add_flow("tcp", drop), udp = add_flow("udp", output(2));
    uint16_t flags[] = { 0x010, 0x002, 0x800, 0x018 };
    struct afxdp_flow_counter counter;
    uint64_t bytes = 0, before;
    struct timespec now;
    struct frame frame;
    struct outcome o;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    before = now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
    for (int i = 0; i < ARRAY_SIZE(flags); i++) {
        char *change = xasprintf("tcp_flags=0x%03x", flags[i]);

        frame_from_text(&frame, TCP, change);
        prog_run(&frame, &o);
        bytes += frame.len;
        free(change);
    }
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    prog_counter(tcp, &counter);
    CHECK_EQ(counter.packets, ARRAY_SIZE(flags));
    CHECK_EQ(counter.bytes, bytes);
    CHECK_EQ(counter.tcp_flags, 0x81a);
    CHECK(counter.used >= before);
    CHECK(counter.used <= now.tv_sec * UINT64_C(1000000000) + now.tv_nsec);

    CHECK_EQ(run_text(UDP, ""), XDP_REDIRECT);
    prog_counter(udp, &counter);
    CHECK_EQ(counter.packets, 1);
    CHECK_EQ(counter.tcp_flags, 0);
}

/* A target that is not there: the packet goes to user space as it came,
 * whatever its flow would have changed, and no flow counts it. */
static void
test_targets_gone(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct afxdp_flow_actions actions = {
        .flags = (AFXDP_ACT_OUTPUT | AFXDP_ACT_ETH | AFXDP_ACT_IP4
                  | AFXDP_ACT_TP | AFXDP_ACT_VLAN_PUSH),
        .out = 3, .vlan_tci = htons(5), .eth_mask = { 255 },
        .ttl_mask = 255, .tp_src_mask = OVS_BE16_MAX,
        .ip4 = { .src_mask = OVS_BE32_MAX },
    };
    static const uint16_t ports[] = { 2, 3 };
    int flow = add_flow("udp", actions);
    struct afxdp_flow_counter counter;
    struct frame frame;
    struct outcome o;

    frame_from_text(&frame, UDP, "");
    for (int i = 0; i < 2; i++) {
        prog_set_target(3, false);
        prog_run(&frame, &o);
        CHECK_EQ(o.verdict, XDP_PASS);
        CHECK_EQ(o.refused, 1);
        CHECK(frame_equal(&frame, &o.frame));

        prog_set_target(3, true);
        prog_run(&frame, &o);
        CHECK_EQ(o.verdict, XDP_REDIRECT);
        CHECK_EQ(o.refused, 0);
    }
    prog_counter(flow, &counter);
    CHECK_EQ(counter.packets, 2);

    /* A group, of which one port cannot be sent to. */
    prog_set_group(2, ports, ARRAY_SIZE(ports));
    add_flow("udp6", (struct afxdp_flow_actions) {
                 .flags = AFXDP_ACT_GROUP | AFXDP_ACT_VLAN_PUSH, .out = 2 });
    frame_from_text(&frame, UDP6, "");
    prog_run(&frame, &o);
    CHECK_EQ(o.verdict, XDP_REDIRECT);
    prog_open_group(2, false);
    prog_run(&frame, &o);
    CHECK_EQ(o.verdict, XDP_PASS);
    CHECK_EQ(o.refused, 1);
    CHECK(frame_equal(&frame, &o.frame));
    prog_clear();

    /* A group that does not exist, though it is open. */
    prog_open_group(9, true);
    add_flow("tcp", (struct afxdp_flow_actions) { .flags = AFXDP_ACT_GROUP,
                                                  .out = 9 });
    frame_from_text(&frame, TCP, "");
    prog_run(&frame, &o);
    CHECK_EQ(o.verdict, XDP_PASS);
    CHECK_EQ(o.refused, 1);

    /* Numbers of ports and groups beyond all. */
    add_flow("tcp6", (struct afxdp_flow_actions) { .flags = AFXDP_ACT_GROUP,
                                                   .out = UINT32_MAX });
    CHECK_EQ(run_text(TCP6, ""), XDP_PASS);
    add_flow("udp6", (struct afxdp_flow_actions) { .flags = AFXDP_ACT_OUTPUT,
                                                   .out = UINT32_MAX });
    CHECK_EQ(run_text(UDP6, ""), XDP_PASS);
}

/* Where packets really go. */
static void
check_sent(const struct frame *frame, unsigned int ports)
{
    struct frame got;

    prog_send(frame);
    for (int i = 1; i <= N_DEVICES; i++) {
        bool expect = ports & 1 << i;

        if (prog_receive(i, &got, expect ? 2000 : 50) != expect) {
            ovs_fatal(0, "port %d has %s", i, expect ? "nothing" : "a packet");
        }
        if (expect) {
            CHECK_FRAME(frame_equal(&got, frame), &got, "another packet");
            CHECK(!prog_receive(i, &got, 20));
        }
    }
}

static void
test_targets_sent(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const uint16_t two[] = { 2, 4 }, three[] = { 2, 3, 4 };
    struct frame udp, tcp, arp;

    frame_from_text(&udp, UDP, "");
    frame_from_text(&tcp, TCP, "");
    frame_from_text(&arp, UDP6, "");
    prog_set_group(0, two, ARRAY_SIZE(two));
    prog_set_group(5, three, ARRAY_SIZE(three));
    add_flow("udp", output(3));
    add_flow("tcp", (struct afxdp_flow_actions) { .flags = AFXDP_ACT_GROUP,
                                                  .out = 5 });
    add_flow("udp6", (struct afxdp_flow_actions) { .flags = AFXDP_ACT_GROUP,
                                                   .out = 0 });
    for (int i = 0; i < 3; i++) {
        check_sent(&udp, 1 << 3);
        check_sent(&tcp, 1 << 2 | 1 << 3 | 1 << 4);
        check_sent(&arp, 1 << 2 | 1 << 4);
    }
    prog_clear();
    add_flow("udp", drop);
    check_sent(&udp, 0);
}

/* Partial checksums: in generic mode the field may hold the sum of the
 * pseudo-header, for a device to complete. */

static size_t
csum_offset(const struct frame *frame)
{
    bool ip6 = frame->data[12] == 0x86;
    uint8_t proto = frame->data[ip6 ? 20 : 23];

    return 14 + (ip6 ? 40 : 20) + (proto == 6 ? 16 : 6);
}

/* Puts the sum of the pseudo-header into the checksum of 'frame'. */
static void
make_partial(struct frame *frame)
{
    bool ip6 = frame->data[12] == 0x86;
    uint8_t *l3 = frame->data + 14;
    size_t l4_len = frame->len - 14 - (ip6 ? 40 : 20);
    uint32_t sum = 0;
    ovs_be16 be;

    sum = csum_add16(sum, htons(l4_len));
    sum = csum_add16(sum, htons(ip6 ? l3[6] : l3[9]));
    sum = csum_continue(sum, l3 + (ip6 ? 8 : 12), ip6 ? 32 : 8);
    be = ~csum_finish(sum);
    memcpy(frame->data + csum_offset(frame), &be, sizeof be);
}

static const struct partial_case {
    const char *match, *packet, *changed;
    struct afxdp_flow_actions actions;
} partial_cases[] = {
    { "tcp", TCP, "nw_ttl=63",
      { .flags = AFXDP_ACT_OUTPUT | AFXDP_ACT_IP4, .out = 2,
        .ttl = 63, .ttl_mask = 255 } },
    { "tcp", TCP, "nw_src=172.16.3.4,nw_dst=1.2.3.4",
      { .flags = AFXDP_ACT_OUTPUT | AFXDP_ACT_IP4, .out = 2,
        .ip4 = { .src = CONSTANT_HTONL(0xac100304),
                 .src_mask = OVS_BE32_MAX,
                 .dst = CONSTANT_HTONL(0x01020304),
                 .dst_mask = OVS_BE32_MAX } } },
    { "udp", UDP, "nw_dst=255.255.0.1,tp_src=9",
      { .flags = AFXDP_ACT_OUTPUT | AFXDP_ACT_IP4 | AFXDP_ACT_TP, .out = 2,
        .tp_src = CONSTANT_HTONS(9), .tp_src_mask = OVS_BE16_MAX,
        .ip4 = { .dst = CONSTANT_HTONL(0xffff0001),
                 .dst_mask = OVS_BE32_MAX } } },
    { "udp", UDP, "tp_dst=65535",
      { .flags = AFXDP_ACT_OUTPUT | AFXDP_ACT_TP, .out = 2,
        .tp_dst = OVS_BE16_MAX, .tp_dst_mask = OVS_BE16_MAX } },
    { "tcp6", TCP6, "ipv6_src=fd00:1::ffff:3,tp_dst=9",
      { .flags = AFXDP_ACT_OUTPUT | AFXDP_ACT_IP6 | AFXDP_ACT_TP, .out = 2,
        .tp_dst = CONSTANT_HTONS(9), .tp_dst_mask = OVS_BE16_MAX,
        .ip6 = { .src = { [3] = CONSTANT_HTONL(0xffff0003) },
                 .src_mask = { [3] = OVS_BE32_MAX } } } },
    { "udp6", UDP6, "ipv6_dst=fd00:4::8:6",
      { .flags = AFXDP_ACT_OUTPUT | AFXDP_ACT_IP6, .out = 2,
        .ip6 = { .dst = { [3] = CONSTANT_HTONL(0x80006) },
                 .dst_mask = { [3] = OVS_BE32_MAX } } } },
};

static void
check_partial(const struct frame *in, const struct frame *out,
              const char *what)
{
    struct outcome o;

    prog_run(in, &o);
    CHECK_FRAME(o.verdict == XDP_REDIRECT, in, what);
    if (!frame_equal(&o.frame, out)) {
        frame_print("before", in);
        frame_print("expected", out);
        frame_print("result", &o.frame);
        ovs_fatal(0, "%s", what);
    }
}

static void
test_partial(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    for (size_t i = 0; i < ARRAY_SIZE(partial_cases); i++) {
        const struct partial_case *c = &partial_cases[i];

        add_flow(c->match, c->actions);
        prog_set_flags(AFXDP_PORT_GENERIC);
        for (size_t len = 0; len < 1514; len += 300) {
            struct frame in, out;

            frame_from_text(&in, c->packet, "");
            frame_from_text(&out, c->packet, c->changed);
            if (len > in.len) {
                frame_fill(&in, len);
                frame_fill(&out, len);
            }
            check_partial(&in, &out, "complete checksum");
            make_partial(&in);
            make_partial(&out);
            check_partial(&in, &out, "partial checksum");
        }
        prog_clear();
    }
}

/* Packets of several buffers, as jumbo frames and GSO packets are. */
static void
test_long(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const size_t lengths[] = { 1514, 3000, 5000, 9000 };

    for (size_t i = 0; i < ARRAY_SIZE(partial_cases); i++) {
        const struct partial_case *c = &partial_cases[i];
        int flow = add_flow(c->match, c->actions);
        struct afxdp_flow_counter counter;
        uint64_t bytes = 0;

        prog_set_flags(AFXDP_PORT_GENERIC);
        for (size_t j = 0; j < ARRAY_SIZE(lengths); j++) {
            struct frame in, out;

            frame_from_text(&in, c->packet, "");
            frame_from_text(&out, c->packet, c->changed);
            frame_fill(&in, lengths[j]);
            frame_fill(&out, lengths[j]);
            check_partial(&in, &out, "long packet");
            bytes += lengths[j];
        }
        prog_counter(flow, &counter);
        CHECK_EQ(counter.bytes, bytes);
        prog_clear();
    }
}

/* Tags of packets that will be segmented: the tag would stay where it was, or
 * be in the first segment only. */
static void
test_long_vlan(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct afxdp_flow_actions push = {
        .flags = AFXDP_ACT_OUTPUT | AFXDP_ACT_VLAN_PUSH, .out = 2,
        .vlan_tci = htons(5),
    };
    struct frame frame;
    struct outcome o;

    frame_from_text(&frame, TCP, "");
    frame_fill(&frame, 5000);
    add_flow("tcp", push);
    prog_set_flags(AFXDP_PORT_GENERIC);
    prog_run(&frame, &o);
    CHECK_EQ(o.verdict, XDP_PASS);
    CHECK_EQ(o.refused, 1);
    CHECK(frame_equal(&frame, &o.frame));
}

/* Flows replaced while packets look them up. */

#define SWAP_SECONDS 3
#define SWAP_SEEN 10            /* Flows to be seen at least... */
#define SWAP_LIMIT 60           /* ...within so many seconds. */

static atomic_bool stop_swapping = false;

static void *
swap(void *flow_)
{
    int flow = *(int *) flow_;
    struct afxdp_flow_key key, mask;
    bool stop = false;

    oracle_match("udp", &key, &mask);
    for (uint8_t i = 1; !stop; i++) {
        struct afxdp_flow_actions a = {
            .flags = (AFXDP_ACT_OUTPUT | AFXDP_ACT_ETH | AFXDP_ACT_IP4
                      | AFXDP_ACT_TP),
            .out = 2, .ttl = i, .ttl_mask = 255, .tos = i, .tos_mask = 255,
            .tp_src = i * 257, .tp_src_mask = OVS_BE16_MAX,
            .tp_dst = i * 257, .tp_dst_mask = OVS_BE16_MAX,
        };

        memset(a.eth, i, sizeof a.eth);
        memset(a.eth_mask, 0xff, sizeof a.eth_mask);
        memset(&a.ip4.src, i, 4);
        memset(&a.ip4.dst, i, 4);
        a.ip4.src_mask = a.ip4.dst_mask = OVS_BE32_MAX;
        flow = prog_replace_flow(flow, &key, &mask, &a);
        atomic_read(&stop_swapping, &stop);
    }
    return NULL;
}

static void
test_table_swap(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    time_t start = time(NULL);
    unsigned int seen[256] = { 0 }, n = 0;
    struct frame frame;
    struct outcome o;
    pthread_t thread;
    int flow;

    frame_from_text(&frame, UDP, "");
    flow = add_flow("udp", output(2));
    thread = ovs_thread_create("swap", swap, &flow);
    while (time(NULL) < start + (n > SWAP_SEEN ? SWAP_SECONDS : SWAP_LIMIT)) {
        uint8_t v;

        prog_run(&frame, &o);
        CHECK_EQ(o.verdict, XDP_REDIRECT);
        if (frame_equal(&frame, &o.frame)) {
            continue;           /* Before the first new one. */
        }
        v = o.frame.data[0];
        n += !seen[v]++;
        for (int i = 0; i < 12; i++) {
            CHECK_FRAME(o.frame.data[i] == v, &o.frame, "half a flow");
        }
        CHECK_FRAME(o.frame.data[15] == v && o.frame.data[22] == v
                    && o.frame.data[26] == v && o.frame.data[33] == v
                    && o.frame.data[34] == v && o.frame.data[37] == v,
                    &o.frame, "half a flow");
    }
    atomic_store(&stop_swapping, true);
    xpthread_join(thread, NULL);
    CHECK(n > SWAP_SEEN);
}

const struct ovs_cmdl_command test_flow_table_commands[] = {
    { "table-empty", NULL, 0, 0, test_table_empty, OVS_RO },
    { "table-masks", NULL, 0, 0, test_table_masks, OVS_RO },
    { "table-collision", NULL, 0, 0, test_table_collision, OVS_RO },
    { "table-bucket", NULL, 0, 0, test_table_bucket, OVS_RO },
    { "table-spread", NULL, 0, 0, test_table_spread, OVS_RO },
    { "table-swap", NULL, 0, 0, test_table_swap, OVS_RO },
    { "counters", NULL, 0, 0, test_counters, OVS_RO },
    { "targets-gone", NULL, 0, 0, test_targets_gone, OVS_RO },
    { "targets-sent", NULL, 0, 0, test_targets_sent, OVS_RO },
    { "partial", NULL, 0, 0, test_partial, OVS_RO },
    { "long", NULL, 0, 0, test_long, OVS_RO },
    { "long-vlan", NULL, 0, 0, test_long_vlan, OVS_RO },
    { NULL, NULL, 0, 0, NULL, OVS_RO },
};
