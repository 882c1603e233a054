"""What a session writes into memory by itself: the steps, calls and words of a request."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, TypeAlias

from agentctx.memory.records import StepKind
from agentctx.notes import hosts
from agentctx.notes.outcome import exit_code
from agentctx.notes.standing import Standing, turns
from agentctx.slots import observation, of_tool, result, spoken
from agentctx.values import Kind, Observation, Path, Slot, content_id

Safe: TypeAlias = Callable[[str], str]

LONGEST = 4_000
"""Characters of an observation, a thought or an action that a step holds; the rest is cut out."""

_HEAD = 2_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line for the journal, and the marks by which it is known again.

    `again` says that it counts even if such a one is known, `told` is a mark that whoever noted it
    already has left. `whole` is the observation before it was cut, "" when it was not, `original`
    its content id in the archive.
    """

    kind: StepKind
    marks: tuple[str, ...] = ()
    told: str = ""
    again: bool = False
    observation: str = ""
    thought: str = ""
    action: str = ""
    exit_code: int | None = None
    call_id: str = ""
    whole: str = ""
    original: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scribe:
    """Reads what is to be remembered off a request.

    `tooled` says whether it offers tools: where calls are texts, no text tells the end of a request.
    `emitted` is what the model sees of each observation, `ours` the names of our tools, `observed`
    what `Session.observe` has shown of results that a host may put into messages of the user's.
    `safe` takes secrets out of what is cut, since half a secret is not recognised any more.
    """

    slots: Sequence[Slot]
    standing: Standing
    emitted: Mapping[Path, str]
    ours: Collection[str]
    safe: Safe
    tooled: bool = True
    observed: Collection[str] = ()

    def entries(self) -> Iterator[Entry]:
        """Yield what this request adds, in order; some of it may be known from before an epoch."""
        for turn, slots in turns(self.slots).items():
            if turn > self.standing.known:
                yield from self._turn(turn, slots)
        yield from self._unanswered()

    def _turn(self, turn: int, slots: Sequence[Slot]) -> Iterator[Entry]:
        thought = thoughts(slots)
        said = [slot for slot in slots if slot.kind is Kind.USER and slot.text.strip()]
        results = [slot for slot in slots if of_tool(slot)]
        for _, parts in groupby(results, key=result):
            if (entry := self._step(list(parts), thought)) is not None:
                yield entry
                thought = ""
        words = [slot for slot in said if self._words(slot, turn)]
        if turn and words and len(words) == len(said) and self._last_word(slots):
            yield answer(spoken(slots), self.safe, again=self._again)
        for slot in said:
            yield from self._user(slot, slots, words)

    def _step(self, parts: Sequence[Slot], thought: str) -> Entry | None:
        first = parts[0]
        if first.tool in self.ours:
            return None
        shown = "\n".join(self.emitted.get(slot.path, slot.text) for slot in parts)
        raw = "\n".join(slot.text for slot in parts)
        came = replace(observation(first), output=shown)
        return step(came, first.call_id, raw, self.safe, thought=thought, arguments=first.arguments)

    def _words(self, slot: Slot, turn: int) -> bool:
        """Tell whether a message is what a person said, not what a host wrote in their place."""
        if hosts.is_aside(slot.text):
            return False
        if (self.standing.epoch or turn == 0) and hosts.is_summary(slot.text):
            return False
        return not turn or not (hosts.is_result(slot.text) or self._shown(slot.text))

    def _shown(self, text: str) -> bool:
        return any(len(shown) >= 20 and shown in text for shown in self.observed) or (
            text.strip() in {shown.strip() for shown in self.observed}
        )

    def _last_word(self, slots: Sequence[Slot]) -> bool:
        """Tell whether a turn ends a request: text and no calls, and no summary of the host's."""
        calls = any(slot.kind is Kind.TOOL_CALL for slot in slots)
        return bool(spoken(slots)) and self._native and not (self.standing.epoch or calls)

    @property
    def _native(self) -> bool:
        """Whether calls are calls, and no texts of which the host makes calls."""
        return self.tooled or any(of_tool(s) or s.kind is Kind.TOOL_CALL for s in self.slots)

    def _user(self, slot: Slot, turn: Sequence[Slot], words: Sequence[Slot]) -> Iterator[Entry]:
        if slot in words:
            marks = (heard(slot.text),)
            yield Entry(kind=StepKind.USER, observation=slot.text, marks=marks, again=self._again)
        elif slot.turn and hosts.is_result(slot.text) and not self._shown(slot.text):
            command = hosts.command(spoken(turn))
            came = Observation(output=slot.text, command=command)
            raw = f"{command}\0{slot.text}"
            yield step(came, "", raw, self.safe, thought=thoughts(turn))

    @property
    def _again(self) -> bool:
        """Whether what is new in the history is new, even if it was said before."""
        return self.standing.goes_on and not self.standing.first

    def _unanswered(self) -> Iterator[Entry]:
        answered = {slot.call_id for slot in self.slots if of_tool(slot)}
        newest = [slot for slot in self.slots if slot.turn == self.standing.depth]
        waiting = [slot for slot in newest if slot.call_id not in {*answered, ""}]
        yield from calls(waiting, self.ours, self.safe)


def step(
    came: Observation,
    call_id: str,
    raw: str,
    safe: Safe,
    *,
    thought: str = "",
    arguments: Mapping[str, Any] | None = None,
) -> Entry:
    """Return the entry of a result that the model sees as `came`; `raw` is how the host gave it."""
    ids = dict.fromkeys((content_id(raw)[:32], content_id(came.output)[:32]))
    code = exit_code(came.output) if came.exit_code is None else came.exit_code
    short = cut(came.output, safe)
    return Entry(
        kind=StepKind.STEP,
        marks=tuple(f"step:{call_id}:{name}" for name in ids),
        told=seen(came.output),
        observation=short,
        thought=cut(thought, safe),
        action=cut(action(came, arguments or {}), safe),
        exit_code=code,
        call_id=call_id,
        whole=came.output if short != came.output else "",
    )


def calls(slots: Sequence[Slot], ours: Collection[str], safe: Safe) -> Iterator[Entry]:
    """Yield the entries of calls that wait for their results; those of our tools are none."""
    for slot in slots:
        if slot.kind is Kind.TOOL_CALL and slot.tool not in ours:
            done = action(observation(slot), slot.arguments or {"": slot.text})
            yield Entry(
                kind=StepKind.CALL,
                marks=(f"call:{slot.call_id}:{content_id(slot.text)[:32]}",),
                action=cut(done, safe),
                call_id=slot.call_id,
            )


def answer(text: str, safe: Safe, *, again: bool = False) -> Entry:
    """Return the entry of the model's last word on a request."""
    name = content_id(text)[:32]
    return Entry(
        kind=StepKind.ANSWER,
        thought=cut(text, safe),
        marks=(f"answer:{name}",),
        told=f"said:{name}",
        again=again,
    )


def seen(text: str) -> str:
    """Return the mark of a result that was shown before its call was known."""
    return f"seen:{content_id(text)[:32]}"


def heard(text: str) -> str:
    """Return the mark of something that the user said."""
    return f"user:{content_id(text)[:32]}"


def action(came: Observation, arguments: Mapping[str, Any]) -> str:
    """Return a call as memory tells it: the command, or the tool with its arguments."""
    if came.command:
        return came.command
    given = {key: value for key, value in arguments.items() if value not in (None, "")}
    if not given:
        return came.tool
    try:
        return f"{came.tool} {json.dumps(given, ensure_ascii=False)}".strip()
    except (TypeError, ValueError):
        return came.tool


def cut(text: str, safe: Safe) -> str:
    """Return a text of bounded length: its beginning, a count of what is left out, its end."""
    if len(text) <= LONGEST or len(text := safe(text)) <= LONGEST:
        return text
    tail = LONGEST - _HEAD
    first = text.rfind("\n", _HEAD // 2, _HEAD) + 1 or _HEAD
    last = text.find("\n", len(text) - tail, len(text) - tail // 2) + 1 or len(text) - tail
    return f"{text[:first].rstrip()}\n[agentctx: {last - first} characters left out]\n{text[last:]}"


def thoughts(slots: Sequence[Slot]) -> str:
    """Return what the model thought and said in a turn."""
    kinds = (Kind.REASONING, Kind.ASSISTANT)
    return "\n".join(slot.text for slot in slots if slot.kind in kinds and slot.text.strip())
