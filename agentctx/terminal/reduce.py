"""The chain that turns an observation into what the model sees.

screen → repeats → frames → echo → again → rules → budget → compose → never-worse. Each step only hides whole lines,
so every line that is left stands in the original as a terminal would show it (law 4).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agentctx.config import Settings
from agentctx.terminal.again import again
from agentctx.terminal.budget import budget
from agentctx.terminal.command import Output, classify
from agentctx.terminal.compose import compose
from agentctx.terminal.echo import echo
from agentctx.terminal.evidence import evidence
from agentctx.terminal.frames import frames
from agentctx.terminal.hidden import Hidden, visible
from agentctx.terminal.lines import Line
from agentctx.terminal.repeats import repeats
from agentctx.terminal.rules.rule import Rule
from agentctx.terminal.rules.strip import strip
from agentctx.terminal.screen import screen
from agentctx.terminal.window import Shown, Window, key
from agentctx.values import Observation, Reduction, Span, content_id

_DATA_STARTS = ("{", "[")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When an output is left alone, and how long it may get. Tokens throughout.

    `run` and `read` cap the output of commands that run something and of those that show data;
    None never hides a line that stands nowhere else. A failed command may take twice as much.
    """

    smallest: int = 150
    saving: int = 80
    share: float = 0.10
    run: int | None = 4_000
    read: int | None = 25_000

    def of(self, kind: Output, exit_code: int | None) -> int | None:
        """Return the cap of one output."""
        cap = self.run if kind is Output.RUN else self.read
        return cap and cap * (2 if exit_code else 1)

    def worth(self, before: int, after: int) -> bool:
        """Tell whether a reduction saves enough to be made (law 3)."""
        return before - after >= max(self.saving, self.share * before)


def limits(settings: Settings) -> Limits:
    """Return the limits that the user has set."""
    if settings.lossless:
        return Limits(smallest=settings.min_tokens, run=None, read=None)
    return Limits(smallest=settings.min_tokens, run=settings.observation_tokens)


def _no_rules(observation: Observation, length: int) -> tuple[Rule, ...]:
    return ()


def reduce(
    observation: Observation,
    *,
    window: Window,
    handle: str,
    way: str,
    count: Callable[[str], int],
    limits: Limits,
    chosen: Callable[[Observation, int], tuple[Rule, ...]] = _no_rules,
) -> Reduction:
    """Return what the model sees of an observation.

    Args:
        observation: the result, secrets already removed.
        window: what the model still sees of earlier observations.
        handle: the handle under which the original can be expanded.
        way: what the reader does to expand it.
        count: tokens of a text.
        limits: when and how far to reduce.
        chosen: returns the rules for an observation of so many lines.

    Returns:
        A reduction without handle when the original is to stand as it is.
    """
    raw = observation.output
    before = count(raw)
    if before < limits.smallest:
        return Reduction(text=raw, tokens_before=before, tokens_after=before)
    lines = screen(raw)
    kind = _kind(observation, raw)
    cap = limits.of(kind, observation.exit_code)
    room = cap * len(raw) / before if cap and before > cap else None
    rules = chosen(observation, len(lines)) if kind is Output.RUN else ()
    hidden = _hide(lines, kind, window, rules, room)
    text, spans = compose(
        lines,
        hidden,
        total=_total(raw),
        way=way,
        longest=int(room) if room else None,
    )
    after = count(text) if text != raw else before
    if not limits.worth(before, after) or not text.strip():  # providers refuse a blank result
        return Reduction(text=raw, tokens_before=before, tokens_after=before)
    steps = [*map(_step, hidden), *("budget" for span in spans if span.hidden == "long line")]
    return Reduction(
        text=text,
        handle=handle,
        spans=spans,
        rules=tuple(dict.fromkeys(steps)) or ("screen",),
        tokens_before=before,
        tokens_after=after,
    )


def shown(name: str, label: str, text: str, spans: Sequence[Span] = ()) -> Shown:
    """Return what the model sees of a result, for the window; without spans it is as it came."""
    if not spans:
        return _plain(name, label, text, call=False)
    keys = tuple(
        None if span.hidden else key(line)
        for line, span in zip(text.split("\n"), spans, strict=True)
    )
    return Shown(name, label, keys, tuple(span.first for span in spans))


def called(text: str) -> Shown:
    """Return a call of the model's own, such as the file that it wrote, for the window."""
    return _plain(content_id(text), "", text, call=True)


def _plain(name: str, label: str, text: str, *, call: bool) -> Shown:
    lines = screen(text)
    keys = tuple(key(line.text) for line in lines)
    return Shown(name, label, keys, tuple(line.first for line in lines), call)


def _hide(
    lines: Sequence[Line],
    kind: Output,
    window: Window,
    rules: tuple[Rule, ...],
    room: float | None,
) -> list[Hidden]:
    """Return the runs of lines that go, step after step; `room` caps the characters that stay."""
    hidden = repeats(lines)
    keep = [False] * len(lines) if kind is Output.READ else evidence(lines)
    if kind is not Output.READ:
        hidden += frames(lines, _movable(visible(lines, hidden), keep))
    hidden += echo(lines, visible(lines, hidden), keep, window)
    hidden += again(lines, visible(lines, hidden))
    hidden += strip(lines, visible(lines, hidden), keep, rules)
    if room is None:
        return hidden
    keep = evidence(lines) if kind is Output.READ else keep
    for run in hidden:  # what a marker points to has to stay
        if run.target >= 0:
            keep[run.target : run.target + len(run)] = [True] * len(run)
    return hidden + budget(lines, visible(lines, hidden), keep, room)


def _movable(free: Sequence[bool], keep: Sequence[bool]) -> list[bool]:
    """Return which lines are shown and need not be."""
    return [shown and not kept for shown, kept in zip(free, keep, strict=True)]


def _kind(observation: Observation, raw: str) -> Output:
    kind = classify(observation.command, observation.tool)
    if kind is not Output.READ and raw.lstrip().startswith(_DATA_STARTS):
        try:
            json.loads(raw)
        except (ValueError, RecursionError):
            return kind
        return Output.READ
    return kind


def _total(raw: str) -> int:
    return raw.count("\n") + (not raw.endswith("\n"))


def _step(run: Hidden) -> str:
    if run.rule:
        return run.rule
    if run.source:
        return "echo"
    return {"middle": "budget", "progress": "frames"}.get(run.reason, "repeats")
