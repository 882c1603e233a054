"""Rule: the fields of TACO's `CompressionRule`, and what we ask of a rule beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from agentctx.errors import RuleError
from agentctx.patterns import compiled

LONGEST, MOST = 512, 20
"""Characters of a pattern, and patterns of one kind in a rule."""

LEAST_CONFIDENCE = 0.3
"""TACO: a rule below it does nothing."""


class Status(StrEnum):
    """What a rule may do: nothing yet, be tried on stored outputs, hide lines, nothing any more."""

    CANDIDATE = "candidate"
    SHADOW = "shadow"
    ACTIVE = "active"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A real output, with lines that have to stay and lines that have to go.

    `shown` and `hidden` are whole lines of `output`, which `file` names where it is long.
    """

    command: str = ""
    file: str = ""
    output: str = ""
    exit_code: int | None = None
    shown: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What goes from the output of a command. Patterns are RE2, searched in one line, case aside.

    The fields up to `times_complained` are those of TACO (arXiv 2604.19572, `models.py`), with its
    defaults: a line that a keep pattern matches stays even if a strip pattern matches it, too; the
    first and last lines are not touched; `max_lines` caps what is left between them. It never
    drops a kept line or evidence here.

    Attributes:
        output_match: what the output has to contain, "" for anything.
        exit_codes: with which exit codes it is used; empty for any.
        not_for: patterns of commands for which it is not used, though its trigger matches.
        min_lines: how long an output has to be at least.
        tests: outputs that prove it.
        provenance: who made it from what.
        version: counts its successors.
        status: only an active rule hides anything.
    """

    rule_id: str
    trigger_regex: str
    description: str = ""
    keep_patterns: tuple[str, ...] = ()
    strip_patterns: tuple[str, ...] = ()
    keep_first_n: int = 5
    keep_last_n: int = 10
    max_lines: int | None = None
    summary_header: str | None = None
    priority: int = 42
    confidence: float = 1.0
    times_applied: int = 0
    times_complained: int = 0
    output_match: str = ""
    exit_codes: tuple[int, ...] = ()
    not_for: tuple[str, ...] = ()
    min_lines: int = 0
    tests: tuple[Sample, ...] = ()
    provenance: str = ""
    version: int = 1
    status: Status = Status.ACTIVE

    @property
    def reason(self) -> str:
        """What its marker says that the hidden lines are, in a few plain words."""
        words = " ".join((self.summary_header or self.description or self.rule_id).split())
        return words.translate(_PLAIN)[:40].strip() or self.rule_id

    @property
    def works(self) -> bool:
        """Whether it may hide anything."""
        return self.status is Status.ACTIVE and self.confidence >= LEAST_CONFIDENCE


_PLAIN = {ord(character): None for character in "[]();,·"}


def check(rule: Rule) -> None:
    """See that a rule can be used.

    Raises:
        RuleError: it cannot; the message names the field, the reason and the remedy.
    """
    if not rule.rule_id or not rule.rule_id.isprintable() or len(rule.rule_id) > 100:
        raise RuleError(f"rule_id {rule.rule_id[:40]!r}: use 1 to 100 printable characters")
    if not rule.strip_patterns and rule.max_lines is None:
        raise RuleError(f"rule {rule.rule_id!r} hides nothing: give strip_patterns or max_lines")
    for field in ("keep_patterns", "strip_patterns", "not_for"):
        if len(getattr(rule, field)) > MOST:
            raise RuleError(f"rule {rule.rule_id!r}: {field}: {MOST} at most: join some with |")
    for field in ("keep_first_n", "keep_last_n", "min_lines", "max_lines"):
        if (getattr(rule, field) or 0) < 0:
            raise RuleError(f"rule {rule.rule_id!r}: {field} is below 0: give a number of lines")
    for field, pattern in _patterns(rule):
        _check_pattern(rule, field, pattern)


def _patterns(rule: Rule) -> Iterator[tuple[str, str]]:
    yield "trigger_regex", rule.trigger_regex
    yield from (("keep_patterns", pattern) for pattern in rule.keep_patterns)
    yield from (("strip_patterns", pattern) for pattern in rule.strip_patterns)
    yield from (("not_for", pattern) for pattern in rule.not_for)
    if rule.output_match:
        yield "output_match", rule.output_match


def _check_pattern(rule: Rule, field: str, pattern: str) -> None:
    place = f"rule {rule.rule_id!r}: {field}: {pattern[:60]!r}"
    if len(pattern) > LONGEST:
        raise RuleError(f"{place} has {len(pattern)} characters: {LONGEST} at most: split it")
    try:
        program = compiled(pattern)
    except ValueError as error:
        raise RuleError(f"{place} is {error}") from None
    if program.search("") is not None:
        raise RuleError(f"{place} matches the empty text, and so everything: ask for a character")
