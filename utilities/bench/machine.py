# SPDX-License-Identifier: Apache-2.0
"""Programs with a time limit, containers, and figures of the machine.

All of it works on the network and mount namespaces of the calling process;
sandbox.py has made them.
"""

import os
import re
import select
import shutil
import signal
import subprocess
import time

NETNS_DIR = "/run/netns"
HUGEPAGES = "/proc/sys/vm/nr_hugepages"

MAC_A = "02:00:00:00:00:0a"
MAC_B = "02:00:00:00:00:0b"
IP_A = "10.0.0.1"
IP_B = "10.0.0.2"


class BenchError(Exception):
    """Something a person should read; the message says what to do."""


def run(*argv, timeout=20, stdin=None, env=None, netns=None):
    """Runs a program and returns what it printed."""
    argv = in_netns(netns, argv)
    try:
        done = subprocess.run(argv, input=stdin, env=env, timeout=timeout,
                              stdin=None if stdin else subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True,
                              start_new_session=True)
    except subprocess.TimeoutExpired:
        raise BenchError("%s: not done after %d s" % (short(argv), timeout))
    except OSError as error:
        raise BenchError("%s: %s" % (argv[0], error.strerror))
    if done.returncode:
        raise BenchError("%s: %s" % (short(argv), last_line(
            done.stderr or done.stdout) or "exit %d" % done.returncode))
    return done.stdout


def in_netns(netns, argv):
    if not netns:
        return list(argv)
    return ["nsenter", "--net=%s/%s" % (NETNS_DIR, netns)] + list(argv)


def short(argv):
    """The part of a command that a person knows it by."""
    words = [w for w in argv if not w.startswith(("-", "nsenter"))]
    return " ".join([os.path.basename(words[0])]
                    + [w for w in words[1:] if "/" not in w][:3])


def last_line(text):
    """What a program said last, without Open vSwitch's time and module."""
    lines = [line for line in text.splitlines() if line.strip()]
    return re.sub(r"^\S+Z\|\d+\|\w+\|\w+\|", "",
                  lines[-1].strip()) if lines else ""


class Process:
    """A program that runs beside us, and that we talk with in lines."""

    def __init__(self, argv, netns=None, cpus=None, env=None, log=None):
        self.name = short(argv)
        if cpus:
            argv = ["taskset", "-c", ",".join(map(str, cpus))] + list(argv)
        self.log = open(log, "w+") if log else None
        try:
            self.popen = subprocess.Popen(
                in_netns(netns, argv), stdin=subprocess.PIPE,
                stdout=self.log or subprocess.PIPE,
                stderr=self.log or subprocess.PIPE,
                env=env, start_new_session=True)
        except OSError as error:
            raise BenchError("%s: %s" % (argv[0], error.strerror))
        self.buffer = b""

    def alive(self):
        return self.popen.poll() is None

    def readline(self, timeout=5):
        """The next line, without its end."""
        deadline = time.monotonic() + timeout
        fd = self.popen.stdout.fileno()
        while b"\n" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([fd], [], [], left)[0]:
                raise BenchError("%s: no answer for %g s"
                                 % (self.name, timeout))
            data = os.read(fd, 65536)
            if not data:
                raise BenchError(self.reason())
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode()

    def output(self):
        """What it has written to its log."""
        with open(self.log.name, errors="replace") as log:
            return log.read()

    def reason(self):
        """Why it has ended, from what it said last."""
        self.kill()
        said = b"" if self.log else self.popen.stderr.read()
        return (last_line(said.decode(errors="replace"))
                or "%s: ended with %s" % (self.name, self.popen.returncode))

    def ask(self):
        """Its counters, as a dictionary of numbers."""
        try:
            self.popen.stdin.write(b"read\n")
            self.popen.stdin.flush()
        except OSError:
            raise BenchError(self.reason())
        return numbers(self.readline())

    def finish(self, timeout=5):
        """Closes its stdin and returns what it prints at its end."""
        try:
            self.popen.stdin.close()
        except OSError:
            pass
        line = self.readline(timeout)
        self.kill()
        return numbers(line)

    def kill(self, sig=signal.SIGKILL, timeout=5):
        """Ends it, the hard way if it takes longer than the time limit."""
        if self.alive():
            self.popen.send_signal(sig)
            try:
                self.popen.wait(timeout)
            except subprocess.TimeoutExpired:
                self.popen.kill()
                try:
                    self.popen.wait(timeout)
                except subprocess.TimeoutExpired:
                    raise BenchError("%s: cannot be ended" % self.name)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.kill()


def numbers(line):
    """{"a": 1, "b": 2} of the line "a 1 b 2"."""
    words = line.split()
    try:
        return dict(zip(words[::2], map(int, words[1::2])))
    except ValueError:
        raise BenchError("cannot make sense of \"%s\"" % line)


def sleep_while(seconds, *processes):
    """Sleeps, unless one of the processes ends before the time."""
    deadline = time.monotonic() + seconds
    while True:
        for process in processes:
            if not process.alive():
                raise BenchError(process.reason())
        left = deadline - time.monotonic()
        if left <= 0:
            return
        time.sleep(min(left, 0.25))


class Namespaces:
    """Two network namespaces, ca and cb, still without a device."""

    NAMES = ("ca", "cb")

    def __init__(self):
        try:
            for netns in self.NAMES:
                run("ip", "netns", "add", netns)
        except BenchError:
            self.remove()
            raise

    def ping(self, seconds=8):
        """Waits until A reaches B."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                run("ping", "-q", "-c", "1", "-W", "1", IP_B, netns="ca")
                return
            except BenchError:
                if time.monotonic() > deadline:
                    raise BenchError("no ping gets from one container to "
                                     "the other after %d s" % seconds)

    def remove(self):
        for netns in self.NAMES:
            quietly("ip", "netns", "delete", netns)


class Containers(Namespaces):
    """The two with veth pairs: eth0 inside, oa and ob here."""

    def __init__(self, tx_off=False, gro_on=False, mtu=None):
        super().__init__()
        self.tx_off = tx_off
        self.gro_on = gro_on
        try:
            self.make("ca", "oa", IP_A, MAC_A, mtu)
            self.make("cb", "ob", IP_B, MAC_B, mtu)
        except BenchError:
            self.remove()
            raise

    def make(self, netns, dev, address, mac, mtu):
        run("ip", "link", "add", "name", dev, "type", "veth",
            "peer", "name", "eth0", "address", mac, "netns", netns)
        if mtu:
            run("ip", "link", "set", "dev", dev, "mtu", str(mtu))
        run("ip", "link", "set", "dev", dev, "up")
        run("ip", "-n", netns, "address", "add", address + "/24",
            "dev", "eth0")
        for inside in ("lo", "eth0"):
            run("ip", "-n", netns, "link", "set", "dev", inside, "up")
        if self.tx_off:
            run("ethtool", "-K", "eth0", "tx", "off", netns=netns)
        if self.gro_on:
            run("ethtool", "-K", "eth0", "gro", "on", netns=netns)

    def remove(self):
        for dev in ("oa", "ob"):
            quietly("ip", "link", "delete", "dev", dev)
        super().remove()


class ManyPorts:
    """Many idle containers' devices: p0, p1, ... here."""

    def __init__(self, n):
        self.names = ["p%d" % i for i in range(n)]
        run("ip", "netns", "add", "cx")
        batch = []
        for name in self.names:
            batch.append("link add name %s type veth peer name %s netns cx"
                         % (name, name))
            batch.append("link set dev %s up" % name)
        run("ip", "-batch", "-", stdin="\n".join(batch) + "\n", timeout=120)
        run("ip", "-n", "cx", "-batch", "-", timeout=120, stdin="\n".join(
            "link set dev %s up" % name for name in self.names) + "\n")

    def remove(self):
        batch = "\n".join("link delete dev %s" % name for name in self.names)
        quietly("ip", "-force", "-batch", "-", stdin=batch + "\n",
                timeout=120)
        quietly("ip", "netns", "delete", "cx")


class ManyNamespaces:
    """Many containers that have no device yet: c0, c1, ..."""

    def __init__(self, n):
        self.names = ["c%d" % i for i in range(n)]
        self.batch("add")

    def batch(self, command):
        run("ip", "-force", "-batch", "-", timeout=120, stdin="".join(
            "netns %s %s\n" % (command, name) for name in self.names))

    def remove(self):
        try:
            self.batch("delete")
        except BenchError:
            pass


def quietly(*argv, **kwargs):
    """Runs what may fail, when tidying up."""
    try:
        run(*argv, **kwargs)
    except BenchError:
        pass


def cpu_busy():
    """Nanoseconds that each core has been busy."""
    tick = 1000000000 // os.sysconf("SC_CLK_TCK")
    busy = {}
    with open("/proc/stat") as stat:
        for line in stat:
            match = re.match(r"cpu(\d+) (.*)", line)
            if match:
                ticks = list(map(int, match.group(2).split()))
                busy[int(match.group(1))] = tick * (
                    sum(ticks[0:3]) + sum(ticks[5:7]))
    return busy


class Others:
    """Programs outside of our process namespace, seen through the /proc of
    the time before we had ours.  They disturb measurements."""

    def __init__(self):
        self.proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
        self.ours = None        # Our process namespace, once we are in it.

    def busy(self):
        """Nanoseconds that they have used, those of ended children too."""
        if self.ours is None:
            self.ours = os.stat("/proc/self/ns/pid").st_ino
        tick = 1000000000 // os.sysconf("SC_CLK_TCK")
        return tick * sum(self.ticks(pid) for pid in os.listdir(self.proc)
                          if pid.isdigit())

    def ticks(self, pid):
        try:
            with open(self.opener(pid + "/stat")) as f:
                stat = f.read().rpartition(")")[2].split()
            kernel = stat[1] in ("0", "2") and pid != "1"
            if kernel or self.ours == os.stat(
                    pid + "/ns/pid", dir_fd=self.proc).st_ino:
                return 0
            return sum(map(int, stat[11:15]))
        except OSError:         # It has ended.
            return 0

    def opener(self, path):
        return os.open(path, os.O_RDONLY, dir_fd=self.proc)


def memory_available():
    """Bytes that the kernel says could still be used."""
    with open("/proc/meminfo") as meminfo:
        for line in meminfo:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    raise BenchError("/proc/meminfo has no MemAvailable")


def memory_resident(pid):
    """Bytes of a process that are in memory."""
    try:
        with open("/proc/%d/status" % pid) as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    raise BenchError("process %d has ended" % pid)


def hugepages():
    with open(HUGEPAGES) as f:
        return int(f.read())


def set_hugepages(n):
    with open(HUGEPAGES, "w") as f:
        f.write("%d\n" % n)
    return hugepages()


def load(seconds=0.5):
    """The part of the processor's time that others use just now."""
    before = sum(cpu_busy().values())
    time.sleep(seconds)
    busy = sum(cpu_busy().values()) - before
    return round(busy / 1e9 / seconds / os.cpu_count(), 3)


def describe():
    """The machine, for the results."""
    with open("/proc/cpuinfo") as f:
        info = dict(re.findall(r"(?m)^(\S[^\t]*)\t*: (.*)$", f.read()))
    with open("/proc/meminfo") as f:
        total = int(f.readline().split()[1]) * 1024
    return {
        "processor": info.get("model name", "unknown"),
        "virtual": "hypervisor" in info.get("flags", "").split(),
        "cores": os.cpu_count(),
        "memory": total,
        "load": load(),
        "kernel": " ".join(os.uname()[i] for i in (0, 2, 4)),
    }


def need(*wanted):
    """Fails unless all programs are there; 'wanted' are pairs of a program
    and the package that has it."""
    missing = [(p, package) for p, package in wanted if not shutil.which(p)]
    if missing:
        raise BenchError("%s: not found, install: %s" % (
            ", ".join(p for p, _ in missing),
            " ".join(sorted({package for _, package in missing}))))
