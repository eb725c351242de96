# SPDX-License-Identifier: Apache-2.0
"""Runs the peers in turn, round after round, and says how far it is."""

import sys
import time

from .machine import BenchError
from .works import NotApplicable, Stage

START_COST = 3.0                # Seconds to start and stop a peer, about.
PORT_COST = 0.16                # Seconds to add and delete a port, about.
DISTURBED = 0.15                # Cores that others may use during a run.
GIVE_UP = 2                     # Starts that may fail before we leave a peer.


class Setting:
    """What a measurement is made with."""

    def __init__(self, tool, tools, vswitchd, cni, cpus, seconds, tries):
        self.tool = tool        # The traffic program.
        self.tools = tools      # ovs.Tools
        self.vswitchd = vswitchd    # Ours.
        self.cni = cni          # Our CNI plugin.
        self.cpus = cpus        # The two cores, the sender's first.
        self.seconds = seconds  # Counted, for each run.
        self.tries = tries      # Of a run that others disturb.


class Progress:
    """One line on a terminal, or else one for each turn of a peer."""

    def __init__(self, total):
        self.total = total
        self.done = 0.0
        self.begin = time.monotonic()
        self.tty = sys.stderr.isatty()
        self.width = 0

    def left(self):
        took = time.monotonic() - self.begin
        speed = took / self.done if self.done > 20 else 1.0
        return max(self.total - self.done, 0) * speed

    def show(self, turn, what, first):
        left = int(self.left() + 0.5)
        text = "%3d %%  %d:%02d left  %s" % (
            min(100 * self.done / self.total, 100), left // 60, left % 60,
            turn)
        if self.tty:
            text += ": " + what
            sys.stderr.write("\r" + text[:79].ljust(self.width))
            self.width = min(len(text), 79)
        elif first:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def add(self, cost):
        self.done += cost

    def clear(self):
        if self.tty:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


class Plan:
    """All that is to be measured.  'send' takes the records."""

    def __init__(self, setting, peers, works, rounds, ports, ports_peers,
                 deadline, send, others):
        self.setting = setting
        self.works = works
        self.rounds = rounds
        self.ports = ports      # A Work, or None.
        self.ports_peers = ports_peers  # Names of those that do it, or None.
        self.deadline = deadline
        self.send = send
        self.others = others    # machine.Others
        self.failures = {}      # Starts that failed, by peer.
        self.known = {}         # Figures that a peer has shown, by peer.
        self.peers = self.present(peers)
        self.progress = Progress(self.cost())
        if ports and works:     # Leave some time for them.
            self.deadline -= len(self.peers) * self.ports_cost()

    def present(self, peers):
        present = []
        for peer in peers:
            missing = peer.missing(self.setting)
            if missing:
                self.send({"missing": peer.name, "reason": missing})
                sys.stderr.write("%s: left out: %s\n" % (peer.title, missing))
            else:
                present.append(peer)
        return present

    def work_cost(self, work):
        return work.cost + self.setting.seconds

    def turn_cost(self):
        return START_COST + sum(map(self.work_cost, self.works))

    def ports_cost(self):
        rungs = self.ports.settings["rungs"] if self.ports else [0]
        return START_COST + PORT_COST * rungs[-1]

    def cost(self):
        turns = self.turn_cost() * self.rounds if self.works else 0
        return max(len(self.peers) * (turns + self.ports_cost()), 1)

    def run(self):
        for number in range(1, self.rounds + 1 if self.works else 1):
            for peer in self.peers:
                if self.failures.get(peer.name, 0) < GIVE_UP:
                    self.turn(peer, number)
                else:
                    self.progress.add(self.turn_cost())
        if self.ports:
            self.deadline = float("inf")    # They have their own limit.
            for peer in self.peers:
                if self.ports_peers is None or peer.name in self.ports_peers:
                    self.ports_turn(peer)
        self.progress.clear()

    def late(self):
        return time.monotonic() > self.deadline

    def turn(self, peer, number):
        """One peer in one round: starts it, lets it work, stops it."""
        turn = "round %d of %d, %s" % (number, self.rounds, peer.title)
        containers = None
        self.progress.show(turn, "start", True)
        try:
            if self.late():
                raise BenchError("out of time")
            try:
                containers = peer.containers()
                peer.start(self.setting, containers)
                containers.ping()
            except BenchError as error:
                self.count_failure(peer)
                raise BenchError("does not start: %s" % error)
            self.progress.add(START_COST)
            self.work_through(peer, containers, number, turn)
        except BenchError as error:
            self.fail(peer, self.works, number, str(error))
            self.progress.add(START_COST)
        finally:
            self.stop(peer, containers)

    def work_through(self, peer, containers, number, turn):
        stage = Stage(self.setting, peer, containers, self.setting.seconds,
                      self.known.setdefault(peer.name, {}))
        for i, work in enumerate(self.works):
            self.progress.show(turn, work.title, False)
            if not self.work(stage, work, number):
                try:
                    peer.check()
                except BenchError as error:
                    self.count_failure(peer)
                    self.fail(peer, self.works[i + 1:], number, str(error))
                    return
            self.progress.add(self.work_cost(work))

    def count_failure(self, peer):
        self.failures[peer.name] = self.failures.get(peer.name, 0) + 1

    def stop(self, peer, containers):
        try:
            peer.stop()
        except BenchError as error:
            self.failures[peer.name] = GIVE_UP
            sys.stderr.write("\n%s: %s\n" % (peer.title, error))
        if containers:
            containers.remove()

    def fail(self, peer, works, number, reason):
        for work in works:
            self.send({"peer": peer.name, "work": work.name, "round": number,
                       "failed": reason})
            self.progress.add(self.work_cost(work))

    def work(self, stage, work, number):
        """Runs one work, again if other programs have disturbed it.  Returns
        whether it succeeded."""
        for _ in range(self.setting.tries):
            begin, busy = time.monotonic(), self.others.busy()
            record = self.try_work(stage, work, number)
            others = self.others.busy() - busy
            record["others"] = round(
                others / 1e9 / (time.monotonic() - begin), 3)
            if (record["others"] < DISTURBED or "values" not in record
                    or work is self.ports or self.late()):
                break
        stage.known.update(record.get("values", {}))
        self.send(record)
        return "failed" not in record

    def try_work(self, stage, work, number):
        record = {"peer": stage.peer.name, "work": work.name, "round": number}
        try:
            if self.late():
                raise BenchError("out of time")
            if stage.peer.only and work.name not in stage.peer.only:
                raise NotApplicable("not measured through the plugin")
            values, cpu = work.run(stage)
            record["failed"] = values.pop("failed", None)
            record["values"] = values
            record["cpu"] = cpu
        except NotApplicable as error:
            record["none"] = str(error)
        except BenchError as error:
            record["failed"] = str(error)
        return {k: v for k, v in record.items() if v is not None}

    def ports_turn(self, peer):
        self.progress.show("ports, " + peer.title, self.ports.title, True)
        stage = Stage(self.setting, peer, None, self.setting.seconds, {})
        self.work(stage, self.ports, 1)
        self.progress.add(self.ports_cost())
