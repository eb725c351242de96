# SPDX-License-Identifier: Apache-2.0
"""What is measured.

A peer moves packets between the devices oa and ob, the host ends of two
containers.  Each kind is a class; PEERS, at the end, is the table of the
rows.  To add a row, name a class with other settings there.

A peer's life: missing() says what has to be installed, start() makes it
ready, its methods serve the works, stop() removes all of it.
"""

import glob
import json
import os
import re
import shutil
import time

from .machine import (BenchError, Containers, IP_A, IP_B, MAC_A, MAC_B,
                      ManyNamespaces, ManyPorts, Namespaces, Process,
                      NETNS_DIR, hugepages, quietly, run, set_hugepages)
from .ovs import Daemons

DROP_PORT = 9                   # UDP port whose traffic is to be dropped.
BIG_MTU = 65535                 # Lets a GSO packet pass a redirect's check.


class Peer:
    """A row.  'cpus' of the setting are the two cores in use, the sender's
    first; 'tool' is the traffic program."""

    busy_core = False           # Polls, and so takes the second core.
    tx_off = False              # The containers cannot have tx offload.
    gro_on = False              # They need GRO, to take redirected frames.
    generic = False             # It hands over packets as the stack has them.
    mtu = None                  # Of oa and ob, if not the default.
    no_flows = None             # Why it has no flows, if it has none.
    no_ports = None             # Why ports cannot be added to it.
    only = None                 # The works that it takes part in, if not all.
    devs = ("oa", "ob")         # What it moves packets between.

    def __init__(self, name, title, **settings):
        self.name = name
        self.title = title
        self.settings = settings

    def missing(self, setting):
        """What to install, or None."""
        return None

    def containers(self):
        return Containers(self.tx_off, self.gro_on, self.mtu)

    def many(self, n):
        """What can be added as 'n' idle ports."""
        return ManyPorts(n)

    def cores(self, setting):
        """The cores that are left to the containers' programs."""
        return setting.cpus[:1] if self.busy_core else setting.cpus

    def start(self, setting, containers):
        """Connects the two containers, or is just ready to add ports."""
        raise NotImplementedError

    def stop(self):
        pass

    def check(self):
        """Fails, with the reason, if it has died."""

    def live_frames(self, on):
        """Gets oa ready to take live frames, for peers that are not."""

    def policy(self, name):
        """Wants the "coarse" policy, or another that a work needs: "drop",
        "new" flows, many "masks", or "ct", connection tracking."""

    def dropped(self):
        """Frames dropped by policy, and the time in ns."""
        raise NotImplementedError

    def cached_flows(self):
        """Flows that it has put into its cache so far."""
        raise NotImplementedError

    def add_port(self, dev):
        """Adds a device and returns the seconds that it took."""
        raise NotImplementedError

    def del_port(self, dev):
        """Takes it away again and returns the seconds that it took."""
        raise NotImplementedError

    def resident(self):
        """Bytes of memory of the peer's process, if it has one."""
        return None

    def note(self):
        notes = [note for on, note in ((self.tx_off, "tx offload off"),
                                       (self.gro_on, "GRO on")) if on]
        return ", ".join(notes) or "default offloads"


# Each source port is a megaflow of its own, and an eighth of them has the same
# mask: the zeros in the source address make the masks differ.
def masks(b):
    return ["priority=20,udp,nw_dst=%s,tp_src=%d/7,dl_src=00:00:00:00:00:00/"
            "00:%02x:00:00:00:00,actions=move:NXM_OF_UDP_SRC[]->"
            "NXM_NX_REG0[0..15],output:%s" % (IP_B, i, 1 << i, b)
            for i in range(8)]


class OvsPeer(Peer):
    """An ovs-vswitchd with its userspace datapath."""

    busy_core = True
    tx_off = True
    config = {}
    def __init__(self, name, title, **settings):
        super().__init__(name, title, **settings)
        self.daemons = None

    def vswitchd(self, setting):
        raise NotImplementedError

    def interface(self, dev):
        """Settings of an Interface."""
        return ["type=afxdp"] + [
            "options:%s=%s" % item
            for item in self.settings.get("options", {}).items()]

    def other_config(self, setting):
        config = {"pmd-cpu-mask": "%x" % (1 << setting.cpus[1])}
        config.update(self.settings.get("config", {}))
        return config

    def start(self, setting, containers):
        self.daemons = Daemons(setting.tools, self.vswitchd(setting),
                               setting.cpus, self.other_config(setting),
                               self.name)
        if containers:
            for dev in ("oa", "ob"):
                self.add_port(dev)
            self.policy("coarse")

    def add_port(self, dev):
        return self.daemons.add_port(dev, self.interface(dev))

    def del_port(self, dev):
        return self.daemons.del_port(dev)

    def policy(self, name):
        a, b = self.devs
        flows = ["priority=10,arp,in_port=%s,actions=output:%s" % (a, b),
                 "priority=10,arp,in_port=%s,actions=output:%s" % (b, a),
                 "priority=10,ip,nw_dst=%s,actions=output:%s" % (IP_A, a),
                 "priority=10,ip,nw_dst=%s,actions=output:%s" % (IP_B, b)]
        if name == "masks":
            flows += masks(b)
        elif name == "ct":
            flows += ["priority=20,udp,ct_state=-trk,actions=ct(table=1)",
                      "table=1,priority=20,udp,actions=output:" + b]
        elif name == "new":
            # A field that is read is part of the megaflow.
            flows.append("priority=20,udp,nw_dst=%s,actions="
                         "move:NXM_OF_UDP_SRC[]->NXM_NX_REG0[0..15],"
                         "move:NXM_OF_IP_SRC[]->NXM_NX_REG1[],output:%s"
                         % (IP_B, b))
        elif name == "drop":
            flows.append("priority=20,udp,tp_dst=%d,actions=drop" % DROP_PORT)
        self.daemons.flows(flows)

    def dropped(self):
        begin = time.monotonic_ns()
        dropped = self.daemons.dropped()
        return dropped, (begin + time.monotonic_ns()) // 2

    def cached_flows(self):
        return self.daemons.cached_flows()

    def resident(self):
        return self.daemons.resident()

    def check(self):
        self.daemons.check()

    def stop(self):
        if self.daemons:
            self.daemons.stop()
            self.daemons = None


class Ours(OvsPeer):
    """The ovs-vswitchd of this project.  'native' is its XDP mode; without, it
    takes what it likes best for containers, which is generic mode."""

    def __init__(self, name, title, native=False, variant=False, **settings):
        super().__init__(name, title, **settings)
        self.tx_off = native
        self.gro_on = native and "hw-offload" in settings.get("config", {})
        self.generic = not native
        self.busy_core = "pmd-maxsleep" not in settings.get("config", {})
        if native:
            self.settings.setdefault("options", {})["xdp-mode"] = "native"
        if variant:
            self.no_ports = "as with default settings"

    def live_frames(self, on):
        if self.generic:
            run("ethtool", "-K", "oa", "gro", "on" if on else "off")

    def missing(self, setting):
        if setting.vswitchd:
            return None
        return ("no ovs-vswitchd of ovs-afxdp: build it with make, or name it "
                "by --vswitchd")

    def vswitchd(self, setting):
        return setting.vswitchd


class Cni(Ours):
    """Containers that the CNI plugin connects: only what the plugin has to do
    with is measured.  A port is a container here."""

    IPAM = "/usr/lib/cni"
    only = ("udp", "tcp-1", "tcp-4", "rtt-idle", "ports")

    def __init__(self, name, title, **settings):
        super().__init__(name, title, **settings)
        self.plugin = None

    def missing(self, setting):
        if not setting.cni or not os.access(setting.cni, os.X_OK):
            return ("no CNI plugin: build it with make, or name it by --cni")
        if not os.access(self.IPAM + "/host-local", os.X_OK):
            return "install: containernetworking-plugins"
        return super().missing(setting)

    def containers(self):
        return Namespaces()

    def many(self, n):
        return ManyNamespaces(n)

    def start(self, setting, containers):
        self.plugin = setting.cni
        super().start(setting, None)
        if containers:
            self.devs = tuple(
                self.connect(*who) for who in (("ca", IP_A, MAC_A),
                                               ("cb", IP_B, MAC_B)))
            self.policy("coarse")

    def connect(self, netns, address, mac):
        """Connects a container with an address of its own; returns the name
        of its port."""
        result = json.loads(self.cni("ADD", netns, {
            "type": "static", "addresses": [{"address": address + "/24"}]},
            mac=mac))
        return result["interfaces"][0]["name"]

    def cni(self, command, netns, ipam, **keys):
        conf = {"cniVersion": "1.0.0", "name": "bench",
                "type": "ovs-afxdp-cni", "bridge": "br0",
                "ovsdb": "unix:" + self.daemons.socket(), "ipam": ipam}
        conf.update(keys)
        env = dict(os.environ, CNI_COMMAND=command, CNI_CONTAINERID=netns,
                   CNI_NETNS=os.path.join(NETNS_DIR, netns),
                   CNI_IFNAME="eth0", CNI_PATH=self.IPAM)
        # What goes wrong is told in JSON, on standard output.
        out = run("sh", "-c", '"$1" || :', "sh", self.plugin,
                  stdin=json.dumps(conf), env=env, timeout=30)
        error = out and json.loads(out)
        if error and "code" in error:
            raise BenchError("%s of %s: %s" % (command, netns, error["msg"]))
        return out

    def timed(self, command, netns):
        begin = time.monotonic()
        self.cni(command, netns, {
            "type": "host-local", "dataDir": self.daemons.dir,
            "ranges": [[{"subnet": "10.1.0.0/16"}]]})
        return time.monotonic() - begin

    def add_port(self, dev):
        return self.timed("ADD", dev)

    def del_port(self, dev):
        return self.timed("DEL", dev)


class Stock(OvsPeer):
    """The ovs-vswitchd that Open vSwitch builds itself."""

    def missing(self, setting):
        path = self.vswitchd(setting)
        if path and os.access(path, os.X_OK):
            return None
        return ("no ovs-vswitchd of Open vSwitch with AF_XDP: name a built "
                "tree by --ovs-build (build-aux/prepare-ovs makes one)")

    def vswitchd(self, setting):
        build = setting.tools.build
        return build and os.path.join(build, "vswitchd", "ovs-vswitchd")


class Dpdk(OvsPeer):
    """The distribution's ovs-vswitchd with DPDK and its AF_XDP driver."""

    VSWITCHD = "/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk"
    PLUGINS = "/usr/lib/*/dpdk/pmds-*/librte_"
    NEEDS = [(VSWITCHD, "openvswitch-switch-dpdk"),
             (PLUGINS + "net_af_xdp.so*", "librte-net-af-xdp23"),
             (PLUGINS + "mempool_ring.so*", "librte-mempool-ring23")]
    PAGES = 640                 # Of 2 MB each; the packet pool wants 800 MB.

    def __init__(self, name, title, **settings):
        super().__init__(name, title, **settings)
        self.pages_before = None
        self.n_ports = 0

    def missing(self, setting):
        packages = [package for pattern, package in self.NEEDS
                    if not glob.glob(pattern)]
        if packages:
            return "install: " + " ".join(packages)
        if not os.access("/proc/sys/vm/nr_hugepages", os.W_OK):
            return "huge pages cannot be set here"
        return None

    def vswitchd(self, setting):
        return self.VSWITCHD

    def other_config(self, setting):
        config = super().other_config(setting)
        config.update({
            "dpdk-init": "true",
            "dpdk-lcore-mask": "%x" % (1 << setting.cpus[0]),
            "dpdk-socket-mem": "1024",
            "dpdk-extra": "--in-memory --no-pci"})
        return config

    def start(self, setting, containers):
        self.pages_before = hugepages()
        self.n_ports = 0
        wanted = max(self.PAGES, self.pages_before)
        got = set_hugepages(wanted)
        if got < wanted:
            raise BenchError("only %d of %d huge pages are to be had: free "
                             "some memory" % (got, wanted))
        super().start(setting, containers)

    def interface(self, dev):
        self.n_ports += 1
        return ["type=dpdk", "options:dpdk-devargs=net_af_xdp%d,iface=%s"
                % (self.n_ports, dev)]

    def stop(self):
        super().stop()
        if self.pages_before is not None:
            set_hugepages(self.pages_before)
            self.pages_before = None


class Bridge(Peer):
    """The kernel's bridge."""

    generic = True
    no_flows = "a bridge has no flows"

    def missing(self, setting):
        return None if shutil.which("nft") else "install: nftables"

    def start(self, setting, containers):
        run("ip", "link", "add", "name", "br0", "type", "bridge")
        run("ip", "link", "set", "dev", "br0", "up")
        if containers:
            for dev in ("oa", "ob"):
                self.add_port(dev)

    def add_port(self, dev):
        begin = time.monotonic()
        run("ip", "link", "set", "dev", dev, "master", "br0")
        return time.monotonic() - begin

    def del_port(self, dev):
        begin = time.monotonic()
        run("ip", "link", "set", "dev", dev, "nomaster")
        return time.monotonic() - begin

    def live_frames(self, on):
        run("ethtool", "-K", "oa", "gro", "on" if on else "off")

    def policy(self, name):
        quietly("nft", "delete", "table", "bridge", "bench")
        if name == "drop":
            run("nft", "-f", "-", stdin="""
table bridge bench {
    chain in {
        type filter hook prerouting priority 0;
        udp dport %d counter drop
    }
}
""" % DROP_PORT)

    def dropped(self):
        rules = run("nft", "list", "table", "bridge", "bench")
        return (int(re.search(r"counter packets (\d+)", rules).group(1)),
                time.monotonic_ns())

    def stop(self):
        self.policy("coarse")
        quietly("ip", "link", "delete", "dev", "br0")


class Redirect(Peer):
    """A bare XDP redirect, native or generic."""

    no_flows = "a bare redirect has no flows"
    no_ports = "a bare redirect has two devices"

    def __init__(self, name, title, generic):
        super().__init__(name, title)
        self.generic = generic
        self.tx_off = self.gro_on = not generic
        self.mtu = BIG_MTU if generic else None
        self.process = None

    def start(self, setting, containers):
        argv = [setting.tool, "redirect", "--dev=oa", "--peer=ob",
                "--drop-port=%d" % DROP_PORT, "--seconds=600"]
        self.process = Process(argv + ["--generic"] * self.generic,
                               cpus=setting.cpus)
        self.process.readline()

    def live_frames(self, on):
        if self.generic:
            run("ethtool", "-K", "oa", "gro", "on" if on else "off")

    def dropped(self):
        answer = self.process.ask()
        return answer["drops"], answer["ns"]

    def check(self):
        if not self.process.alive():
            raise BenchError(self.process.reason())

    def stop(self):
        if self.process:
            self.process.kill()
            self.process = None

    def note(self):
        return super().note() + (", MTU of oa and ob %d" % BIG_MTU
                                 if self.generic else "")


# Flows that are offloaded need no PMD thread, so it may sleep while it has
# nothing to do, and leave its core to the containers.
OFFLOAD = {"hw-offload": "true", "pmd-maxsleep": "500"}

# The rows, in the order of the table.  The one named "stock" is what the
# others are compared with; those named in LIMITS bound what can be had.
PEERS = [
    Ours("ours", "ovs-afxdp"),
    Ours("ours-native", "ovs-afxdp, native", native=True, variant=True),
    Ours("offload", "ovs-afxdp, offload", variant=True,
         config=OFFLOAD),
    Ours("offload-native", "ovs-afxdp, offl., native", native=True,
         variant=True, config=OFFLOAD),
    Cni("cni", "containers by CNI", config=OFFLOAD),
    Stock("stock", "stock netdev-afxdp"),
    Dpdk("dpdk", "OVS-DPDK, net_af_xdp"),
    Bridge("bridge", "Linux bridge"),
    Redirect("xdp-native", "bare XDP, native", generic=False),
    Redirect("xdp-generic", "bare XDP, generic", generic=True),
]
BASE = "stock"
LIMITS = ("xdp-native", "xdp-generic")


