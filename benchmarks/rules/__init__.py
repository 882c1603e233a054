"""What rules cost: `python -m benchmarks.rules DATA… [--stream MIB]` prints JSON lines with limits.

The lines are those of the outputs that prove the shipped rules, and of what was run in recorded
runs. Hostile cases print how the time grows when the input doubles. Times are of the processor,
so that what else the machine does adds little; nothing is asserted about them.
"""
