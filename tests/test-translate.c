/* SPDX-License-Identifier: Apache-2.0 */

/* Tests of the translation of megaflows, ofproto/afxdp-flow-translate.c, and
 * of the pools of numbers of the flow table. */

#include <config.h>

#include "test-afxdp.h"

#include <netinet/in.h>
#include <string.h>

#include "flow.h"
#include "netlink.h"
#include "odp-netlink.h"
#include "odp-util.h"
#include "ofproto/afxdp-flow-translate.h"
#include "ofproto/afxdp-pool.h"
#include "openvswitch/match.h"
#include "openvswitch/ofpbuf.h"
#include "packets.h"
#include "util.h"

#define ETH "eth(src=02:00:00:00:00:01,dst=02:00:00:00:00:02),"
#define IN "recirc_id(0),in_port(5),"
#define IP IN ETH "eth_type(0x0800),"
#define IP6 IN ETH "eth_type(0x86dd),"
#define ARP IN ETH "eth_type(0x0806)"
#define TCP IP "ipv4(proto=6,frag=no),tcp(dst=5201)"
#define UDP IP "ipv4(proto=17,frag=no),udp(src=53)"
#define V100 IN ETH "eth_type(0x8100),vlan(vid=100,pcp=0),"

/* Turns the flow 's', written as in "dpctl/dump-flows", into '*match', as
 * dpif-netdev does before it passes a flow on. */
static void
parse_flow(const char *s, struct match *match)
{
    struct ofpbuf key, mask;
    char *error = NULL;

    ofpbuf_init(&key, 0);
    ofpbuf_init(&mask, 0);
    memset(match, 0, sizeof *match);
    if (odp_flow_from_string(s, NULL, &key, &mask, &error)) {
        ovs_fatal(0, "%s: %s", s, error);
    }
    if (odp_flow_key_to_flow(key.data, key.size, &match->flow, &error)
        == ODP_FIT_ERROR
        || odp_flow_key_to_mask(mask.data, mask.size, &match->wc,
                                &match->flow, &error) == ODP_FIT_ERROR) {
        ovs_fatal(0, "%s: %s", s, error);
    }
    free(error);
    if (!match->wc.masks.vlans[0].tci) {
        match->wc.masks.vlans[0].tci = htons(VLAN_VID_MASK | VLAN_CFI);
    }
    ofpbuf_uninit(&key);
    ofpbuf_uninit(&mask);
}

static enum afxdp_refusal
translate_match(const struct match *match, const char *actions,
                struct afxdp_translation *t)
{
    enum afxdp_refusal refusal;
    struct ofpbuf buf;

    ofpbuf_init(&buf, 0);
    if (odp_actions_from_string(actions, NULL, &buf)) {
        ovs_fatal(0, "cannot parse the actions %s", actions);
    }
    refusal = afxdp_translate_match(match, t);
    if (!refusal) {
        refusal = afxdp_translate_actions(buf.data, buf.size, t);
    }
    ofpbuf_uninit(&buf);
    return refusal;
}

static enum afxdp_refusal
translate(const char *flow, const char *actions, struct afxdp_translation *t)
{
    struct match match;

    parse_flow(flow, &match);
    memset(t, 0xee, sizeof *t);
    return translate_match(&match, actions, t);
}

static void
take(const char *flow, const char *actions, struct afxdp_translation *t)
{
    enum afxdp_refusal refusal = translate(flow, actions, t);

    if (refusal) {
        ovs_fatal(0, "%s -> %s was refused (%d)", flow, actions, refusal);
    }
}

/* Every flow that XDP can do exactly must be taken: a refusal is slow. */
static void
test_taken(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const char *const flows[] = {
        IP "ipv4(frag=no)",
        IP "ipv4(src=10.77.0.1,dst=10.77.0.3,frag=no)",
        IP "ipv4(src=10.77.0.1/255.255.255.128,dst=10.78.0.5,proto=6,ttl=64,"
           "frag=no)",
        IP "ipv4(tos=0/0x3,frag=no)",
        IP "ipv4(frag=first)",
        IP "ipv4(proto=1,frag=no),icmp(type=8/0xf8)",
        IP "ipv4(proto=132,frag=no),sctp(src=5,dst=6)",
        IP "ipv4(proto=47,frag=no)",
        TCP,
        IP "ipv4(proto=6,frag=no),tcp(dst=5202/0xfffe),tcp_flags(+syn-ack)",
        UDP,
        IP6 "ipv6(src=fd00::1,dst=fd00::/ffff:8000::,proto=17,frag=no),"
            "udp(dst=53)",
        IP6 "ipv6(label=0x12345,tclass=0x10/0xfc,hlimit=64,frag=no)",
        IP6 "ipv6(proto=58,frag=no),icmpv6(type=128)",
        /* Neighbour discovery goes up by itself. */
        IP6 "ipv6(proto=58,frag=no),icmpv6(type=128/0x80)",
        ARP,
        ARP ",arp(sip=10.0.0.1,tip=10.0.0.2,op=1,"
            "sha=02:00:00:00:00:01,tha=00:00:00:00:00:00)",
        V100 "encap(eth_type(0x0800),ipv4(frag=no))",
        IN ETH "eth_type(0x8100),vlan(vid=0/0x0,pcp=3),"
               "encap(eth_type(0x86dd),ipv6(frag=no))",
        IN "eth(src=02:00:00:00:00:01/01:00:00:00:00:00,"
               "dst=02:00:00:00:00:02),eth_type(0x0800),ipv4(frag=no)",

        /* What any fresh packet meets. */
        "skb_priority(0),skb_mark(0)," IP "ipv4(frag=no)",
        "ct_state(-new-est-rel-rpl-inv-trk),ct_zone(0)," IP "ipv4(frag=no)",
        "ct_state(-trk),ct_mark(0/0x2),ct_label(0/0x1)," IP "ipv4(frag=no)",
        "ct_mark(0),dp_hash(0/0xf)," TCP,
        "packet_type(ns=0,id=0)," TCP,
    };
    static const char *const actions[] = { "6", "drop", "6,7" };

    for (size_t i = 0; i < ARRAY_SIZE(flows); i++) {
        for (size_t j = 0; j < ARRAY_SIZE(actions); j++) {
            struct afxdp_translation t;

            take(flows[i], actions[j], &t);
            CHECK_EQ(t.n_outputs, strchr(actions[j], ',') ? 2
                     : actions[j][0] == '6');
            CHECK_EQ(t.actions.flags, 0);
        }
    }
}

/* Every other flow must be refused, above all those of a second pass, which
 * look like plain ones. */
static void
test_refused_matches(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const struct {
        const char *flow;
        enum afxdp_refusal refusal;
    } cases[] = {
        { "recirc_id(0x1),in_port(5)," ETH "eth_type(0x0800),ipv4(frag=no)",
          AFXDP_REFUSED_RECIRC },
        { "ct_state(-new+est-rel-rpl-inv+trk),ct_label(0/0x1),recirc_id(0x4),"
          "in_port(5)," ETH "eth_type(0x0800),ipv4(frag=no)",
          AFXDP_REFUSED_RECIRC },
        { "ct_state(+trk)," TCP, AFXDP_REFUSED_CT },
        { "ct_state(-est+new)," TCP, AFXDP_REFUSED_CT },
        { "ct_zone(0x5)," TCP, AFXDP_REFUSED_CT },
        { "ct_mark(0x2/0x2)," TCP, AFXDP_REFUSED_CT },
        { "ct_label(0x1/0x1)," TCP, AFXDP_REFUSED_CT },
        { "ct_tuple4(src=10.1.1.1,dst=10.1.1.2,proto=6,tp_src=1,tp_dst=2),"
          TCP, AFXDP_REFUSED_CT },
        { "dp_hash(0x3/0xf)," TCP, AFXDP_REFUSED_METADATA },
        { "skb_mark(0x1)," TCP, AFXDP_REFUSED_METADATA },
        { "skb_priority(0x1)," TCP, AFXDP_REFUSED_METADATA },
        { "tunnel(tun_id=0x7,src=172.16.0.1,dst=172.16.0.2,ttl=64,"
          "flags(-df-csum+key))," TCP, AFXDP_REFUSED_TUNNEL },
        { IP "ipv4(frag=later)", AFXDP_REFUSED_FRAGMENT },
        { IP6 "ipv6(frag=first)", AFXDP_REFUSED_FRAGMENT },
        { IP6 "ipv6(frag=later)", AFXDP_REFUSED_FRAGMENT },
        { IP "ipv4(proto=2,frag=no)", AFXDP_REFUSED_PROTOCOL },
        { IP "ipv4(proto=58,frag=no)", AFXDP_REFUSED_PROTOCOL },
        { IP6 "ipv6(proto=1,frag=no)", AFXDP_REFUSED_PROTOCOL },
        { IP6 "ipv6(proto=44,frag=no)", AFXDP_REFUSED_PROTOCOL },
        { IP6 "ipv6(proto=0,frag=no)", AFXDP_REFUSED_PROTOCOL },
        { IP6 "ipv6(proto=58,frag=no),icmpv6(type=135,code=0),"
          "nd(target=fd00::2)", AFXDP_REFUSED_PROTOCOL },
        { IP6 "ipv6(proto=58,frag=no),icmpv6(type=136,code=0)",
          AFXDP_REFUSED_PROTOCOL },
        { IN ETH "eth_type(0x88cc)", AFXDP_REFUSED_ETH_TYPE },
        { IN ETH "eth_type(0x8847),mpls(label=3,tc=0,ttl=64,bos=1)",
          AFXDP_REFUSED_ETH_TYPE },
        { IN ETH "eth_type(0x8035),arp(op=3)", AFXDP_REFUSED_ETH_TYPE },
        { IN ETH "eth_type(0x88a8),vlan(vid=100,pcp=0),"
          "encap(eth_type(0x0800),ipv4(frag=no))", AFXDP_REFUSED_VLAN },
        { IN ETH "eth_type(0x8100),vlan(vid=100,pcp=0),"
          "encap(eth_type(0x8100),vlan(vid=7,pcp=0),"
          "encap(eth_type(0x0800),ipv4(frag=no)))", AFXDP_REFUSED_VLAN },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct afxdp_translation t;
        enum afxdp_refusal refusal = translate(cases[i].flow, "6", &t);

        if (refusal != cases[i].refusal) {
            ovs_fatal(0, "%s: refused for reason %d, not %d", cases[i].flow,
                      refusal, cases[i].refusal);
        }
    }
}

/* Any bit of any field that the key does not have refuses the flow if it has
 * to be set, and does not if it has to be clear. */
static void
test_every_bit(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct match plain, match;
    struct afxdp_translation t, expected;
    size_t n_refused = 0;

    parse_flow(TCP, &plain);
    CHECK_EQ(translate_match(&plain, "6", &expected), AFXDP_TAKEN);
    for (size_t bit = 0; bit < sizeof plain.flow * 8; bit++) {
        uint8_t *flow = (uint8_t *) &match.flow + bit / 8;
        uint8_t *mask = (uint8_t *) &match.wc.masks + bit / 8;
        uint8_t m = 1 << bit % 8;
        enum afxdp_refusal refusal;

        match = plain;
        if (*mask & m || bit / 8 / 4
            == offsetof(struct flow, in_port) / 4) {
            continue;
        }
        *mask |= m;
        *flow |= m;
        refusal = translate_match(&match, "6", &t);
        n_refused += refusal != AFXDP_TAKEN;
        if (!refusal) {
            /* Then the key looks at the bit. */
            CHECK(memcmp(&t.mask, &expected.mask, sizeof t.mask));
            CHECK(memcmp(t.words, expected.words, sizeof t.words));
        }

        *flow &= ~m;
        refusal = translate_match(&match, "6", &t);
        if (refusal) {
            ovs_fatal(0, "bit %"PRIuSIZE" of a flow must not be clear", bit);
        }
    }

    /* All but those of the key. */
    CHECK(n_refused > sizeof plain.flow * 8 - sizeof t.words * 8);
}

static void
check_key(const char *flow, const struct afxdp_flow_key *key,
          const struct afxdp_flow_key *mask)
{
    struct afxdp_translation t;
    uint64_t used = 0;

    take(flow, "6", &t);
    for (int w = 0; w < AFXDP_FLOW_WORDS; w++) {
        uint64_t bits;

        memcpy(&bits, (const char *) mask + w * sizeof bits, sizeof bits);
        used |= bits ? UINT64_C(1) << w : 0;
    }
    if (memcmp(t.words, key, sizeof *key)
        || memcmp(t.mask.bits, mask, sizeof *mask) || t.mask.used != used) {
        for (int w = 0; w < AFXDP_FLOW_WORDS; w++) {
            fprintf(stderr, "word %d: %#"PRIx64"/%#"PRIx64"\n", w, t.words[w],
                    (uint64_t) t.mask.bits[w]);
        }
        ovs_fatal(0, "%s: wrong key or mask", flow);
    }
}

#define MACS .eth_src = { 2, 0, 0, 0, 0, 1 }, .eth_dst = { 2, 0, 0, 0, 0, 2 }
#define MACS_MASK                                                            \
    .eth_src = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },                       \
    .eth_dst = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },                       \
    .eth_type = 0xffff

static void
test_keys(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct afxdp_flow_key key = { MACS, .eth_type = htons(0x0800) };
    struct afxdp_flow_key mask = { MACS_MASK, .vlan_tci = htons(0xffff),
                                   .frag = 3 };

    check_key(IP "ipv4(frag=no)", &key, &mask);

    key.frag = AFXDP_FRAG_ANY;
    check_key(IP "ipv4(frag=first)", &key, &mask);

    key.frag = 0;
    key.ip4.src = htonl(0x0a4d0000);
    key.ip4.dst = htonl(0x0a4e0005);
    key.proto = 6;
    key.tos = 0x10;
    key.ttl = 64;
    key.tp_dst = htons(5202);
    key.tcp_flags = htons(2);
    mask.ip4.src = htonl(0xffffff80);
    mask.ip4.dst = htonl(0xffffffff);
    mask.proto = 0xff;
    mask.tos = 0xfc;
    mask.ttl = 0xff;
    mask.tp_dst = htons(0xfffe);
    mask.tcp_flags = htons(0x12);
    check_key(IP "ipv4(src=10.77.0.1/255.255.255.128,dst=10.78.0.5,proto=6,"
              "tos=0x10/0xfc,ttl=64,frag=no),tcp(dst=5203/0xfffe),"
              "tcp_flags(+syn-ack)", &key, &mask);

    key = (struct afxdp_flow_key) { MACS, .eth_type = htons(0x0800),
                                    .vlan_tci = htons(0x1064) };
    mask = (struct afxdp_flow_key) { MACS_MASK, .frag = 3,
                                     .vlan_tci = htons(0xffff) };
    check_key(V100 "encap(eth_type(0x0800),ipv4(frag=no))", &key, &mask);

    key = (struct afxdp_flow_key) {
        MACS, .eth_type = htons(0x86dd), .ip6_label = htonl(0x12345),
        .ip6.src = { 0xfd, [15] = 1 }, .proto = 58, .tp_src = htons(128) };
    mask = (struct afxdp_flow_key) {
        MACS_MASK, .vlan_tci = htons(0xffff), .frag = 3,
        .ip6_label = htonl(0xfffff), .proto = 0xff, .tp_src = htons(0xff) };
    memset(mask.ip6.src, 0xff, sizeof mask.ip6.src);
    check_key(IP6 "ipv6(src=fd00::1,label=0x12345,proto=58,frag=no),"
              "icmpv6(type=128)", &key, &mask);

    key = (struct afxdp_flow_key) {
        MACS, .eth_type = htons(0x0806), .proto = 2,
        .arp = { .spa = htonl(0x0a000001), .tpa = htonl(0x0a000002),
                 .tha = { 2, 0, 0, 0, 0, 9 } } };
    mask = (struct afxdp_flow_key) {
        MACS_MASK, .vlan_tci = htons(0xffff), .proto = 0xff,
        .arp = { .spa = OVS_BE32_MAX, .tpa = OVS_BE32_MAX } };
    memset(mask.arp.tha, 0xff, sizeof mask.arp.tha);
    check_key(ARP ",arp(sip=10.0.0.1,tip=10.0.0.2,op=2,"
              "tha=02:00:00:00:00:09)", &key, &mask);
}

static void
test_refused_actions(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const struct {
        const char *flow;
        const char *actions;
        enum afxdp_refusal refusal;
    } cases[] = {
        { TCP, "ct(zone=1),recirc(1)", AFXDP_REFUSED_ACT_CT },
        { TCP, "ct(commit),6", AFXDP_REFUSED_ACT_CT },
        { TCP, "recirc(1)", AFXDP_REFUSED_ACT_RECIRC },
        { TCP, "userspace(pid=0)", AFXDP_REFUSED_ACT_USERSPACE },
        { TCP, "tnl_pop(4)", AFXDP_REFUSED_ACT_TUNNEL },
        { TCP, "clone(6),7", AFXDP_REFUSED_ACT_OTHER },
        { TCP, "sample(sample=50.0%,actions(6))", AFXDP_REFUSED_ACT_OTHER },
        { TCP, "meter(1),6", AFXDP_REFUSED_ACT_OTHER },
        { TCP, "trunc(100),6", AFXDP_REFUSED_ACT_OTHER },
        { TCP, "check_pkt_len(size=200,gt(6),le(7))",
          AFXDP_REFUSED_ACT_OTHER },
        { TCP, "push_vlan(vid=1,pcp=0),push_vlan(vid=2,pcp=0),6",
          AFXDP_REFUSED_ACT_VLAN },
        { TCP, "push_vlan(tpid=0x88a8,vid=1,pcp=0),6",
          AFXDP_REFUSED_ACT_VLAN },
        { TCP, "set(skb_mark(0x1)),6", AFXDP_REFUSED_ACT_SET },
        { TCP, "set(skb_priority(0x1)),6", AFXDP_REFUSED_ACT_SET },
        { TCP, "set(udp(src=1)),6", AFXDP_REFUSED_ACT_SET },
        { IP "ipv4(frag=no)", "set(tcp(src=1)),6", AFXDP_REFUSED_ACT_SET },
        { IP "ipv4(proto=132,frag=no)", "set(sctp(src=1,dst=2)),6",
          AFXDP_REFUSED_ACT_SET },
        { IP "ipv4(proto=1,frag=no)", "set(icmp(type=1,code=2)),6",
          AFXDP_REFUSED_ACT_SET },
        { ARP ",arp(op=6)", "set(tcp(src=1)),6", AFXDP_REFUSED_ACT_SET },
        { ARP ",arp(op=1)", "set(arp(op=2/0xff)),6", AFXDP_REFUSED_ACT_SET },
        { ARP, "set(ipv4(ttl=1)),6", AFXDP_REFUSED_ACT_SET },
        { IP6 "ipv6(frag=no)", "set(ipv4(ttl=1)),6", AFXDP_REFUSED_ACT_SET },
        { IP6 "ipv6(frag=no)", "set(ipv6(label=1/0xfffff)),6",
          AFXDP_REFUSED_ACT_SET },
        { TCP, "6,set(ipv4(ttl=1)),7", AFXDP_REFUSED_ACT_ORDER },
        { V100 "encap(eth_type(0x0800),ipv4(frag=no))", "6,pop_vlan,7",
          AFXDP_REFUSED_ACT_ORDER },
        { TCP, "6,6", AFXDP_REFUSED_ACT_OUTPUTS },
        { TCP, "6,7,6", AFXDP_REFUSED_ACT_OUTPUTS },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct afxdp_translation t;
        enum afxdp_refusal refusal = translate(cases[i].flow,
                                               cases[i].actions, &t);

        if (refusal != cases[i].refusal) {
            ovs_fatal(0, "%s -> %s: refused for reason %d, not %d",
                      cases[i].flow, cases[i].actions, refusal,
                      cases[i].refusal);
        }
    }
}

/* Each action that is not known to be harmless is refused, those included that
 * later releases may bring. */
static void
test_unknown_actions(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const char zeros[256];
    struct match match;

    parse_flow(TCP, &match);
    for (int type = 0; type < 100; type++) {
        struct afxdp_translation t;
        enum afxdp_refusal refusal;
        struct ofpbuf buf;

        switch (type) {
        case OVS_ACTION_ATTR_OUTPUT:
        case OVS_ACTION_ATTR_SET:
        case OVS_ACTION_ATTR_SET_MASKED:
        case OVS_ACTION_ATTR_PUSH_VLAN:
        case OVS_ACTION_ATTR_POP_VLAN:
        case OVS_ACTION_ATTR_CT_CLEAR:
        case OVS_ACTION_ATTR_DROP:
            continue;
        default:
            break;
        }
        ofpbuf_init(&buf, 0);
        nl_msg_put_unspec(&buf, type, zeros, sizeof zeros);
        nl_msg_put_odp_port(&buf, OVS_ACTION_ATTR_OUTPUT, u32_to_odp(6));
        CHECK_EQ(afxdp_translate_match(&match, &t), AFXDP_TAKEN);
        refusal = afxdp_translate_actions(buf.data, buf.size, &t);
        if (!refusal) {
            ovs_fatal(0, "an action of type %d was taken", type);
        }
        ofpbuf_uninit(&buf);
    }
}

static void
test_sets(void)
{
    const struct afxdp_flow_actions *act;
    struct afxdp_translation t;

    act = &t.actions;
    take(TCP, "set(eth(src=02:00:00:00:00:07,dst=02:00:00:00:00:08)),"
         "set(ipv4(ttl=63)),6", &t);
    CHECK_EQ(act->flags, AFXDP_ACT_ETH | AFXDP_ACT_IP4);
    CHECK(!memcmp(act->eth, "\2\0\0\0\0\10\2\0\0\0\0\7", 12));
    for (int i = 0; i < 12; i++) {
        CHECK_EQ(act->eth_mask[i], 0xff);
    }
    CHECK_EQ(act->ttl, 63);
    CHECK_EQ(act->ttl_mask, 0xff);
    CHECK_EQ(act->tos_mask, 0);
    CHECK_EQ(act->ip4.src_mask, 0);

    /* The later one wins, bit by bit. */
    take(TCP, "set(ipv4(src=10.0.0.1/255.255.0.0,tos=0x10/0xfc)),"
         "set(ipv4(src=0.0.2.3/0.0.255.255)),set(ipv4(tos=0x1/0x13)),"
         "set(tcp(src=80,dst=0x1200/0xff00)),6", &t);
    CHECK_EQ(act->flags, AFXDP_ACT_IP4 | AFXDP_ACT_TP);
    CHECK_EQ(ntohl(act->ip4.src), 0x0a000203);
    CHECK_EQ(ntohl(act->ip4.src_mask), 0xffffffff);
    CHECK_EQ(act->tos, 0x01);
    CHECK_EQ(act->tos_mask, 0xff);
    CHECK_EQ(ntohs(act->tp_src), 80);
    CHECK_EQ(ntohs(act->tp_src_mask), 0xffff);
    CHECK_EQ(ntohs(act->tp_dst), 0x1200);
    CHECK_EQ(ntohs(act->tp_dst_mask), 0xff00);

    take(IP6 "ipv6(proto=17,frag=no)", "set(ipv6(dst=fd00::5,hlimit=1)),"
         "set(udp(dst=1)),6", &t);
    CHECK_EQ(act->flags, AFXDP_ACT_IP6 | AFXDP_ACT_TP);
    CHECK_EQ(ntohl(act->ip6.dst[0]), 0xfd000000);
    CHECK_EQ(ntohl(act->ip6.dst[3]), 5);
    CHECK_EQ(ntohl(act->ip6.dst_mask[2]), 0xffffffff);
    CHECK_EQ(act->ip6.src_mask[0], 0);
    CHECK_EQ(act->ttl, 1);

    /* Nobody sees what becomes of a dropped packet. */
    take(TCP, "set(ipv4(ttl=63))", &t);
    CHECK_EQ(act->flags, 0);
    CHECK_EQ(t.n_outputs, 0);
}

static void
test_vlans(void)
{
    static const struct {
        const char *flow;
        const char *actions;
        int flags;
        uint16_t tci;
    } cases[] = {
        { TCP, "push_vlan(vid=100,pcp=3),6", AFXDP_ACT_VLAN_PUSH, 0x6064 },
        { TCP, "pop_vlan,6", 0, 0 },
        { TCP, "push_vlan(vid=100,pcp=0),pop_vlan,6", 0, 0 },
        { V100 "encap(eth_type(0x0806))", "pop_vlan,6", AFXDP_ACT_VLAN_POP,
          0 },
        { V100 "encap(eth_type(0x0806))", "pop_vlan,pop_vlan,6",
          AFXDP_ACT_VLAN_POP, 0 },
        { V100 "encap(eth_type(0x0806))", "pop_vlan,push_vlan(vid=7,pcp=0),6",
          AFXDP_ACT_VLAN_POP | AFXDP_ACT_VLAN_PUSH, 7 },
        { V100 "encap(eth_type(0x0806))", "push_vlan(vid=7,pcp=0),6",
          AFXDP_ACT_VLAN_PUSH, 7 },
        { V100 "encap(eth_type(0x0806))", "push_vlan(vid=7,pcp=0),pop_vlan,"
          "pop_vlan,6", AFXDP_ACT_VLAN_POP, 0 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct afxdp_translation t;

        take(cases[i].flow, cases[i].actions, &t);
        CHECK_EQ(t.actions.flags, cases[i].flags);
        CHECK_EQ(ntohs(t.actions.vlan_tci), cases[i].tci);
    }
}

static void
test_actions(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct afxdp_translation t;

    test_sets();
    test_vlans();

    take(TCP, "9,7,8", &t);
    CHECK_EQ(t.n_outputs, 3);
    CHECK_EQ(odp_to_u32(t.outputs[0]), 9);
    CHECK_EQ(odp_to_u32(t.outputs[1]), 7);
    CHECK_EQ(odp_to_u32(t.outputs[2]), 8);
    take(TCP, "ct_clear,6", &t);
    CHECK_EQ(t.n_outputs, 1);
    take(TCP, "drop", &t);
    CHECK_EQ(t.n_outputs, 0);
}

static void
test_pool(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    struct afxdp_pool pool;
    uint32_t a, b, c, id;

    afxdp_pool_init(&pool, 1, 4);
    CHECK(afxdp_pool_get(&pool, &a));
    CHECK(afxdp_pool_get(&pool, &b));
    CHECK(afxdp_pool_get(&pool, &c));
    CHECK(!afxdp_pool_get(&pool, &id));
    CHECK_EQ(a + b + c, 1 + 2 + 3);
    CHECK_EQ(afxdp_pool_used(&pool), 3);

    /* One given back during a grace period waits for the next. */
    afxdp_pool_put(&pool, b);
    CHECK(!afxdp_pool_get(&pool, &id));
    afxdp_pool_grace_begin(&pool);
    afxdp_pool_put(&pool, a);
    afxdp_pool_grace_end(&pool);
    CHECK_EQ(pool.n_waiting, 1);
    CHECK(afxdp_pool_get(&pool, &id));
    CHECK_EQ(id, b);
    CHECK(!afxdp_pool_get(&pool, &id));

    afxdp_pool_grace_begin(&pool);
    afxdp_pool_grace_end(&pool);
    CHECK(afxdp_pool_get(&pool, &id));
    CHECK_EQ(id, a);
    CHECK_EQ(afxdp_pool_used(&pool), 3);
    afxdp_pool_destroy(&pool);
}

const struct ovs_cmdl_command test_translate_commands[] = {
    { "translate-taken", NULL, 0, 0, test_taken, OVS_RO },
    { "translate-refused-matches", NULL, 0, 0, test_refused_matches, OVS_RO },
    { "translate-every-bit", NULL, 0, 0, test_every_bit, OVS_RO },
    { "translate-keys", NULL, 0, 0, test_keys, OVS_RO },
    { "translate-refused-actions", NULL, 0, 0, test_refused_actions, OVS_RO },
    { "translate-unknown-actions", NULL, 0, 0, test_unknown_actions, OVS_RO },
    { "translate-actions", NULL, 0, 0, test_actions, OVS_RO },
    { "offload-pool", NULL, 0, 0, test_pool, OVS_RO },
    { NULL, NULL, 0, 0, NULL, OVS_RO },
};
