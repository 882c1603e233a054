"""Hypothesis strategies for agent histories, the same in all three wire formats.

`conversations()` draws what happened; `render(wire, conversation, calls)` writes the request of one
model call of it, and `requests(wire, conversation)` those of all its calls, each of which extends
the one before. `histories(wire)` is the shortcut for tests that need one request only.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from hypothesis import strategies as st

from agentctx.values import Payload
from tests import rendering

WIRES = ("anthropic", "openai_chat", "openai_responses")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call with its result; `flavor` picks how a wire spells the two."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    output: str
    more: str = ""
    failed: bool = False
    image: bool = False
    listed: bool = False
    marked: bool = False
    flavor: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What the model said and did, and what came after its results."""

    text: str
    calls: tuple[Call, ...] = ()
    reasoning: str | None = None
    user: str = ""
    system: str = ""
    flavor: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A run of an agent from its task on."""

    system: str
    task: str
    turns: tuple[Turn, ...]
    image: bool = False
    listed: bool = False
    tools: bool = True
    flavor: int = 0


_ODD = (
    "",
    " \n",
    "\r\r\n\x00\x07",
    "<|endoftext|> ⟪secret⟫ 漢字 🙂 e\u0301",
    "caf\udce9 is not UTF-8",
    '{"key": [1, 2.5, null], "nested": {"a": "b"}}',
    "\x1b[31merror\x1b[0m: it broke\r\nat line 7",
)
_NAMES = ("bash", "read_file", "web-search", "str_replace_editor", "a" * 64)
_COMMANDS = (
    *("pytest -q", "pip install flask", "make 2>&1", "npm test", "cargo build", "tox"),
    *("ls -la", "cat setup.py", "git diff"),
)


def texts() -> st.SearchStrategy[str]:
    """Short texts with something to read in them."""
    words = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=40)
    return words.map(lambda text: f"{text}." if text.strip() else "Look at the failing test.")


def outputs() -> st.SearchStrategy[str]:
    """What commands print: odd short things, and logs long enough to be worth reducing."""
    return st.one_of(
        st.sampled_from(_ODD),
        texts(),
        st.builds(test_log, st.integers(0, 150), st.integers(0, 3)),
        st.builds(test_log, st.integers(50, 150), st.integers(0, 3)),
        st.builds(source, st.integers(1, 40), st.integers(0, 120)),
        st.builds(progress, st.integers(1, 120)),
        st.builds(repeats, st.integers(2, 200)),
    )


def test_log(passed: int, failed: int) -> str:
    """Return the output of a test run."""
    good = [f"tests/test_a.py::test_{i} PASSED [{i:3}%]" for i in range(passed)]
    bad = [
        f"tests/test_b.py::test_{i} FAILED\nE   AssertionError: {i} != {i + 1}\ntests/test_b.py:{i}"
        for i in range(failed)
    ]
    last = f"== {failed} failed, {passed} passed in {passed / 10:.2f}s =="
    return "\n".join(["== test session starts ==", *good, *bad, last, ""])


test_log.__test__ = False  # type: ignore[attr-defined]  # pytest would take it for a test


def source(first: int, count: int) -> str:
    """Return a part of a file; two parts overlap."""
    return "".join(f"    value_{i} = compute_{i * 7}(x)\n" for i in range(first, first + count))


def progress(steps: int) -> str:
    """Return a progress bar that overwrites itself, and the line after it."""
    frames = "".join(f"\rDownloading {'#' * (i % 40)} {i}/{steps}" for i in range(steps + 1))
    return f"$ pip install flask{frames}\nSuccessfully installed flask-3.1\n"


def repeats(count: int) -> str:
    """Return one line many times over, and an error."""
    return "warning: unused variable 'x'\n" * count + "error: cannot find 'y'\n"


# Drawn thousands of times: a strategy that is built once is validated once.
_TEXT = texts()
_OUTPUT = outputs()
_BOOLEAN = st.booleans()
_FLAVOR = st.integers(0, 7)
_FOURTH = st.sampled_from((True, False, False, False))
_NAME = st.sampled_from(_NAMES)
_ARGUMENTS: st.SearchStrategy[Mapping[str, Any]] = st.sampled_from(
    ({}, *({"command": command} for command in _COMMANDS), {"path": "ä.py", "lines": [1, 2]})
)
_MORE = st.sampled_from(("", "exit code 1", "stderr: deprecated"))
_REASONING = st.sampled_from((None, None, "", "First the test, then the fix."))


@st.composite
def _calls(draw: st.DrawFn) -> Call:
    failed = draw(_BOOLEAN)
    return Call(
        id="",
        name=draw(_NAME),
        arguments=draw(_ARGUMENTS),
        output=draw(_OUTPUT),
        more=draw(_MORE),
        failed=failed,
        image=draw(_FOURTH) and not failed,
        listed=draw(_BOOLEAN),
        marked=draw(_FOURTH),
        flavor=draw(_FLAVOR),
    )


_CALLS = st.lists(_calls(), max_size=3)


@st.composite
def _turns(draw: st.DrawFn) -> Turn:
    calls = tuple(draw(_CALLS))
    return Turn(
        text=draw(_TEXT) if not calls or draw(_BOOLEAN) else "",
        calls=calls,
        reasoning=draw(_REASONING),
        user=draw(_TEXT) if not calls or draw(_FOURTH) else "",
        system=draw(_TEXT) if draw(_FOURTH) else "",
        flavor=draw(_FLAVOR),
    )


_TURN = _turns()
_SYSTEM = st.sampled_from(("", "You are a software engineer."))


def _with_ids(index: int, turn: Turn) -> Turn:
    calls = tuple(replace(call, id=f"call_{index}_{i}") for i, call in enumerate(turn.calls))
    return replace(turn, calls=calls)


@st.composite
def conversations(
    draw: st.DrawFn, *, min_turns: int = 0, max_turns: int = 5, tools: bool | None = None
) -> Conversation:
    """Draw a conversation.

    Args:
        draw: Given by hypothesis.
        min_turns: At least so many turns of the model's.
        max_turns: At most so many.
        tools: Whether its requests list their tools; None draws that too.
    """
    turns = draw(st.lists(_TURN, min_size=min_turns, max_size=max_turns))
    return Conversation(
        system=draw(_SYSTEM),
        task=draw(_TEXT),
        turns=tuple(_with_ids(index, turn) for index, turn in enumerate(turns)),
        image=draw(_FOURTH),
        listed=draw(_BOOLEAN),
        tools=draw(_BOOLEAN) if tools is None else tools,
        flavor=draw(_FLAVOR),
    )


def render(wire: str, conversation: Conversation, calls: int | None = None) -> Payload:
    """Return the request of a model call: `calls` turns lie behind it (all of them for None)."""
    turns = conversation.turns[:calls]
    return deepcopy(rendering.RENDER[wire](conversation, turns))


def requests(wire: str, conversation: Conversation) -> list[Payload]:
    """Return the requests of every model call, the first of which has no turn behind it."""
    return [render(wire, conversation, calls) for calls in range(len(conversation.turns) + 1)]


def histories(wire: str, *, min_turns: int = 0, max_turns: int = 5) -> st.SearchStrategy[Payload]:
    """Requests of one wire."""
    drawn = conversations(min_turns=min_turns, max_turns=max_turns)
    return drawn.map(partial(render, wire))
