"""What cutting runs found out about memory, as values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from agentctx.evals.quantile import quantile

WAYS = ("kill", "compaction", "resume", "fork", "handoff")
"""The ways of cutting a run."""

_EACH = 3  # examples of a kind of fault
BUDGET = 600
"""Tokens that may be told beside the user's own text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What is told of where the work stands, held against what was recorded.

    `said` are the user's messages and `kept` those of them that are there verbatim; `lines` are
    those of their lines that hold beyond the moment. `hidden` counts messages too long to be shown
    whole, `recalled` those of them whose rest came back by their id.
    """

    said: int = 0
    kept: int = 0
    lines: int = 0
    lines_kept: int = 0
    hidden: int = 0
    recalled: int = 0
    reopened: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    planned: str = ""
    next_action: str = ""
    next_right: bool = True
    tokens: int = 0
    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """One cut of a run before its turn `turn`; `form` says how it was made.

    `in_flight` tells that a call had no result yet; `broken` are rules of the provider that the
    request breaks, `seconds` passed until it was ready.
    """

    run: str
    turn: int
    way: str
    form: str
    in_flight: bool
    told: Told
    broken: int = 0
    extends: bool = True
    seconds: float = 0.0

    @property
    def faults(self) -> tuple[str, ...]:
        """What fell short, by name."""
        told = self.told
        found = {
            "words": told.kept + told.hidden < told.said,
            "constraints": told.lines_kept < told.lines,
            "recall": told.recalled < told.hidden,
            "reopened": bool(told.reopened),
            "closed": bool(told.closed),
            "next action": not told.next_right,
            "tokens": told.tokens > BUDGET,
            "payload": self.broken > 0,
            "prefix": not self.extends,
        }
        return tuple(name for name, fell_short in found.items() if fell_short)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lived:
    """One run with its cuts. Of its `requests`, `moved` did not begin with the one before.

    `due` is how many should have; `seconds` is what each took, `error` what ended the run early.
    """

    run: str
    cuts: tuple[Cut, ...] = ()
    requests: int = 0
    due: int = 0
    moved: tuple[int, ...] = ()
    seconds: tuple[float, ...] = ()
    commits: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """All cuts of one way. Tokens are those told beside the user's own text."""

    way: str
    cuts: int
    said: int
    kept: int
    lines: int
    lines_kept: int
    hidden: int
    recalled: int
    reopened: int
    closed: int
    next_right: int
    tokens_median: float
    tokens_most: int
    broken: int
    milliseconds: float
    fell_short: int
    faults: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """Everything that was found; `examples` are cuts that fell short, some of each kind."""

    totals: tuple[Total, ...]
    runs: int
    requests: int
    due: int
    moved: int
    commits: int
    killed: int
    milliseconds: float
    examples: tuple[Cut, ...] = ()
    errors: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def proven(self) -> bool:
        """Whether nothing fell short anywhere."""
        return not self.moved and not self.errors and not any(t.fell_short for t in self.totals)


def gather(lives: Sequence[Lived], notes: Iterable[str] = ()) -> Remembered:
    """Return the totals of these runs."""
    cuts = [cut for life in lives for cut in life.cuts]
    return Remembered(
        totals=tuple(total(way, [cut for cut in cuts if cut.way == way]) for way in WAYS),
        runs=len(lives),
        requests=sum(life.requests for life in lives),
        due=sum(life.due for life in lives),
        moved=sum(len(life.moved) for life in lives),
        commits=sum(life.commits for life in lives),
        killed=sum(cut.form == "SIGKILL" for cut in cuts),
        milliseconds=1000 * quantile([s for life in lives for s in life.seconds], 0.5),
        examples=_examples(cuts),
        errors=tuple(f"{life.run}: {life.error}" for life in lives if life.error),
        notes=tuple(notes),
    )


def total(way: str, cuts: Sequence[Cut]) -> Total:
    """Return the total of cuts that were made in one way."""
    told = [cut.told for cut in cuts]
    faults: dict[str, int] = {}
    for name in (name for cut in cuts for name in cut.faults):
        faults[name] = faults.get(name, 0) + 1
    return Total(
        way=way,
        cuts=len(cuts),
        said=sum(one.said for one in told),
        kept=sum(one.kept for one in told),
        lines=sum(one.lines for one in told),
        lines_kept=sum(one.lines_kept for one in told),
        hidden=sum(one.hidden for one in told),
        recalled=sum(one.recalled for one in told),
        reopened=sum(len(one.reopened) for one in told),
        closed=sum(len(one.closed) for one in told),
        next_right=sum(one.next_right for one in told),
        tokens_median=quantile([one.tokens for one in told], 0.5),
        tokens_most=max((one.tokens for one in told), default=0),
        broken=sum(cut.broken for cut in cuts),
        milliseconds=1000 * quantile([cut.seconds for cut in cuts], 0.5),
        fell_short=sum(bool(cut.faults) for cut in cuts),
        faults=dict(sorted(faults.items())),
    )


def _examples(cuts: Sequence[Cut]) -> tuple[Cut, ...]:
    found: dict[tuple[str, tuple[str, ...]], list[Cut]] = {}
    for cut in cuts:
        if cut.faults:
            found.setdefault((cut.way, cut.faults), []).append(cut)
    return tuple(cut for some in found.values() for cut in some[:_EACH])
