"""What a replay found, as values; everything that a report or a plot needs is in here."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field

from agentctx.evals.counts import Counts, Spend, ratio


@dataclass(frozen=True, slots=True)
class Point:
    """One call of a run: tokens of its prompt and its dollars (retrievals before it included)."""

    prompt: int
    dollars: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """An observation before and after."""

    run: str
    number: int
    command: str
    family: str
    before: str
    after: str
    tokens_before: int
    tokens_after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """Something that went wrong on an observation, for whoever mends it.

    `kind` is "evidence", "future use" or "verbatim"; `text` the line or string.
    """

    kind: str
    run: str
    number: int
    command: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmRun:
    """One policy on one run. `steps` are the tokens that each reducing step hid."""

    policy: str
    spend: Spend
    families: Mapping[str, Counts]
    points: tuple[Point, ...]
    steps: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()
    misses: tuple[Miss, ...] = ()
    seconds: array[float] = field(default_factory=lambda: array("d"))
    memory: int = 0
    touched: int = 0

    @property
    def counts(self) -> Counts:
        """The run's counts over all families."""
        return Counts.total(self.families.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One trajectory under every policy. `recorded` pairs our prompt counts with the provider's.

    `cached` are the provider's cached tokens for the same calls; `host_prompt` those that stand in
    for a system prompt that was not recorded.
    """

    id: str
    task: str
    source: str
    model: str
    arms: Mapping[str, ArmRun]
    recorded: tuple[tuple[int, int], ...] = ()
    cached: int = 0
    billed: float = 0.0
    host_prompt: int = 0


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % bootstrap interval over tasks."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Means over the runs that had a call `call`: this policy and raw."""

    call: int
    runs: int
    prompt: float
    prompt_raw: float
    dollars: float
    dollars_raw: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One run under one policy, for a scatter or a table."""

    run: str
    source: str
    calls: int
    prompt: int
    prompt_raw: int
    dollars: float
    dollars_raw: float

    @property
    def ratio(self) -> float:
        """Dollars of this policy over dollars of raw."""
        return ratio(self.dollars, self.dollars_raw)


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyResult:
    """One row of the report. Latencies are milliseconds for each turn, memory is bytes."""

    policy: str
    counts: Counts
    spend: Spend
    dollars_vs_raw: float
    input_vs_raw: float
    runs_cheaper: float
    worst_run: float
    intervals: Mapping[str, Interval]
    latency_p50: float
    latency_p99: float
    peak_memory: int
    touched: int
    by_source: Mapping[str, Mapping[str, float]]
    by_family: Mapping[str, Counts]
    by_step: Mapping[str, int]
    curve: tuple[Curve, ...]
    lines: tuple[Line, ...]
    examples: tuple[Example, ...]
    misses: tuple[Miss, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RawCheck:
    """The raw arm's simulated prompt tokens against the provider's record.

    `error` is the signed error in total with a calibration learnt only from earlier calls;
    `halves` the errors of each half of the runs under the other half's ratio.
    """

    calls: int
    counted: int
    recorded: int
    error: float
    error_uncalibrated: float
    run_p95: float
    run_worst: float
    halves: tuple[float, float]
    cached_recorded: float
    cached_simulated: float
    dollars_recorded: float
    dollars_simulated: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """A whole replay. `host_prompts` are the assumed tokens of each source's unrecorded prompt."""

    policies: tuple[PolicyResult, ...]
    runs: int
    observations: int
    models: Mapping[str, str]
    host_prompts: Mapping[str, int] = field(default_factory=dict)
    repaired: int = 0
    skipped: int = 0
    notes: tuple[str, ...] = ()
    raw_check: RawCheck | None = None
