/* SPDX-License-Identifier: Apache-2.0 */

/* Packets through the flow program, with what comes out written by hand: each
 * field of a match, each action, and each kind of packet that must go to user
 * space as it came.  See flow-test.h. */

#include <config.h>

#include "flow-test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "byte-order.h"
#include "util.h"

#define ETH "dl_src=02:00:00:00:00:0a,dl_dst=02:00:00:00:00:0b"
#define IP4 ETH ",nw_src=10.1.2.3,nw_dst=10.4.5.6,nw_tos=32,nw_ttl=64"
#define IP6 ETH ",ipv6_src=fd00:1::2:3,ipv6_dst=fd00:4::5:6,nw_tos=32," \
            "nw_ttl=64,ipv6_label=0x12345"
#define TP "tp_src=1234,tp_dst=80"

#define TCP "tcp," IP4 "," TP ",tcp_flags=0x018"
#define UDP "udp," IP4 "," TP
#define SCTP "sctp," IP4 "," TP
#define ICMP "icmp," IP4 ",icmp_type=8,icmp_code=0"
#define GRE "ip," IP4 ",nw_proto=47"
#define TCP6 "tcp6," IP6 "," TP ",tcp_flags=0x018"
#define UDP6 "udp6," IP6 "," TP
#define SCTP6 "sctp6," IP6 "," TP
#define ICMP6 "icmp6," IP6 ",icmpv6_type=128,icmpv6_code=0"
#define ARP "arp," ETH ",arp_op=1,arp_spa=10.1.2.3,arp_tpa=10.4.5.6," \
            "arp_sha=02:00:00:00:00:0a,arp_tha=02:00:00:00:00:0c"

static const struct afxdp_flow_actions to_port_2 = {
    .flags = AFXDP_ACT_OUTPUT, .out = 2,
};

static void
check_up(const struct frame *in, const struct outcome *o, const char *what)
{
    CHECK_FRAME(o->verdict == XDP_PASS, in, what);
    CHECK_FRAME(frame_equal(in, &o->frame), &o->frame, what);
}

/* Matches. */

struct match_case {
    const char *match;
    const char *packet;
    const char *hits;           /* Changes that still match, blanks between. */
    const char *misses;         /* Changes that do not. */
};

static const struct match_case match_cases[] = {
    /* Ethernet. */
    { "dl_dst=02:00:00:00:00:0b", TCP, "dl_src=02:00:00:00:00:0c",
      "dl_dst=02:00:00:00:00:0c dl_dst=03:00:00:00:00:0b "
      "dl_dst=ff:ff:ff:ff:ff:ff" },
    { "dl_src=02:00:00:00:00:0a", ARP, "dl_dst=02:00:00:00:00:0c",
      "dl_src=02:00:00:00:00:0b dl_src=06:00:00:00:00:0a" },
    { "dl_dst=01:00:00:00:00:00/01:00:00:00:00:00",
      TCP ",dl_dst=ff:ff:ff:ff:ff:ff",
      "dl_dst=01:00:5e:00:00:01 dl_dst=33:33:00:00:00:01",
      "dl_dst=02:00:00:00:00:01 dl_dst=fe:ff:ff:ff:ff:ff" },
    { "dl_src=02:00:00:00:00:00/ff:ff:ff:00:00:00", UDP6,
      "dl_src=02:00:00:ff:ff:ff", "dl_src=02:00:01:00:00:0a" },
    { "ip", TCP, "nw_ttl=1", "" },
    { "ip", UDP, "nw_ttl=1", "" },
    { "ipv6", TCP6, "nw_ttl=1", "" },
    { "arp", ARP, "arp_op=2", "" },

    /* VLAN: only untagged, any tag, and parts of the tag. */
    { "vlan_tci=0x0000", TCP, "nw_ttl=2", "dl_vlan=0 dl_vlan=5" },
    { "vlan_tci=0x1000/0x1000", TCP ",dl_vlan=5",
      "dl_vlan=0 dl_vlan=4095 dl_vlan_pcp=7", "vlan_tci=0x0000" },
    { "dl_vlan=100", TCP ",dl_vlan=100", "dl_vlan_pcp=3",
      "dl_vlan=101 dl_vlan=356 vlan_tci=0x0000" },
    { "dl_vlan=0", UDP ",dl_vlan=0,dl_vlan_pcp=1", "dl_vlan_pcp=3",
      "dl_vlan=1 vlan_tci=0x0000" },
    { "dl_vlan_pcp=5", UDP6 ",dl_vlan=7,dl_vlan_pcp=5", "dl_vlan=4095",
      "dl_vlan_pcp=4 vlan_tci=0x0007" },
    { "dl_vlan=100,dl_vlan_pcp=3", ARP ",dl_vlan=100,dl_vlan_pcp=3",
      "arp_op=2", "dl_vlan=101 dl_vlan_pcp=2" },
    { "ip,dl_vlan=100", ICMP ",dl_vlan=100", "nw_tos=0", "dl_vlan=99" },

    /* IPv4. */
    { "ip,nw_src=10.1.2.3", TCP, "nw_dst=10.9.9.9",
      "nw_src=10.1.2.2 nw_src=11.1.2.3" },
    { "ip,nw_dst=10.4.5.6", UDP, "nw_src=10.9.9.9",
      "nw_dst=10.4.5.7 nw_dst=138.4.5.6" },
    { "ip,nw_src=10.0.0.0/8", ICMP, "nw_src=10.255.255.255",
      "nw_src=9.255.255.255 nw_src=11.0.0.0" },
    { "ip,nw_src=10.1.2.0/25", TCP, "nw_src=10.1.2.127", "nw_src=10.1.2.128" },
    { "ip,nw_dst=0.0.0.0/1", TCP, "nw_dst=127.1.1.1", "nw_dst=128.0.0.0" },
    { "ip,nw_dst=10.4.5.4/31", SCTP ",nw_dst=10.4.5.4", "nw_dst=10.4.5.5",
      "nw_dst=10.4.5.6 nw_dst=10.4.5.3" },
    { "ip,nw_src=10.0.0.3/255.0.0.255", TCP, "nw_src=10.9.9.3",
      "nw_src=10.1.2.4 nw_src=12.1.2.3" },
    { "ip,nw_proto=47", GRE, "nw_ttl=1", "nw_proto=46 nw_proto=255" },
    { "ip,nw_proto=6", TCP, "tp_dst=1", "" },
    { "ip,nw_tos=32", TCP, "nw_ecn=3", "nw_tos=36 nw_tos=0" },
    { "ip,nw_ecn=2", TCP ",nw_ecn=2", "nw_tos=252", "nw_ecn=0 nw_ecn=3" },
    { "ip,nw_ttl=64", TCP, "nw_tos=0", "nw_ttl=63 nw_ttl=0 nw_ttl=192" },
    { "ip,ip_frag=no", TCP, "nw_ttl=1", "ip_frag=first" },
    { "ip,ip_frag=first", UDP ",ip_frag=first", "nw_ttl=1", "ip_frag=no" },

    /* IPv6. */
    { "ipv6,ipv6_src=fd00:1::2:3", TCP6, "nw_ttl=1",
      "ipv6_src=fd00:1::2:2 ipv6_src=7d00:1::2:3 "
      "ipv6_src=fd00:1:0:0:1::2:3" },
    { "ipv6,ipv6_dst=fd00:4::5:6", UDP6, "ipv6_src=fd00::1",
      "ipv6_dst=fd00:4::5:7 ipv6_dst=fd00:4:1::5:6" },
    { "ipv6,ipv6_src=fd00:1::/64", TCP6, "ipv6_src=fd00:1::ffff:1:2:3",
      "ipv6_src=fd00:1:0:1::2:3" },
    { "ipv6,ipv6_dst=fd00:4::5:6/127", ICMP6, "ipv6_dst=fd00:4::5:7",
      "ipv6_dst=fd00:4::5:8" },
    { "ipv6,ipv6_src=e000::/3", TCP6, "ipv6_src=ffff::1",
      "ipv6_src=dfff::1 ipv6_src=::" },
    { "ipv6,ipv6_dst=fd00:4::5:6/ffff::ffff", TCP6, "ipv6_dst=fd00:9::9:6",
      "ipv6_dst=fd00:4::5:5" },
    { "ipv6,ipv6_label=0x12345", TCP6, "nw_tos=0",
      "ipv6_label=0x12344 ipv6_label=0x92345" },
    { "ipv6,ipv6_label=0x300/0xf00", TCP6, "ipv6_label=0xf03ff",
      "ipv6_label=0x12445" },
    { "ipv6,nw_tos=32", TCP6, "nw_ecn=1", "nw_tos=40 nw_tos=128" },
    { "ipv6,nw_ecn=0", TCP6, "nw_tos=0", "nw_ecn=1" },
    { "ipv6,nw_ttl=64", UDP6, "nw_tos=0", "nw_ttl=65" },
    { "ipv6,nw_proto=59", "ipv6," IP6 ",nw_proto=59", "nw_ttl=1",
      "nw_proto=50" },

    /* Ports. */
    { "tcp,tp_src=1234", TCP, "tp_dst=1", "tp_src=1235 tp_src=53764" },
    { "tcp,tp_dst=80", TCP, "tp_src=1", "tp_dst=81 tp_dst=20480" },
    { "udp,tp_src=1234", UDP, "tp_dst=1", "tp_src=1235" },
    { "udp,tp_dst=80", UDP, "tp_src=1", "tp_dst=81" },
    { "sctp,tp_src=1234", SCTP, "tp_dst=1", "tp_src=1235" },
    { "sctp,tp_dst=80", SCTP, "tp_src=1", "tp_dst=81" },
    { "tcp6,tp_src=1234", TCP6, "tp_dst=1", "tp_src=1235" },
    { "tcp6,tp_dst=80", TCP6, "tp_src=1", "tp_dst=81" },
    { "udp6,tp_src=1234", UDP6, "tp_dst=1", "tp_src=1235" },
    { "udp6,tp_dst=80", UDP6, "tp_src=1", "tp_dst=81" },
    { "sctp6,tp_dst=80", SCTP6, "tp_src=1", "tp_dst=81" },
    { "tcp,tp_dst=80/0xfffe", TCP, "tp_dst=81", "tp_dst=82 tp_dst=79" },
    { "udp,tp_src=0x8000/0x8000", UDP ",tp_src=40000", "tp_src=65535",
      "tp_src=32767" },
    { "udp,tp_dst=80,ip_frag=first", UDP ",ip_frag=first", "tp_src=1",
      "tp_dst=81 ip_frag=no" },
    { "tcp,dl_vlan=4,tp_dst=80", TCP ",dl_vlan=4", "tp_src=1", "tp_dst=81" },

    /* TCP flags: of the 12, those that are looked at. */
    { "tcp,tcp_flags=0x002/0x012", TCP ",tcp_flags=0x002",
      "tcp_flags=0x0c2 tcp_flags=0xfef", "tcp_flags=0x012 tcp_flags=0x010" },
    { "tcp,tcp_flags=0x800/0x800", TCP ",tcp_flags=0x810",
      "tcp_flags=0xfff", "tcp_flags=0x7ff" },
    { "tcp6,tcp_flags=0x018", TCP6, "tp_dst=1", "tcp_flags=0x019" },

    /* ICMP. */
    { "icmp,icmp_type=8", ICMP, "icmp_code=4", "icmp_type=0 icmp_type=9" },
    { "icmp,icmp_code=0", ICMP, "icmp_type=3", "icmp_code=1" },
    { "icmp6,icmpv6_type=128", ICMP6, "icmpv6_code=4",
      "icmpv6_type=129 icmpv6_type=0" },
    { "icmp6,icmpv6_code=0", ICMP6, "icmpv6_type=3", "icmpv6_code=1" },

    /* ARP. */
    { "arp,arp_op=1", ARP, "arp_spa=1.1.1.1", "arp_op=2" },
    { "arp,arp_spa=10.1.2.3", ARP, "arp_tpa=1.1.1.1", "arp_spa=10.1.2.4" },
    { "arp,arp_tpa=10.4.5.6", ARP, "arp_spa=1.1.1.1", "arp_tpa=10.4.5.5" },
    { "arp,arp_spa=10.0.0.0/9", ARP, "arp_spa=10.127.0.0",
      "arp_spa=10.128.0.0" },
    { "arp,arp_sha=02:00:00:00:00:0a", ARP, "arp_tha=02:00:00:00:00:01",
      "arp_sha=02:00:00:00:00:0b arp_sha=00:00:00:00:00:0a" },
    { "arp,arp_tha=02:00:00:00:00:0c", ARP, "arp_sha=02:00:00:00:00:01",
      "arp_tha=02:00:00:00:00:0d arp_tha=00:00:00:00:00:0c" },
};

/* Runs, for the flow of 'c', its packet with each of 'changes' made. */
static void
run_match(const struct match_case *c, int flow, const char *changes, bool hit)
{
    char *copy = xstrdup(changes), *save = NULL;

    for (char *change = strtok_r(copy, " ", &save); change;
         change = strtok_r(NULL, " ", &save)) {
        struct afxdp_flow_counter before, after;
        struct frame frame;
        struct outcome o;
        char *what = xasprintf("%s against %s,%s", c->match, c->packet,
                               change);

        frame_from_text(&frame, c->packet, change);
        prog_counter(flow, &before);
        prog_run(&frame, &o);
        prog_counter(flow, &after);
        if (hit) {
            CHECK_FRAME(o.verdict == XDP_REDIRECT, &frame, what);
            CHECK_FRAME(frame_equal(&frame, &o.frame), &o.frame, what);
        } else {
            check_up(&frame, &o, what);
            CHECK_EQ(o.misses, 1);
        }
        CHECK_EQ(after.packets - before.packets, hit);
        CHECK_EQ(after.bytes - before.bytes, hit ? frame.len : 0);
        free(what);
    }
    free(copy);
}

static void
test_match(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    for (size_t i = 0; i < ARRAY_SIZE(match_cases); i++) {
        const struct match_case *c = &match_cases[i];
        struct afxdp_flow_key key, mask;
        int flow;

        oracle_match(c->match, &key, &mask);
        flow = prog_add_flow(&key, &mask, &to_port_2);
        run_match(c, flow, "dl_src=02:00:00:00:00:0a", true);
        run_match(c, flow, c->hits, true);
        run_match(c, flow, c->misses, false);
        prog_clear();
    }
}

/* Of a flow that takes one protocol, none of another. */
static void
test_match_protocols(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const struct {
        const char *match, *packet;
    } p[] = {
        { "tcp", TCP }, { "udp", UDP }, { "sctp", SCTP }, { "icmp", ICMP },
        { "tcp6", TCP6 }, { "udp6", UDP6 }, { "sctp6", SCTP6 },
        { "icmp6", ICMP6 }, { "arp", ARP }, { "ip,nw_proto=47", GRE },
    };

    for (size_t i = 0; i < ARRAY_SIZE(p); i++) {
        struct afxdp_flow_key key, mask;

        oracle_match(p[i].match, &key, &mask);
        prog_add_flow(&key, &mask, &to_port_2);
        for (size_t j = 0; j < ARRAY_SIZE(p); j++) {
            struct frame frame;
            struct outcome o;

            frame_from_text(&frame, p[j].packet, "");
            prog_run(&frame, &o);
            CHECK_FRAME(o.verdict == (i == j ? XDP_REDIRECT : XDP_PASS),
                        &frame, p[i].match);
        }
        prog_clear();
    }
}

/* Actions. */

struct action_case {
    const char *packet;
    const char *changed;        /* What the actions change of it. */
    struct afxdp_flow_actions actions;
};

#define OUT .out = 2, .flags = AFXDP_ACT_OUTPUT
#define ALL2 CONSTANT_HTONS(0xffff)
#define ALL4 CONSTANT_HTONL(0xffffffff)
#define BE16(X) CONSTANT_HTONS(X)
#define BE32(X) CONSTANT_HTONL(X)

static const struct action_case action_cases[] = {
    { TCP, "", { OUT } },
    { ARP, "", { OUT } },
    { TCP6, "", { OUT } },

    /* Ethernet. */
    { TCP, "dl_dst=02:01:02:03:04:05",
      { OUT | AFXDP_ACT_ETH,
        .eth = { 2, 1, 2, 3, 4, 5 },
        .eth_mask = { 255, 255, 255, 255, 255, 255 } } },
    { TCP, "dl_src=02:01:02:03:04:05",
      { OUT | AFXDP_ACT_ETH,
        .eth = { 0, 0, 0, 0, 0, 0, 2, 1, 2, 3, 4, 5 },
        .eth_mask = { 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255 } } },
    { ARP ",dl_vlan=3", "dl_src=02:00:00:00:00:05,dl_dst=42:00:00:00:00:0b",
      { OUT | AFXDP_ACT_ETH,
        .eth = { 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5 },
        .eth_mask = { 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255 } } },

    /* IPv4. */
    { TCP, "nw_ttl=63",
      { OUT | AFXDP_ACT_IP4, .ttl = 63, .ttl_mask = 255 } },
    { UDP, "nw_ttl=0", { OUT | AFXDP_ACT_IP4, .ttl = 0, .ttl_mask = 255 } },
    { GRE, "nw_ttl=255",
      { OUT | AFXDP_ACT_IP4, .ttl = 255, .ttl_mask = 255 } },
    { TCP ",nw_ecn=2", "nw_tos=184",
      { OUT | AFXDP_ACT_IP4, .tos = 184, .tos_mask = 0xfc } },
    { TCP, "nw_ecn=3", { OUT | AFXDP_ACT_IP4, .tos = 3, .tos_mask = 3 } },
    { TCP, "nw_src=192.168.0.1",
      { OUT | AFXDP_ACT_IP4,
        .ip4 = { .src = BE32(0xc0a80001), .src_mask = ALL4 } } },
    { UDP, "nw_dst=192.168.0.1",
      { OUT | AFXDP_ACT_IP4,
        .ip4 = { .dst = BE32(0xc0a80001), .dst_mask = ALL4 } } },
    { ICMP, "nw_dst=192.168.0.1,nw_src=1.2.3.4",
      { OUT | AFXDP_ACT_IP4,
        .ip4 = { .src = BE32(0x01020304), .src_mask = ALL4,
                 .dst = BE32(0xc0a80001), .dst_mask = ALL4 } } },
    { SCTP, "nw_dst=10.4.5.9,nw_ttl=1",
      { OUT | AFXDP_ACT_IP4, .ttl = 1, .ttl_mask = 255,
        .ip4 = { .dst = BE32(9), .dst_mask = BE32(0xff) } } },
    { UDP ",ip_frag=first", "nw_ttl=63",
      { OUT | AFXDP_ACT_IP4, .ttl = 63, .ttl_mask = 255 } },

    /* IPv6. */
    { TCP6, "nw_ttl=63",
      { OUT | AFXDP_ACT_IP6, .ttl = 63, .ttl_mask = 255 } },
    { TCP6 ",nw_ecn=1", "nw_tos=184",
      { OUT | AFXDP_ACT_IP6, .tos = 184, .tos_mask = 0xfc } },
    { TCP6, "ipv6_src=fd09:1::2:3",
      { OUT | AFXDP_ACT_IP6,
        .ip6 = { .src = { BE32(0xfd090001), 0, BE32(0), BE32(0x20003) },
                 .src_mask = { ALL4, ALL4, ALL4, ALL4 } } } },
    { UDP6, "ipv6_dst=fd09:4::5:6",
      { OUT | AFXDP_ACT_IP6,
        .ip6 = { .dst = { BE32(0xfd090000) },
                 .dst_mask = { BE32(0xffff0000) } } } },
    { ICMP6, "ipv6_dst=fd00:4::5:7,nw_ttl=1",
      { OUT | AFXDP_ACT_IP6, .ttl = 1, .ttl_mask = 255,
        .ip6 = { .dst = { 0, 0, 0, BE32(7) },
                 .dst_mask = { 0, 0, 0, BE32(0xff) } } } },
    { SCTP6, "ipv6_src=fd00:1::1:2:3",
      { OUT | AFXDP_ACT_IP6,
        .ip6 = { .src = { 0, 0, BE32(1) },
                 .src_mask = { 0, 0, ALL4 } } } },

    /* Ports. */
    { TCP, "tp_dst=8080",
      { OUT | AFXDP_ACT_TP, .tp_dst = BE16(8080), .tp_dst_mask = ALL2 } },
    { TCP6, "tp_src=1",
      { OUT | AFXDP_ACT_TP, .tp_src = BE16(1), .tp_src_mask = ALL2 } },
    { UDP, "tp_src=1,tp_dst=65535",
      { OUT | AFXDP_ACT_TP, .tp_src = BE16(1), .tp_src_mask = ALL2,
        .tp_dst = ALL2, .tp_dst_mask = ALL2 } },
    { UDP6, "tp_dst=81",
      { OUT | AFXDP_ACT_TP, .tp_dst = BE16(1), .tp_dst_mask = BE16(1) } },

    /* VLAN. */
    { TCP, "dl_vlan=100",
      { OUT | AFXDP_ACT_VLAN_PUSH, .vlan_tci = BE16(100) } },
    { ARP, "dl_vlan=4095,dl_vlan_pcp=7",
      { OUT | AFXDP_ACT_VLAN_PUSH, .vlan_tci = BE16(0xefff) } },
    { TCP6 ",dl_vlan=100,dl_vlan_pcp=3", "vlan_tci=0x0000",
      { OUT | AFXDP_ACT_VLAN_POP } },
    { UDP ",dl_vlan=100,dl_vlan_pcp=3", "dl_vlan=200,dl_vlan_pcp=1",
      { OUT | AFXDP_ACT_VLAN_POP | AFXDP_ACT_VLAN_PUSH,
        .vlan_tci = BE16(0x20c8) } },

    /* Routing, NAT, and everything at once. */
    { TCP, "dl_src=02:00:00:00:00:05,dl_dst=02:00:00:00:00:06,nw_ttl=63",
      { OUT | AFXDP_ACT_ETH | AFXDP_ACT_IP4, .ttl = 63, .ttl_mask = 255,
        .eth = { 2, 0, 0, 0, 0, 6, 2, 0, 0, 0, 0, 5 },
        .eth_mask = { 255, 255, 255, 255, 255, 255,
                      255, 255, 255, 255, 255, 255 } } },
    { UDP6 ",dl_vlan=5",
      "vlan_tci=0x0000,dl_dst=02:00:00:00:00:0f,nw_ttl=63,nw_tos=0,"
      "ipv6_src=fd00:1::2:4,tp_src=99",
      { OUT | AFXDP_ACT_ETH | AFXDP_ACT_IP6 | AFXDP_ACT_TP
        | AFXDP_ACT_VLAN_POP,
        .eth = { 0, 0, 0, 0, 0, 0xf }, .eth_mask = { 0, 0, 0, 0, 0, 0xf },
        .ttl = 63, .ttl_mask = 255, .tos = 0, .tos_mask = 255,
        .ip6 = { .src = { 0, 0, 0, BE32(4) },
                 .src_mask = { 0, 0, 0, BE32(0xff) } },
        .tp_src = BE16(99), .tp_src_mask = ALL2 } },
    { TCP,
      "dl_vlan=9,dl_src=02:00:00:00:00:0e,nw_src=1.1.1.1,nw_dst=2.2.2.2,"
      "nw_ttl=1,nw_ecn=1,tp_src=3,tp_dst=4",
      { OUT | AFXDP_ACT_ETH | AFXDP_ACT_IP4 | AFXDP_ACT_TP
        | AFXDP_ACT_VLAN_PUSH,
        .eth = { [11] = 0xe }, .eth_mask = { [11] = 255 },
        .ttl = 1, .ttl_mask = 255, .tos = 1, .tos_mask = 3,
        .ip4 = { .src = BE32(0x01010101), .src_mask = ALL4,
                 .dst = BE32(0x02020202), .dst_mask = ALL4 },
        .tp_src = BE16(3), .tp_src_mask = ALL2,
        .tp_dst = BE16(4), .tp_dst_mask = ALL2,
        .vlan_tci = BE16(9) } },
};

/* Adds a flow for exactly the packets like 'frame'. */
static int
add_exact_flow(const struct frame *frame,
               const struct afxdp_flow_actions *actions)
{
    struct afxdp_flow_key key, mask;

    CHECK_FRAME(oracle_key(frame, &key) == KNOWN, frame, "packet");
    memset(&mask, 0xff, sizeof mask);
    return prog_add_flow(&key, &mask, actions);
}

static void
run_action(const struct frame *in, const struct frame *expected,
           const struct afxdp_flow_actions *actions, const char *what)
{
    struct afxdp_flow_counter counter;
    struct outcome o;
    int flow = add_exact_flow(in, actions);

    prog_run(in, &o);
    CHECK_FRAME(o.verdict == XDP_REDIRECT, in, what);
    if (!frame_equal(&o.frame, expected)) {
        frame_print("expected", expected);
        frame_print("result", &o.frame);
        ovs_fatal(0, "%s", what);
    }
    prog_counter(flow, &counter);
    CHECK_EQ(counter.packets, 1);
    CHECK_EQ(counter.bytes, in->len);
    prog_del_flow(flow);
}

/* Sets the UDP checksum of 'frame' to 0, if it is UDP over IPv4. */
static bool
clear_udp_csum(struct frame *frame, bool tagged)
{
    size_t l3 = tagged ? 18 : 14;

    if (frame->data[l3] != 0x45 || frame->data[l3 + 9] != 17) {
        return false;
    }
    memset(frame->data + l3 + 26, 0, 2);
    return true;
}

static void
test_actions(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    for (size_t i = 0; i < ARRAY_SIZE(action_cases); i++) {
        const struct action_case *c = &action_cases[i];
        char *what = xasprintf("%s becomes %s", c->packet, c->changed);
        bool in_tagged = strstr(c->packet, "dl_vlan") != NULL;
        struct frame in, out;

        frame_from_text(&in, c->packet, "");
        frame_from_text(&out, c->packet, c->changed);
        run_action(&in, &out, &c->actions, what);

        /* UDP that has no checksum gets none. */
        if (clear_udp_csum(&in, in_tagged)
            && clear_udp_csum(&out, in_tagged
                              && !(c->actions.flags & AFXDP_ACT_VLAN_POP
                                   && !c->actions.vlan_tci))) {
            run_action(&in, &out, &c->actions, what);
        }
        free(what);
        prog_clear();
    }
}

/* A drop, whatever else is there. */
static void
test_drop(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const char *const packets[] = { TCP, UDP6, ARP, ICMP, GRE };
    static const struct afxdp_flow_actions drop;
    struct afxdp_flow_counter counter;

    for (size_t i = 0; i < ARRAY_SIZE(packets); i++) {
        struct frame frame;
        struct outcome o;
        int flow;

        frame_from_text(&frame, packets[i], "");
        flow = add_exact_flow(&frame, &drop);
        prog_run(&frame, &o);
        CHECK_EQ(o.verdict, XDP_DROP);
        prog_counter(flow, &counter);
        CHECK_EQ(counter.packets, 1);
        CHECK_EQ(counter.bytes, frame.len);
    }
}

/* A result of 0 is written as 0xffff where 0 means "none". */
static void
test_udp_zero(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const char *const packets[] = { UDP, UDP6 };

    for (size_t i = 0; i < ARRAY_SIZE(packets); i++) {
        size_t csum_ofs = i ? 14 + 40 + 6 : 14 + 20 + 6;
        struct afxdp_flow_actions actions = { OUT | AFXDP_ACT_TP };
        struct frame in, out;
        uint16_t sum;

        /* The port that makes the others add up to nothing. */
        frame_from_text(&in, packets[i], "tp_src=0");
        sum = in.data[csum_ofs] << 8 | in.data[csum_ofs + 1];
        actions.tp_src = htons(sum);
        actions.tp_src_mask = ALL2;
        out = in;
        out.data[csum_ofs - 6] = sum >> 8;
        out.data[csum_ofs - 5] = sum & 0xff;
        out.data[csum_ofs] = out.data[csum_ofs + 1] = 0xff;
        run_action(&in, &out, &actions, "a checksum of 0");
    }
}

/* Packets that must go to user space as they came, though a flow for any
 * packet to 02:00:00:00:00:0b stands in the table. */

struct up_case {
    const char *what, *packet, *edits;
};

static const struct up_case up_cases[] = {
    { "later fragment", UDP, "20=0001" },
    { "last fragment", TCP, "20=00ff" },
    { "later fragment, more to come", UDP, "20=2010" },
    { "later fragment with DF", UDP, "20=6010" },
    { "tagged later fragment", UDP ",dl_vlan=5", "24=0001" },
    { "IPv4 header length 0", TCP, "14=40" },
    { "IPv4 header length 4", TCP, "14=44" },
    { "IPv4 header longer than packet", TCP, "14=4f 16=0038 =70" },
    { "IPv4 total length 0", TCP, "16=0000" },
    { "IPv4 total length below header", TCP, "16=0013" },
    { "IPv4 total length above packet", TCP, "16=0043" },
    { "IPv4 total length 65535", UDP, "16=ffff" },
    { "IPv4 options longer than total", TCP, "14=4a 16=0027" },
    { "TCP cut by total length", TCP, "16=0027" },
    { "TCP header too small", TCP, "46=40" },
    { "TCP header longer than packet", TCP, "46=f0" },
    { "TCP header of 0", TCP, "46=00" },
    { "UDP cut by total length", UDP, "16=001b" },
    { "SCTP cut by total length", SCTP, "16=001f" },
    { "ICMP cut by total length", ICMP, "16=001b" },
    { "IGMP", "ip," IP4 ",nw_proto=2", "" },
    { "ICMPv6 in IPv4", ICMP, "23=3a" },

    { "IPv6 payload above packet", TCP6, "18=ffff" },
    { "IPv6 payload 1 above packet", TCP6, "18=002f" },
    { "TCP6 cut by payload length", TCP6, "18=0013" },
    { "TCP6 header too small", TCP6, "66=40" },
    { "TCP6 header longer than packet", TCP6, "66=f0" },
    { "UDP6 cut by payload length", UDP6, "18=0007" },
    { "ICMPv6 cut by payload length", ICMP6, "18=0007" },
    { "IPv6 hop-by-hop options", TCP6, "18=0036 20=00 54+0600000000000000" },
    { "IPv6 routing header", TCP6, "18=0036 20=2b 54+0600000000000000" },
    { "IPv6 destination options", TCP6, "18=0036 20=3c 54+0600010400000000" },
    { "IPv6 first fragment", UDP6, "18=002a 20=2c 54+1100000100000001" },
    { "IPv6 later fragment", UDP6, "18=002a 20=2c 54+1100000900000001" },
    { "IPv6 atomic fragment", UDP6, "18=002a 20=2c 54+1100000000000001" },
    { "IPv6 authentication header", TCP6,
      "18=0036 20=33 54+0600000000000001" },
    { "IPv6 hop-by-hop cut off", TCP6, "18=0004 20=00" },
    { "neighbour solicitation", ICMP6, "54=87" },
    { "neighbour advertisement", ICMP6, "54=88" },
    { "neighbour solicitation with option", ICMP6,
      "54=8700 62=fe8000000000000000000000000000010101020000000001" },
    { "IGMP in IPv6", "ipv6," IP6 ",nw_proto=2", "" },

    { "802.1ad", TCP, "12+88a80005" },
    { "QinQ", TCP, "12+81000005 16+81000006" },
    { "802.1ad and 802.1Q", TCP, "12+88a80005 16+81000006" },
    { "802.1Q and 802.1ad", TCP, "12+81000005 16+88a80006" },
    { "old QinQ", TCP, "12+91000005" },
    { "RARP", ARP, "12=8035" },
    { "MPLS", TCP, "12=8847 14+00001140" },
    { "MPLS multicast", TCP, "12=8848 14+00001140" },
    { "NSH", TCP, "12=894f" },
    { "PPPoE", TCP, "12=8864" },
    { "Ethernet in Ethernet", TCP, "12=6558" },
    { "unknown Ethernet type", TCP, "12=1234" },
    { "smallest Ethernet type", TCP, "12=0600" },
    { "LLC", TCP, "12=0034" },
    { "LLC of length 0", TCP, "12=0000" },
    { "largest LLC", TCP, "12=05ff" },
    { "SNAP with IPv4", TCP, "12+0044aaaa03000000" },
    { "tagged SNAP with IPv4", TCP, "12+81000005 16+0044aaaa03000000" },
    { "tagged LLC", TCP ",dl_vlan=5", "16=0034" },

    { "ARP cut off", ARP, "=41" },
    { "ARP of one byte", ARP, "=15" },
    { "ARP for token ring", ARP, "14=0006" },
    { "ARP for IPv6", ARP, "16=86dd" },
    { "ARP with long addresses", ARP, "18=08" },
    { "ARP with short protocol addresses", ARP, "19=03" },
    { "ARP with a large operation", ARP, "20=0101" },
};

static int
add_catch_all(void)
{
    struct afxdp_flow_key key, mask;

    oracle_match("dl_dst=02:00:00:00:00:0b", &key, &mask);
    return prog_add_flow(&key, &mask, &to_port_2);
}

static void
run_unknown(const struct frame *frame, const char *what)
{
    for (int generic = 0; generic < 2; generic++) {
        struct outcome o;

        prog_set_flags(generic ? AFXDP_PORT_GENERIC : 0);
        prog_run(frame, &o);
        check_up(frame, &o, what);
        CHECK_EQ(o.unknown, 1);
        CHECK_EQ(o.misses, 0);
        CHECK_EQ(o.refused, 0);
    }
}

static void
test_unknown(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    int flow = add_catch_all();
    struct afxdp_flow_counter counter;

    for (size_t i = 0; i < ARRAY_SIZE(up_cases); i++) {
        const struct up_case *c = &up_cases[i];
        struct frame frame;

        frame_from_text(&frame, c->packet, "");
        frame_edit(&frame, c->edits);
        run_unknown(&frame, c->what);
    }
    prog_counter(flow, &counter);
    CHECK_EQ(counter.packets, 0);
}

/* Packets cut off after each of their bytes. */
static void
test_truncated(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const char *const packets[] = {
        TCP, UDP, SCTP, ICMP, GRE, TCP6, UDP6, SCTP6, ICMP6, ARP,
        TCP ",dl_vlan=5", UDP6 ",dl_vlan=5", ARP ",dl_vlan=5",
        UDP ",ip_frag=first", TCP ",tcp_flags=0x002",
    };

    add_catch_all();
    for (size_t i = 0; i < ARRAY_SIZE(packets); i++) {
        struct frame whole;
        struct outcome o;

        frame_from_text(&whole, packets[i], "");
        prog_run(&whole, &o);
        CHECK_FRAME(o.verdict == XDP_REDIRECT, &whole, packets[i]);
        for (size_t len = FRAME_MIN; len < whole.len; len++) {
            struct frame frame = whole;

            frame.len = len;
            run_unknown(&frame, packets[i]);
        }
    }
}

/* What follows the packet in the frame is no part of it, but goes along. */
static void
test_padding(struct ovs_cmdl_context *ctx OVS_UNUSED)
{
    static const char *const packets[] = { TCP, UDP6, ARP, ICMP };

    for (size_t i = 0; i < ARRAY_SIZE(packets); i++) {
        struct frame frame;

        frame_from_text(&frame, packets[i], "");
        memset(frame.data + frame.len, 0xee, 50);
        frame.len += 50;
        run_action(&frame, &frame, &to_port_2, "padding");
    }
}

const struct ovs_cmdl_command test_flow_fixtures_commands[] = {
    { "match", NULL, 0, 0, test_match, OVS_RO },
    { "match-protocols", NULL, 0, 0, test_match_protocols, OVS_RO },
    { "actions", NULL, 0, 0, test_actions, OVS_RO },
    { "drop", NULL, 0, 0, test_drop, OVS_RO },
    { "udp-zero", NULL, 0, 0, test_udp_zero, OVS_RO },
    { "unknown", NULL, 0, 0, test_unknown, OVS_RO },
    { "truncated", NULL, 0, 0, test_truncated, OVS_RO },
    { "padding", NULL, 0, 0, test_padding, OVS_RO },
    { NULL, NULL, 0, 0, NULL, OVS_RO },
};
