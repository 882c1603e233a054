"""The step that hides what rules say a model can do without."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from agentctx.terminal.hidden import WORTH_A_MARKER, Hidden, size
from agentctx.terminal.lines import Line
from agentctx.terminal.rules.book import patterns
from agentctx.terminal.rules.rule import Rule


def strip(
    lines: Sequence[Line], free: Sequence[bool], keep: Sequence[bool], rules: tuple[Rule, ...]
) -> list[Hidden]:
    """Return the runs of lines that rules hide, each by the first rule that does.

    Args:
        lines: the screened output.
        free: for each line, whether it is still shown.
        keep: for each line, whether it is evidence and so stays, whatever a rule says.
        rules: those for this output, in their order.
    """
    if not rules:
        return []
    owners: list[Rule | None] = [None] * len(lines)
    kept = list(keep)
    hits = patterns(rules)
    keeps, owning = _numbers(rules)
    for i, line in enumerate(lines):
        if not free[i] or keep[i] or line.text.isspace() or not line.text:
            continue
        found = hits(line.text)
        kept[i] = bool(found) and found[0] < keeps
        if not kept[i]:
            inside = (owning[hit] for hit in found if _inside(owning[hit], i, len(lines)))
            owners[i] = next(inside, None)
    _cap(lines, free, kept, owners, rules)
    _bridge(lines, free, owners)
    return list(_runs(lines, owners))


def _numbers(rules: Sequence[Rule]) -> tuple[int, Mapping[int, Rule]]:
    """Return how many of the patterns keep, and whose each of the others is, by its number."""
    keeps = sum(len(rule.keep_patterns) for rule in rules)
    owning = [rule for rule in rules for _ in rule.strip_patterns]
    return keeps, dict(enumerate(owning, keeps))


def _cap(
    lines: Sequence[Line],
    free: Sequence[bool],
    kept: Sequence[bool],
    owners: list[Rule | None],
    rules: tuple[Rule, ...],
) -> None:
    """Give what is beyond a rule's number of lines to it."""
    for rule in rules:
        if rule.max_lines is None:
            continue
        left = rule.max_lines
        for i, owner in enumerate(owners):
            if free[i] and not kept[i] and owner is None and _inside(rule, i, len(lines)):
                left -= 1
                owners[i] = rule if left < 0 else None


def _bridge(lines: Sequence[Line], free: Sequence[bool], owners: list[Rule | None]) -> None:
    """Hide the blank lines between lines that are hidden: they would split one marker into many."""
    last = -2
    for i, owner in enumerate(owners):
        if owner is None:
            continue
        between = range(last + 1, i)
        if last >= 0 and all(free[j] and not lines[j].text.strip() for j in between):
            owners[last + 1 : i] = [owner] * len(between)
        last = i


def _runs(lines: Sequence[Line], owners: Sequence[Rule | None]) -> Iterator[Hidden]:
    """Yield the runs that are worth a marker; neighbours share one."""
    at = 0
    for hidden, group in groupby(owners, key=lambda owner: owner is not None):
        members = list(group)
        start, at = at, at + len(members)
        if not hidden or size(lines, start, at) < WORTH_A_MARKER:
            continue
        for rule, same in groupby(members):
            stop = start + len(list(same))
            if rule:
                yield Hidden(start, stop, rule.reason, rule=rule.rule_id)
            start = stop


def _inside(rule: Rule, i: int, total: int) -> bool:
    """Tell whether a line lies between those at both ends that a rule does not touch."""
    return rule.keep_first_n <= i < total - rule.keep_last_n
