/* SPDX-License-Identifier: Apache-2.0 */

/* Packets for the tests of the flow table, from a text in the words of
 * OpenFlow and at random.  See flow-test.h. */

#include <config.h>

#include "flow-test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csum.h"
#include "dp-packet.h"
#include "flow.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/ofp-flow.h"
#include "packets.h"
#include "random.h"
#include "svec.h"
#include "util.h"

/* Does 'field' decide about what 'name' does? */
static bool
overrides(const char *field, const char *name)
{
    return !strcmp(field, name)
           || (!strcmp(field, "vlan_tci") && !strncmp(name, "dl_vlan", 7));
}

/* Appends 'field', NAME=VALUE, of a packet of 'proto'. */
static void
append_field(struct ds *ds, const char *field, const char *proto)
{
    if (!strncmp(field, "tp_", 3)) {
        int n = strcspn(proto, "6,");

        ds_put_format(ds, "%.*s_%s,", n, proto, field + 3);
    } else {
        ds_put_format(ds, "%s,", field);
    }
}

/* Returns the fields 'text' without those that a later one overrides, with the
 * names that they have in this protocol (udp_src for tp_src). */
static char *
resolve_fields(const char *text)
{
    struct ds ds = DS_EMPTY_INITIALIZER;
    struct svec fields = SVEC_EMPTY_INITIALIZER;
    struct svec names = SVEC_EMPTY_INITIALIZER;

    for (const char *p = text; *p; p += strspn(p, ",")) {
        size_t n = strcspn(p, ",");

        svec_add_nocopy(&fields, xmemdup0(p, n));
        svec_add_nocopy(&names, xmemdup0(p, strcspn(p, "=,")));
        p += n;
    }
    for (size_t i = 0; i < fields.n; i++) {
        size_t j;

        for (j = i + 1; j < fields.n; j++) {
            if (overrides(names.names[j], names.names[i])) {
                break;
            }
        }
        if (j == fields.n) {
            append_field(&ds, fields.names[i], text);
        }
    }
    svec_destroy(&fields);
    svec_destroy(&names);
    return ds_steal_cstr(&ds);
}

/* Makes the packet whose fields are 'base', as ovs-ofctl writes them, with the
 * fields in 'changes' having other values. */
void
frame_from_text(struct frame *frame, const char *base, const char *changes)
{
    char *both = xasprintf("%s,%s", base, changes);
    char *fields = resolve_fields(both);
    static uint8_t payload[26];
    struct dp_packet packet;
    struct flow flow;
    char *error;

    error = parse_ofp_exact_flow(&flow, NULL, NULL, fields, NULL);
    if (error) {
        ovs_fatal(0, "packet: %s", error);
    }
    free(fields);
    free(both);

    for (size_t i = 0; i < sizeof payload; i++) {
        payload[i] = 'a' + i;
    }
    dp_packet_init(&packet, 0);
    flow_compose(&packet, &flow, payload, sizeof payload);
    frame->len = dp_packet_size(&packet);
    CHECK(frame->len <= FRAME_MAX);
    memcpy(frame->data, dp_packet_data(&packet), frame->len);
    dp_packet_uninit(&packet);
}

/* Changes bytes of a packet: 'edits' has, with blanks between, "OFS=HEX" for
 * other bytes in place of those at OFS and "OFS+HEX" for more bytes before
 * them; "=LEN" cuts the packet off. */
void
frame_edit(struct frame *frame, const char *edits)
{
    char *copy = xstrdup(edits), *save = NULL;

    for (char *e = strtok_r(copy, " ", &save); e;
         e = strtok_r(NULL, " ", &save)) {
        char *hex = NULL;
        size_t ofs = e[0] == '=' ? 0 : strtoul(e, &hex, 10);
        uint8_t bytes[64];
        size_t n;

        if (!hex) {
            n = strtoul(e + 1, NULL, 10);
            CHECK(n >= FRAME_MIN && n <= frame->len);
            frame->len = n;
            continue;
        }
        n = strlen(hex + 1) / 2;
        for (size_t i = 0; i < n; i++) {
            bool ok;

            bytes[i] = hexits_value(hex + 1 + 2 * i, 2, &ok);
            CHECK(ok);
        }
        if (*hex == '+') {
            CHECK(frame->len + n <= FRAME_MAX);
            memmove(frame->data + ofs + n, frame->data + ofs,
                    frame->len - ofs);
            frame->len += n;
        }
        CHECK(ofs + n <= frame->len);
        memcpy(frame->data + ofs, bytes, n);
    }
    free(copy);
}

/* Makes 'frame', whose IPv4 or IPv6 header begins at offset 14, one of 'len'
 * bytes by more payload, with lengths and checksums for it. */
void
frame_fill(struct frame *frame, size_t len)
{
    bool ip6 = frame->data[12] == 0x86;
    uint8_t *h = frame->data + ETH_HEADER_LEN;
    size_t hlen = ip6 ? 40 : 20, l4_len = len - ETH_HEADER_LEN - hlen;
    uint8_t proto = ip6 ? h[6] : h[9];
    uint8_t *csum_field = h + hlen + (proto == IPPROTO_TCP ? 16 : 6);
    uint32_t pseudo = csum_add16(csum_add16(0, htons(proto)), htons(l4_len));
    ovs_be16 be;

    CHECK(len <= FRAME_MAX && len >= frame->len);
    for (size_t i = frame->len; i < len; i++) {
        frame->data[i] = i;
    }
    frame->len = len;
    be = htons(ip6 ? l4_len : l4_len + hlen);
    memcpy(h + (ip6 ? 4 : 2), &be, 2);
    if (proto == IPPROTO_UDP) {
        be = htons(l4_len);
        memcpy(h + hlen + 4, &be, 2);
    }
    if (!ip6) {
        memset(h + 10, 0, 2);
        be = csum(h, hlen);
        memcpy(h + 10, &be, 2);
    }
    pseudo = ip6 ? csum_continue(pseudo, h + 8, 32)
                 : csum_continue(pseudo, h + 12, 8);
    memset(csum_field, 0, 2);
    be = csum_finish(csum_continue(pseudo, h + hlen, l4_len));
    memcpy(csum_field, &be, 2);
}

bool
frame_equal(const struct frame *a, const struct frame *b)
{
    return a->len == b->len && !memcmp(a->data, b->data, a->len);
}

void
frame_print(const char *title, const struct frame *frame)
{
    printf("%s: %"PRIuSIZE" bytes\n", title, frame->len);
    ovs_hex_dump(stdout, frame->data, frame->len, 0, false);
}

/* Random packets.  Most are good, and each thing that may be wrong with one is
 * wrong now and then. */

static bool
one_in(unsigned int n)
{
    return !random_range(n);
}

#define PICK(ARRAY) ((ARRAY)[random_range(ARRAY_SIZE(ARRAY))])

static void *
put(struct frame *frame, size_t n)
{
    uint8_t *p = frame->data + frame->len;

    CHECK(frame->len + n <= FRAME_MAX);
    memset(p, 0, n);
    frame->len += n;
    return p;
}

static void *
put_random(struct frame *frame, size_t n)
{
    void *p = put(frame, n);

    random_bytes(p, n);
    return p;
}

static void
put_be16(struct frame *frame, uint16_t value)
{
    ovs_be16 be = htons(value);

    memcpy(put(frame, sizeof be), &be, sizeof be);
}

static void
set_be16(void *p, uint16_t value)
{
    ovs_be16 be = htons(value);

    memcpy(p, &be, sizeof be);
}

static void
put_tcp(struct frame *frame)
{
    size_t options = one_in(3) ? random_range(11) : 0;
    uint8_t *h = put_random(frame, 20 + options * 4);
    unsigned int doff = one_in(10) ? random_range(16) : 5 + options;

    h[12] = doff << 4 | (h[12] & 0xf);
    put_random(frame, random_range(40));
}

static void
put_udp(struct frame *frame)
{
    uint8_t *h = put_random(frame, 8);
    size_t payload = random_range(40);

    set_be16(h + 4, one_in(10) ? random_uint16() : 8 + payload);
    put_random(frame, payload);
}

static void
put_icmp(struct frame *frame, const uint8_t *types, size_t n)
{
    uint8_t *h = put_random(frame, 8);

    h[0] = one_in(5) ? h[0] : types[random_range(n)];
    h[1] = one_in(3) ? h[1] : 0;
    put_random(frame, random_range(60));
}

static void
put_l4(struct frame *frame, uint8_t proto)
{
    static const uint8_t icmp_types[] = { 0, 3, 8, 11 };
    static const uint8_t icmp6_types[] = {
        1, 2, 128, 129, 133, 134, 135, 136, 137, 143
    };

    switch (proto) {
    case IPPROTO_TCP:
        put_tcp(frame);
        break;
    case IPPROTO_UDP:
        put_udp(frame);
        break;
    case IPPROTO_ICMP:
        put_icmp(frame, icmp_types, ARRAY_SIZE(icmp_types));
        break;
    case IPPROTO_ICMPV6:
        put_icmp(frame, icmp6_types, ARRAY_SIZE(icmp6_types));
        break;
    default:
        put_random(frame, random_range(60));
        break;
    }
}

/* Puts a transport checksum into the 'len' bytes at 'h', with 'pseudo' the sum
 * of the pseudo-header: mostly the right one. */
static void
set_l4_csum(uint8_t proto, uint8_t *h, size_t len, uint32_t pseudo)
{
    size_t ofs = (proto == IPPROTO_TCP ? 16
                  : proto == IPPROTO_UDP ? 6
                  : proto == IPPROTO_ICMPV6 ? 2 : 0);
    ovs_be16 sum = 0;

    if (!ofs || len < ofs + 2 || one_in(8)) {
        return;
    }
    memcpy(h + ofs, &sum, sizeof sum);
    if (one_in(8)) {
        return;                 /* 0: UDP without one. */
    }
    if (one_in(8)) {
        sum = ~csum_finish(pseudo);     /* For a device to complete. */
    } else {
        sum = csum_finish(csum_continue(pseudo, h, len));
        if (!sum && proto == IPPROTO_UDP) {
            sum = OVS_BE16_MAX;
        }
    }
    memcpy(h + ofs, &sum, sizeof sum);
}

static const uint8_t protos[] = {
    IPPROTO_TCP, IPPROTO_TCP, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_UDP,
    IPPROTO_SCTP, IPPROTO_ICMP, IPPROTO_ICMPV6, IPPROTO_IGMP, IPPROTO_GRE,
    IPPROTO_ESP, IPPROTO_IPIP,
};

static void
put_ip4(struct frame *frame)
{
    static const uint16_t frags[] = {
        0x2000, 0x2001, 0x0001, 0x1fff, 0x8000, 0x6000, 0xa000
    };
    size_t start = frame->len;
    size_t options = one_in(4) ? random_range(11) : 0;
    uint8_t *h = put_random(frame, 20 + options * 4);
    size_t total;
    ovs_be16 sum;

    h[0] = 0x40 | (5 + options);
    if (one_in(30)) {
        h[0] = random_uint8();
    }
    set_be16(h + 6, one_in(5) ? PICK(frags) : one_in(2) ? 0x4000 : 0);
    h[9] = one_in(10) ? random_uint8() : PICK(protos);
    put_l4(frame, h[9]);

    total = frame->len - start;
    set_be16(h + 2, one_in(15) ? total + random_range(40) - 20 : total);
    set_l4_csum(h[9], h + 20 + options * 4, total - 20 - options * 4,
                csum_continue(csum_add16(csum_add16(0, htons(h[9])),
                                         htons(total - 20 - options * 4)),
                              h + 12, 8));
    memset(h + 10, 0, 2);
    sum = csum(h, 20 + options * 4);
    memcpy(h + 10, &sum, sizeof sum);
}

/* Puts a chain of extension headers, of which 'next' is the first one's
 * number; the last one says 'proto'. */
static void
put_ip6_extensions(struct frame *frame, uint8_t *next, uint8_t proto)
{
    static const uint8_t kinds[] = { 0, 43, 44, 51, 60, 135, 139, 140 };

    do {
        uint8_t *h = put_random(frame, 8);

        *next = PICK(kinds);
        h[1] = 0;
        if (*next == IPPROTO_FRAGMENT && one_in(2)) {
            set_be16(h + 2, one_in(2) ? 1 : 8);
        }
        next = h;
    } while (one_in(3));
    *next = proto;
}

static void
put_ip6(struct frame *frame)
{
    size_t start = frame->len;
    uint8_t *h = put_random(frame, 40);
    uint8_t proto = one_in(10) ? random_uint8() : PICK(protos);
    size_t l4, len;

    h[0] = (one_in(30) ? h[0] & 0xf0 : 0x60) | (h[0] & 0xf);
    h[6] = proto;
    if (one_in(8)) {
        put_ip6_extensions(frame, &h[6], proto);
    }
    l4 = frame->len;
    put_l4(frame, proto);
    len = frame->len - l4;
    set_l4_csum(proto, frame->data + l4, len,
                csum_continue(csum_add16(csum_add16(0, htons(proto)),
                                         htons(len)), h + 8, 32));

    len = frame->len - start - 40;
    set_be16(h + 4, one_in(15) ? len + random_range(40) - 20 : len);
}

static void
put_arp(struct frame *frame)
{
    static const uint8_t good[8] = { 0, 1, 8, 0, 6, 4, 0, 1 };
    uint8_t *h = put_random(frame, 28);

    memcpy(h, good, sizeof good);
    if (one_in(3)) {
        h[7] = random_uint8();
    }
    if (one_in(15)) {
        h[random_range(8)] = random_uint8();
    }
}

static void
put_llc(struct frame *frame)
{
    static const uint8_t snap[] = { 0xaa, 0xaa, 0x03, 0, 0, 0 };

    put_be16(frame, random_range(0x600));
    memcpy(put(frame, sizeof snap), snap, sizeof snap);
    if (one_in(2)) {
        put_be16(frame, 0x0800);
        put_ip4(frame);
    } else {
        put_random(frame, random_range(40));
    }
}

static void
put_network(struct frame *frame)
{
    static const uint16_t types[] = {
        0x0800, 0x86dd, 0x0806, 0x8035, 0x8100, 0x88a8, 0x8847, 0x8848,
        0x894f, 0x88cc, 0x6558, 0x9100
    };
    uint16_t type;

    switch (random_range(10)) {
    case 0: case 1: case 2: case 3:
        put_be16(frame, 0x0800);
        put_ip4(frame);
        break;
    case 4: case 5: case 6:
        put_be16(frame, 0x86dd);
        put_ip6(frame);
        break;
    case 7:
        put_be16(frame, one_in(6) ? 0x8035 : 0x0806);
        put_arp(frame);
        break;
    case 8:
        put_llc(frame);
        break;
    default:
        type = one_in(2) ? random_uint16() : PICK(types);
        put_be16(frame, type);
        put_random(frame, random_range(60));
        break;
    }
}

/* Makes a random packet. */
void
frame_random(struct frame *frame)
{
    frame->len = 0;
    put_random(frame, 12);
    while (one_in(3)) {
        put_be16(frame, one_in(6) ? 0x88a8 : 0x8100);
        put_random(frame, 2);
    }
    put_network(frame);
    if (one_in(4)) {
        put_random(frame, random_range(50));    /* Padding. */
    }
    if (frame->len < FRAME_MIN) {
        put_random(frame, FRAME_MIN - frame->len);
    }
}

/* Spoils a packet a little. */
void
frame_mutate(struct frame *frame)
{
    switch (random_range(4)) {
    case 0:
        frame->data[random_range(frame->len)] ^= 1 << random_range(8);
        break;
    case 1:
        frame->data[random_range(frame->len)] = random_uint8();
        break;
    case 2:
        frame->len = FRAME_MIN + random_range(frame->len - FRAME_MIN + 1);
        break;
    default:
        random_bytes(frame->data + 12, random_range(MIN(frame->len, 60) - 12));
        break;
    }
}
