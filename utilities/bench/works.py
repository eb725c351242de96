# SPDX-License-Identifier: Apache-2.0
"""How it is measured: one function for each kind of work, and WORKS, the
table of all of them.

A work takes a Stage (a peer that is running, with its containers) and returns
what it measured: a dictionary from the names of its figures to values, and
with it the time of each core for each packet.  What fails raises BenchError
with the reason.
"""

import json
import math
import statistics
import time

from .machine import (BenchError, IP_A, IP_B, MAC_A, MAC_B, Process,
                      cpu_busy, in_netns, memory_available, run, sleep_while)
from .peers import DROP_PORT

LIVE_PORT = 7                   # UDP ports, at B.
SOCKET_PORT = 8
ECHO_PORT = 10
SMALL_PAYLOAD = 18              # Makes a frame of 64 bytes.
MEMORY_LEFT = 1 << 30           # Stop adding ports when only so much is left.
PORTS_SECONDS = 75              # Stop adding ports after this time,
PORT_SECONDS = 1                # or after this for each of few ports.


class Figure:
    """One line of results for each peer."""

    def __init__(self, name, title, unit, more_is_better=True):
        self.name = name
        self.title = title
        self.unit = unit
        self.more_is_better = more_is_better


class Work:
    """Something to measure.  'cost' is about how long it takes, beside the
    seconds that are counted."""

    def __init__(self, name, title, function, figures, cost=0.9, quick=False,
                 **settings):
        self.name = name
        self.title = title
        self.function = function
        self.figures = figures
        self.cost = cost
        self.quick = quick
        self.settings = settings

    def run(self, stage):
        return self.function(stage, self.name, **self.settings)


class NotApplicable(BenchError):
    """This peer has no such thing."""


class Stage:
    """A peer that is running, and what the works need beside it."""

    def __init__(self, setting, peer, containers, seconds, known):
        self.setting = setting
        self.peer = peer
        self.containers = containers
        self.seconds = seconds
        self.known = known      # Figures that this peer has shown already.

    def tool(self, netns, command, *args, cpus=None):
        """Starts the traffic program inside a container."""
        if cpus is None:
            cpus = self.peer.cores(self.setting)
        process = Process([self.setting.tool, command, "--seconds=%d" %
                           (self.seconds + 30)] + list(args),
                          netns=netns, cpus=cpus)
        process.readline()
        return process

    def generator(self, port, flows, size):
        return self.tool("ca", "gen", "--dev=eth0", "--src=" + IP_A,
                         "--dst=" + IP_B, "--smac=" + MAC_A,
                         "--dmac=" + MAC_B, "--port=%d" % port,
                         "--flows=%d" % flows, "--size=%d" % size,
                         cpus=self.setting.cpus[:1])


def measure(stage, count, *processes, warm=0.3):
    """Packets a second of a counter, and what each costs the cores.  'count'
    returns packets and the time in ns."""
    sleep_while(warm, *processes)
    busy = cpu_busy()
    packets, begin = count()
    sleep_while(stage.seconds, *processes)
    more, end = count()
    busy_after = cpu_busy()
    stage.peer.check()
    packets = more - packets
    if packets <= 0:
        raise BenchError("no packet arrived")
    cpu = [(busy_after[core] - busy[core]) / packets
           for core in stage.setting.cpus]
    return packets * 1e9 / (end - begin), cpu


def sink_count(sink):
    def count():
        answer = sink.ask()
        return answer["packets"], answer["ns"]
    return count


def live(stage, name, flows, size, policy="coarse", warm=0.3):
    """Live frames from A to B, as many as the generator makes."""
    stage.peer.policy(policy)
    stage.peer.live_frames(True)
    try:
        with stage.tool("cb", "sink", "--dev=eth0",
                        *["--generic"] * stage.peer.generic) as sink, \
                stage.generator(LIVE_PORT, flows, size) as gen:
            rate, cpu = measure(stage, sink_count(sink), sink, gen, warm=warm)
        return {name: rate}, cpu
    finally:
        stage.peer.live_frames(False)


def conntrack(stage, name):
    """Live frames that are sent through connection tracking."""
    if stage.peer.no_flows:
        raise NotApplicable(stage.peer.no_flows)
    return live(stage, name, 1, 64, policy="ct")


def new_flows(stage, name):
    """Live frames, each of a flow that was not there before."""
    if stage.peer.no_flows:
        raise NotApplicable(stage.peer.no_flows)
    cached, begin = stage.peer.cached_flows(), time.monotonic()
    values, cpu = live(stage, name, 0, 64, policy="new", warm=0.1)
    values["flows-cached"] = ((stage.peer.cached_flows() - cached)
                              / (time.monotonic() - begin))
    return values, cpu


def drop(stage, name):
    """Live frames, all of them dropped by policy."""
    stage.peer.policy("drop")
    stage.peer.live_frames(True)
    try:
        with stage.generator(DROP_PORT, 1, 64) as gen:
            rate, cpu = measure(stage, stage.peer.dropped, gen)
        return {name: rate}, cpu
    finally:
        stage.peer.live_frames(False)


def udp(stage, name):
    """Small datagrams from a socket of A to a socket of B."""
    stage.peer.policy("coarse")
    with stage.tool("cb", "sink-udp", "--port=%d" % SOCKET_PORT) as sink, \
            stage.tool("ca", "udp", "--dst=" + IP_B,
                       "--port=%d" % SOCKET_PORT,
                       "--size=%d" % SMALL_PAYLOAD,
                       cpus=stage.setting.cpus[:1]) as sender:
        rate, cpu = measure(stage, sink_count(sink), sink, sender)
    return {name: rate}, cpu


def iperf(argv, netns, cpus):
    return Process(["iperf3"] + argv, netns=netns, cpus=cpus)


def tcp(stage, name, streams):
    """Bits a second of TCP from A to B, and the cores' time for each KB."""
    stage.peer.policy("coarse")
    cpus = stage.peer.cores(stage.setting)
    with iperf(["-s", "-1", "--forceflush"], "cb", cpus) as server:
        for _ in range(2):      # A rule, then "Server listening on ...".
            server.readline()
        argv = in_netns("ca", ["taskset", "-c", ",".join(map(str, cpus)),
                               "iperf3", "-c", IP_B, "-J", "-P", str(streams),
                               "-t", str(math.ceil(stage.seconds)),
                               "-O", "1",
                               "--connect-timeout", "2000"])
        busy = cpu_busy()
        result = iperf_result(argv, stage.seconds + 8)
        busy_after = cpu_busy()
    stage.peer.check()
    sent = sum(interval["sum"]["bytes"] for interval in result["intervals"])
    rate = result["end"]["sum_received"]["bits_per_second"]
    if rate < 1e6:
        raise BenchError("TCP stalls")
    cpu = [(busy_after[core] - busy[core]) / (sent / 1000)
           for core in stage.setting.cpus]
    return {name: rate}, cpu


def iperf_result(argv, timeout):
    """iperf3 fails with a code and says why in its JSON."""
    try:
        result = json.loads(run("sh", "-c", '"$@" || :', "sh", *argv,
                                timeout=timeout))
    except ValueError:
        raise BenchError("iperf3: no JSON from it")
    if "error" in result:
        raise BenchError("iperf3: " + result["error"])
    return result


def round_trips(stage, name, load):
    """Round trips of small datagrams, alone or beside half of the datagrams
    that this peer can move."""
    stage.peer.policy("coarse")
    core = stage.setting.cpus[:1]
    rate = load and stage.known.get("udp")
    if load and not rate:
        raise BenchError("no UDP rate was measured to take half of")
    processes = []
    try:
        processes.append(stage.tool("cb", "echo", "--realtime",
                                    "--port=%d" % ECHO_PORT, cpus=core))
        if load:
            processes.append(stage.tool("cb", "sink-udp",
                                        "--port=%d" % SOCKET_PORT))
            processes.append(stage.tool(
                "ca", "udp", "--dst=" + IP_B, "--port=%d" % SOCKET_PORT,
                "--size=%d" % SMALL_PAYLOAD, "--rate=%d" % (rate / 2),
                cpus=core))
        prober = stage.tool("ca", "rtt", "--realtime", "--dst=" + IP_B,
                            "--port=%d" % ECHO_PORT, cpus=core)
        processes.append(prober)
        sleep_while(stage.seconds, *processes)
        stage.peer.check()
        trips = prober.finish()
    finally:
        for process in processes:
            process.kill()
    values = {"%s-p%s" % (name, p): trips["p" + p.replace(".", "")]
              for p in ("50", "99", "99.9")}
    values["trips"] = trips["trips"]
    values["lost"] = trips["lost"]
    return values, None


def ports(stage, name, rungs):
    """Adds idle ports, looks at time and memory at each rung, and deletes them
    again.  Here the peer is not running yet."""
    if stage.peer.no_ports:
        raise NotApplicable(stage.peer.no_ports)
    values = {}
    taken = []
    failed = None
    many = stage.peer.many(rungs[-1])
    try:
        time.sleep(0.5)
        before = memory_available()
        stage.peer.start(stage.setting, None)
        deadline = time.monotonic() + min(PORTS_SECONDS,
                                          PORT_SECONDS * len(many.names))
        for dev in many.names:
            if memory_available() < MEMORY_LEFT:
                failed = "memory runs out at %d ports" % len(taken)
            elif time.monotonic() > deadline:
                failed = "out of time at %d ports" % len(taken)
            if failed:
                break
            try:
                taken.append(stage.peer.add_port(dev))
            except BenchError as error:
                failed = "port %d: %s" % (len(taken) + 1, error)
                break
            if len(taken) in rungs:
                time.sleep(0.5)
                values.update(rung(stage, taken, before))
        if not failed:
            values.update(deletions(stage, many.names, rungs, deadline))
        stage.peer.check()
    finally:
        stage.peer.stop()
        many.remove()
    if failed:
        values["failed"] = failed
    return values, None


def deletions(stage, names, rungs, deadline):
    """Times of the last 1, 10, ... deletions, when so many ports were left;
    of none of them if time runs out."""
    taken = []
    deadline += PORTS_SECONDS
    for dev in reversed(names):
        if time.monotonic() > deadline:
            return {}
        taken.append(stage.peer.del_port(dev))
    return {"del-%d" % n: statistics.median(taken[-n:]) for n in rungs}


def rung(stage, taken, before):
    n = len(taken)
    values = {"add-%d" % n: statistics.median(taken),
              "memory-%d" % n: max(before - memory_available(), 0),
              "resident-%d" % n: stage.peer.resident()}
    return {name: v for name, v in values.items() if v is not None}


def simple(name, title, unit, function, **kwargs):
    """A work with a single figure, the more the better."""
    return Work(name, title, function, [Figure(name, title, unit)], **kwargs)


def live_work(size, flows, **kwargs):
    title = "live %d B frames" % size
    if size == 64:
        title += ", %s flow%s" % (format(flows, ","), "s" * (flows > 1))
    return simple("live-%d-%d" % (size, flows), title, "pps", live,
                  flows=flows, size=size, **kwargs)


def tcp_work(streams, **kwargs):
    return simple("tcp-%d" % streams, "TCP, %d stream%s"
                  % (streams, "s" * (streams > 1)), "bit/s", tcp,
                  streams=streams, cost=2.2, **kwargs)


def rtt_work(name, title, load, **kwargs):
    return Work(name, title, round_trips,
                [Figure("%s-p%s" % (name, p), "%s, p%s" % (title, p), "ns",
                        more_is_better=False) for p in ("50", "99", "99.9")],
                load=load, cost=0.6, **kwargs)


WORKS = [
    live_work(64, 1, quick=True),
    live_work(64, 1000),
    live_work(64, 100000),
    simple("live-64-masks", "live 64 B frames, 1,000 megaflows, 8 masks",
           "pps", live, flows=1000, size=64, policy="masks"),
    simple("live-64-ct", "live 64 B frames, through conntrack", "pps",
           conntrack),
    live_work(256, 1),
    live_work(512, 1),
    live_work(1024, 1),
    live_work(1500, 1),
    simple("udp", "UDP from a socket, 18 B", "pps", udp, quick=True),
    tcp_work(1, quick=True),
    tcp_work(4),
    simple("drop", "OpenFlow drop, 64 B frames", "pps", drop),
    rtt_work("rtt-idle", "round trip, idle", False, quick=True),
    rtt_work("rtt-half", "round trip, half load", True),
    Work("new-flows", "new flows", new_flows,
         [Figure("new-flows", "frames of new flows that get through",
                 "flows/s"),
          Figure("flows-cached", "of them cached as a megaflow", "flows/s")]),
]


def ports_work(rungs):
    """The work on ports, which each peer does once."""
    figures = [Figure("%s-%d" % (name, n), title % (n, "s" * (n > 1)), unit,
                      more_is_better=False)
               for name, title, unit in (
                   ("add", "add-port, median of %d port%s", "s"),
                   ("del", "del-port, median of %d port%s", "s"),
                   ("memory", "memory in all, %d idle port%s", "B"),
                   ("resident", "resident memory, %d idle port%s", "B"))
               for n in rungs]
    return Work("ports", "time and memory of %s ports"
                % ", ".join(map(str, rungs)), ports, figures, rungs=rungs)
