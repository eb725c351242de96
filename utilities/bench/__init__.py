# SPDX-License-Identifier: Apache-2.0
"""The modules of ovs-afxdp-bench.

main      the command line
sandbox   a place of its own for the measurements, and the machine put back
machine   programs, containers, processor and memory figures in that place
ovs       ovsdb-server and an ovs-vswitchd
peers     what is measured: one class for each kind, one table of them all
works     how it is measured: one function for each kind, one table
plan      runs the peers in turn, round after round, within a time
results   medians and spreads; the JSON file; two files compared
report    the table, for a terminal and for the documentation
chart     the SVG chart
demands   what is demanded of ovs-afxdp beside its peers
"""
