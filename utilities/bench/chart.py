# SPDX-License-Identifier: Apache-2.0
"""The SVG chart: a panel for each figure, a bar for each peer, and the limit
of the machine as a line."""

from . import results as results_
from .machine import BenchError
from .peers import LIMITS
from .report import UNITS, unit_name

COLUMNS = 3
COLOURS = ["#1b6ca8", "#4f93c6", "#0f3f63", "#2f7fa0", "#e07b39", "#8a6fb0",
           "#5b9a68", "#9a9a9a", "#c4c4c4", "#b0567d"]


def limit_of(results, summaries, figure):
    """The best that a bare redirect has shown, or None."""
    medians = [summaries[peer, figure].median for peer in LIMITS
               if (peer, figure) in summaries
               and summaries[peer, figure].values]
    if not medians:
        return None
    more = results["figures"][figure]["more_is_better"]
    return max(medians) if more else min(medians)


def panel(axes, results, summaries, figure):
    about = results["figures"][figure]
    scale, _, digits = UNITS[about["unit"]]
    peers = list(results["peers"])
    widest = 0
    for row, peer in enumerate(peers):
        summary = summaries.get((peer, figure))
        if not summary or not summary.values:
            axes.text(0, row, " -", va="center", fontsize=7)
            continue
        median, low, high = (v / scale for v in (summary.median, summary.low,
                                                 summary.high))
        axes.barh(row, median, height=0.7, color=COLOURS[row % len(COLOURS)],
                  xerr=[[median - low], [high - median]],
                  error_kw={"elinewidth": 0.8})
        axes.text(high, row, "  %.*f" % (digits, median), va="center",
                  fontsize=7)
        widest = max(widest, high)
    limit = limit_of(results, summaries, figure)
    if limit is not None:
        axes.axvline(limit / scale, color="black", linestyle="--",
                     linewidth=0.8)
    axes.set_xlim(0, 1.25 * widest or 1)
    axes.set_ylim(-0.6, len(peers) - 0.4)
    axes.set_yticks(range(len(peers)))
    axes.set_yticklabels([results["peers"][p]["title"] for p in peers],
                         fontsize=7)
    axes.invert_yaxis()
    axes.set_title("%s [%s]" % (about["title"], unit_name(about["unit"])),
                   fontsize=8)
    axes.tick_params(axis="x", labelsize=7)


def save(results, path):
    try:
        import matplotlib
    except ImportError:
        raise BenchError("no chart: install: python3-matplotlib")
    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    summaries = results_.summarise(results)
    figures = [f for f in results["figures"]
               if any(summaries.get((p, f)) and summaries[p, f].values
                      for p in results["peers"])]
    if not figures:
        raise BenchError("no chart: nothing was measured")
    rows = (len(figures) + COLUMNS - 1) // COLUMNS
    height = 0.8 + 0.22 * len(results["peers"])
    canvas, all_axes = plt.subplots(rows, COLUMNS, squeeze=False,
                                    figsize=(4.2 * COLUMNS, height * rows))
    for axes, figure in zip(all_axes.flat, figures):
        panel(axes, results, summaries, figure)
    for axes in list(all_axes.flat)[len(figures):]:
        axes.axis("off")
    canvas.text(0.5, 0.002, "dashed: the better of the bare XDP redirects; "
                "thin lines: lowest and highest run", ha="center",
                fontsize=7)
    canvas.tight_layout(rect=(0, 0.01, 1, 1))
    try:
        canvas.savefig(path, format="svg", metadata={"Date": None})
    except OSError as error:
        raise BenchError("%s: %s" % (path, error.strerror))
    plt.close(canvas)
