"""Rules as the text of a pack."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, fields
from typing import Any

from agentctx.terminal.rules.rule import Rule, Sample


def write(rules: Iterable[Rule]) -> str:
    """Return a pack that holds these rules; what is as by default is left out."""
    return "\n".join(line for rule in rules for line in _rule(rule))


def _rule(rule: Rule) -> Iterator[str]:
    yield "[[rule]]"
    yield from _fields(rule)
    yield ""
    for sample in rule.tests:
        yield "[[rule.tests]]"
        yield from _fields(sample)
        yield ""


def _fields(value: Rule | Sample) -> Iterator[str]:
    for field in fields(value):
        given = getattr(value, field.name)
        default = "" if field.default is MISSING else field.default
        if field.name != "tests" and given != default and given is not None:
            yield f"{field.name} = {_value(given)}"


def _value(given: Any) -> str:
    """Return a value as TOML, whose strings may be written as those of JSON."""
    if isinstance(given, tuple):
        return f"[{', '.join(map(_value, given))}]"
    if isinstance(given, str):
        text = json.dumps(str(given), ensure_ascii=False)
        return text.replace("\x7f", "\\u007f")
    return str(given).lower() if isinstance(given, bool) else str(given)
