"""Reply: the rules that a model proposes; whatever it says, they are candidates and no more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from agentctx.errors import RuleError
from agentctx.terminal.rules.rule import Rule, Status
from agentctx.terminal.rules.table import rule_of

MOST = 5
"""Rules of one reply."""

MOST_KEPT = 100
"""Lines that a rule may keep at each end: with more, it would hide nothing of most outputs."""

LONGEST = 100_000
"""Characters of a reply that is read at all."""

_TEXTS = {"type": "array", "items": {"type": "string"}}
_TAKEN = {
    "strip_patterns": {**_TEXTS, "minItems": 1},
    "keep_patterns": _TEXTS,
    "keep_first_n": {"type": "integer", "minimum": 0, "maximum": MOST_KEPT},
    "keep_last_n": {"type": "integer", "minimum": 0, "maximum": MOST_KEPT},
}
REPLY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "rules": {
            "type": "array",
            "maxItems": MOST,
            "items": {
                "type": "object",
                "properties": {"rule_id": {"type": "string"}, **_TAKEN},
                "required": ["rule_id", "strip_patterns"],
            },
        }
    },
    "required": ["rules"],
}
"""What a reply has to hold; other fields of a rule are ours to fill."""

_DEFAULTS = {"keep_first_n": 0, "keep_last_n": 2}
_WORDS = "usual lines"  # a model's own could say how something went, which no marker may
_decoder = json.JSONDecoder()


def rules_of(reply: str, trigger: str, provenance: str) -> Iterator[Rule | RuleError]:
    """Yield the rules of a reply, and of those that cannot be used, why.

    Args:
        reply: what the model said; the first JSON object with "rules" counts, and in it the first
            five rules.
        trigger: the pattern of the commands that they are for.
        provenance: where they come from.
    """
    if len(reply) > LONGEST:
        yield RuleError(f"the reply has {len(reply):,} characters: {LONGEST:,} at most")
        return
    given = _object(reply)
    if given is None:
        yield RuleError('no JSON object with "rules" in the reply: ask again, or another model')
        return
    if not isinstance(given["rules"], list):
        yield RuleError('"rules" is no list: ask again, or another model')
        return
    for one in given["rules"][:MOST]:
        try:
            yield _rule(one, trigger, provenance)
        except RuleError as error:
            yield error
    if (more := len(given["rules"]) - MOST) > 0:
        yield RuleError(f"{more} more rules in the reply: {MOST} at most are taken of one")


def _object(reply: str) -> dict[str, Any] | None:
    """Return the first JSON object of a text that has "rules"."""
    at = reply.find("{")
    while at >= 0:
        try:
            found, end = _decoder.raw_decode(reply, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(found, dict) and "rules" in found:
                return found
        at = reply.find("{", end)
    return None


def _rule(given: Any, trigger: str, provenance: str) -> Rule:
    if not isinstance(given, dict) or not isinstance(given.get("rule_id"), str):
        raise RuleError(f"{str(given)[:40]!r} is no rule: give rule_id and strip_patterns")
    taken = {name: value for name, value in given.items() if name in _TAKEN}
    name = "".join(c for c in given["rule_id"] if c.isalnum() or c in "._-")[:60] or "unnamed"
    table = {
        **_DEFAULTS,
        **taken,
        "rule_id": f"proposed.{name}",
        "trigger_regex": trigger,
        "summary_header": _WORDS,
        "provenance": provenance,
        "status": str(Status.CANDIDATE),
    }
    if not table.get("strip_patterns"):
        raise RuleError(f"rule {name!r} hides nothing: give strip_patterns")
    rule = rule_of(table)
    if max(rule.keep_first_n, rule.keep_last_n) > MOST_KEPT:
        raise RuleError(f"rule {name!r} keeps too many lines at an end: {MOST_KEPT} at most")
    return rule
