/* SPDX-License-Identifier: Apache-2.0 */

/* What Open vSwitch's own code makes of packets, matches and actions, in the
 * terms of the flow table.  Nothing here is shared with bpf/ or ofproto/ but
 * the layout in bpf/afxdp-flow.h.  See flow-test.h. */

#include <config.h>

#include "flow-test.h"

#include <string.h>

#include "dp-packet.h"
#include "flow.h"
#include "netlink.h"
#include "odp-execute.h"
#include "odp-netlink.h"
#include "openvswitch/match.h"
#include "openvswitch/ofp-flow.h"
#include "openvswitch/ofpbuf.h"
#include "packets.h"
#include "random.h"
#include "util.h"

/* Copies the fields of 'flow' that a flow key has to '*key': those of a packet
 * of type 'dl_type', or the masks of a match on that.  Returns false if 'flow'
 * has others too that are not zero. */
static bool
flow_to_key(const struct flow *flow, ovs_be16 dl_type,
            struct afxdp_flow_key *key)
{
    bool ip6 = dl_type == htons(ETH_TYPE_IPV6);
    bool arp = dl_type == htons(ETH_TYPE_ARP);

    memset(key, 0, sizeof *key);
    memcpy(key->eth_dst, &flow->dl_dst, sizeof key->eth_dst);
    memcpy(key->eth_src, &flow->dl_src, sizeof key->eth_src);
    key->eth_type = flow->dl_type;
    key->vlan_tci = flow->vlans[0].tci;
    if (ip6) {
        memcpy(key->ip6.src, &flow->ipv6_src, sizeof key->ip6.src);
        memcpy(key->ip6.dst, &flow->ipv6_dst, sizeof key->ip6.dst);
    } else {
        key->ip4.src = flow->nw_src;
        key->ip4.dst = flow->nw_dst;
        memcpy(key->arp.sha, &flow->arp_sha, sizeof key->arp.sha);
        memcpy(key->arp.tha, &flow->arp_tha, sizeof key->arp.tha);
    }
    key->proto = flow->nw_proto;
    key->tos = flow->nw_tos;
    key->ttl = flow->nw_ttl;
    key->frag = flow->nw_frag;
    key->tp_src = flow->tp_src;
    key->tp_dst = flow->tp_dst;
    key->ip6_label = flow->ipv6_label;
    key->tcp_flags = flow->tcp_flags;

    return (!flow->vlans[1].qtag
            && !flow->mpls_lse[0]
            && !flow->igmp_group_ip4
            && (arp || (eth_addr_is_zero(flow->arp_sha)
                        && eth_addr_is_zero(flow->arp_tha)))
            && ipv6_addr_equals(&flow->nd_target, &in6addr_any)
            && is_all_zeros(&flow->nsh, sizeof flow->nsh));
}

static void
init_packet(struct dp_packet *packet, const struct frame *frame)
{
    dp_packet_init(packet, frame->len + 64);
    dp_packet_reserve(packet, 64);
    dp_packet_put(packet, frame->data, frame->len);
}

/* IPv4 and IPv6 packets: 'flow' was extracted from 'packet'. */
static enum known
classify_ip(const struct flow *flow, const struct dp_packet *packet,
            bool has_tp)
{
    bool ip6 = flow->dl_type == htons(ETH_TYPE_IPV6);
    const uint8_t *l3 = dp_packet_l3(packet);

    if (!dp_packet_l4(packet)) {
        return UNKNOWN;             /* Bad lengths or an extension header. */
    }
    if (flow->nw_frag & FLOW_NW_FRAG_LATER) {
        return UNKNOWN;
    }
    if (l3[0] >> 4 != (ip6 ? 6 : 4)) {
        return EITHER;
    }
    if (ip6) {
        if (packet->l4_ofs - packet->l3_ofs != IPV6_HEADER_LEN) {
            return UNKNOWN;
        }
        if (flow->nw_proto == IPPROTO_ICMPV6
            && (flow->tp_src == htons(ND_NEIGHBOR_SOLICIT)
                || flow->tp_src == htons(ND_NEIGHBOR_ADVERT))) {
            return UNKNOWN;
        }
    }

    switch (flow->nw_proto) {
    case IPPROTO_TCP:
    case IPPROTO_UDP:
    case IPPROTO_SCTP:
        return has_tp ? KNOWN : UNKNOWN;
    case IPPROTO_ICMP:
        return !has_tp ? UNKNOWN : ip6 ? EITHER : KNOWN;
    case IPPROTO_ICMPV6:
        return !has_tp ? UNKNOWN : ip6 ? KNOWN : EITHER;
    case IPPROTO_IGMP:
        return UNKNOWN;
    case 135: case 139: case 140: case 253: case 254:
        return ip6 ? EITHER : KNOWN;    /* Extension headers to some. */
    default:
        return KNOWN;
    }
}

/* Stores in '*key' what Open vSwitch extracts from a packet, and returns
 * whether the program must find the same there. */
enum known
oracle_key(const struct frame *frame, struct afxdp_flow_key *key)
{
    struct {
        struct miniflow mf;
        uint64_t buf[FLOW_U64S];
    } m;
    struct dp_packet packet;
    enum known known;
    struct flow flow;
    bool all, has_tp;

    init_packet(&packet, frame);
    miniflow_extract(&packet, &m.mf);
    miniflow_expand(&m.mf, &flow);
    has_tp = MINIFLOW_IN_MAP(&m.mf, FLOW_U64_OFFSET(tp_src));

    all = flow_to_key(&flow, flow.dl_type, key);
    if (flow.vlans[0].qtag
        && flow.vlans[0].tpid != htons(ETH_TYPE_VLAN_8021Q)) {
        all = false;
    }
    if (!all) {
        known = UNKNOWN;
    } else if (flow.dl_type == htons(ETH_TYPE_IP)
               || flow.dl_type == htons(ETH_TYPE_IPV6)) {
        known = classify_ip(&flow, &packet, has_tp);
    } else if (flow.dl_type == htons(ETH_TYPE_ARP)) {
        /* Without an operation it is none that anybody knows. */
        known = (dp_packet_size(&packet) - packet.l3_ofs < ARP_ETH_HEADER_LEN
                 ? UNKNOWN : flow.nw_proto ? KNOWN : EITHER);
    } else {
        known = UNKNOWN;
    }
    if (known == KNOWN && packet.l3_ofs != ETH_HEADER_LEN
        && !flow.vlans[0].qtag) {
        known = UNKNOWN;            /* LLC and SNAP. */
    }
    if (known == KNOWN && flow.vlans[0].qtag
        && packet.l3_ofs != ETH_HEADER_LEN + VLAN_HEADER_LEN) {
        known = UNKNOWN;
    }
    dp_packet_uninit(&packet);
    return known;
}

/* Stores in '*key' and '*mask' what the flow table must hold for 'text', a
 * match as ovs-ofctl writes it. */
void
oracle_match(const char *text, struct afxdp_flow_key *key,
             struct afxdp_flow_key *mask)
{
    char *spec = xasprintf("%s,actions=drop", text);
    enum ofputil_protocol usable;
    struct ofputil_flow_mod fm;
    struct match match;
    char *error;

    error = parse_ofp_str(&fm, OFPFC_ADD, spec, NULL, NULL, &usable);
    if (error) {
        ovs_fatal(0, "match: %s", error);
    }
    minimatch_expand(&fm.match, &match);
    match.wc.masks.in_port.ofp_port = 0;
    match.flow.in_port.ofp_port = 0;
    match.wc.masks.packet_type = 0;
    if (!flow_to_key(&match.flow, match.flow.dl_type, key)
        || !flow_to_key(&match.wc.masks, match.flow.dl_type, mask)) {
        ovs_fatal(0, "match: %s: a field that no key has", text);
    }
    minimatch_destroy(&fm.match);
    free(CONST_CAST(struct ofpact *, fm.ofpacts));
    free(spec);
}

/* Actions. */

static void
put_set(struct ofpbuf *buf, enum ovs_key_attr type, const void *key,
        const void *mask, size_t size)
{
    size_t ofs = nl_msg_start_nested(buf, OVS_ACTION_ATTR_SET_MASKED);
    uint8_t *p = nl_msg_put_unspec_uninit(buf, type, 2 * size);

    memcpy(p, key, size);
    memcpy(p + size, mask, size);
    nl_msg_end_nested(buf, ofs);
}

static void
put_set_ip4(struct ofpbuf *buf, const struct afxdp_flow_actions *a)
{
    struct ovs_key_ipv4 key = {
        .ipv4_src = a->ip4.src, .ipv4_dst = a->ip4.dst,
        .ipv4_tos = a->tos, .ipv4_ttl = a->ttl,
    };
    struct ovs_key_ipv4 mask = {
        .ipv4_src = a->ip4.src_mask, .ipv4_dst = a->ip4.dst_mask,
        .ipv4_tos = a->tos_mask, .ipv4_ttl = a->ttl_mask,
    };

    put_set(buf, OVS_KEY_ATTR_IPV4, &key, &mask, sizeof key);
}

static void
put_set_ip6(struct ofpbuf *buf, const struct afxdp_flow_actions *a)
{
    struct ovs_key_ipv6 key = {
        .ipv6_tclass = a->tos, .ipv6_hlimit = a->ttl,
    };
    struct ovs_key_ipv6 mask = {
        .ipv6_tclass = a->tos_mask, .ipv6_hlimit = a->ttl_mask,
    };

    memcpy(&key.ipv6_src, a->ip6.src, sizeof key.ipv6_src);
    memcpy(&key.ipv6_dst, a->ip6.dst, sizeof key.ipv6_dst);
    memcpy(&mask.ipv6_src, a->ip6.src_mask, sizeof mask.ipv6_src);
    memcpy(&mask.ipv6_dst, a->ip6.dst_mask, sizeof mask.ipv6_dst);
    put_set(buf, OVS_KEY_ATTR_IPV6, &key, &mask, sizeof key);
}

/* Appends to 'buf' the actions 'a', but for the output, for a packet of the
 * transport protocol 'proto'. */
static void
put_actions(struct ofpbuf *buf, const struct afxdp_flow_actions *a,
            uint8_t proto)
{
    if (a->flags & AFXDP_ACT_ETH) {
        struct ovs_key_ethernet key, mask;

        memcpy(&key.eth_dst, a->eth, 6);
        memcpy(&key.eth_src, a->eth + 6, 6);
        memcpy(&mask.eth_dst, a->eth_mask, 6);
        memcpy(&mask.eth_src, a->eth_mask + 6, 6);
        put_set(buf, OVS_KEY_ATTR_ETHERNET, &key, &mask, sizeof key);
    }
    if (a->flags & AFXDP_ACT_IP4) {
        put_set_ip4(buf, a);
    }
    if (a->flags & AFXDP_ACT_IP6) {
        put_set_ip6(buf, a);
    }
    if (a->flags & AFXDP_ACT_TP) {
        ovs_be16 key[2] = { a->tp_src, a->tp_dst };
        ovs_be16 mask[2] = { a->tp_src_mask, a->tp_dst_mask };

        put_set(buf, (proto == IPPROTO_TCP ? OVS_KEY_ATTR_TCP
                      : OVS_KEY_ATTR_UDP), key, mask, sizeof key);
    }
    if (a->flags & AFXDP_ACT_VLAN_POP) {
        nl_msg_put_flag(buf, OVS_ACTION_ATTR_POP_VLAN);
    }
    if (a->flags & AFXDP_ACT_VLAN_PUSH) {
        struct ovs_action_push_vlan vlan = {
            .vlan_tpid = htons(ETH_TYPE_VLAN_8021Q),
            .vlan_tci = a->vlan_tci | htons(VLAN_CFI),
        };

        nl_msg_put_unspec(buf, OVS_ACTION_ATTR_PUSH_VLAN, &vlan, sizeof vlan);
    }
}

/* Stores in '*out' what Open vSwitch makes of 'in' by the actions 'a', but for
 * the output. */
void
oracle_execute(const struct frame *in, const struct afxdp_flow_actions *a,
               struct frame *out)
{
    struct dp_packet *packet = dp_packet_new_with_headroom(in->len, 64);
    struct dp_packet_batch batch;
    struct ofpbuf actions;
    struct flow flow;

    odp_execute_init();
    dp_packet_put(packet, in->data, in->len);
    flow_extract(packet, &flow);
    ofpbuf_init(&actions, 0);
    put_actions(&actions, a, flow.nw_proto);

    dp_packet_batch_init_packet(&batch, packet);
    odp_execute_actions(NULL, &batch, false, actions.data, actions.size, NULL);
    packet = batch.packets[0];
    out->len = dp_packet_size(packet);
    memcpy(out->data, dp_packet_data(packet), out->len);
    dp_packet_delete(packet);
    ofpbuf_uninit(&actions);
}

/* Fills the 'n' bytes of 'mask' with a mask as Open vSwitch would make it
 * (nothing, some bits, all) and those of 'value' with a value under it. */
static void
random_masked(void *value_, void *mask_, size_t n)
{
    uint8_t *value = value_, *mask = mask_;
    unsigned int kind = random_range(4);

    random_bytes(value, n);
    random_bytes(mask, n);
    for (size_t i = 0; i < n; i++) {
        mask[i] = kind == 0 ? 0 : kind == 1 ? mask[i] : 0xff;
        value[i] &= mask[i];
    }
}

static void
random_set_ip(const struct afxdp_flow_key *key, struct afxdp_flow_actions *a)
{
    if (key->eth_type == htons(ETH_TYPE_IP)) {
        a->flags |= AFXDP_ACT_IP4;
        random_masked(&a->ip4.src, &a->ip4.src_mask, 4);
        random_masked(&a->ip4.dst, &a->ip4.dst_mask, 4);
    } else {
        a->flags |= AFXDP_ACT_IP6;
        random_masked(a->ip6.src, a->ip6.src_mask, 16);
        random_masked(a->ip6.dst, a->ip6.dst_mask, 16);
    }
    random_masked(&a->tos, &a->tos_mask, 1);
    random_masked(&a->ttl, &a->ttl_mask, 1);
}

/* Stores in '*a' actions, at random, that Open vSwitch could demand for the
 * packets of 'key', sending them to port 2. */
void
oracle_random_actions(const struct afxdp_flow_key *key,
                      struct afxdp_flow_actions *a)
{
    bool ip = key->eth_type == htons(ETH_TYPE_IP)
              || key->eth_type == htons(ETH_TYPE_IPV6);
    bool tp = ip && (key->proto == IPPROTO_TCP || key->proto == IPPROTO_UDP);

    memset(a, 0, sizeof *a);
    a->flags = AFXDP_ACT_OUTPUT;
    a->out = 2;
    if (random_range(2)) {
        a->flags |= AFXDP_ACT_ETH;
        random_masked(a->eth, a->eth_mask, 6);
        random_masked(a->eth + 6, a->eth_mask + 6, 6);
    }
    if (ip && random_range(2)) {
        random_set_ip(key, a);
    }
    if (tp && random_range(2)) {
        a->flags |= AFXDP_ACT_TP;
        random_masked(&a->tp_src, &a->tp_src_mask, 2);
        random_masked(&a->tp_dst, &a->tp_dst_mask, 2);
    }
    if (key->vlan_tci && random_range(2)) {
        a->flags |= AFXDP_ACT_VLAN_POP;
    }
    if ((!key->vlan_tci || a->flags & AFXDP_ACT_VLAN_POP) && random_range(2)) {
        a->flags |= AFXDP_ACT_VLAN_PUSH;
        a->vlan_tci = htons(random_uint16() & ~AFXDP_VLAN_PRESENT);
    }
}
