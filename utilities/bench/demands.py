# SPDX-License-Identifier: Apache-2.0
"""What is demanded of this project, beside peers measured in the same run.

TABLES has a list of demands for each table that the bench can print.
"""

import re

from . import results as results_
from .machine import BenchError, run
from .peers import PEERS
from .report import number, unit_name

CALLGRIND_S = 600               # Longest that the count may take.

# Of ports, for each table that needs them.
RUNGS = {"stock": [1, 10, 100], "cni": [1, 10, 100, 250]}
PORTS_FIGURES = ("add-", "del-", "memory-", "resident-")


class Demand:
    """That 'peer' in 'figure' is at least or at most 'limit' times 'base';
    without a base, 'limit' itself.  With 'cpu', the time of the sender's core
    for each packet is compared in place of the figure."""

    def __init__(self, title, figure, peer, base, least=None, most=None,
                 cpu=False):
        self.title = title
        self.figure = figure
        self.peer = peer
        self.base = base
        self.limit = most if least is None else least
        self.most = least is None
        self.cpu = cpu

    def met(self, ours, base):
        """Whether it is met, or None when something is missing."""
        if ours is None or (self.base and not base):
            return None
        value = ours / base if self.base else ours
        return value <= self.limit if self.most else value >= self.limit


TABLES = {
    "stock": [
        Demand("live 64 B frames, 1 flow", "live-64-1", "ours-native",
               "stock", least=1.0),
        Demand("live 64 B frames, 1000 flows", "live-64-1000", "ours-native",
               "stock", least=1.0),
        Demand("TCP, 1 stream", "tcp-1", "ours", "stock", least=1.0),
        Demand("TCP, 1 stream", "tcp-1", "ours-native", "stock", least=1.0),
        Demand("instructions a packet, 64 B", "instructions-64", "ours",
               "stock", most=0.6),
        Demand("instructions a packet, 1500 B", "instructions-1500", "ours",
               "stock", most=0.6),
        Demand("memory of 100 idle ports", "memory-100", "ours", None,
               most=250e6),
        Demand("add-port, median of 100", "add-100", "ours", None,
               most=0.030),
    ],
    "offload": [
        Demand("live 64 B frames, 1 flow", "live-64-1", "offload-native",
               "xdp-native", least=0.8),
        Demand("live 64 B frames, 1 flow", "live-64-1", "offload-native",
               "stock", least=3.5),
        Demand("1000 megaflows under 8 masks", "live-64-masks",
               "offload-native", "xdp-native", least=0.6),
        Demand("OpenFlow drop", "drop", "offload-native", "xdp-native",
               least=0.85),
        Demand("TCP, 1 stream", "tcp-1", "offload", "bridge", least=1.0),
        Demand("TCP, 1 stream", "tcp-1", "offload", "stock", least=6.0),
        Demand("UDP, the sender's core", "udp", "offload", "bridge",
               most=1.0, cpu=True),
        Demand("flows that stay in user space", "live-64-ct",
               "offload-native", "ours-native", least=1.0),
    ],
    "cni": [
        Demand("TCP, 1 stream", "tcp-1", "cni", "bridge", least=1.0),
        Demand("TCP, 1 stream", "tcp-1", "cni", "stock", least=6.0),
        Demand("ADD, median of 100", "add-100", "cni", None, most=0.100),
        Demand("ADD, median of 250", "add-250", "cni", None, most=0.100),
        Demand("DEL, median of 100", "del-100", "cni", None, most=0.050),
        Demand("DEL, median of 250", "del-250", "cni", None, most=0.050),
        Demand("memory of 250 idle containers", "memory-250", "cni", None,
               most=250 * 2.5e6),
    ],
}


def peers_of(name):
    """The peers that a table needs, in the order of PEERS."""
    wanted = {peer for demand in TABLES[name]
              for peer in (demand.peer, demand.base)}
    if name == "stock":         # To show what its ports take.
        wanted.add("stock")
    return [peer.name for peer in PEERS if peer.name in wanted]


def works_of(name):
    """The works that a table needs."""
    figures = [demand.figure for demand in TABLES[name]]
    works = [f for f in figures
             if not f.startswith(PORTS_FIGURES + ("instructions-",))]
    return list(dict.fromkeys(works)) + ["ports"] * (name in RUNGS)


def ports_peers_of(name):
    """The peers that add ports for a table."""
    wanted = {demand.peer for demand in TABLES[name]
              if demand.figure.startswith(PORTS_FIGURES)}
    return wanted | ({"stock"} if name == "stock" else set())


def instructions(command):
    """{figure: {peer: count}} of tests/callgrind-budget, which fails when it
    does not like its own figures; we judge them here."""
    out = run("sh", "-c", command + " || :", timeout=CALLGRIND_S)
    found = re.findall(r"(?m)^(\d+) stock ([\d.]+) ours ([\d.]+)", out)
    if not found:
        raise BenchError("%s: printed no count" % command)
    return {"instructions-" + size: {"ours": float(ours),
                                     "stock": float(stock)}
            for size, stock, ours in found}


class Judge:
    """Looks up what was measured, for a table's lines."""

    def __init__(self, results, counted, why_not):
        self.summaries = results_.summarise(results)
        self.figures = results["figures"]
        self.titles = {name: about["title"]
                       for name, about in results["peers"].items()}
        self.counted = counted
        self.why_not = why_not  # Why nothing was counted.

    def value(self, demand, peer):
        """The value, or None and the reason."""
        if demand.figure.startswith("instructions-"):
            return (self.counted.get(demand.figure, {}).get(peer),
                    self.why_not)
        summary = self.summaries.get((peer, demand.figure))
        if summary is None or summary.median is None:
            return None, (summary.text_of_failure() if summary
                          else "left out")
        return summary.cpu[0] if demand.cpu else summary.median, None

    def line(self, demand):
        """The line of a demand, and whether it is met."""
        ours, why = self.value(demand, demand.peer)
        base = demand.base or "stock"
        beside, why_base = self.value(demand, base)
        met = demand.met(ours, beside)
        unit = self.figures.get(demand.figure, {}).get("unit")
        title = demand.title + (
            ", ns" if demand.cpu else ", " + unit_name(unit) if unit else "")
        if demand.cpu:
            unit = None
        limit = "%s %s" % ("at most" if demand.most else "at least",
                           "%g x" % demand.limit if demand.base
                           else number(demand.limit, unit))
        ratio = ("%.2f" % (ours / beside) if beside and ours is not None
                 else "-")
        text = "%-36s%-24s%9s  %-22s%9s%7s  %-15s%s" % (
            title, self.titles.get(demand.peer, demand.peer),
            cell(ours, unit), self.titles.get(base, base),
            cell(beside, unit), ratio, limit,
            {True: "ok", False: "not ok", None: "not measured"}[met])
        reason = why or (why_base if demand.base else None)
        return text + (": " + reason if met is None and reason else ""), met


def cell(value, unit):
    if value is None:
        return "-"
    return number(value, unit) if unit else "%.1f" % value


def table(name, results, counted, why_not):
    """The lines of the table, and whether all demands are met."""
    judge = Judge(results, counted, why_not)
    judged = [judge.line(demand) for demand in TABLES[name]]
    header = "%-36s%-24s%9s  %-22s%9s%7s  %s" % (
        "", "ours", "", "beside", "", "ratio", "demanded")
    return [header] + [text for text, _ in judged], all(
        met for _, met in judged)
