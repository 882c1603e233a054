"""Versioned memory beside its peers, in one run: `python -m benchmarks.memory [--quick] [--json]`.

The sides take turns, so that what else the machine does falls on all of them; nothing is asserted
about time. Peers that are not installed are left out, and the table says so.
"""
