/* SPDX-License-Identifier: Apache-2.0 */

/* Random packets through the flow program and through Open vSwitch's own
 * parser and actions: both must find the same fields and make the same packet.
 * See flow-test.h. */

#include <config.h>

#include "flow-test.h"

#include <stdio.h>
#include <string.h>

#include "random.h"
#include "util.h"

#define N_PARSED 60000
#define N_GARBAGE 40000
#define N_ACTIONS 60000
#define N_TABLES 2000
#define TABLE_FLOWS 40
#define TABLE_PACKETS 100

static const struct afxdp_flow_actions to_port_2 = {
    .flags = AFXDP_ACT_OUTPUT, .out = 2,
};

static void
exact(struct afxdp_flow_key *mask)
{
    memset(mask, 0xff, sizeof *mask);
}

/* Flips one random bit of those set in 'mask'. */
static void
flip(struct afxdp_flow_key *key, const struct afxdp_flow_key *mask)
{
    uint8_t *k = (uint8_t *) key;
    const uint8_t *m = (const uint8_t *) mask;
    int bit;

    do {
        bit = random_range(8 * sizeof *key);
    } while (!(m[bit / 8] & 1 << bit % 8));
    k[bit / 8] ^= 1 << bit % 8;
}

static void
random_frame(struct frame *frame)
{
    frame_random(frame);
    while (!random_range(3)) {
        frame_mutate(frame);
    }
}

/* Demands that 'frame' is parsed as Open vSwitch does: with only the flow that
 * Open vSwitch would look for in the table, it is found, or the parser says
 * that it does not know the packet.  Returns whether it is found. */
static bool
check_parsed(const struct frame *frame)
{
    struct afxdp_flow_key key, mask;
    enum known known = oracle_key(frame, &key);
    struct outcome o;

    exact(&mask);
    prog_add_flow(&key, &mask, &to_port_2);
    prog_run(frame, &o);
    CHECK_FRAME(frame_equal(frame, &o.frame), frame, "changed");
    CHECK_FRAME(!o.misses, frame, "parsed differently");
    CHECK_FRAME(!o.refused, frame, "refused");
    if (o.verdict == XDP_REDIRECT) {
        CHECK_FRAME(known != UNKNOWN, frame, "must go up");
        CHECK_EQ(o.unknown, 0);
    } else {
        CHECK_EQ(o.verdict, XDP_PASS);
        CHECK_FRAME(known != KNOWN, frame, "need not go up");
        CHECK_EQ(o.unknown, 1);
    }
    prog_clear();

    if (o.verdict == XDP_REDIRECT) {
        flip(&key, &mask);
        prog_add_flow(&key, &mask, &to_port_2);
        prog_run(frame, &o);
        CHECK_FRAME(o.verdict == XDP_PASS && o.misses == 1, frame,
                    "found under another key");
        prog_clear();
        return true;
    }
    return false;
}

static void
test_fuzz_parser(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    unsigned int n = 0;

    for (int i = 0; i < N_PARSED; i++) {
        struct frame frame;

        random_frame(&frame);
        n += check_parsed(&frame);
    }
    printf("%u of %u packets known\n", n, N_PARSED);
    CHECK(n > N_PARSED / 10 && n < N_PARSED * 9 / 10);
}

/* Every bit of good packets the other way round. */
static void
test_fuzz_bits(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    for (int i = 0; i < 60; i++) {
        struct afxdp_flow_key key;
        struct frame frame;

        do {
            frame_random(&frame);
        } while (oracle_key(&frame, &key) != KNOWN);
        for (size_t bit = 0; bit < 8 * MIN(frame.len, 80); bit++) {
            frame.data[bit / 8] ^= 1 << bit % 8;
            check_parsed(&frame);
            frame.data[bit / 8] ^= 1 << bit % 8;
        }
    }
}

/* Mere noise. */
static void
test_fuzz_garbage(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    for (int i = 0; i < N_GARBAGE; i++) {
        struct frame frame;

        frame.len = FRAME_MIN + random_range(random_range(5) ? 100 : 1500);
        random_bytes(frame.data, frame.len);
        if (random_range(2)) {
            static const uint8_t types[][2] = {
                { 0x08, 0x00 }, { 0x86, 0xdd }, { 0x08, 0x06 }, { 0x81, 0x00 }
            };

            memcpy(frame.data + 12, types[random_range(ARRAY_SIZE(types))],
                   2);
        }
        check_parsed(&frame);
    }
}

/* Fills '*mask' with the bits of some fields, or parts of them, of 'key': the
 * Ethernet type always, as in all megaflows. */
static void
random_mask(struct afxdp_flow_key *mask)
{
    uint8_t *m = (uint8_t *) mask;

    memset(mask, 0, sizeof *mask);
    for (int i = 0, n; i < sizeof *mask; i += n) {
        unsigned int kind = random_range(6);

        n = MIN(1 + random_range(8), sizeof *mask - i);

        if (kind == 0) {
            memset(m + i, 0xff, n);
        } else if (kind == 1) {
            random_bytes(m + i, n);
        }
    }
    mask->eth_type = OVS_BE16_MAX;
}

static bool
matches(const struct afxdp_flow_key *packet, const struct afxdp_flow_key *key,
        const struct afxdp_flow_key *mask)
{
    const uint8_t *p = (const uint8_t *) packet;
    const uint8_t *k = (const uint8_t *) key;
    const uint8_t *m = (const uint8_t *) mask;

    for (int i = 0; i < sizeof *packet; i++) {
        if ((p[i] ^ k[i]) & m[i]) {
            return false;
        }
    }
    return true;
}

struct table {
    struct {
        struct afxdp_flow_key key, mask;
        int number;
    } flows[TABLE_FLOWS];
    int n;
};

/* Stores in '*both' the bits that are in 'a' and in 'b'. */
static void
both_masks(struct afxdp_flow_key *both, const struct afxdp_flow_key *a,
           const struct afxdp_flow_key *b)
{
    for (int i = 0; i < sizeof *both; i++) {
        ((uint8_t *) both)[i] = ((uint8_t *) a)[i] & ((uint8_t *) b)[i];
    }
}

/* Fills the table with flows of some masks that do not contradict each other:
 * no packet matches two of them. */
static void
random_table(struct table *t)
{
    struct afxdp_flow_key masks[AFXDP_MAX_PORT_MASKS];
    int n_masks = 1 + random_range(AFXDP_MAX_PORT_MASKS);

    for (int i = 0; i < n_masks; i++) {
        random_mask(&masks[i]);
    }
    t->n = 0;
    for (int i = 0; i < TABLE_FLOWS; i++) {
        struct afxdp_flow_key key, mask = masks[random_range(n_masks)];
        struct frame frame;
        int j;

        do {
            frame_random(&frame);
        } while (oracle_key(&frame, &key) != KNOWN);
        for (j = 0; j < t->n; j++) {
            struct afxdp_flow_key both;

            both_masks(&both, &mask, &t->flows[j].mask);
            if (matches(&key, &t->flows[j].key, &both)) {
                break;
            }
        }
        if (j == t->n) {
            t->flows[j].key = key;
            t->flows[j].mask = mask;
            t->flows[j].number = prog_add_flow(&key, &mask, &to_port_2);
            t->n++;
        }
    }
}

/* Makes a packet that is nearly or quite one of the flow 'i'. */
static void
packet_for(const struct table *t, struct frame *frame)
{
    const struct afxdp_flow_key *key = &t->flows[random_range(t->n)].key;

    frame_random(frame);
    memcpy(frame->data, key->eth_dst, 6);
    memcpy(frame->data + 6, key->eth_src, 6);
    if (frame->data[12] == 8 && frame->data[13] == 0 && frame->len >= 34) {
        memcpy(frame->data + 26, &key->ip4, 8);
        frame->data[15] = key->tos;
        frame->data[22] = key->ttl;
    } else if (frame->data[12] == 0x86 && frame->len >= 54) {
        memcpy(frame->data + 22, &key->ip6, 32);
        frame->data[21] = key->ttl;
    }
}

static void
test_fuzz_tables(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    unsigned int n_hits = 0, n_misses = 0;

    for (int i = 0; i < N_TABLES; i++) {
        struct table t;

        random_table(&t);
        for (int j = 0; j < TABLE_PACKETS; j++) {
            struct afxdp_flow_counter before, after;
            struct afxdp_flow_key key;
            struct frame frame;
            struct outcome o;
            int found;

            packet_for(&t, &frame);
            if (oracle_key(&frame, &key) != KNOWN) {
                continue;
            }
            for (found = 0; found < t.n; found++) {
                if (matches(&key, &t.flows[found].key, &t.flows[found].mask)) {
                    break;
                }
            }
            if (found == t.n) {
                prog_run(&frame, &o);
                CHECK_FRAME(o.verdict == XDP_PASS && o.misses == 1, &frame,
                            "found a flow that does not match");
                n_misses++;
            } else {
                prog_counter(t.flows[found].number, &before);
                prog_run(&frame, &o);
                prog_counter(t.flows[found].number, &after);
                CHECK_FRAME(o.verdict == XDP_REDIRECT
                            && after.packets == before.packets + 1, &frame,
                            "its flow was not found");
                n_hits++;
            }
        }
        prog_clear();
    }
    printf("%u hits, %u misses\n", n_hits, n_misses);
    CHECK(n_hits > 1000 && n_misses > 1000);
}

/* Actions at random. */
static void
run_actions(const struct frame *in, const struct afxdp_flow_key *key,
            const struct afxdp_flow_actions *actions)
{
    struct afxdp_flow_key mask;
    struct frame expected;
    struct outcome o;

    exact(&mask);
    prog_add_flow(key, &mask, actions);
    prog_run(in, &o);
    CHECK_FRAME(o.verdict == XDP_REDIRECT, in, "no hit");
    oracle_execute(in, actions, &expected);
    if (!frame_equal(&o.frame, &expected)) {
        frame_print("before", in);
        frame_print("expected", &expected);
        frame_print("result", &o.frame);
        ovs_fatal(0, "actions with flags 0x%x", actions->flags);
    }
    prog_clear();
}

static void
test_fuzz_actions(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    for (int i = 0; i < N_ACTIONS; i++) {
        struct afxdp_flow_actions actions;
        struct afxdp_flow_key key;
        struct frame frame;

        do {
            random_frame(&frame);
        } while (oracle_key(&frame, &key) != KNOWN);
        oracle_random_actions(&key, &actions);
        run_actions(&frame, &key, &actions);
    }
}

const struct ovs_cmdl_command test_flow_fuzz_commands[] = {
    { "fuzz-parser", NULL, 0, 0, test_fuzz_parser, OVS_RO },
    { "fuzz-bits", NULL, 0, 0, test_fuzz_bits, OVS_RO },
    { "fuzz-garbage", NULL, 0, 0, test_fuzz_garbage, OVS_RO },
    { "fuzz-tables", NULL, 0, 0, test_fuzz_tables, OVS_RO },
    { "fuzz-actions", NULL, 0, 0, test_fuzz_actions, OVS_RO },
    { NULL, NULL, 0, 0, NULL, OVS_RO },
};
