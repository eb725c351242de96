# SPDX-License-Identifier: Apache-2.0
"""The command line of ovs-afxdp-bench."""

import argparse
import os
import subprocess
import sys
import time

from . import (chart, demands, machine, peers, report, results, sandbox,
               works)
from .machine import BenchError
from .ovs import Tools
from .plan import Plan, Setting

PROGRAMS = [("ip", "iproute2"), ("nsenter", "util-linux"),
            ("taskset", "util-linux"), ("ethtool", "ethtool"),
            ("ping", "iputils-ping"), ("iperf3", "iperf3")]

MUCH_LOAD = 0.1                 # Too much for figures that one can trust.

# Rounds, seconds counted a run, rungs of ports, and minutes in all.
FULL = (5, 1, [1, 10, 100, 250], 28)
QUICK = (1, 1, [1, 10], 2.5)


def parse_args(argv, defaults):
    parser = argparse.ArgumentParser(
        prog="ovs-afxdp-bench", allow_abbrev=False,
        description="Measures ovs-afxdp beside what a user would pick "
                    "instead, between two containers on this machine.")
    add = parser.add_argument
    add("--quick", action="store_true",
        help="less of it, within 3 minutes: proves that it works")
    add("--stock-table", action="store_const", const="stock", dest="table",
        help="only what is demanded of the netdev, beside the stock one")
    add("--offload-table", action="store_const", const="offload",
        dest="table", help="only what is demanded of OpenFlow in XDP")
    add("--cni-table", action="store_const", const="cni", dest="table",
        help="only what is demanded of containers that the CNI plugin "
             "connects")
    add("--peers", metavar="A,B", help="only these peers")
    add("--works", metavar="A,B", help="only these works")
    add("--rounds", type=positive, help="runs that are counted")
    add("--seconds", type=positive, help="seconds that are counted a run")
    add("--time-limit", type=positive, metavar="MINUTES",
        help="end by then, with what there is")
    add("--cpus", metavar="A,B", help="the sender's core and the other one")
    add("--json", metavar="FILE", help="write all raw runs there")
    add("--svg", metavar="FILE", help="write a chart there")
    add("--rst", metavar="FILE", help="write the documentation's table there")
    add("--compare", metavar="OLD.json", help="tell what moved since then")
    add("--from", metavar="FILE.json", dest="source",
        help="report on that file, and measure nothing")
    add("--list", action="store_true", help="name the peers and the works")
    add("--vswitchd", metavar="FILE", default=defaults["vswitchd"],
        help="the ovs-vswitchd of ovs-afxdp")
    add("--cni", metavar="FILE", default=defaults["cni"],
        help="the CNI plugin of ovs-afxdp")
    add("--ovs-build", metavar="DIR", default=defaults["ovs_build"],
        help="a build of Open vSwitch, for the stock netdev and the tools")
    add("--ovs-source", metavar="DIR", default=defaults["ovs_source"],
        help="its source, for the database schema")
    add("--tool", metavar="FILE", default=defaults["tool"],
        help="the traffic program")
    add("--callgrind", metavar="COMMAND", default=defaults["callgrind"],
        help="what counts instructions, for --stock-table")
    add("--version", action="version",
        version="%(prog)s " + defaults["version"])
    args = parser.parse_args(argv)
    args.program_version = defaults["version"]
    return args


def positive(text):
    value = float(text)
    if not 0 < value < 100000:
        raise ValueError
    return int(value) if value == int(value) else value


def chosen(names, table, what):
    """The members of 'table' that a list of names picks, in its order."""
    if not names:
        return list(table)
    known = {member.name: member for member in table}
    for name in names.split(","):
        if name not in known:
            raise BenchError("no %s \"%s\": there are %s"
                             % (what, name, ", ".join(known)))
    return [known[name] for name in dict.fromkeys(names.split(","))]


def choose_cpus(text):
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        raise BenchError("two processor cores are needed, one for the sender "
                         "and one for the datapath; there is %d"
                         % len(allowed))
    if not text:
        return allowed[:2]
    try:
        cpus = [int(cpu) for cpu in text.split(",")]
    except ValueError:
        cpus = []
    if len(set(cpus)) != 2 or not set(cpus) <= set(allowed):
        raise BenchError("--cpus: \"%s\" is not two cores out of %s"
                         % (text, ",".join(map(str, allowed))))
    return cpus


def version_of(argv, word=-1):
    """A word of the first line that a program says about itself."""
    try:
        out = subprocess.run(argv, stdout=subprocess.PIPE, timeout=5,
                             stderr=subprocess.DEVNULL,
                             universal_newlines=True).stdout
        return out.splitlines()[0].split()[word]
    except (OSError, subprocess.TimeoutExpired, IndexError):
        return None


def versions(args):
    found = {
        "ovs-afxdp-bench": args.program_version,
        "ovs-vswitchd of ovs-afxdp": args.vswitchd and version_of(
            [args.vswitchd, "--version"]),
        "stock ovs-vswitchd": args.ovs_build and version_of(
            [args.ovs_build + "/vswitchd/ovs-vswitchd", "--version"]),
        "ovs-vswitchd-dpdk": version_of([peers.Dpdk.VSWITCHD, "--version"]),
        "iperf3": version_of(["iperf3", "--version"], 1),
    }
    return {name: version for name, version in found.items() if version}


class Job:
    """What the options ask for."""

    def __init__(self, args):
        rounds, seconds, rungs, minutes = QUICK if args.quick else FULL
        names = args.works
        peer_names = args.peers
        if args.table:
            rungs = demands.RUNGS.get(args.table, rungs)
            names = names or ",".join(demands.works_of(args.table))
            peer_names = peer_names or ",".join(demands.peers_of(args.table))
        elif args.quick and not names:
            names = ",".join([w.name for w in works.WORKS if w.quick]
                             + ["ports"])
        self.peers = chosen(peer_names, peers.PEERS, "peer")
        self.ports_peers = (demands.ports_peers_of(args.table) if args.table
                            else None)
        ports = works.ports_work(rungs)
        self.works = chosen(names, works.WORKS + [ports], "work")
        self.ports = ports if ports in self.works else None
        self.rounds = int(args.rounds or rounds)
        self.seconds = args.seconds or seconds
        self.deadline = time.monotonic() + 60 * (args.time_limit or minutes)

    def measure(self, setting, send, others):
        timed = [work for work in self.works if work is not self.ports]
        Plan(setting, self.peers, timed, self.rounds, self.ports,
             self.ports_peers, self.deadline, send, others).run()


def check_tool(path):
    if not path or not os.access(path, os.X_OK):
        raise BenchError("%s: the traffic program is not there; build it "
                         "with make, or name it by --tool"
                         % (path or "bench-traffic"))


def warn_of_load(load):
    if load > MUCH_LOAD:
        print("warning: %.0f %% of the processor's time go to other programs; "
              "the figures will be too low" % (100 * load), file=sys.stderr)


def measure(args):
    """Measures.  Returns the results, and the exit code."""
    if os.geteuid():
        raise BenchError("must run as root: it makes network namespaces and "
                         "loads XDP programs (try sudo)")
    job = Job(args)
    cpus = choose_cpus(args.cpus)
    machine.need(*PROGRAMS)
    check_tool(args.tool)
    setting = Setting(args.tool, Tools(args.ovs_build, args.ovs_source),
                      args.vswitchd, args.cni, cpus, job.seconds,
                      1 if args.quick else 3)
    about = {
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "machine": machine.describe(),
        "versions": versions(args),
        "cpus": cpus,
        "rounds": job.rounds,
        "seconds": job.seconds,
    }
    warn_of_load(about["machine"]["load"])
    records, code = sandbox.measure_apart(
        lambda send, others: job.measure(setting, send, others))
    return results.assemble(about, job.peers, job.works, records), code


def show_list():
    print("peers:")
    for peer in peers.PEERS:
        print("  %-16s%s" % (peer.name, peer.title))
    print("works:")
    for work in works.WORKS + [works.ports_work(FULL[2])]:
        print("  %-16s%s" % (work.name, work.title))


def show_demands(args, found):
    counted, why_not = {}, "named by no --callgrind"
    if args.table == "stock" and args.callgrind:
        try:
            print("counting instructions ...", file=sys.stderr)
            counted = demands.instructions(args.callgrind)
        except BenchError as error:
            why_not = str(error)
    lines, all_ok = demands.table(args.table, found, counted, why_not)
    print("\n".join(report.machine_lines(found) + [""] + lines
                    + report.disturbed_lines(found)))
    return 0 if all_ok else 1


def write(args, found):
    """The files that were asked for."""
    if args.rst:
        try:
            with open(args.rst, "w") as f:
                f.write(report.rst(found))
        except OSError as error:
            raise BenchError("%s: %s" % (args.rst, error.strerror))
    if args.svg:
        chart.save(found, args.svg)


def check_files(args):
    """Complains about files before the measurement, not after it."""
    for path in (args.json, args.rst, args.svg):
        folder = path and (os.path.dirname(path) or ".")
        if folder and not os.access(folder, os.W_OK):
            raise BenchError("%s: no file can be made there" % path)


def work(args):
    old = results.load(args.compare) if args.compare else None
    check_files(args)
    if args.source:
        found, code = results.load(args.source), 0
    else:
        found, code = measure(args)
    if code:
        return code
    if args.json and not args.source:
        results.save(found, args.json)
    if args.table:
        code = show_demands(args, found)
    else:
        sys.stdout.write(report.terminal(found))
    if old:
        sys.stdout.write("\nSince %s:\n" % old["date"]
                         + report.comparison(old, found))
    write(args, found)
    return code or (0 if any("values" in r for r in found["runs"]) else 1)


def find_defaults(home):
    """Where things are, from the environment or from an installation."""
    get = os.environ.get
    return {
        "version": home["version"],
        "vswitchd": get("OVS_AFXDP_VSWITCHD", home["vswitchd"]),
        "cni": get("OVS_AFXDP_CNI", home["cni"]),
        "tool": get("OVS_AFXDP_BENCH_TOOL", home["tool"]),
        "ovs_build": get("OVS_BUILD"),
        "ovs_source": get("OVS_SRC"),
        "callgrind": get("OVS_AFXDP_CALLGRIND"),
    }


def main(home):
    args = parse_args(sys.argv[1:], find_defaults(home))
    if args.vswitchd and not os.path.exists(args.vswitchd):
        if args.vswitchd != home["vswitchd"]:
            sys.exit("ovs-afxdp-bench: %s: no such file" % args.vswitchd)
        args.vswitchd = None
    try:
        if args.list:
            show_list()
            return 0
        return work(args)
    except BenchError as error:
        sys.stdout.flush()
        print("ovs-afxdp-bench: %s" % error, file=sys.stderr)
        return 1
    except (sandbox.Stopped, KeyboardInterrupt):
        return 130
