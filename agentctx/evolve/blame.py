"""Blame: what one rule hid of one output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from agentctx.archive import Archive
from agentctx.ledger import Decision
from agentctx.patterns import found
from agentctx.terminal.command import printed
from agentctx.terminal.rules.hidden import hidden_by
from agentctx.terminal.rules.rule import Rule
from agentctx.terminal.rules.scope import Scope, scope_of
from agentctx.terminal.screen import screen

MOST = 10
"""So many lines that an agent came back for say what it needs; more say nothing of the sort."""


@dataclass(frozen=True, slots=True)
class Blame:
    """A rule, the lines of an original that it hid (from, to, inclusive), and their tokens."""

    rule: Rule
    lines: tuple[tuple[int, int], ...]
    tokens: int

    def touches(self, span: tuple[int, int]) -> bool:
        """Tell whether it hid any of these lines."""
        return any(first <= span[1] and span[0] <= last for first, last in self.lines)

    def hid(self, archive: Archive, name: str, span: tuple[int, int]) -> Iterator[str]:
        """Yield those of these lines of an original that it hid, as a terminal shows them.

        Raises:
            ArchiveError: the original cannot be read.
        """
        for first, last in self.lines:
            for raw in archive.lines(name, max(first, span[0]), min(last, span[1])):
                lines = screen(raw.decode("utf-8", "replace").rstrip("\n"))
                yield "\n".join(line.text for line in lines)


def blamed(decision: Decision, rules: Iterable[Rule]) -> Iterator[Blame]:
    """Yield those of the rules that hid lines by this decision.

    A marker that they share with another step counts for all of them. Tokens are those that the
    decision saved, by the share of lines.
    """
    hidden = [span for span in decision.spans if span.hidden]
    total = sum(span.last - span.first + 1 for span in hidden)
    for rule in rules:
        lines = [(s.first, s.last) for s in hidden_by(rule, decision.rules, hidden)]
        if lines:
            share = sum(last - first + 1 for first, last in lines) / total
            saved = decision.tokens_before - decision.tokens_after
            yield Blame(rule, tuple(lines), round(saved * share))


def scopes(rule: Rule, command: str) -> tuple[Scope, ...]:
    """Return the scopes of those parts of a command line that a rule is for."""
    parts = (part for part in printed(command) if found(rule.trigger_regex, part))
    return tuple(dict.fromkeys(scope for part in parts if (scope := scope_of(part)) is not None))
