# SPDX-License-Identifier: Apache-2.0
"""Medians and spreads, the JSON file, and two files compared."""

import json
import statistics

from .machine import BenchError

FORMAT = 1
MIN_MOVE = 0.02                 # Smaller moves are never named.


class Summary:
    """What a peer showed in one figure."""

    def __init__(self):
        self.values = []
        self.cpus = []
        self.failed = []
        self.none = None        # Why it has no such figure.

    @property
    def median(self):
        return statistics.median(self.values) if self.values else None

    @property
    def low(self):
        return min(self.values)

    @property
    def high(self):
        return max(self.values)

    @property
    def cpu(self):
        """Median time of each core for each packet, in ns."""
        return [statistics.median(core) for core in zip(*self.cpus)]

    def text_of_failure(self):
        return self.failed[0] if self.failed else self.none or "not measured"


def summarise(results):
    """{(peer, figure): Summary} of all runs."""
    figures_of = {}
    for figure, about in results["figures"].items():
        figures_of.setdefault(about["work"], []).append(figure)
    summaries = {}
    for run in results["runs"]:
        for figure in figures_of.get(run["work"], []):
            summary = summaries.setdefault((run["peer"], figure), Summary())
            values = run.get("values", {})
            if figure in values:
                summary.values.append(values[figure])
                if run.get("cpu"):
                    summary.cpus.append(run["cpu"])
            elif "failed" in run:
                summary.failed.append(run["failed"])
            else:
                summary.none = run.get("none", "it has none")
    return summaries


def assemble(about, peers, works, records):
    """The whole of what was measured, as the JSON file has it."""
    results = {"format": FORMAT}
    results.update(about)
    results["peers"] = {p.name: {"title": p.title, "note": p.note()}
                        for p in peers}
    results["figures"] = {
        f.name: {"title": f.title, "unit": f.unit, "work": work.name,
                 "more_is_better": f.more_is_better}
        for work in works for f in work.figures}
    results["missing"] = {r["missing"]: r["reason"]
                          for r in records if "missing" in r}
    results["runs"] = [r for r in records if "peer" in r]
    return results


def save(results, path):
    try:
        with open(path, "w") as f:
            json.dump(results, f, indent=1)
            f.write("\n")
    except OSError as error:
        raise BenchError("%s: %s" % (path, error.strerror))


def load(path):
    try:
        with open(path) as f:
            results = json.load(f)
    except OSError as error:
        raise BenchError("%s: %s" % (path, error.strerror))
    except ValueError as error:
        raise BenchError("%s: not a JSON file: %s" % (path, error))
    wanted = ("figures", "peers", "runs")
    if (not isinstance(results, dict) or results.get("format") != FORMAT
            or any(key not in results for key in wanted)):
        raise BenchError("%s: not a result of this ovs-afxdp-bench" % path)
    return results


def compare(old, new):
    """What moved beyond the noise, as (peer, figure, old, new, ratio,
    better).  A move is named when each median is outside of all runs of the
    other side."""
    before, after = summarise(old), summarise(new)
    moves = []
    too_few = 0
    for key in sorted(set(before) & set(after)):
        a, b = before[key], after[key]
        if not a.values or not b.values or not a.median:
            continue
        if min(len(a.values), len(b.values)) < 3:
            too_few += 1
            continue
        ratio = b.median / a.median
        if (abs(ratio - 1) >= MIN_MOVE and not a.low <= b.median <= a.high
                and not b.low <= a.median <= b.high):
            more = new["figures"][key[1]]["more_is_better"]
            moves.append(key + (a.median, b.median, ratio,
                                (ratio > 1) == more))
    return moves, too_few
