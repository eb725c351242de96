# SPDX-License-Identifier: Apache-2.0
"""An ovsdb-server and an ovs-vswitchd in a folder of their own."""

import os
import re
import shutil
import signal
import time

from . import sandbox
from .machine import (BenchError, Process, last_line, memory_resident,
                      quietly, run)

SCHEMA = "vswitch.ovsschema"
START_S = 10                    # Longest that a daemon may take to start,
BRIDGE_S = 25                   # or to make the bridge (DPDK starts then),
HANG_S = 3                      # or to answer once it runs.


class Tools:
    """Where the programs of Open vSwitch are: in a build tree, or else where
    the distribution has put them."""

    def __init__(self, build=None, source=None):
        self.build = build
        self.source = source

    def find(self, folder, name):
        built = self.build and os.path.join(self.build, folder, name)
        if built and os.access(built, os.X_OK):
            return built
        found = shutil.which(name)
        if not found:
            raise BenchError("%s: not found; name an Open vSwitch build by "
                             "--ovs-build, or install: openvswitch-switch"
                             % name)
        return found

    def schema(self):
        for folder in (self.source and self.source + "/vswitchd",
                       "/usr/share/openvswitch"):
            path = folder and os.path.join(folder, SCHEMA)
            if path and os.path.exists(path):
                return path
        raise BenchError("%s: not found; name an Open vSwitch source by "
                         "--ovs-source, or install: openvswitch-switch"
                         % SCHEMA)


class Daemons:
    """The two daemons.  What is in 'config' goes to other_config before the
    ovs-vswitchd is started."""

    def __init__(self, tools, vswitchd, cpus, config, name):
        self.tools = tools
        self.dir = os.path.join(sandbox.work_dir(), name)
        self.env = dict(os.environ, OVS_RUNDIR=self.dir, OVS_LOGDIR=self.dir,
                        OVS_DBDIR=self.dir, OVS_SYSCONFDIR=self.dir)
        self.log = os.path.join(self.dir, "ovs-vswitchd.log")
        self.db = self.vswitchd = None
        shutil.rmtree(self.dir, ignore_errors=True)
        os.mkdir(self.dir)
        try:
            self.start_db()
            self.vsctl("--no-wait", "init")
            for key, value in config.items():
                self.vsctl("--no-wait", "set", "Open_vSwitch", ".",
                           "other_config:%s=\"%s\"" % (key, value))
            self.start_vswitchd(vswitchd, cpus)
        except BaseException:
            self.stop()
            raise

    def start_db(self):
        conf = os.path.join(self.dir, "conf.db")
        run(self.tools.find("ovsdb", "ovsdb-tool"), "create", conf,
            self.tools.schema())
        self.db = Process(
            [self.tools.find("ovsdb", "ovsdb-server"), conf, "--pidfile",
             "--remote=punix:" + self.socket(), "--unixctl=db.ctl"],
            env=self.env, log=os.path.join(self.dir, "ovsdb-server.log"))
        self.wait_for(lambda: os.path.exists(self.socket()), self.db)

    def start_vswitchd(self, vswitchd, cpus):
        self.vswitchd = Process(
            [vswitchd, "unix:" + self.socket(), "--pidfile",
             "--unixctl=" + self.control()], cpus=cpus, env=self.env,
            log=self.log)
        self.wait_for(lambda: os.path.exists(self.control()), self.vswitchd)
        self.vsctl("--timeout=%d" % BRIDGE_S, "add-br", "br0", "--", "set",
                   "bridge", "br0", "datapath_type=netdev")

    def socket(self):
        return os.path.join(self.dir, "db.sock")

    def control(self):
        return os.path.join(self.dir, "vswitchd.ctl")

    def wait_for(self, condition, process):
        deadline = time.monotonic() + START_S
        while not condition():
            if not process.alive():
                raise BenchError("%s: ended at once with %d; it said last: %s"
                                 % (process.name, process.popen.returncode,
                                    last_line(process.output()) or "-"))
            if time.monotonic() > deadline:
                raise BenchError("%s: not ready after %d s"
                                 % (process.name, START_S))
            time.sleep(0.02)

    def vsctl(self, *args, timeout=30):
        return run(self.tools.find("utilities", "ovs-vsctl"),
                   "--db=unix:" + self.socket(), *args,
                   timeout=timeout, env=self.env)

    def appctl(self, *args, timeout=10):
        return run(self.tools.find("utilities", "ovs-appctl"), "-t",
                   self.control(), *args, timeout=timeout, env=self.env)

    def flows(self, flows):
        """Puts 'flows' in place of all others, and empties the datapath.  To
        delete the datapath's flows behind the back of ovs-vswitchd would not
        do: it would go on believing that they are there, and add none."""
        run(self.tools.find("utilities", "ovs-ofctl"), "-OOpenFlow13",
            "replace-flows", "br0", "-", stdin="\n".join(flows) + "\n",
            env=self.env)
        self.appctl("revalidator/purge")

    def dropped(self):
        """Frames that the datapath's flows have dropped."""
        flows = self.appctl("dpctl/dump-flows")
        return sum(map(int, re.findall(r"packets:(\d+),.*actions:drop",
                                       flows)))

    def cached_flows(self):
        """Megaflows that its threads have put into the datapath."""
        stats = self.appctl("dpif-netdev/pmd-stats-show")
        return sum(map(int, re.findall(r"miss with success upcall: (\d+)",
                                       stats)))

    def add_port(self, name, settings):
        """Adds a port and returns the seconds that it took."""
        begin = time.monotonic()
        self.vsctl("add-port", "br0", name, "--", "set", "interface", name,
                   *settings)
        took = time.monotonic() - begin
        error, ofport = self.vsctl("get", "interface", name, "error",
                                   "ofport").split("\n")[:2]
        if ofport in ("-1", "[]"):
            raise BenchError("%s: %s" % (name, error.strip('"')))
        return took

    def del_port(self, name):
        """Deletes a port and returns the seconds that it took."""
        begin = time.monotonic()
        self.vsctl("del-port", "br0", name)
        return time.monotonic() - begin

    def resident(self):
        return memory_resident(self.vswitchd.popen.pid)

    def complaint(self):
        """The last thing that the ovs-vswitchd logged as an error."""
        lines = [line for line in self.vswitchd.output().splitlines()
                 if re.search(r"\|(EMER|ERR)\|", line)]
        return lines[-1].split("|", 2)[-1].strip() if lines else ""

    def check(self):
        """Fails if the ovs-vswitchd has died, or does not answer."""
        if not self.vswitchd.alive():
            raise BenchError("ovs-vswitchd died (%s); it said last: %s" % (
                self.vswitchd.popen.returncode, self.complaint() or "-"))
        try:
            self.appctl("version", timeout=HANG_S)
        except BenchError:
            raise BenchError("ovs-vswitchd hangs; it said last: %s"
                             % (self.complaint() or "-"))

    def stop(self):
        for process in (self.vswitchd, self.db):
            if process:
                process.kill(signal.SIGTERM)
        # Taps outlive an ovs-vswitchd, so that the next one may use them.
        for tap in ("br0", "ovs-netdev"):
            quietly("ip", "link", "delete", "dev", tap)
