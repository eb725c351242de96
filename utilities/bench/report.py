# SPDX-License-Identifier: Apache-2.0
"""The results as text: for a terminal, and for the documentation."""

from . import results as results_
from .peers import BASE
from .plan import DISTURBED

# What a value is divided by, its unit then, and digits.
UNITS = {
    "pps": (1e6, "Mpps", 3),
    "bit/s": (1e9, "Gbit/s", 2),
    "ns": (1e3, "us", 1),
    "flows/s": (1e3, "thousand/s", 1),
    "s": (1e-3, "ms", 1),
    "B": (1e6, "MB", 1),
}


def number(value, unit):
    scale, _, digits = UNITS[unit]
    return "%.*f" % (digits, value / scale)


def unit_name(unit):
    return UNITS[unit][1]


def ratio_text(summaries, peer, figure):
    base = summaries.get((BASE, figure))
    mine = summaries.get((peer, figure))
    if not mine or not base or not base.median or mine.median is None:
        return ""
    ratio = mine.median / base.median
    return "%.2f" % ratio if ratio >= 0.1 else "%.1g" % ratio


def cpu_text(summary, unit):
    """Time of the cores for each packet, or for each KB."""
    if not summary.cpus:
        return ""
    return " + ".join("%.0f" % ns for ns in summary.cpu) + (
        " ns/KB" if unit == "bit/s" else " ns/packet")


def machine_lines(results):
    machine = results["machine"]
    lines = ["%s, %s; %d cores, of which %s were used; %.0f GB" % (
        machine["processor"],
        "a virtual machine" if machine["virtual"] else "bare metal",
        machine["cores"], " and ".join(map(str, results["cpus"])),
        machine["memory"] / 1e9)]
    lines.append(machine["kernel"])
    lines.append("; ".join("%s %s" % item
                           for item in results["versions"].items()))
    lines.append("%s; %d round%s of %g s a run; %.0f %% used by other "
                 "programs before" % (
                     results["date"], results["rounds"],
                     "s" * (results["rounds"] > 1), results["seconds"],
                     100 * results["machine"]["load"]))
    return lines


def terminal(results):
    """The whole table."""
    summaries = results_.summarise(results)
    lines = machine_lines(results) + [""]
    said = set()                # Reasons, which are said once.
    for figure, about in results["figures"].items():
        lines.append("%s [%s]" % (about["title"], unit_name(about["unit"])))
        for peer, peer_about in results["peers"].items():
            line = peer_line(summaries, peer, figure, about["unit"], said)
            if line:
                lines.append("  %-25s%s" % (peer_about["title"], line))
        lines.append("")
    return "\n".join(lines + notes(results)) + "\n"


def peer_line(summaries, peer, figure, unit, said):
    summary = summaries.get((peer, figure))
    if summary is None:
        return ""
    if not summary.values:
        reason = summary.text_of_failure()
        again = (peer, reason) in said
        said.add((peer, reason))
        return "      -  %s" % ("as above" if again else reason)
    ratio = ratio_text(summaries, peer, figure)
    text = "%9s" % number(summary.median, unit)
    if len(summary.values) > 1:
        text += "  %s .. %s" % (number(summary.low, unit),
                                number(summary.high, unit))
    text = text.ljust(31) + ("x %s" % ratio if ratio else "").ljust(9)
    text += cpu_text(summary, unit)
    if summary.failed:
        text += "  (%d failed: %s)" % (len(summary.failed), summary.failed[0])
    return text.rstrip()


def notes(results):
    lines = ["Median, lowest and highest run, ratio to the stock netdev, and "
             "the time of",
             "the sender's core and of the other one for each packet."]
    for about in results["peers"].values():
        lines.append("%s: containers with %s" % (about["title"],
                                                 about["note"]))
    lines += disturbed_lines(results)
    for peer, reason in results["missing"].items():
        lines.append("%s was left out: %s" % (
            results["peers"].get(peer, {}).get("title", peer), reason))
    return lines


def disturbed_lines(results):
    disturbed = sum(run.get("others", 0) >= DISTURBED
                    for run in results["runs"])
    return ["%d of %d runs were disturbed by other programs."
            % (disturbed, len(results["runs"]))] if disturbed else []


def rst(results):
    """The table for the documentation, one row for each figure."""
    summaries = results_.summarise(results)
    present = [p for p in results["peers"] if p not in results["missing"]]
    titles = [results["peers"][p]["title"] for p in present]
    lines = ["| " + line for line in machine_lines(results)
             + disturbed_lines(results)] + [""]
    lines += csv_table("Median, and the ratio to the stock netdev",
                       ["work"] + titles,
                       [rst_row(results, summaries, present, figure, value)
                        for figure in results["figures"]])
    with_cpu = [f for f in results["figures"]
                if any(summaries.get((p, f)) and summaries[p, f].cpus
                       for p in present)]
    lines += csv_table("Time of the sender's core + the other core, ns for "
                       "each packet (TCP: for each KB)", ["work"] + titles,
                       [rst_row(results, summaries, present, figure, cpu)
                        for figure in with_cpu])
    return "\n".join(lines)


def value(summaries, peer, figure, unit):
    summary = summaries[peer, figure]
    ratio = ratio_text(summaries, peer, figure)
    return number(summary.median, unit) + (
        " (%s)" % ratio if ratio and peer != BASE else "")


def cpu(summaries, peer, figure, unit):
    return " + ".join("%.0f" % ns for ns in summaries[peer, figure].cpu)


def rst_row(results, summaries, peers, figure, cell):
    about = results["figures"][figure]
    row = ["%s, %s" % (about["title"], unit_name(about["unit"]))
           if cell is value else about["title"]]
    for peer in peers:
        summary = summaries.get((peer, figure))
        if summary and summary.values:
            row.append(cell(summaries, peer, figure, about["unit"]) or "-")
        elif summary and summary.failed:
            row.append("failed")
        else:
            row.append("-")
    return row


def csv_table(title, header, rows):
    lines = [".. csv-table:: " + title,
             "   :header: " + ", ".join('"%s"' % cell for cell in header), ""]
    lines += ["   " + ", ".join('"%s"' % cell for cell in row)
              for row in rows]
    return lines + [""]


def comparison(old, new):
    """What moved between two results."""
    moves, too_few = results_.compare(old, new)
    lines = []
    for peer, figure, a, b, ratio, better in moves:
        about = new["figures"][figure]
        lines.append("%-22s %-34s %s -> %s %s, x %.2f, %s" % (
            new["peers"][peer]["title"], about["title"],
            number(a, about["unit"]), number(b, about["unit"]),
            unit_name(about["unit"]), ratio, "better" if better else "worse"))
    if not lines:
        lines.append("Nothing moved beyond the noise.")
    if too_few:
        lines.append("%d figures have fewer than 3 runs on one side, too few "
                     "to tell." % too_few)
    if any(old["machine"][key] != new["machine"][key]
           for key in ("processor", "cores", "kernel")):
        lines.append("The machines or kernels differ: %s, %s; now %s, %s." % (
            old["machine"]["processor"], old["machine"]["kernel"],
            new["machine"]["processor"], new["machine"]["kernel"]))
    return "\n".join(lines) + "\n"
