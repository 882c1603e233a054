"""One decision about one observation: secrets out, original kept, text for the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf

from agentctx.config import Settings
from agentctx.ledger import Decision
from agentctx.options import Mode
from agentctx.stores import Stores
from agentctx.terminal import marker
from agentctx.terminal.command import expands
from agentctx.terminal.reduce import limits, reduce
from agentctx.terminal.window import Window
from agentctx.tools import names
from agentctx.values import Observation, Reduction, Span, content_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a decision is made from.

    `way` is how the reader expands a handle ("expand {handle}"), None when it cannot; `count`
    counts tokens. `spare` are the tokens that the prompt may lose before the provider no longer
    caches it: a prompt below that length is paid in full at every turn, whatever it saved.
    `remind` returns the line that a result is to end with, or "".
    """

    session: str
    call_id: str
    observation: Observation
    window: Window
    way: str | None
    count: Callable[[str], int]
    spare: float = inf
    remind: Callable[[Observation], str] | None = None


def as_it_came(session: str, call_id: str, text: str, safe: str | None = None) -> Decision:
    """Return the decision that leaves an observation alone, but for its secrets in `safe`."""
    name = content_id(text)
    if safe is None or safe == text:
        return Decision(session=session, call_id=call_id, content_id=name, emitted_id=name)
    emitted = content_id(safe)
    return Decision(
        session=session, call_id=call_id, content_id=name, emitted_id=emitted, text=safe
    )


def decide(case: Case, stores: Stores) -> Decision:
    """Return what the model sees of an observation from now on, and store it.

    Raises:
        RedactionError: secrets could not be removed; nothing was stored.
    """
    original = case.observation.output
    safe = replace(case.observation, output=stores.redactor.redact(original))
    try:
        made = _kept(_reduced(replace(case, observation=safe), stores), safe, stores)
        made = _reminding(made, safe, case)
    except Exception as error:  # law 7: the original goes through, whatever broke
        stores.tell("reduce-failed", case.session, error=str(error)[:500])
        made = Reduction(text=safe.output)
    if stores.settings.mode is Mode.METER:
        stores.tell("metered", case.session, before=made.tokens_before, after=made.tokens_after)
        made = unchanged(case.observation, made.tokens_before)
    stored = stores.decide_all([_decision(case, original, made)])
    if stored:
        return stored[0]
    # A reduction that nobody remembers after a restart would move the prefix then.
    shown = original if stores.settings.mode is Mode.METER else safe.output
    return as_it_came(case.session, case.call_id, original, shown)


def store_all(made: Sequence[Decision], stores: Stores) -> Sequence[Decision]:
    """Store decisions; those that were there first win. Without a ledger they hold in memory."""
    return (stores.decide_all(made) or made) if made else ()


def reduction(decision: Decision, came: Observation) -> Reduction:
    """Return what a decision makes of the observation that it is about."""
    return Reduction(
        text=came.output if decision.text is None else decision.text,
        handle=decision.handle,
        spans=decision.spans,
        rules=decision.rules,
        tokens_before=decision.tokens_before,
        tokens_after=decision.tokens_after,
    )


def _decision(case: Case, original: str, reduction: Reduction) -> Decision:
    refs = (ref for span in reduction.spans for ref in span.source.split())
    return Decision(
        session=case.session,
        call_id=case.call_id,
        content_id=content_id(original),
        emitted_id=content_id(reduction.text),
        text=None if reduction.text == original else reduction.text,
        handle=reduction.handle,
        spans=reduction.spans,
        rules=reduction.rules,
        refs=tuple(dict.fromkeys(refs)),
        tokens_before=reduction.tokens_before,
        tokens_after=reduction.tokens_after,
    )


def _reduced(case: Case, stores: Stores) -> Reduction:
    """Return the reduction of an observation; one without handle leaves it alone."""
    observation = case.observation
    if case.way is None or _exempt(observation, stores.settings):
        return unchanged(observation, case.count(observation.output))
    name = content_id(observation.output)
    handle = name[:6]
    while True:
        made = reduce(
            observation,
            window=case.window,
            handle=handle,
            way=case.way.format(handle=handle),
            count=case.count,
            limits=limits(stores.settings),
            chosen=stores.chosen,
        )
        if made.tokens_before - made.tokens_after > case.spare:
            return unchanged(observation, made.tokens_before)
        claimed = stores.claim(name) if made.handle else handle
        if claimed == handle:
            return made
        handle = claimed


def unchanged(observation: Observation, tokens: int) -> Reduction:
    """Return the reduction that leaves an observation of so many tokens alone."""
    return Reduction(text=observation.output, tokens_before=tokens, tokens_after=tokens)


def _kept(reduction: Reduction, observation: Observation, stores: Stores) -> Reduction:
    """Put the original of a reduction in the archive before anybody sees less of it (law 1)."""
    if reduction.handle:
        raw = observation.output.encode("utf-8", "surrogatepass")
        stores.archive.put(raw, command=stores.redactor.redact(observation.command))
    return reduction


def _reminding(made: Reduction, came: Observation, case: Case) -> Reduction:
    """Return a reduction that ends with a line about memory, if there is one to tell."""
    line = case.remind(came) if case.remind else ""
    if not line:
        return made
    bare = made.text.removesuffix("\n")
    spans = made.spans if bare == made.text else made.spans[:-1]  # no blank line of ours between
    end = spans[-1].last if spans else 0
    return replace(
        made,
        text=f"{bare}\n{line}" if bare else line,
        spans=(*spans, Span(end, end, "reminder")) if spans else (),
        tokens_after=made.tokens_after + case.count(line),
    )


def _exempt(observation: Observation, settings: Settings) -> bool:
    """Tell whether an observation is never reduced: an answer of ours, or excluded by the user."""
    return (
        observation.tool in names(settings.memory)
        or settings.mode is Mode.OFF
        or settings.excludes(tool=observation.tool, command=observation.command)
        or bool(marker.handles(observation.output))
        or expands(observation.command)
    )
