"""Rebuild agentctx/data/prices.json from the price map in the litellm wheel.

    python scripts/refresh_prices.py

Each model keeps the numbers that `agentctx.prices` reads, in dollars per million tokens, null where
the map says nothing; trailing nulls are dropped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import wheel

MAP = "litellm/model_prices_and_context_window_backup.json"
RATES = {
    "input": "input_cost_per_token",
    "output": "output_cost_per_token",
    "cache_read": "cache_read_input_token_cost",
    "cache_write": "cache_creation_input_token_cost",
    "cache_write_1h": "cache_creation_input_token_cost_above_1hr",
}
LONGER = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")


def trim(row: list[Any]) -> list[Any]:
    """Return `row` without the nulls at its end."""
    while row and row[-1] is None:
        row = row[:-1]
    return row


def rates(entry: Mapping[str, Any], suffix: str = "") -> list[float | None]:
    """Return the rates of `entry`, or of its prompts beyond the length that `suffix` names."""
    found = [entry.get(key + suffix) for key in RATES.values()]
    write = RATES["cache_write"] + suffix
    if entry.get(write) is not None and entry[write] < entry[RATES["input"]]:
        found[3] = None  # some vendors' entries hold the surcharge here, not the price
    return [None if rate is None else round(rate * 1e6, 6) for rate in found]


def row(entry: Mapping[str, Any]) -> list[Any]:
    """Return rates, minimum cacheable tokens, and what longer prompts cost."""
    lengths = sorted(int(found[1]) for key in entry if (found := LONGER.fullmatch(key)))
    minimum = entry.get("prompt_cache_min_tokens")
    found = [*rates(entry), None if minimum is None else int(minimum)]
    if lengths:
        found += [lengths[0] * 1000, trim(rates(entry, f"_above_{lengths[0]}k_tokens"))]
    return trim(found)


def priced(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry is a text model with token prices."""
    return entry.get("mode") in ("chat", "responses", "completion") and all(
        isinstance(entry.get(RATES[name]), int | float) for name in ("input", "output")
    )


def main() -> None:
    """Write the snapshot, one model a line so that a refresh reads well as a diff."""
    with wheel.litellm() as archive:
        source = f"litellm {wheel.version(archive)}"
        entries = json.loads(archive.read(MAP))
    rows = {name.lower(): row(entry) for name, entry in entries.items() if priced(entry)}
    head = {"source": source, "taken": datetime.now(UTC).date().isoformat()}
    head["fields"] = ", ".join([*RATES, "min_cacheable", "above", "rates beyond it"])
    lines = [f"{json.dumps(name)}:{json.dumps(rows[name])}" for name in sorted(rows)]
    text = json.dumps(head, indent=0)[:-2] + ',\n"models":{\n' + ",\n".join(lines) + "\n}}\n"
    json.loads(text)
    (wheel.DATA / "prices.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
