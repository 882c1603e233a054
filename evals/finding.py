"""One observation under one policy: what was saved, and what is wrong with what was shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentctx.evals.audit import Audit, audit
from agentctx.evals.counts import Counts
from agentctx.evals.family import family
from agentctx.evals.lines import visible
from agentctx.evals.meter import Tally
from agentctx.evals.policy import Arm
from agentctx.evals.results import Example, Miss
from agentctx.evals.score import Stakes, Use
from agentctx.evals.trajectory import Turn
from agentctx.evals.walk import Walk


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Observation `number` of a run: `raw` came in, the last request shows `out`.

    `evidence` and `uses` are at stake; `missing` and `hidden` are those of them that are gone.
    """

    number: int
    turn: Turn
    raw: str
    out: str
    before: int
    after: int
    evidence: tuple[str, ...]
    missing: tuple[str, ...]
    uses: tuple[Use, ...]
    hidden: tuple[Use, ...]
    audit: Audit

    @property
    def family(self) -> str:
        """The kind of command that it answers."""
        return family(self.turn.command, self.turn.tool)

    @property
    def command(self) -> str:
        """The command, or the arguments of another tool."""
        return self.turn.command or str(dict(self.turn.call.arguments) if self.turn.call else "")

    def counts(self) -> Counts:
        """Return it as numbers that add up."""
        return Counts(
            observations=1,
            tokens_raw=self.before,
            tokens_out=self.after,
            longer=self.after > self.before,
            changed=self.out != self.raw,
            evidence_kept=len(self.evidence) - len(self.missing),
            evidence=len(self.evidence),
            uses_kept=len(self.uses) - len(self.hidden),
            uses=len(self.uses),
            verbatim=len(self.audit.verbatim),
            lost=self.audit.lost,
            dangling=self.audit.dangling,
        )

    def example(self, run: str) -> Example:
        """Return it as a pair to be looked at."""
        return Example(
            run=run,
            number=self.number,
            command=self.command,
            family=self.family,
            before=self.raw,
            after=self.out,
            tokens_before=self.before,
            tokens_after=self.after,
        )

    def misses(self, run: str) -> Iterator[Miss]:
        """Yield what went wrong."""
        found = [("evidence", line) for line in self.missing]
        found += [("future use", use.text) for use in self.hidden]
        found += [("verbatim", line) for line in self.audit.verbatim]
        for kind, text in found:
            yield Miss(kind=kind, run=run, number=self.number, command=self.command, text=text)


def findings(
    turns: Sequence[Turn], stakes: Stakes, walk: Walk, arm: Arm, tally: Tally
) -> Iterator[Finding]:
    """Yield what is found of every observation that some request showed."""
    seen = [turn for turn in turns if turn.seen]
    for number, turn in enumerate(seen[: len(walk.shown)]):
        raw, out = turn.seen.text if turn.seen else "", walk.last(number)
        uses = tuple(use for use in stakes.uses if use.seen == number)
        evidence = stakes.evidence[number]
        yield Finding(
            number=number,
            turn=turn,
            raw=raw,
            out=out,
            before=tally.count(raw),
            after=tally.count(out),
            evidence=evidence,
            missing=missing(evidence, out) if out != raw else (),
            uses=uses,
            hidden=tuple(use for use in uses if use.text not in walk.at(number, use.turn)),
            audit=audit(raw, out, arm) if out != raw else Audit(),
        )


def missing(lines: Sequence[str], out: str) -> tuple[str, ...]:
    """Return the evidence lines that an emitted text does not show."""
    shown = {line.rstrip() for line in visible(out)}
    return tuple(line for line in lines if line not in shown)
