"""Feedback: an agent came back for what a rule had hidden, so the rule is not used there for now."""

from __future__ import annotations

import time
from collections.abc import Sequence

from agentctx.diary import DOUBT_S, Complaint
from agentctx.errors import AgentctxError
from agentctx.evolve.blame import MOST, Blame, blamed, scopes
from agentctx.ledger import Decision
from agentctx.options import Rules
from agentctx.patterns import Pattern
from agentctx.stores import Stores
from agentctx.terminal.look import looked_at, looks, written
from agentctx.terminal.rules import overlay
from agentctx.tokens import estimate

FULL, EXPAND, AGAIN, LOG = "full", "expand", "again", "log"


class Feedback:
    """Takes complaints about rules; taking one never fails the caller (law 7)."""

    def __init__(self, stores: Stores) -> None:
        """Listen for a data folder."""
        self.stores = stores

    @property
    def listens(self) -> bool:
        """Whether complaints change anything here."""
        settings = self.stores.settings
        return settings.edits and settings.ruled and settings.rules is not Rules.FROZEN

    def expanded(
        self, handle: str, name: str, span: tuple[int, int], pattern: Pattern | None
    ) -> None:
        """Note that lines of an original were asked for, where rules had hidden some of them.

        Args:
            handle: what the marker said.
            name: of the original, in the archive.
            span: first and last line, counted from 1, inclusive.
            pattern: what the lines had to match.
        """
        if not self.listens:
            return
        try:
            decision = self.stores.ledger.reduced(handle)
            for blame in self._blamed(decision, span):
                asked = blame.hid(self.stores.archive, name, span)
                if found := [text for text in asked if pattern is None or pattern.search(text)]:
                    few = found if len(found) <= MOST else []
                    self._complain(EXPAND, name, [(blame, tuple(few))])
        except AgentctxError as error:
            self.stores.tell("feedback-failed", "", error=str(error)[:500])

    def came_back(self, kind: str, decision: Decision, session: str) -> bool:
        """Note that a whole output was asked for again; tell whether rules had hidden some of it."""
        if not self.listens or not decision.handle:
            return False
        try:
            name = self.stores.resolve(decision.handle)
            found = [(blame, ()) for blame in self._blamed(decision, (1, decision.spans[-1].last))]
            return bool(found) and self._complain(kind, name, found)
        except AgentctxError as error:
            self.stores.tell("feedback-failed", session, error=str(error)[:500])
            return False

    def again(self, command: str, earlier: Sequence[tuple[str, Decision]], session: str) -> bool:
        """Note that a command asks again for what was hidden of an earlier one's output.

        It is the same command, with nothing done in between but looking, or it looks into the file
        that the other one left its output in.

        Args:
            command: what is run now.
            earlier: the commands before it with what was decided about their outputs, oldest first.
            session: whose they are.

        Returns:
            Whether that was a complaint: its output is then shown without the rules.
        """
        untouched, files = True, looked_at(command)
        for before, decision in reversed(earlier):
            if untouched and before == command:
                return self.came_back(AGAIN, decision, session)
            if files and decision.handle and files & written(before):
                return self.came_back(LOG, decision, session)
            untouched = untouched and looks(before)
        return False

    def _blamed(self, decision: Decision | None, span: tuple[int, int]) -> list[Blame]:
        rules = self.stores.book.rules
        return [one for one in blamed(decision, rules) if one.touches(span)] if decision else []

    def _complain(
        self, kind: str, name: str, found: Sequence[tuple[Blame, tuple[str, ...]]]
    ) -> bool:
        command = self.stores.archive.command(name)
        made = [
            Complaint(
                rule_id=blame.rule.rule_id,
                scope=str(scope),
                name=name,
                kind=kind,
                lines=lines,
                released=estimate("\n".join(lines)) if lines else blame.tokens,
            )
            for blame, lines in found
            for scope in scopes(blame.rule, command)
        ]
        doubt = {(b.rule.rule_id, s.trigger) for b, _ in found for s in scopes(b.rule, command)}
        new = self.stores.diary.complain(made, lambda: self._spare(doubt))
        if new:
            self.stores.reread()
            for one in made:
                self.stores.tell("complaint", "", rule=one.rule_id, scope=one.scope, by=kind)
        return new

    def _spare(self, doubt: set[tuple[str, str]]) -> None:
        place = self.stores.overlay
        found = overlay.load(place)
        for rule_id, pattern in sorted(doubt):
            found = found.spare(rule_id, pattern, time.time() + DOUBT_S)
        overlay.save(found, place)
