/* SPDX-License-Identifier: Apache-2.0 */

/* Tests of lib/afxdp-gso.c.
 *
 * Each packet is written here from its parts, with checksums summed up as in
 * RFC 1071, two bytes at a time.  The packet that the kernel would hand down
 * (long, checksum not complete, VLAN tag beside it) and the packets that must
 * come of it are written by the same function and compared byte for byte. */

#include <config.h>

#include "test-afxdp.h"

#include <netinet/in.h>
#include <string.h>

#include "afxdp-gso.h"
#include "packets.h"
#include "random.h"
#include "util.h"

#define MAX_PAYLOAD 65000
#define MAX_PACKET (MAX_PAYLOAD + 1000)

enum tunnel { NO_TUNNEL, VXLAN, VXLAN_CSUM, IPIP, GRE, N_TUNNELS };

/* A packet, as its parts. */
struct spec {
    int tags;                   /* VLAN tags in it. */
    bool tag_beside;            /* One more, beside the long packet. */
    enum tunnel tunnel;
    bool outer_v6, v6, tcp;
    int ip_options, tcp_options; /* In 32-bit words. */
    uint16_t id, outer_id;
    uint32_t seq;
    uint16_t flags;             /* Of TCP. */
    const uint8_t *payload;
    uint32_t payload_len;
};

/* Where things of interest are in what write_packet() wrote. */
struct places {
    uint32_t len, l4, csum, inner_network;
};

static uint32_t
sum16(const uint8_t *p, uint32_t n)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        sum += i & 1 ? p[i] : p[i] << 8;
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

static void
be16(uint8_t *p, uint32_t x)
{
    p[0] = x >> 8;
    p[1] = x;
}

static uint16_t
not_zero(uint16_t csum)
{
    return csum ? csum : 0xffff;
}

/* Writes an IP header at 'p' for 'len' bytes after it; returns its length. */
static uint32_t
write_ip(uint8_t *p, bool v6, int options, uint16_t id, uint8_t proto,
         uint32_t len)
{
    uint32_t n = v6 ? 40 : 20 + 4 * options;

    memset(p, 0, n);
    for (uint32_t i = v6 ? 8 : 12; i < n; i++) {
        p[i] = 3 * i + n;
    }
    if (v6) {
        p[0] = 0x60;
        be16(p + 4, len);
        p[6] = proto;
        p[7] = 64;
    } else {
        p[0] = 0x40 | n / 4;
        be16(p + 2, n + len);
        be16(p + 4, id);
        p[6] = 0x40;
        p[8] = 64;
        p[9] = proto;
        be16(p + 10, ~sum16(p, n));
    }
    return n;
}

/* Returns the sum of the pseudo header of the IP header at 'ip'. */
static uint32_t
pseudo(const uint8_t *ip, bool v6, uint8_t proto, uint32_t len)
{
    uint32_t sum = v6 ? sum16(ip + 8, 32) : sum16(ip + 12, 8);

    sum += proto + (len >> 16) + (len & 0xffff);
    return (sum & 0xffff) + (sum >> 16);
}

/* Writes the Ethernet header of 's' at 'p' and returns where it ends. */
static uint8_t *
write_ethernet(const struct spec *s, uint8_t *p, bool beside)
{
    memcpy(p, "\x02\0\0\0\0\1\x02\0\0\0\0\2", 12);
    p += 12;
    if (beside && s->tag_beside) {
        be16(p, 0x88a8);
        be16(p + 2, 0xa123);
        p += 4;
    }
    for (int i = 0; i < s->tags; i++) {
        be16(p, 0x8100);
        be16(p + 2, 0x2005 + i);
        p += 4;
    }
    be16(p, (s->tunnel ? s->outer_v6 : s->v6) ? 0x86dd : 0x0800);
    return p + 2;
}

/* Writes 's' at 'p'; if 'partial', the innermost checksum is only the sum of
 * the pseudo header.  With 'beside', s->tag_beside is in the packet. */
static struct places
write_packet(const struct spec *s, uint8_t *p, bool partial, bool beside)
{
    uint32_t l4_header = s->tcp ? 20 + 4 * s->tcp_options : 8;
    uint32_t l4_len = l4_header + s->payload_len;
    uint32_t ip_len = (s->v6 ? 40 : 20 + 4 * s->ip_options) + l4_len;
    uint8_t proto = s->tcp ? IPPROTO_TCP : IPPROTO_UDP;
    uint8_t *start = p, *ip, *l4, *outer_ip = NULL, *udp = NULL;
    struct places places;
    uint16_t sum;

    p = write_ethernet(s, p, beside);

    /* Tunnel. */
    if (s->tunnel) {
        uint32_t header = (s->tunnel == GRE ? 4 : s->tunnel == IPIP ? 0
                           : 8 + 8 + 14);

        outer_ip = p;
        p += write_ip(p, s->outer_v6, 0, s->outer_id,
                      s->tunnel == GRE ? IPPROTO_GRE
                      : s->tunnel != IPIP ? IPPROTO_UDP
                      : s->v6 ? IPPROTO_IPV6 : IPPROTO_IPIP, header + ip_len);
        memset(p, 0, header);
        if (s->tunnel == GRE) {
            be16(p + 2, s->v6 ? 0x86dd : 0x0800);
        } else if (s->tunnel != IPIP) {
            udp = p;
            be16(p, 50000);
            be16(p + 2, 4789);
            be16(p + 4, header + ip_len);
            p[8] = 8;
            p[14] = 42;
            memset(p + 16, 0x06, 12);
            be16(p + 28, s->v6 ? 0x86dd : 0x0800);
        }
        p += header;
    }

    /* The innermost packet. */
    ip = p;
    places.inner_network = ip - start;
    p += write_ip(p, s->v6, s->ip_options, s->id, proto, l4_len);
    l4 = p;
    places.l4 = l4 - start;
    memset(l4, 0, l4_header);
    be16(l4, 1234);
    be16(l4 + 2, 80);
    if (s->tcp) {
        be16(l4 + 4, s->seq >> 16);
        be16(l4 + 6, s->seq);
        be16(l4 + 8, 0xabcd);
        be16(l4 + 12, (l4_header / 4) << 12 | s->flags);
        be16(l4 + 14, 500);
        memset(l4 + 20, 1, l4_header - 20);
    } else {
        be16(l4 + 4, l4_len);
    }
    memcpy(l4 + l4_header, s->payload, s->payload_len);
    sum = sum16(l4, l4_len);
    sum = pseudo(ip, s->v6, proto, l4_len + sum);
    places.csum = places.l4 + (s->tcp ? 16 : 6);
    be16(start + places.csum,
         partial ? pseudo(ip, s->v6, proto, l4_len) : not_zero(~sum));

    if (s->tunnel == VXLAN_CSUM) {
        uint32_t len = p - udp + l4_len;

        sum = pseudo(outer_ip, s->outer_v6, IPPROTO_UDP,
                     len + sum16(udp, len));
        be16(udp + 6, not_zero(~sum));
    }
    places.len = places.l4 + l4_len;
    return places;
}

static uint8_t payload[MAX_PAYLOAD];

static void
random_spec(struct spec *s, uint32_t max_payload)
{
    random_bytes(payload, sizeof payload);
    *s = (struct spec) {
        .tags = random_range(3),
        .tag_beside = random_range(2),
        .tunnel = random_range(2) ? random_range(N_TUNNELS) : NO_TUNNEL,
        .outer_v6 = random_range(2),
        .v6 = random_range(2),
        .tcp = random_range(2),
        .ip_options = random_range(11),
        .tcp_options = random_range(11),
        .id = random_uint32(),
        .outer_id = random_uint32(),
        .seq = random_uint32(),
        .flags = random_uint32() & 0x1ff,
        .payload = payload,
        .payload_len = random_range(max_payload),
    };
}

static void
make_note(const struct spec *s, const struct places *places, uint16_t gso_size,
          struct afxdp_skb *skb)
{
    *skb = (struct afxdp_skb) {
        .flags = AFXDP_SKB_KNOWN | AFXDP_SKB_PARTIAL,
        .csum_start = places->l4,
        .csum_offset = places->csum - places->l4,
        .gso_size = gso_size,
    };
    if (gso_size) {
        skb->flags |= s->tcp ? AFXDP_SKB_TCP : AFXDP_SKB_UDP;
        if (s->tunnel) {
            skb->flags |= AFXDP_SKB_TUNNEL;
            skb->inner_network = places->inner_network;
        }
    }
    if (s->tag_beside) {
        skb->flags |= AFXDP_SKB_VLAN;
        skb->vlan_tpid = htons(0x88a8);
        skb->vlan_tci = 0xa123;
    }
}

/* Adds the 'len' bytes at 'data' to 'gso' in random pieces, each of memory of
 * its own, of which the first has the 'headers'.  Returns the memory, which
 * the caller must free with free_pieces(). */
static char **
add_pieces(struct afxdp_gso *gso, const uint8_t *data, uint32_t len,
           uint32_t headers)
{
    char **pieces = xcalloc(AFXDP_GSO_MAX_PIECES, sizeof *pieces);
    uint32_t n = random_range(AFXDP_GSO_MAX_PIECES) + 1;
    uint32_t ofs = 0;

    afxdp_gso_reset(gso);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t left = len - ofs;
        uint32_t size = i == n - 1 ? left : random_range(2 * left / n + 1);

        size = MAX(size, i ? 1 : MAX(headers, 1));
        size = MIN(size, left);
        if (!size) {
            break;
        }
        pieces[i] = xmemdup(data + ofs, size);
        CHECK(afxdp_gso_add(gso, pieces[i], size));
        ofs += size;
    }
    return pieces;
}

static void
free_pieces(char **pieces)
{
    for (uint32_t i = 0; i < AFXDP_GSO_MAX_PIECES; i++) {
        free(pieces[i]);
    }
    free(pieces);
}

/* Writes segment 'i' of 'n' of 's' at 'p', with 'mss' bytes of payload. */
static struct places
write_segment(const struct spec *s, const struct afxdp_skb *skb, uint32_t i,
              uint32_t n, uint8_t *p)
{
    struct spec segment = *s;
    uint32_t ofs = i * skb->gso_size;

    segment.payload += ofs;
    segment.payload_len = MIN(skb->gso_size, s->payload_len - ofs);
    segment.seq += ofs;
    if (!(skb->flags & AFXDP_SKB_FIXED_ID)) {
        segment.id += i;
        segment.outer_id += i;
    }
    if (i < n - 1) {
        segment.flags &= ~(TCP_FIN | TCP_PSH);
    }
    if (i && !(skb->flags & AFXDP_SKB_KEEP_CWR)) {
        segment.flags &= ~TCP_CWR;
    }
    return write_packet(&segment, p, false, true);
}

static void
check_equal(const uint8_t *got, const uint8_t *expected, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++) {
        if (got[i] != expected[i]) {
            ovs_fatal(0, "byte %u is %#x, not %#x", i, got[i], expected[i]);
        }
    }
}

/* Takes a long packet of 's' apart and compares. */
static void
check_segments(const struct spec *s, struct afxdp_skb *skb, bool partial)
{
    uint8_t *batch = xmalloc(MAX_PACKET), *expected = xmalloc(MAX_PACKET);
    char *segment = xmalloc(AFXDP_GSO_MAX_SEGMENT);
    uint32_t n = MAX(DIV_ROUND_UP(s->payload_len, skb->gso_size), 1);
    uint32_t header;
    struct afxdp_gso gso;
    struct places places;
    char **pieces;

    places = write_packet(s, batch, partial, false);
    header = places.len - s->payload_len;
    make_note(s, &places, skb->gso_size, skb);
    if (!partial) {
        skb->flags &= ~AFXDP_SKB_PARTIAL;
    }
    skb->flags |= random_range(2) ? AFXDP_SKB_FIXED_ID : 0;
    skb->flags |= random_range(2) ? AFXDP_SKB_KEEP_CWR : 0;

    pieces = add_pieces(&gso, batch, places.len, header);
    CHECK_EQ(gso.len, places.len);
    CHECK_EQ(afxdp_gso_start(&gso, skb), n);
    for (uint32_t i = 0; i < n; i++) {
        struct places want = write_segment(s, skb, i, n, expected);

        CHECK_EQ(afxdp_gso_next(&gso, segment), want.len);
        check_equal((uint8_t *) segment, expected, want.len);
    }
    CHECK_EQ(gso.left, 0);

    free_pieces(pieces);
    free(batch);
    free(expected);
    free(segment);
}

static void
test_segments(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    for (int i = 0; i < 600; i++) {
        struct afxdp_skb skb;
        struct spec s;

        random_spec(&s, random_range(4) ? 10000 : MAX_PAYLOAD);
        skb.gso_size = (random_range(4) ? 500 + random_range(2500)
                        : 1 + random_range(40));
        check_segments(&s, &skb, true);
    }
}

/* Batches whose checksum is complete, as some that were received have it. */
static void
test_segments_complete(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    for (int i = 0; i < 200; i++) {
        struct afxdp_skb skb = { .gso_size = 1 + random_range(1448) };
        struct spec s;

        random_spec(&s, 10000);
        check_segments(&s, &skb, false);
    }
}

/* What cannot be taken apart is refused. */
static void
test_segments_refused(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const uint16_t all = AFXDP_SKB_GSO | AFXDP_SKB_PARTIAL;
    uint8_t *packet = xmalloc(MAX_PACKET);
    struct afxdp_skb good, skb;
    struct places places;
    struct afxdp_gso gso;
    struct spec s;

    random_spec(&s, 1);
    s.tags = s.ip_options = 0;
    s.tunnel = NO_TUNNEL;
    s.tag_beside = s.v6 = false;
    s.tcp = true;
    s.payload_len = 5000;
    places = write_packet(&s, packet, true, false);
    make_note(&s, &places, 1400, &good);

    afxdp_gso_reset(&gso);
    for (int i = 0; i < AFXDP_GSO_MAX_PIECES; i++) {
        CHECK(afxdp_gso_add(&gso, (char *) packet, places.len));
    }
    CHECK(!afxdp_gso_add(&gso, (char *) packet, places.len));

#define REFUSES(CHANGE)                                                      \
    do {                                                                     \
        skb = good;                                                          \
        CHANGE;                                                              \
        afxdp_gso_reset(&gso);                                               \
        afxdp_gso_add(&gso, (char *) packet, places.len);                    \
        CHECK_EQ(afxdp_gso_start(&gso, &skb), 0);                            \
    } while (0)

    REFUSES(skb.gso_size = 0);
    REFUSES(skb.gso_size = AFXDP_GSO_MAX_SEGMENT);
    REFUSES(skb.flags &= ~all);
    REFUSES(skb.flags = (skb.flags & ~all) | AFXDP_SKB_OTHER);
    REFUSES(skb.flags = (skb.flags & ~all) | AFXDP_SKB_UDP);
    REFUSES(skb.csum_offset++);
    REFUSES(skb.csum_start = 14);
    REFUSES(skb.csum_start = places.len - 10);
    REFUSES(skb.csum_start = UINT16_MAX);
    REFUSES(skb.flags |= AFXDP_SKB_TUNNEL);
    REFUSES(skb.flags |= AFXDP_SKB_TUNNEL; skb.inner_network = UINT16_MAX);
    REFUSES(packet[20] = 0x20);         /* A fragment. */
    packet[20] = 0;
    REFUSES(packet[46] = 0x40);          /* TCP header too short. */
    REFUSES(packet[14] = 0x44);          /* IP header too short. */
    REFUSES(packet[12] = 0x88);          /* Not IP. */
#undef REFUSES
    free(packet);
}

/* Nothing outside the pieces is touched, whatever stands in them. */
static void
test_segments_forged(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    uint8_t *packet = xmalloc(MAX_PACKET);
    char *segment = xmalloc(AFXDP_GSO_MAX_SEGMENT);

    for (int i = 0; i < 20000; i++) {
        struct places places;
        struct afxdp_skb skb;
        struct afxdp_gso gso;
        uint32_t len, n;
        char **pieces, *copy;
        struct spec s;

        random_spec(&s, 4000);
        places = write_packet(&s, packet, random_range(2), false);
        make_note(&s, &places, random_range(2) ? 1448 : random_uint32(),
                  &skb);
        for (uint32_t j = random_range(4); j; j--) {
            packet[random_range(places.l4 + 20)] = random_uint32();
        }
        for (uint32_t j = random_range(3); j; j--) {
            ((uint8_t *) &skb)[random_range(sizeof skb)] = random_uint32();
        }

        len = random_range(2) ? places.len : random_range(places.len) + 1;
        pieces = add_pieces(&gso, packet, len, random_range(places.l4 + 60));
        n = afxdp_gso_start(&gso, &skb);
        for (n = MIN(n, 100); n; n--) {
            CHECK(afxdp_gso_next(&gso, segment) <= AFXDP_GSO_MAX_SEGMENT);
        }
        free_pieces(pieces);

        copy = xmemdup(packet, len);
        afxdp_gso_complete(copy, len, &skb);
        afxdp_gso_guess(copy, len, len, random_range(3000), &skb);
        free(copy);
    }
    free(packet);
    free(segment);
}

/* CRC32c as its polynomial has it. */
static uint32_t
crc32c_slow(const uint8_t *p, uint32_t n)
{
    uint32_t crc = UINT32_MAX;

    while (n--) {
        crc ^= *p++;
        for (int i = 0; i < 8; i++) {
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
        }
    }
    return ~crc;
}

static void
test_checksums(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    uint8_t *packet = xmalloc(MAX_PACKET), *expected = xmalloc(MAX_PACKET);

    for (int i = 0; i < 2000; i++) {
        struct places places;
        struct afxdp_skb skb;
        struct spec s;
        uint32_t crc;
        char *copy;

        random_spec(&s, 3000);
        s.tag_beside = false;
        if (s.tunnel == VXLAN_CSUM) {
            s.tunnel = VXLAN;
        }
        places = write_packet(&s, packet, true, false);
        write_packet(&s, expected, false, false);
        make_note(&s, &places, 0, &skb);
        copy = xmemdup(packet, places.len);
        CHECK(afxdp_gso_complete(copy, places.len, &skb));
        check_equal((uint8_t *) copy, expected, places.len);

        /* The same again changes nothing. */
        memcpy(copy, packet, places.len);
        CHECK(!afxdp_gso_complete(copy, skb.csum_start + skb.csum_offset + 1,
                                  &skb));
        check_equal((uint8_t *) copy, packet, places.len);

        /* As if it were SCTP. */
        skb.flags |= AFXDP_SKB_CRC32C;
        if (places.csum + 4 <= places.len) {
            memset(packet + places.csum, 0, 4);
            memcpy(copy, packet, places.len);
            CHECK(afxdp_gso_complete(copy, places.len, &skb));
            crc = crc32c_slow(packet + places.l4, places.len - places.l4);
            for (int j = 0; j < 4; j++) {
                packet[places.csum + j] = crc >> 8 * j;
            }
            check_equal((uint8_t *) copy, packet, places.len);
        }
        free(copy);
    }
    free(packet);
    free(expected);
}

/* What is found out from the packet alone. */
static void
test_guess(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    uint8_t *packet = xmalloc(MAX_PACKET);
    int partial = 0;

    for (int i = 0; i < 2000; i++) {
        uint32_t l3, mtu = 1000 + random_range(2000);
        struct places places;
        struct afxdp_skb skb;
        struct spec s;

        random_spec(&s, random_range(2) ? 900 : 20000);
        s.tunnel = NO_TUNNEL;
        s.tag_beside = false;

        places = write_packet(&s, packet, true, false);
        l3 = 14 + 4 * s.tags;
        afxdp_gso_guess((char *) packet, MIN(places.len, 3584), places.len,
                        mtu, &skb);
        CHECK(skb.flags & AFXDP_SKB_PARTIAL);
        CHECK_EQ(skb.csum_start, places.l4);
        CHECK_EQ(skb.csum_start + skb.csum_offset, places.csum);
        if (places.len - l3 <= mtu) {
            CHECK(!(skb.flags & AFXDP_SKB_GSO));
            /* Padding is none of IP. */
            memset(packet + places.len, 0, 60);
            afxdp_gso_guess((char *) packet, places.len + 60, places.len + 60,
                            mtu + 60, &skb);
            CHECK(skb.flags & AFXDP_SKB_PARTIAL);
        } else if (s.tcp) {
            CHECK(skb.flags & AFXDP_SKB_TCP);
            CHECK_EQ(skb.gso_size, mtu - (places.len - l3 - s.payload_len));
        } else {
            CHECK(skb.flags & AFXDP_SKB_OTHER);
        }

        /* Complete; as good as never does that look the same. */
        write_packet(&s, packet, false, false);
        afxdp_gso_guess((char *) packet, MIN(places.len, 3584), places.len,
                        mtu, &skb);
        partial += skb.flags & AFXDP_SKB_PARTIAL ? 1 : 0;
        CHECK(partial <= 2);

        /* A fragment. */
        if (!s.v6) {
            write_packet(&s, packet, true, false);
            packet[l3 + 6] = 0x20;
            afxdp_gso_guess((char *) packet, MIN(places.len, 3584), places.len,
                            mtu, &skb);
            CHECK_EQ(skb.flags, 0);
        }
    }
    free(packet);
}

const struct ovs_cmdl_command test_gso_commands[] = {
    { "gso-segments", NULL, 0, 0, test_segments, OVS_RO },
    { "gso-complete", NULL, 0, 0, test_segments_complete, OVS_RO },
    { "gso-refused", NULL, 0, 0, test_segments_refused, OVS_RO },
    { "gso-forged", NULL, 0, 0, test_segments_forged, OVS_RO },
    { "gso-checksums", NULL, 0, 0, test_checksums, OVS_RO },
    { "gso-guess", NULL, 0, 0, test_guess, OVS_RO },
    { NULL, NULL, 0, 0, NULL, OVS_RO },
};
