"""The gate: whether a rule may hide lines, tried in the shadow on outputs of the past."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from agentctx.learn.case import Case
from agentctx.patterns import compiled
from agentctx.terminal import marker
from agentctx.terminal.command import Output, classify, printed
from agentctx.terminal.evidence import evidence
from agentctx.terminal.lines import split
from agentctx.terminal.reduce import Limits
from agentctx.terminal.rules.book import Book
from agentctx.terminal.rules.rule import Rule
from agentctx.terminal.trial import alone
from agentctx.values import Reduction

OUTPUTS, TASKS = 5, 3
"""On how many outputs, of how many tasks, a rule has to prove itself."""

RECALL, OWN_RECALL = 0.995, 0.95
"""Shares of the strings used afterwards that have to stay: over all outputs, all rules together, and
in the outputs of the rule's own commands."""

_PROBES = (
    "x = compute(y)",
    "src/app/main.py",
    "The quick brown fox jumps over the lazy dog",
    "2024-01-31 12:00:00 value=17",
    "/usr/lib/libfoo.so.1.2",
    "    return [1, 2, 3]",
    "Saved the report",
    "| name | size |",
)
_VAGUE = 3
"""Lines that have nothing in common; a pattern that matches so many of them asks for nothing."""

_LOOKS = 50  # outputs
_PASSED = re.compile(r"\.\.\. ok$|\bPASSED\b(?! \|)|^--- PASS:|^test \S+ \.\.\. ok$")
_VERDICT = re.compile(
    r"\b(?:FAIL(?:ED|URE|URES)?|ERRORS?|FATAL|PANIC(?:KED)?)\b|\b(?:error|fatal|warning|panic)s?:"
    r"|\w(?:Error|Exception|Warning)\b|Traceback|\bexit(?:ed)? (?:code|status|with)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was found when a rule was tried: the evidence for it, or against it.

    Attributes:
        applied: outputs that the rule changed; `tasks` is of how many tasks they are.
        saved: tokens.
        uses: strings that were used afterwards, of the outputs of its commands; `uses_kept` are
            still shown.
        all_uses: the same over all outputs, with all rules together.
        evidence: lines that say how it went, of the outputs that it changed.
        longer: outputs that it made longer than they were.
        why: why it may not be used.
    """

    applied: int = 0
    tasks: int = 0
    saved: int = 0
    uses: int = 0
    uses_kept: int = 0
    all_uses: int = 0
    all_uses_kept: int = 0
    evidence: int = 0
    evidence_kept: int = 0
    longer: int = 0
    why: str = ""

    @property
    def ok(self) -> bool:
        """Whether the rule may be used."""
        return not self.why


def vague(pattern: str) -> bool:
    """Tell whether a pattern matches lines that have nothing in common."""
    found = compiled(pattern)
    return sum(found.search(line) is not None for line in _PROBES) >= _VAGUE


def judge(rule: Rule, shadow: Shadow) -> Verdict:
    """Return what a rule does to outputs of the past, beside the rules that are in force already."""
    tried = list(shadow.tried(rule))
    changed = [(t, after) for t, after in tried if after.text != t.before.text]
    lost = sum(t.kept - t.still(after) for t, after in tried)
    verdict = Verdict(
        applied=len(changed),
        tasks=len({trial.case.task for trial, _ in changed}),
        saved=sum(t.before.tokens_after - after.tokens_after for t, after in changed),
        uses=sum(trial.kept for trial, _ in tried),
        uses_kept=sum(trial.kept for trial, _ in tried) - lost,
        all_uses=shadow.uses,
        all_uses_kept=shadow.uses - sum(len(t.case.used) - t.kept for t in shadow.trials) - lost,
        evidence=sum(len(trial.told) for trial, _ in changed),
        evidence_kept=sum(len(trial.told & _lines(after)) for trial, after in changed),
        longer=sum(after.tokens_after > after.tokens_before for _, after in changed),
    )
    return replace(verdict, why=_against(verdict))


@dataclass(frozen=True, slots=True)
class Shadow:
    """Outputs of the past to try rules on, as they are seen with the `others` that are in force.

    `uses` are the strings that were used of any of them.
    """

    trials: tuple[Trial, ...]
    others: tuple[Rule, ...]
    uses: int

    def concerned(self, rule: Rule) -> Iterator[Trial]:
        """Yield the outputs that a rule is for."""
        book = Book([rule])
        for trial in self.trials:
            seen = trial.case.observation
            if book.chosen(seen, seen.output.count("\n") + 1):
                yield trial

    def tried(self, rule: Rule) -> Iterator[tuple[Trial, Reduction]]:
        """Yield them, each with what is seen of it with the rule."""
        book = Book([*self.others, rule])
        for trial in self.concerned(rule):
            yield trial, alone(trial.case.observation, book)

    def matched(self, rule: Rule, pattern: str) -> int:
        """Return how many characters a pattern matches in some outputs of a rule's commands."""
        search = compiled(pattern).search
        some = islice(self.concerned(rule), _LOOKS)
        lines = (line for trial in some for line in trial.before.text.split("\n"))
        return sum(len(line) for line in lines if search(line))


def shadow(cases: Sequence[Case], others: Sequence[Rule]) -> Shadow:
    """Return outputs as they are seen with the rules in force so far, those that a rule may change."""
    book = Book(others)
    found = (Trial(case, alone(case.observation, book)) for case in cases if _log(case))
    large = (trial for trial in found if trial.before.tokens_before >= Limits().smallest)
    return Shadow(tuple(large), tuple(others), sum(len(case.used) for case in cases))


@dataclass(frozen=True)
class Trial:
    """One output as it is seen with the rules in force, to be compared with one rule more."""

    case: Case
    before: Reduction

    @cached_property
    def told(self) -> frozenset[str]:
        """The lines that say how it went: what the engine takes for evidence, and verdicts."""
        lines = split(self.before.text)
        stays = zip(lines, evidence(lines), strict=True)
        found = {line.text for line, kept in stays if kept or _says(line.text)}
        return frozenset(text for text in found if not marker.is_marker(text))

    @cached_property
    def kept(self) -> int:
        """How many of the strings that were used are shown."""
        return self.still(self.before)

    def still(self, after: Reduction) -> int:
        """Return how many of the strings that were used a reduction shows."""
        return sum(used in after.text for used in self.case.used)


def _says(text: str) -> bool:
    return _VERDICT.search(text) is not None and _PASSED.search(text) is None


def _log(case: Case) -> bool:
    seen = case.observation
    return bool(printed(seen.command)) and classify(seen.command, seen.tool) is Output.RUN


def _lines(after: Reduction) -> set[str]:
    return set(after.text.split("\n"))


def harm(found: Verdict) -> str:
    """Return what a rule costs that it may not cost, "" if it does no harm."""
    if found.evidence_kept < found.evidence:
        return f"hides {found.evidence - found.evidence_kept} lines of evidence"
    if found.uses_kept < OWN_RECALL * found.uses:
        lost = found.uses - found.uses_kept
        return f"hides {lost} of {found.uses} strings that were used afterwards"
    if found.all_uses_kept < RECALL * found.all_uses:
        return f"with the others, {found.all_uses - found.all_uses_kept} used strings are hidden"
    return f"makes {found.longer} outputs longer" if found.longer else ""


def _against(found: Verdict) -> str:
    """Return what speaks against a rule."""
    if found.applied < OUTPUTS or found.tasks < TASKS:
        return f"proven on {found.applied} outputs of {found.tasks} tasks only"
    return harm(found) or ("" if found.saved > 0 else "saves nothing")
