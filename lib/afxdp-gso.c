/* SPDX-License-Identifier: Apache-2.0 */

/* Checksums and segments: see afxdp-gso.h.
 *
 * Headers may stand at any address, since what says where they are may be
 * forged; they are read and written byte by byte. */

#include <config.h>

#include "afxdp-gso.h"

#include <netinet/in.h>
#include <string.h>

#include "crc32c.h"
#include "packets.h"
#include "util.h"

/* Offsets of fields in headers. */
#define IP_LEN offsetof(struct ip_header, ip_tot_len)
#define IP_ID offsetof(struct ip_header, ip_id)
#define IP_FRAG offsetof(struct ip_header, ip_frag_off)
#define IP_PROTO offsetof(struct ip_header, ip_proto)
#define IP_SUM offsetof(struct ip_header, ip_csum)
#define IP_ADDRS offsetof(struct ip_header, ip_src)
#define IP6_LEN 4
#define IP6_NEXT 6
#define IP6_ADDRS 8
#define TCP_SEQ offsetof(struct tcp_header, tcp_seq)
#define TCP_BITS offsetof(struct tcp_header, tcp_ctl)
#define TCP_SUM offsetof(struct tcp_header, tcp_csum)
#define UDP_LEN offsetof(struct udp_header, udp_len)
#define UDP_SUM offsetof(struct udp_header, udp_csum)

/* Where the headers of a packet are. */
struct headers {
    uint32_t l3;                /* IP. */
    uint32_t l4;                /* What comes after it. */
    uint8_t proto;              /* What that is. */
    bool v6;
    bool fragment;
};

static uint16_t
get16(const char *p)
{
    uint16_t x;

    memcpy(&x, p, sizeof x);
    return x;
}

static void
put16(char *p, uint16_t x)
{
    memcpy(p, &x, sizeof x);
}

/* Sums.  All are of 16-bit words in network byte order, as they are in memory:
 * the sum is in network byte order then, too. */

/* Adds the 'n' bytes at 'p' to 'sum', which has room for 2**32 additions. */
static uint64_t
sum_add(uint64_t sum, const char *p, size_t n)
{
    uint32_t w[4];

    for (; n >= sizeof w; p += sizeof w, n -= sizeof w) {
        memcpy(w, p, sizeof w);
        sum += ((uint64_t) w[0] + w[1]) + ((uint64_t) w[2] + w[3]);
    }
    for (; n >= sizeof w[0]; p += sizeof w[0], n -= sizeof w[0]) {
        memcpy(w, p, sizeof w[0]);
        sum += w[0];
    }
    if (n) {
        w[0] = 0;
        memcpy(w, p, n);
        sum += w[0];
    }
    return sum;
}

static uint16_t
sum_fold(uint64_t sum)
{
    sum = (sum & UINT32_MAX) + (sum >> 32);
    sum = (sum & UINT32_MAX) + (sum >> 32);
    sum = (sum & UINT16_MAX) + (sum >> 16);
    sum = (sum & UINT16_MAX) + (sum >> 16);
    return sum;
}

/* Returns the sum of the pseudo header of what follows the IP header of 'h' in
 * 'data', without its length. */
static uint64_t
sum_pseudo(const char *data, const struct headers *h)
{
    return (h->v6
            ? sum_add(htons(h->proto), data + h->l3 + IP6_ADDRS, 32)
            : sum_add(htons(h->proto), data + h->l3 + IP_ADDRS, 8));
}

/* Returns what a length adds to a sum. */
static uint32_t
sum_length(uint32_t len)
{
    return (uint32_t) htons(len >> 16) + htons(len & UINT16_MAX);
}

/* Returns the checksum that 'sum' makes.  There is no checksum of 0 in UDP,
 * where it means none, and the other zero serves TCP as well. */
static uint16_t
sum_finish(uint64_t sum)
{
    uint16_t csum = ~sum_fold(sum);

    return csum ? csum : UINT16_MAX;
}

/* Headers. */

/* Finds the IP header of the Ethernet frame of 'len' bytes at 'data', after
 * any VLAN tags.  Returns false if there is none. */
static bool
find_l3(const char *data, uint32_t len, struct headers *h)
{
    uint32_t ofs = 2 * ETH_ADDR_LEN;

    while (ofs + 2 <= len) {
        uint16_t type = get16(data + ofs);

        if (eth_type_vlan(type)) {
            ofs += VLAN_HEADER_LEN;
        } else {
            h->l3 = ofs + 2;
            h->v6 = type == htons(ETH_TYPE_IPV6);
            return h->v6 || type == htons(ETH_TYPE_IP);
        }
    }
    return false;
}

/* Finds out what follows the IP header at h->l3.  Extension headers of IPv6
 * are taken for what they are, a protocol of their own. */
static bool
find_l4(const char *data, uint32_t len, struct headers *h)
{
    const char *ip = data + h->l3;
    uint8_t version;

    if (h->l3 >= len) {
        return false;
    }
    version = (uint8_t) *ip >> 4;
    h->v6 = version == 6;
    h->fragment = false;
    if (version == 6 && h->l3 + IPV6_HEADER_LEN <= len) {
        h->l4 = h->l3 + IPV6_HEADER_LEN;
        h->proto = ip[IP6_NEXT];
        return true;
    } else if (version == 4 && h->l3 + IP_HEADER_LEN <= len) {
        uint32_t ip_len = IP_IHL(*ip) * 4;

        h->l4 = h->l3 + ip_len;
        h->proto = ip[IP_PROTO];
        h->fragment = IP_IS_FRAGMENT(get16(ip + IP_FRAG));
        return ip_len >= IP_HEADER_LEN && h->l4 <= len;
    }
    return false;
}

/* Returns the length of the TCP or UDP header at 'l4' of the 'len' bytes at
 * 'data', or 0 if it is not whole. */
static uint32_t
l4_header_len(const char *data, uint32_t len, uint32_t l4, bool tcp)
{
    uint32_t n = tcp ? TCP_HEADER_LEN : UDP_HEADER_LEN;

    if (l4 + n > len) {
        return 0;
    }
    if (tcp) {
        n = TCP_OFFSET(get16(data + l4 + TCP_BITS)) * 4;
        if (n < TCP_HEADER_LEN || l4 + n > len) {
            return 0;
        }
    }
    return n;
}

/* Checksums. */

/* Completes the checksum of the packet of 'len' bytes at 'data' as 'skb',
 * whose flags have AFXDP_SKB_PARTIAL, says.  Returns false if it makes no
 * sense. */
bool
afxdp_gso_complete(char *data, uint32_t len, const struct afxdp_skb *skb)
{
    uint32_t start = skb->csum_start;
    uint32_t field = start + skb->csum_offset;

    if (skb->flags & AFXDP_SKB_CRC32C) {
        ovs_be32 crc;

        if (field + sizeof crc > len) {
            return false;
        }
        crc = crc32c((uint8_t *) data + start, len - start);
        memcpy(data + field, &crc, sizeof crc);
        return true;
    }

    if (field + sizeof(uint16_t) > len) {
        return false;
    }
    put16(data + field, sum_finish(sum_add(0, data + start, len - start)));
    return true;
}

/* Finds out from a packet of 'total' bytes, of which the first 'len' are at
 * 'data', what is to be done with it, and stores it in '*skb'.  'mtu' is the
 * MTU of the device it was sent on.
 *
 * A checksum left to a device has the sum of the pseudo header.  If a complete
 * one looks the same by chance, completing it again does not change it.
 *
 * The size of segments cannot be found out.  TCP may be cut anywhere, so as
 * much as 'mtu' allows is taken.  UDP may not. */
void
afxdp_gso_guess(const char *data, uint32_t len, uint32_t total, uint32_t mtu,
                struct afxdp_skb *skb)
{
    struct headers h;
    uint32_t l4_len, header_len, csum_offset;
    bool tcp;

    memset(skb, 0, sizeof *skb);
    if (!find_l3(data, len, &h) || !find_l4(data, len, &h) || h.fragment
        || (h.proto != IPPROTO_TCP && h.proto != IPPROTO_UDP)) {
        return;
    }
    tcp = h.proto == IPPROTO_TCP;
    header_len = l4_header_len(data, len, h.l4, tcp);
    if (!header_len) {
        return;
    }

    l4_len = (h.v6
              ? ntohs(get16(data + h.l3 + IP6_LEN))
              : ntohs(get16(data + h.l3 + IP_LEN)) - (h.l4 - h.l3));
    csum_offset = tcp ? TCP_SUM : UDP_SUM;
    if (get16(data + h.l4 + csum_offset)
        != sum_fold(sum_pseudo(data, &h) + sum_length(l4_len))) {
        return;
    }
    skb->flags = AFXDP_SKB_PARTIAL;
    skb->csum_start = h.l4;
    skb->csum_offset = csum_offset;

    if (total - h.l3 > mtu) {
        uint32_t headers = h.l4 - h.l3 + header_len;

        skb->flags |= tcp && headers < mtu ? AFXDP_SKB_TCP : AFXDP_SKB_OTHER;
        skb->gso_size = headers < mtu ? mtu - headers : 0;
    }
}

/* Segments. */

/* Makes '*gso' a packet without pieces. */
void
afxdp_gso_reset(struct afxdp_gso *gso)
{
    gso->n_pieces = 0;
    gso->len = 0;
    gso->left = 0;
}

/* Appends the 'len' bytes at 'data', which must stay there until the last
 * segment is made.  Returns false if there are too many pieces. */
bool
afxdp_gso_add(struct afxdp_gso *gso, const char *data, uint32_t len)
{
    if (gso->n_pieces == AFXDP_GSO_MAX_PIECES) {
        return false;
    }
    gso->pieces[gso->n_pieces++] = (struct afxdp_gso_piece) { data, len };
    gso->len += len;
    return true;
}

/* Steps from the outer headers at 'h' into the tunnel that 'skb' tells of. */
static bool
enter_tunnel(struct afxdp_gso *gso, const struct afxdp_skb *skb,
             struct headers *h)
{
    const struct afxdp_gso_piece *first = &gso->pieces[0];

    if (!find_l4(first->data, first->len, h) || h->fragment
        || skb->inner_network < h->l4) {
        return false;
    }
    if (h->proto == IPPROTO_UDP) {
        if (!l4_header_len(first->data, first->len, h->l4, false)) {
            return false;
        }
        gso->tunnel_udp = h->l4;
    } else if (h->proto == IPPROTO_GRE
               && (h->l4 >= first->len || first->data[h->l4])) {
        /* With a checksum or other fields that differ. */
        return false;
    }
    h->l3 = skb->inner_network;
    gso->ip[gso->n_ip++] = h->l3;
    return true;
}

/* Finds all headers of the segments of 'gso'. */
static bool
find_headers(struct afxdp_gso *gso, const struct afxdp_skb *skb)
{
    const struct afxdp_gso_piece *first = &gso->pieces[0];
    bool tcp = skb->flags & AFXDP_SKB_TCP;
    struct headers h;
    uint32_t n;

    gso->n_ip = gso->tunnel_udp = 0;
    if (!find_l3(first->data, first->len, &h)) {
        return false;
    }
    gso->ip[gso->n_ip++] = h.l3;
    if (skb->flags & AFXDP_SKB_TUNNEL && !enter_tunnel(gso, skb, &h)) {
        return false;
    }
    if (!find_l4(first->data, first->len, &h) || h.fragment) {
        return false;
    }

    if (skb->flags & AFXDP_SKB_PARTIAL) {
        if (skb->csum_start < h.l4
            || skb->csum_offset != (tcp ? TCP_SUM : UDP_SUM)) {
            return false;
        }
        h.l4 = skb->csum_start;
    } else if (h.proto != (tcp ? IPPROTO_TCP : IPPROTO_UDP)) {
        return false;
    }
    n = l4_header_len(first->data, first->len, h.l4, tcp);
    if (!n || h.l4 + n > AFXDP_GSO_MAX_HEADER - VLAN_HEADER_LEN) {
        return false;
    }
    gso->l4 = h.l4;
    gso->header_len = h.l4 + n;

    if (skb->flags & AFXDP_SKB_PARTIAL) {
        /* The sum has the length of the whole, which goes. */
        gso->pseudo = sum_fold(get16(first->data + h.l4 + skb->csum_offset)
                               + (uint64_t) UINT32_MAX
                               - sum_length(gso->len - h.l4));
    } else {
        gso->pseudo = sum_fold(sum_pseudo(first->data, &h));
    }
    return true;
}

/* Stores the headers in gso->header, with the VLAN tag of 'skb', if there is
 * one. */
static void
make_template(struct afxdp_gso *gso, const struct afxdp_skb *skb)
{
    enum { ADDRS = 2 * ETH_ADDR_LEN };
    const char *data = gso->pieces[0].data;
    uint32_t tag = skb->flags & AFXDP_SKB_VLAN ? VLAN_HEADER_LEN : 0;

    memcpy(gso->header, data, ADDRS);
    memcpy(gso->header + ADDRS + tag, data + ADDRS, gso->header_len - ADDRS);
    if (tag) {
        put16(gso->header + ADDRS, skb->vlan_tpid);
        put16(gso->header + ADDRS + 2, htons(skb->vlan_tci));
        for (unsigned int i = 0; i < gso->n_ip; i++) {
            gso->ip[i] += tag;
        }
        gso->tunnel_udp += gso->tunnel_udp ? tag : 0;
        gso->l4 += tag;
        gso->header_len += tag;
    }
}

/* Prepares to take the packet whose pieces 'gso' has apart as 'skb', whose
 * flags have one of AFXDP_SKB_GSO, says.  Returns the number of segments, or 0
 * if it is not understood. */
uint32_t
afxdp_gso_start(struct afxdp_gso *gso, const struct afxdp_skb *skb)
{
    if (!(skb->flags & (AFXDP_SKB_TCP | AFXDP_SKB_UDP)) || !skb->gso_size
        || !find_headers(gso, skb)
        || (gso->header_len + VLAN_HEADER_LEN + skb->gso_size
            > AFXDP_GSO_MAX_SEGMENT)) {
        return 0;
    }
    gso->piece = 0;
    gso->ofs = gso->header_len;
    gso->left = gso->len - gso->header_len;
    gso->done = gso->index = 0;
    gso->mss = skb->gso_size;
    gso->flags = skb->flags;
    make_template(gso, skb);
    return gso->left ? DIV_ROUND_UP(gso->left, gso->mss) : 1;
}

/* Moves the next 'n' bytes of payload to 'p'. */
static void
copy_payload(struct afxdp_gso *gso, char *p, uint32_t n)
{
    while (n) {
        const struct afxdp_gso_piece *piece = &gso->pieces[gso->piece];
        uint32_t chunk = MIN(n, piece->len - gso->ofs);

        memcpy(p, piece->data + gso->ofs, chunk);
        p += chunk;
        n -= chunk;
        gso->ofs += chunk;
        if (gso->ofs == piece->len) {
            gso->piece++;
            gso->ofs = 0;
        }
    }
}

/* Gives the IP header at 'ip', with 'len' bytes from there on, its length,
 * identification and checksum. */
static void
fix_ip(const struct afxdp_gso *gso, char *ip, uint32_t len)
{
    if ((uint8_t) *ip >> 4 == 6) {
        put16(ip + IP6_LEN, htons(len - IPV6_HEADER_LEN));
    } else {
        uint16_t id = ntohs(get16(ip + IP_ID));

        if (!(gso->flags & AFXDP_SKB_FIXED_ID)) {
            put16(ip + IP_ID, htons(id + gso->index));
        }
        put16(ip + IP_LEN, htons(len));
        put16(ip + IP_SUM, 0);
        put16(ip + IP_SUM, ~sum_fold(sum_add(0, ip, IP_IHL(*ip) * 4)));
    }
}

/* Gives the TCP or UDP header at 'l4', with 'len' bytes from there on, what is
 * this segment's own. */
static void
fix_l4(const struct afxdp_gso *gso, char *l4, uint32_t len, bool last)
{
    uint32_t csum_offset = UDP_SUM;

    if (gso->flags & AFXDP_SKB_TCP) {
        uint16_t ctl = get16(l4 + TCP_BITS);
        uint32_t seq;

        memcpy(&seq, l4 + TCP_SEQ, sizeof seq);
        seq = htonl(ntohl(seq) + gso->done);
        memcpy(l4 + TCP_SEQ, &seq, sizeof seq);
        if (!last) {
            ctl &= ~htons(TCP_FIN | TCP_PSH);
        }
        if (gso->index && !(gso->flags & AFXDP_SKB_KEEP_CWR)) {
            ctl &= ~htons(TCP_CWR);
        }
        put16(l4 + TCP_BITS, ctl);
        csum_offset = TCP_SUM;
    } else {
        put16(l4 + UDP_LEN, htons(len));
    }
    put16(l4 + csum_offset, 0);
    put16(l4 + csum_offset,
          sum_finish(sum_add(gso->pseudo + sum_length(len), l4, len)));
}

/* The same for the UDP header of a tunnel, which has no checksum or that of
 * all within. */
static void
fix_tunnel_udp(const struct afxdp_gso *gso, char *segment, uint32_t len)
{
    const struct headers h = {
        .l3 = gso->ip[0],
        .proto = IPPROTO_UDP,
        .v6 = (uint8_t) segment[gso->ip[0]] >> 4 == 6,
    };
    char *udp = segment + gso->tunnel_udp;

    put16(udp + UDP_LEN, htons(len));
    if (get16(udp + UDP_SUM)) {
        put16(udp + UDP_SUM, 0);
        put16(udp + UDP_SUM,
              sum_finish(sum_add(sum_pseudo(segment, &h) + sum_length(len),
                                 udp, len)));
    }
}

/* Makes the next segment at 'segment', which has room for
 * AFXDP_GSO_MAX_SEGMENT bytes.  Returns its length.  The caller knows from
 * afxdp_gso_start() how many there are. */
uint32_t
afxdp_gso_next(struct afxdp_gso *gso, char *segment)
{
    uint32_t n = MIN(gso->left, gso->mss);
    uint32_t len = gso->header_len + n;

    memcpy(segment, gso->header, gso->header_len);
    copy_payload(gso, segment + gso->header_len, n);
    for (unsigned int i = 0; i < gso->n_ip; i++) {
        fix_ip(gso, segment + gso->ip[i], len - gso->ip[i]);
    }
    fix_l4(gso, segment + gso->l4, len - gso->l4, n == gso->left);
    if (gso->tunnel_udp) {
        fix_tunnel_udp(gso, segment, len - gso->tunnel_udp);
    }
    gso->left -= n;
    gso->done += n;
    gso->index++;
    return len;
}
