"""Evolution: from what a data folder has seen to rules that change; off the path of any request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from agentctx.diary import DOUBT_S, Complaint
from agentctx.errors import PoolError
from agentctx.evolve.need import needed, ripe
from agentctx.evolve.successor import successors
from agentctx.evolve.tally import tally
from agentctx.evolve.trail import remembered
from agentctx.learn.case import Case
from agentctx.learn.gate import Shadow, harm, judge, shadow, vague
from agentctx.learn.lesson import Lesson, learn
from agentctx.learn.sample import proven
from agentctx.pool import Entry, Outcome, Pool
from agentctx.stores import RULES, Stores
from agentctx.terminal.rules import overlay, pack
from agentctx.terminal.rules.overlay import Overlay
from agentctx.terminal.rules.rule import LEAST_CONFIDENCE, Rule, Status
from agentctx.terminal.rules.scope import Scope, scope_of

ENOUGH = 20
"""New outputs that are worth learning from again."""

_NOTHING = "saves nothing on what is remembered"

Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What became of a rule, and why."""

    rule_id: str
    became: str
    why: str
    saved: int = 0


@dataclass(frozen=True, slots=True)
class Evolution:
    """One pass over a data folder and a pool."""

    stores: Stores
    pool: Pool

    def run(
        self, tell: Tell = lambda done, total: None, *, patient: bool = False
    ) -> tuple[Step, ...]:
        """Count what came of rules, settle complaints, learn, retire, and take over the pool's best.

        Complaints become successors of the rules that were complained about: with the lines that
        were needed kept, if they pass the gate on the outputs that are remembered. A rule of which
        nothing was needed is used again, with less trust. While the pool is frozen, outcomes are
        counted and nothing else.

        Args:
            tell: told how many of how many proposals are done.
            patient: learn only where enough is new.

        Raises:
            AgentctxError: the data folder or the pool cannot be read or written.
        """
        known = self.known()
        tally(self.stores, self.pool, known)
        complaints = list(ripe(self.stores.diary))
        steps: list[Step] = []
        frozen = self.pool.frozen
        if not frozen:
            enough = not patient or self.stores.diary.fresh() >= ENOUGH
            cases = list(remembered(self.stores)) if enough or complaints else []
            outputs = shadow(cases, self.stores.book.rules)
            for complaint in complaints:
                steps += self._settled(complaint, known, outputs)
            if enough:
                steps += self._waiting(outputs)
                steps += self._learnt(cases, tell)
                self.stores.diary.learnt()
            steps += self._retired(known)
        self.stores.diary.settle(() if frozen else complaints, self._overlay)
        self.stores.reread()
        return tuple(steps)

    def retire(self, rule_id: str, why: str) -> None:
        """Never use a rule any more, one that ships included.

        Raises:
            PoolError: the pool is frozen, or there is no such rule.
        """
        self._retire(rule_id, self.known(), why)
        self.lay_over()

    def lay_over(self) -> None:
        """Take over what the pool knows into the data folder."""
        self.stores.diary.settle((), self._overlay)
        self.stores.reread()

    def count(self) -> None:
        """Tell the pool what came of rules here since the last time."""
        tally(self.stores, self.pool, self.known())

    def known(self) -> tuple[Rule, ...]:
        """Return all rules that may have been in force here, whatever became of them."""
        packs = pack.known(self.stores.settings.data / RULES, self.stores.refused)
        rules = {rule.rule_id: rule for rule in packs}
        rules |= {e.rule.rule_id: e.rule for e in self.pool.entries(self.stores.refused)}
        return tuple(rules.values())

    def _settled(
        self, complaint: Complaint, known: Sequence[Rule], outputs: Shadow
    ) -> Iterator[Step]:
        rule = next((rule for rule in known if rule.rule_id == complaint.rule_id), None)
        lines = needed(complaint, rule, self.stores) if rule else ()
        scope = _scope(complaint.scope)
        tried = (
            [self._tried(one, outputs) for one in successors(rule, scope, lines)] if rule else []
        )
        if rule is None or not tried:
            why = f"nothing that can be told of what {complaint.kind} gave back was needed"
            yield Step(rule_id=complaint.rule_id, became="used again", why=why)
            return
        entry, why = next((one for one in tried if not one[1]), tried[-1])
        yield self._put(replace(entry, scope=str(scope), parent=rule.rule_id), why)

    def _tried(self, rule: Rule, outputs: Shadow, *, strict: bool = False) -> tuple[Entry, str]:
        """Return a rule as it comes out of the gate, and what speaks against it.

        A successor hides less than the rule that it succeeds, which was proven: it has to do no
        harm. A rule from elsewhere has to prove itself on enough outputs.
        """
        active = replace(rule, status=Status.ACTIVE)
        verdict = judge(active, outputs)
        why = verdict.why if strict else harm(verdict) or ("" if verdict.saved > 0 else _NOTHING)
        if any(map(vague, rule.strip_patterns)):
            why = "matches any line: say more of what it is for"
        shown = proven(active, outputs.trials, self.stores.redactor.redact)
        status = Status.SHADOW if why else Status.ACTIVE
        return Entry(rule=replace(shown, status=status), evidence=asdict(verdict)), why

    def _waiting(self, outputs: Shadow) -> Iterator[Step]:
        """Try those again that did not pass the gate on what was remembered earlier."""
        for entry in self.pool.entries():
            if entry.rule.status is Status.SHADOW:
                tried, why = self._tried(entry.rule, outputs, strict=not entry.parent)
                if not why:
                    reason = f"proven on {tried.evidence.get('applied', 0)} outputs"
                    self.pool.move(entry.rule.rule_id, Status.ACTIVE, reason)
                    yield Step(rule_id=entry.rule.rule_id, became="active", why=reason)

    def _learnt(self, cases: Sequence[Case], tell: Tell) -> Iterator[Step]:
        redact, ask = self.stores.redactor.redact, self.stores.proposer()
        for lesson in learn(cases, self.stores.book.rules, redact, tell, ask):
            if lesson.why:
                yield Step(rule_id=lesson.rule.rule_id, became="refused", why=lesson.why)
            else:
                yield self._put(self._entry(lesson), "")

    def _entry(self, lesson: Lesson) -> Entry:
        name, number = lesson.rule.rule_id, 1
        while self.pool.get(name) is not None:
            number += 1
            name = f"{lesson.rule.rule_id}.{number}"
        rule = replace(lesson.rule, rule_id=name, status=Status.ACTIVE)
        evidence = asdict(lesson.held_out) | {"saved": lesson.shadow.saved + lesson.held_out.saved}
        return Entry(rule=rule, scope=str(scope_of(rule.tests[0].command) or ""), evidence=evidence)

    def _put(self, entry: Entry, why: str) -> Step:
        saved = int(entry.evidence.get("saved", 0))
        reason = why or f"proven on {entry.evidence.get('applied', 0)} outputs"
        try:
            name = self.pool.add(entry, reason)
        except PoolError as error:
            return Step(rule_id=entry.rule.rule_id, became="refused", why=str(error))
        return Step(rule_id=name, became=str(entry.rule.status), why=reason, saved=saved)

    def _retire(self, rule_id: str, known: Sequence[Rule], why: str) -> None:
        shipped = [rule for rule in known if rule.rule_id == rule_id]
        if shipped and self.pool.get(rule_id) is None:
            bare = replace(shipped[0], tests=(), status=Status.RETIRED)
            self.pool.add(Entry(rule=bare), why)
        else:
            self.pool.move(rule_id, Status.RETIRED, why)

    def _retired(self, known: Sequence[Rule]) -> Iterator[Step]:
        """Retire the rules for which agents came back too often."""
        counts = self.pool.totals()
        for rule in known:
            found = counts.get(rule.rule_id, Outcome())
            if rule.status is Status.RETIRED or found.confidence >= LEAST_CONFIDENCE:
                continue
            why = f"agents came back for {found.complained} of {found.applied} outputs"
            self._retire(rule.rule_id, known, why)
            yield Step(rule_id=rule.rule_id, became="retired", why=why)

    def _overlay(self, complaints: Sequence[Complaint]) -> None:
        """Write what is known here better than in the packs; some complaints are still open."""
        entries = self.pool.entries()
        found = Overlay(
            rules=self.pool.best(),
            retired=frozenset(e.rule.rule_id for e in entries if e.rule.status is Status.RETIRED),
        )
        for entry in entries:
            if entry.parent and entry.scope:
                found = found.spare(entry.parent, _scope(entry.scope).trigger)
        for one in complaints:
            found = found.spare(one.rule_id, _scope(one.scope).trigger, one.at + DOUBT_S)
        overlay.save(found, self.stores.overlay)


def _scope(text: str) -> Scope:
    return Scope(*text.split(" ", 1))
