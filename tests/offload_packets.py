# SPDX-License-Identifier: Apache-2.0
#
# Random packets and random OpenFlow rules for tests/offload-diff, from values
# so few that rules and packets meet.

import ipaddress
import struct

BROADCAST = "ff:ff:ff:ff:ff:ff"
MULTICAST = "01:00:5e:00:00:05"
MACS = ["02:00:00:00:00:0%d" % i for i in range(1, 7)]
IPS = ["10.0.0.%d" % i for i in range(1, 7)] + ["10.1.0.1", "192.168.7.9"]
IP6S = ["fd00::%d" % i for i in range(1, 5)] + ["fd00:1::1", "fe80::7:9"]
PORTS = [53, 80, 81, 443, 5000, 5001, 40000]
TTLS = [1, 2, 64, 255]
TOSES = [0, 2, 32, 184]
VLANS = [10, 20, 4000]
FLAGS = [0x002, 0x010, 0x012, 0x011, 0x018, 0x0c2]

PROTOS = {"icmp": 1, "tcp": 6, "udp": 17, "sctp": 132, "gre": 47,
          "icmp6": 58, "igmp": 2}


def mac(text):
    return bytes.fromhex(text.replace(":", ""))


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def ethernet(dst, src, kind, payload, vlan=None, pcp=0):
    tag = b"" if vlan is None else struct.pack("!HH", 0x8100,
                                               pcp << 13 | vlan)
    return mac(dst) + mac(src) + tag + struct.pack("!H", kind) + payload


def arp(op, sha, spa, tha, tpa):
    return (struct.pack("!HHBBH", 1, 0x0800, 6, 4, op) + mac(sha)
            + ipaddress.ip_address(spa).packed + mac(tha)
            + ipaddress.ip_address(tpa).packed)


def put_checksum(segment, offset, pseudo, proto):
    value = checksum(pseudo + segment)
    if proto == PROTOS["udp"] and not value:
        value = 0xffff
    return (segment[:offset] + struct.pack("!H", value)
            + segment[offset + 2:])


def transport(proto, rng_bytes, sport, dport, flags, pseudo):
    """Returns a segment of protocol number 'proto' with its checksum, given
    the pseudo-header without the length."""
    if proto == PROTOS["tcp"]:
        segment = struct.pack("!HHIIHHHH", sport, dport, 1, 2,
                              5 << 12 | flags, 1000, 0, 0) + rng_bytes
        offset = 16
    elif proto == PROTOS["udp"]:
        segment = struct.pack("!HHHH", sport, dport, 8 + len(rng_bytes),
                              0) + rng_bytes
        offset = 6
    elif proto == PROTOS["sctp"]:
        return struct.pack("!HHII", sport, dport, 7, 0) + rng_bytes
    elif proto in (PROTOS["icmp"], PROTOS["icmp6"]):
        segment = struct.pack("!BBHHH", sport & 0xff, 0, 0, dport,
                              1) + rng_bytes
        offset = 2
        if proto == PROTOS["icmp"]:
            pseudo = None
    else:
        return rng_bytes.ljust(8, b"\0")
    if pseudo is None:
        return put_checksum(segment, offset, b"", proto)
    return put_checksum(segment, offset,
                        pseudo + struct.pack("!HH", proto, len(segment)),
                        proto)


def ip4(src, dst, proto, segment_args, ttl=64, tos=0, frag=0, options=b""):
    source = ipaddress.ip_address(src).packed
    target = ipaddress.ip_address(dst).packed
    segment = transport(proto, *segment_args, source + target)
    length = 20 + len(options) + len(segment)
    head = struct.pack("!BBHHHBBH", 0x45 + len(options) // 4, tos, length, 0,
                       frag, ttl, proto, 0) + source + target + options
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + segment


def ip6(src, dst, proto, segment_args, ttl=64, tos=0, label=0, extra=b""):
    source = ipaddress.ip_address(src).packed
    target = ipaddress.ip_address(dst).packed
    segment = transport(proto, *segment_args, source + target)
    head = struct.pack("!IHBB", 6 << 28 | tos << 20 | label,
                       len(extra) + len(segment), 60 if extra else proto, ttl)
    if extra:
        extra = bytes([proto]) + extra[1:]
    return head + source + target + extra + segment


def random_arp(rng):
    sender = rng.choice(MACS)
    return arp(rng.choice([1, 2, 2, 5]), sender, rng.choice(IPS),
               rng.choice(MACS), rng.choice(IPS))


def random_segment(rng, proto):
    if proto in (PROTOS["icmp"], PROTOS["icmp6"]):
        kind = rng.choice([8, 0, 128, 129, 3])
    else:
        kind = rng.choice(PORTS)
    payload = bytes(rng.randrange(256) for _ in range(rng.choice(
        [0, 1, 10, 18, 100, 700, 1400])))
    return payload, kind, rng.choice(PORTS), rng.choice(FLAGS)


def random_ip4(rng):
    proto = PROTOS[rng.choice(["tcp"] * 4 + ["udp"] * 4 + ["icmp", "sctp",
                                                           "gre", "igmp"])]
    frag = rng.choice([0] * 12 + [0x4000, 0x2000, 0x2004, 0x0008])
    options = rng.choice([b""] * 9 + [b"\x01\x01\x01\x00"])
    return ip4(rng.choice(IPS), rng.choice(IPS), proto,
               random_segment(rng, proto), rng.choice(TTLS),
               rng.choice(TOSES), frag, options)


def random_ip6(rng):
    proto = PROTOS[rng.choice(["tcp"] * 3 + ["udp"] * 3 + ["icmp6", "sctp"])]
    extra = rng.choice([b""] * 9 + [b"\0\0\x01\x04\0\0\0\0"])
    return ip6(rng.choice(IP6S), rng.choice(IP6S), proto,
               random_segment(rng, proto), rng.choice(TTLS),
               rng.choice(TOSES), rng.choice([0, 0x12345]), extra)


def random_packet(rng, spoil=True):
    """Returns a random frame; now and then, if 'spoil', one that is wrong."""
    dst = rng.choice(MACS * 2 + [BROADCAST, MULTICAST])
    src = rng.choice(MACS)
    vlan = rng.choice([None] * 4 + VLANS[:2] + [rng.choice(VLANS)])
    kind = rng.random()
    if kind < 0.6:
        frame = (0x0800, random_ip4(rng))
    elif kind < 0.85:
        frame = (0x86dd, random_ip6(rng))
    elif kind < 0.95:
        frame = (0x0806, random_arp(rng))
    else:
        frame = (rng.choice([0x8847, 0x88cc, 0x8100, 0x88a8, 0x9000, 0x0040]),
                 bytes(rng.randrange(256) for _ in range(46)))
    data = ethernet(dst, src, *frame, vlan, rng.choice([0, 0, 3, 7]))
    if rng.random() < 0.1:
        data += bytes(rng.randrange(60))        # Padding.
    data = data[:1514]
    if spoil and rng.random() < 0.1:
        if rng.random() < 0.5:
            # Not within a tag or a label: Open vSwitch takes its time to
            # revalidate the flows of such packets, offload or not.
            data = data[:rng.randrange(22, len(data) + 1)]
        else:
            i = rng.randrange(12, min(len(data), 60))
            data = data[:i] + bytes([rng.randrange(256)]) + data[i + 1:]
    return data


# Rules.

# What a rule may match on and set, beside Ethernet, for each kind of packet:
# kind, Ethernet type, addresses, transport protocol.
KINDS = {
    "": (None, None, None),
    "arp": (0x0806, None, None),
    "ip": (0x0800, 4, None),
    "tcp": (0x0800, 4, "tcp"),
    "udp": (0x0800, 4, "udp"),
    "sctp": (0x0800, 4, "sctp"),
    "icmp": (0x0800, 4, None),
    "ipv6": (0x86dd, 6, None),
    "tcp6": (0x86dd, 6, "tcp"),
    "udp6": (0x86dd, 6, "udp"),
    "icmp6": (0x86dd, 6, None),
}


def maybe(rng, chance, what):
    return [what] if rng.random() < chance else []


def random_address_match(rng, field, version):
    if version == 4:
        masks = ["", "", "", "/24", "/31", "/255.255.0.255", "/1"]
        values = IPS
    else:
        masks = ["", "", "", "/64", "/127", "/16"]
        values = IP6S
    return "%s=%s%s" % (field, rng.choice(values), rng.choice(masks))


def random_ip_match(rng, version, proto):
    names = (("nw_src", "nw_dst") if version == 4
             else ("ipv6_src", "ipv6_dst"))
    match = []
    for name in names:
        match += maybe(rng, 0.35, random_address_match(rng, name, version))
    match += maybe(rng, 0.1, "nw_tos=%d" % (rng.choice(TOSES) & 0xfc))
    match += maybe(rng, 0.1, "nw_ecn=%d" % rng.choice([0, 2]))
    match += maybe(rng, 0.1, "nw_ttl=%d" % rng.choice(TTLS))
    # There are no ports in later fragments to match on.
    match += maybe(rng, 0.1, "ip_frag=" + rng.choice(
        ["no", "first", "not_later"] + ([] if proto else ["later"])))
    if version == 6:
        match += maybe(rng, 0.1, "ipv6_label=0x12345")
    return match


def random_transport_match(rng, proto):
    match = []
    for side in ("src", "dst"):
        port = rng.choice(PORTS)
        text = rng.choice(["%d" % port, "%d" % port,
                           "%#x/0xfff0" % (port & 0xfff0)])
        match += maybe(rng, 0.35, "tp_%s=%s" % (side, text))
    if proto == "tcp":
        match += maybe(rng, 0.2, "tcp_flags=%#x/%#x" % (
            rng.choice(FLAGS) & 0x012, 0x012))
    return match


def random_match(rng, kind, n_ports):
    """Returns the match of a rule, and whether it wants a VLAN tag (None if
    that is open)."""
    _, version, proto = KINDS[kind]
    match = [kind] if kind else []
    match += maybe(rng, 0.4, "in_port=%d" % rng.randint(1, n_ports))
    match += maybe(rng, 0.3, "dl_dst=" + rng.choice(MACS))
    match += maybe(rng, 0.1, "dl_dst=01:00:00:00:00:00/01:00:00:00:00:00")
    match += maybe(rng, 0.2, "dl_src=" + rng.choice(MACS))
    tagged = rng.choice([None, None, None, False, True])
    if tagged:
        match.append(rng.choice(["dl_vlan=%d" % rng.choice(VLANS),
                                 "vlan_tci=0x1000/0x1000",
                                 "dl_vlan=10,dl_vlan_pcp=3"]))
    elif tagged is False:
        match.append("vlan_tci=0x0000")
    if version:
        match += random_ip_match(rng, version, proto)
    if proto:
        match += random_transport_match(rng, proto)
    if kind == "arp":
        match += maybe(rng, 0.3, "arp_op=%d" % rng.choice([1, 2]))
        match += maybe(rng, 0.2, "arp_tpa=%s" % rng.choice(IPS))
    if kind == "icmp":
        match += maybe(rng, 0.3, "icmp_type=8")
    if len([m for m in match if m.startswith("dl_dst")]) > 1:
        match = [m for m in match if not m.startswith("dl_dst=01")]
    return ",".join(match), tagged


def random_sets(rng, kind, tagged):
    """Returns actions that change packets of a kind."""
    _, version, proto = KINDS[kind]
    sets = maybe(rng, 0.25, "mod_dl_dst:" + rng.choice(MACS))
    sets += maybe(rng, 0.25, "mod_dl_src:" + rng.choice(MACS))
    sets += maybe(rng, 0.1, "set_field:00:00:00:00:00:05/00:00:00:00:00:07"
                            "->eth_dst")
    if version:
        sets += maybe(rng, 0.3, "dec_ttl")
        sets += maybe(rng, 0.1, "mod_nw_ttl:%d" % rng.choice(TTLS))
        sets += maybe(rng, 0.15, "mod_nw_tos:%d" % (rng.choice(TOSES) & 0xfc))
        sets += maybe(rng, 0.1, "set_field:1->nw_ecn")
    if version == 4:
        sets += maybe(rng, 0.25, "mod_nw_src:" + rng.choice(IPS))
        sets += maybe(rng, 0.25, "mod_nw_dst:" + rng.choice(IPS))
        sets += maybe(rng, 0.1, "set_field:10.9.0.0/255.255.0.0->ip_dst")
    if version == 6:
        sets += maybe(rng, 0.2, "set_field:%s->ipv6_src" % rng.choice(IP6S))
        sets += maybe(rng, 0.2, "set_field:%s->ipv6_dst" % rng.choice(IP6S))
        sets += maybe(rng, 0.1, "set_field:fd99::/16->ipv6_dst")
        sets += maybe(rng, 0.05, "set_field:0x54321->ipv6_label")
    if proto:
        sets += maybe(rng, 0.2, "set_field:%d->%s_src" % (rng.choice(PORTS),
                                                          proto))
        sets += maybe(rng, 0.2, "set_field:%d->%s_dst" % (rng.choice(PORTS),
                                                          proto))
    rng.shuffle(sets)
    if tagged:
        sets += maybe(rng, 0.5, rng.choice(
            ["strip_vlan", "set_field:%d->vlan_vid" % (
                rng.choice(VLANS) | 0x1000), "set_field:5->vlan_pcp"]))
    elif tagged is False:
        sets += maybe(rng, 0.3, "push_vlan:0x8100,set_field:%d->vlan_vid" % (
            rng.choice(VLANS) | 0x1000))
    return sets


def random_output(rng, n_ports):
    return rng.choice(["output:%d" % rng.randint(1, n_ports)] * 8
                      + ["in_port", "LOCAL", "all", "flood", "group:1",
                         "group:2", "group:3"])


# Actions that no flow in XDP can carry out, as tests of a fall back.
STRANGE = ["controller", "clone(mod_dl_src:02:00:00:00:00:09,output:1)",
           "note:00.11.22", "resubmit(,1)", "check_pkt_larger(300)->reg0[0],"
           "resubmit(,1)", "push_mpls:0x8847", "load:3->NXM_NX_REG0[],"
           "output:NXM_NX_REG0[]", "move:NXM_OF_ETH_SRC[]->NXM_OF_ETH_DST[]"]


def random_actions(rng, kind, tagged, n_ports):
    if rng.random() < 0.15:
        return "drop"
    actions = random_sets(rng, kind, tagged) if rng.random() < 0.6 else []
    if rng.random() < 0.1:
        actions.append(rng.choice(STRANGE))
        if actions[-1].startswith("push_mpls"):
            # What was matched is behind the label now.
            return ",".join(actions + ["output:%d" % rng.randint(1, n_ports)])
    actions.append(random_output(rng, n_ports))
    actions += maybe(rng, 0.25, random_output(rng, n_ports))
    if rng.random() < 0.1:
        actions += ["mod_dl_src:02:00:00:00:00:08",
                    random_output(rng, n_ports)]
    return ",".join(actions)


def random_rule(rng, n_ports, priority, table=0):
    kind = rng.choice(list(KINDS))
    match, tagged = random_match(rng, kind, n_ports)
    actions = random_actions(rng, kind, tagged, n_ports)
    if table:
        actions = actions.replace("resubmit(,1)", "note:01")
    return "table=%d,priority=%d,%s%sactions=%s" % (
        table, priority, match, "," if match else "", actions)


def random_table(rng, n_ports, size=25):
    """Returns rules, of which no two have one priority: OpenFlow does not say
    which of them a packet that matches both meets."""
    rules = [random_rule(rng, n_ports, priority, rng.choice([0, 0, 0, 0, 1]))
             for priority in rng.sample(range(1, 1000), size)]
    last = rng.choice(["drop", "flood", "output:%d" % rng.randint(1, n_ports)])
    return rules + ["priority=0,actions=" + last]


def groups(n_ports):
    return ["group_id=1,type=all,bucket=output:1,bucket=output:%d" % n_ports,
            "group_id=2,type=indirect,bucket=dec_ttl,output:2",
            "group_id=3,type=select,bucket=output:1,bucket=output:2,"
            "bucket=output:3"]
