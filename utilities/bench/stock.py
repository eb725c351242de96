# SPDX-License-Identifier: Apache-2.0
"""The table of ours beside the stock netdev, with what is demanded."""

import re

from . import results as results_
from .machine import BenchError, run
from .report import number, unit_name

CALLGRIND_S = 600               # Longest that the count may take.

# Title, figure, kind of limit, limit.
DEMANDS = [
    ("live 64 B frames, 1 flow", "live-64-1", "ratio >=", 1.0),
    ("live 64 B frames, 1000 flows", "live-64-1000", "ratio >=", 1.0),
    ("TCP, 1 stream", "tcp-1", "ratio >=", 1.0),
    ("instructions a packet, 64 B", "instructions-64", "ratio <=", 0.6),
    ("instructions a packet, 1500 B", "instructions-1500", "ratio <=", 0.6),
    ("memory of 100 idle ports", "memory-100", "at most", 250e6),
    ("add-port, median of 100", "add-100", "at most", 0.030),
]
WORKS = ("live-64-1", "live-64-1000", "tcp-1")
RUNGS = [1, 10, 100]


def instructions(command):
    """{figure: (ours, stock)} of tests/callgrind-budget, which fails when it
    does not like its own figures; we judge them here."""
    out = run("sh", "-c", command + " || :", timeout=CALLGRIND_S)
    found = re.findall(r"(?m)^(\d+) stock ([\d.]+) ours ([\d.]+)", out)
    if not found:
        raise BenchError("%s: printed no count" % command)
    return {"instructions-" + size: (float(ours), float(stock))
            for size, stock, ours in found}


def table(results, counted, why_not):
    """The lines of the table, and whether all demands are met."""
    summaries = results_.summarise(results)
    lines = ["%-36s%12s%12s%8s  %s" % ("", "ours", "stock", "ratio",
                                          "demanded")]
    all_ok = True
    for title, figure, kind, limit in DEMANDS:
        ours, stock, why = values(summaries, counted, why_not, figure)
        unit = results["figures"].get(figure, {}).get("unit")
        line = "%-36s%12s%12s" % (title_with_unit(title, unit),
                                  cell(ours, unit), cell(stock, unit))
        ratio = ours / stock if ours is not None and stock else None
        line += "%8s" % ("-" if ratio is None else "%.3f" % ratio)
        measured = ratio if kind.startswith("ratio") else ours
        ok = measured is not None and (
            measured >= limit if kind.endswith(">=") else measured <= limit)
        shown = ("%g" % limit if kind.startswith("ratio")
                 else "%s %s" % (number(limit, unit), unit_name(unit)))
        line += "  %-18s%s" % ("%s %s" % (kind, shown),
                               "ok" if ok else "not ok")
        lines.append(line + (" (%s)" % why if why else ""))
        all_ok = all_ok and ok
    return lines, all_ok


def title_with_unit(title, unit):
    return "%s, %s" % (title, unit_name(unit)) if unit else title


def cell(value, unit):
    if value is None:
        return "-"
    return number(value, unit) if unit else "%.1f" % value


def values(summaries, counted, why_not, figure):
    """Ours, stock, and why one of them is not there."""
    if figure.startswith("instructions"):
        ours, stock = counted.get(figure, (None, None))
        return ours, stock, why_not if ours is None else None
    found = []
    why = None
    for peer in ("ours", "stock"):
        summary = summaries.get((peer, figure))
        found.append(summary.median if summary else None)
        if found[-1] is None:
            why = "%s: %s" % (peer, summary.text_of_failure() if summary
                              else "left out")
    return found[0], found[1], why
