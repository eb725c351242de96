# SPDX-License-Identifier: Apache-2.0
#
# A place to try ports of type afxdp in, for the tests of offload: a bridge
# with our daemon, ports that are veth pairs whose far ends are in network
# namespaces of their own, and a packet socket on each far end.
#
# Everything is made inside the namespaces that tests/sandbox gives.

import ctypes
import os
import re
import select
import signal
import socket
import struct
import subprocess
import time

CLONE_NEWNET = 0x40000000
SOL_PACKET = 263
PACKET_AUXDATA = 8
PACKET_IGNORE_OUTGOING = 23
TP_STATUS_VLAN_VALID = 0x10
TP_STATUS_VLAN_TPID_VALID = 0x40
ETH_P_ALL = 3
SO_RCVBUFFORCE = 33

# Markers: packets that no table matches but the rule for them, of a type that
# no port can offload.
MARKER_TYPE = 0x88b5
MARKER_COOKIE = 0x6d61726b6572
MARKER_RULE = ("cookie=%#x,table=0,priority=65535,dl_type=%#x,"
               "actions=all" % (MARKER_COOKIE, MARKER_TYPE))

LIBC = ctypes.CDLL(None, use_errno=True)


class LabError(Exception):
    """Something that has nothing to do with what is tested went wrong."""


def run(*command, check=True, timeout=120):
    """Runs a command and returns what it prints."""
    result = subprocess.run(command, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, timeout=timeout)
    if check and result.returncode:
        raise LabError("%s: %s%s" % (" ".join(command), result.stdout,
                                     result.stderr))
    return result.stdout


def wait_until(what, condition, seconds=30):
    """Waits until 'condition' holds and returns what it returns."""
    end = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise LabError("%s: not within %d s" % (what, seconds))
        time.sleep(0.02)


def enter(namespace):
    """Makes this thread one of the network namespace at this path."""
    fd = os.open(namespace, os.O_RDONLY)
    try:
        if LIBC.setns(fd, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")
    finally:
        os.close(fd)


def open_socket(namespace, device):
    """Opens a packet socket on a device in a network namespace."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    enter("/run/netns/" + namespace)
    try:
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                             socket.htons(ETH_P_ALL))
        sock.bind((device, ETH_P_ALL))
    finally:
        if LIBC.setns(home, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")
        os.close(home)
    sock.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    sock.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
    sock.setblocking(False)
    return sock


def receive(sock):
    """Returns the next packet with its VLAN tag back in place, or None."""
    try:
        data, control, _, _ = sock.recvmsg(70000, 256)
    except OSError:
        return None             # Nothing there, or the device went down.
    for level, kind, value in control:
        if level == SOL_PACKET and kind == PACKET_AUXDATA:
            status, _, _, _, _, tci, tpid = struct.unpack("=IIIHHHH",
                                                          value[:20])
            if status & TP_STATUS_VLAN_VALID:
                if not status & TP_STATUS_VLAN_TPID_VALID:
                    tpid = 0x8100
                data = data[:12] + struct.pack("!HH", tpid, tci) + data[12:]
    return data


class Port:
    """A port of the bridge: 'o<number>', and 'e0' in namespace 'c<number>'."""

    def __init__(self, number):
        self.number = number
        self.name = "o%d" % number
        self.namespace = "c%d" % number
        self.sock = None

    def make(self, links=(), gro=True):
        run("ip", "netns", "add", self.namespace)
        self.inside("sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1",
                    "net.ipv6.conf.default.disable_ipv6=1")
        # Up from the start: a daemon that waits for this device sets its flags
        # as soon as it is there, and may undo a change made meanwhile.
        run("ip", "link", "add", self.name, "up", *links, "type", "veth",
            "peer", "name", "e0", "netns", self.namespace, *links)
        run("sysctl", "-qw", "net.ipv6.conf.%s.disable_ipv6=1" % self.name)
        self.inside("ip", "link", "set", "e0", "up", "promisc", "on")
        if gro:
            # A native redirect reaches a veth whose far end polls; the kernel
            # notes that only while the far end is up.
            self.inside("ethtool", "-K", "e0", "gro", "on")
        self.sock = open_socket(self.namespace, "e0")

    def inside(self, *command, **kwargs):
        return run("ip", "netns", "exec", self.namespace, *command, **kwargs)

    def remove(self):
        if self.sock:
            self.sock.close()
        run("ip", "netns", "del", self.namespace)
        # The kernel takes its time to remove what was in there.
        wait_until(self.name + " is gone", lambda: not os.path.exists(
            "/sys/class/net/" + self.name))


class Lab:
    """The daemons, with or without offload, a bridge br0 and its ports."""

    def __init__(self, schema, folder, offload, n_ports, mode="native",
                 wrapper=(), queues=1):
        self.queues = queues    # Of each port.
        self.wrapper = wrapper  # Command that runs ovs-vswitchd.
        self.folder = os.path.abspath(folder)
        self.offload = offload
        self.mode = mode
        self.schema = schema
        self.daemons = []
        self.mute = set()       # Ports that packets cannot come in on.
        self.ports = {i: Port(i) for i in range(1, n_ports + 1)}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.diagnose()
        self.stop()

    def diagnose(self):
        """Prints what may tell why a test failed."""
        for command in (["afxdp/offload"], ["afxdp/show"], ["dpif/show"],
                        ["dpif-netdev/pmd-rxq-show"],
                        ["dpctl/dump-flows", "-m", "--names"]):
            print("-- " + " ".join(command))
            print(self.appctl(*command, check=False))
        print("-- devices")
        print(run("ip", "-d", "-s", "link", check=False))

    def start(self):
        os.makedirs(self.folder)
        for variable in ("OVS_RUNDIR", "OVS_LOGDIR", "OVS_DBDIR",
                         "OVS_SYSCONFDIR"):
            os.environ[variable] = self.folder
        database = self.folder + "/conf.db"
        run("ovsdb-tool", "create", database, self.schema)
        self.daemon("ovsdb-server", "--remote=punix:%s/db.sock" % self.folder,
                    database)
        run("ovs-vsctl", "--no-wait", "init", "--", "set", "Open_vSwitch", ".",
            "other_config:hw-offload=%s" % str(self.offload).lower(),
            "other_config:max-revalidator=100",
            "other_config:pmd-cpu-mask=%#x" % self.cores())
        self.daemon("ovs-vswitchd", "unix:%s/db.sock" % self.folder)
        run("ovs-vsctl", "add-br", "br0", "--", "set", "bridge", "br0",
            "datapath_type=netdev", "fail-mode=secure",
            "other_config:hwaddr=02:00:00:00:00:ff")
        for port in self.ports.values():
            port.make(["numrxqueues", str(self.queues),
                       "numtxqueues", str(self.queues)])
            self.add_port(port)
        if self.offload:
            wait_until("every port is a target", self.all_are_targets)

    def cores(self):
        """The mask of cores for PMD threads: one core, the second if there
        are several; or as many as a port has queues."""
        if self.queues > 1:
            return (1 << self.queues) - 1
        return 2 if os.cpu_count() > 1 else 1

    def all_are_targets(self):
        """Can flows in XDP send packets to all ports?"""
        text = self.appctl("afxdp/offload")
        return text.count("packets of %s ports: sent to it"
                          % self.mode) == len(self.ports)

    def daemon(self, name, *arguments):
        wrapper = self.wrapper if name == "ovs-vswitchd" else ()
        run(*wrapper, name, "--detach", "--no-chdir",
            "--pidfile=%s/%s.pid" % (self.folder, name),
            "--log-file=%s/%s.log" % (self.folder, name),
            "--unixctl=%s/%s.ctl" % (self.folder, name), *arguments)
        with open("%s/%s.pid" % (self.folder, name)) as file:
            self.daemons.append(int(file.read()))

    def add_port(self, port):
        run("ovs-vsctl", "add-port", "br0", port.name, "--", "set",
            "interface", port.name, "type=afxdp",
            "ofport_request=%d" % port.number,
            "options:xdp-mode=" + self.mode)
        error = run("ovs-vsctl", "get", "interface", port.name, "error")
        if error.strip() != "[]":
            raise LabError("%s: %s" % (port.name, error))

    def stop(self):
        for pid in reversed(self.daemons):
            try:
                os.kill(pid, signal.SIGTERM)
            except ProcessLookupError:
                continue
            wait_until("end of process %d" % pid,
                       lambda: not os.path.exists("/proc/%d" % pid))
        self.daemons = []
        for port in self.ports.values():
            if port.sock:
                port.remove()

    def appctl(self, *arguments, check=True):
        return run("ovs-appctl", "-t", self.folder + "/ovs-vswitchd.ctl",
                   *arguments, check=check)

    def set_flows(self, rules):
        """Makes the rules, and the one for markers, all that there are."""
        path = self.folder + "/flows"
        with open(path, "w") as file:
            file.write("\n".join(list(rules) + [MARKER_RULE]) + "\n")
        run("ovs-ofctl", "-O", "OpenFlow15", "--bundle", "replace-flows",
            "br0", path)

    def send(self, number, frame):
        for _ in range(1000):
            try:
                self.ports[number].sock.send(frame)
                return
            except (BlockingIOError, OSError):
                time.sleep(0.001)
        raise LabError("port %d: cannot send" % number)

    def collect(self, captured, seconds):
        """Waits up to 'seconds' for packets, and puts them into the lists in
        'captured', by the port's number.  Returns their number and the set of
        (from, to) of the markers among them, which are left out."""
        markers = set()
        count = 0
        sockets = {port.sock: n for n, port in self.ports.items()
                   if port.sock}
        ready, _, _ = select.select(list(sockets), [], [], seconds)
        for sock in ready:
            while True:
                data = receive(sock)
                if data is None:
                    break
                count += 1
                kind, source = struct.unpack("!HI", data[12:18].ljust(6))
                if kind == MARKER_TYPE:
                    markers.add((source, sockets[sock]))
                elif captured is not None:
                    captured[sockets[sock]].append(data)
        return count, markers

    def barrier(self, captured=None):
        """Waits until all that was sent has come out: sends a marker into each
        port, behind everything else, and waits for it on all the others."""
        numbers = [n for n, port in self.ports.items() if port.sock]
        waiting = {(i, j) for i in numbers for j in numbers
                   if i != j and i not in self.mute}
        body = b"\xff" * 6 + b"\x02" + b"\0" * 5 + struct.pack("!H",
                                                               MARKER_TYPE)
        for i in {i for i, _ in waiting}:
            self.send(i, body + struct.pack("!I", i) + b"\0" * 42)
        end = time.monotonic() + 60
        while waiting:
            waiting -= self.collect(captured, 1)[1]
            if time.monotonic() > end:
                raise LabError("markers lost (from, to): %s" % sorted(waiting))
        # What the kernel redirects may still be on the last of its way.
        while self.collect(captured, 0.003)[0]:
            pass

    def wait_for_offload(self):
        """Waits until all flows that there are have been offered to XDP."""
        if self.offload:
            wait_until("flows are offloaded", lambda: re.search(
                r"Total +Enqueued offloads: +0\n",
                self.appctl("dpctl/offload-stats-show")))
        time.sleep(0.02)

    def settle(self):
        """Waits until statistics and tables are what packets and changes so
        far lead to."""
        # The first time, it may be a round that began before the change.
        self.appctl("revalidator/wait")
        self.appctl("revalidator/wait")
        time.sleep(0.01)
