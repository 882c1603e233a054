"""The tools by which an agent uses its memory: specs, arguments, answers.

Source: Git-Context-Controller, §2.2; the operations are the paper's, `search` is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from agentctx import tokens
from agentctx.errors import AgentctxError, ToolError
from agentctx.memory import code
from agentctx.memory.arguments import Arguments
from agentctx.memory.hygiene import CLOSING, OPENING, harmless, marked
from agentctx.memory.merge.policies import POLICIES
from agentctx.memory.records import Clash, Conflict, Outcome
from agentctx.values import ToolCall, ToolSpec, Trust

if TYPE_CHECKING:
    from agentctx.memory.memory import Memory

RECALL: Final = 600
"""Tokens that `context_recall` takes without arguments, the user's own words aside."""

_STATUS = 180
_SIDE = 160  # characters of each side of a conflict
_CLASHES = 20
_TEXT: Final[Mapping[str, Any]] = {"type": "string"}
_TEXTS: Final[Mapping[str, Any]] = {"type": "array", "items": _TEXT}
_OUTCOMES = (Outcome.SUCCESS, Outcome.PARTIAL, Outcome.FAILURE, Outcome.ABANDONED)


def _spec(tool: str, description: str, required: str = "", /, **fields: Any) -> ToolSpec:
    schema: dict[str, Any] = {"type": "object", "properties": fields}
    if required:
        schema["required"] = required.split()
    return ToolSpec(name=f"context_{tool}", description=description, parameters=schema)


SPECS: Final = (
    _spec(
        "commit",
        "Record progress: what was achieved, finished, comes next",
        "summary",
        summary=_TEXT,
        done=_TEXTS,
        next_action=_TEXT,
        findings=_TEXTS,
        todo=_TEXTS,
        blockers=_TEXTS,
        code={"enum": [code.HEAD, code.WORKTREE]},
    ),
    _spec("branch", "Try something apart", "name purpose", name=_TEXT, purpose=_TEXT),
    _spec("switch", "Go to a branch", "name", name=_TEXT),
    _spec(
        "merge",
        "Unite a branch with this one, or abandon it with its lesson",
        "name",
        name=_TEXT,
        outcome={"enum": [one.value for one in _OUTCOMES]},
        summary=_TEXT,
        resolutions={"type": "object"},
    ),
    _spec(
        "recall",
        "Where work stands; or one level of memory",
        level={"enum": ["branch", "commit", "log", "metadata"]},
        branch=_TEXT,
        commit=_TEXT,
        segment=_TEXT,
        k={"type": "integer"},
        cursor=_TEXT,
    ),
    _spec("search", "Search memory", "query", query=_TEXT, branch=_TEXT),
)
"""What a model is offered. Every description is paid for in every request."""

NAMES: Final = frozenset(spec.name for spec in SPECS)

_COMMIT = "summary done next_action findings todo blockers purpose milestones finished code".split()
_MERGE = "name outcome summary policy resolutions".split()
_RECALL = "level branch commit segment query k cursor min_trust".split()
_LEVELS = "status branch commit log metadata search".split()


def answer(memory: Memory, call: ToolCall, *, count: Callable[[str], int] = tokens.estimate) -> str:
    """Return what a call of one of `SPECS` is answered; what went wrong is one line of it."""
    try:
        return _ANSWERS[call.name](memory, call, count)
    except AgentctxError as error:
        return f"error: {' '.join(str(error).split())}"


def _commit(memory: Memory, call: ToolCall, count: Callable[[str], int]) -> str:
    given = Arguments.of(call.name, call.arguments, _COMMIT)
    summary = given.need("summary", "what was achieved since the last commit")
    made = memory.commit(
        summary,
        done=given.items("done"),
        next_action=given.optional("next_action"),
        findings=given.texts("findings"),
        todo=given.texts("todo"),
        blockers=given.texts("blockers") if "blockers" in given.given else None,
        purpose=given.optional("purpose"),
        milestones=given.texts("milestones"),
        finished=given.text("finished").lower() in ("true", "1", "yes"),
        code=given.text("code"),
    )
    return f"committed {made.id} on {made.branch} with {_steps(made.steps)}"


def _branch(memory: Memory, call: ToolCall, count: Callable[[str], int]) -> str:
    given = Arguments.of(call.name, call.arguments, ("name", "purpose", "hypothesis", "start"))
    made = memory.branch(
        given.need("name", "a short name, such as fix-parser"),
        given.need("purpose", "what is to be tried there"),
        hypothesis=given.text("hypothesis"),
        start=given.text("start") or None,
    )
    return f"on new branch {made.name}, from {made.created_from or 'nothing'} on {made.parent}"


def _switch(memory: Memory, call: ToolCall, count: Callable[[str], int]) -> str:
    given = Arguments.of(call.name, call.arguments, ("name",))
    made = memory.switch(given.need("name", _there(memory)))
    return (
        f"on branch {made.name}: {_side(made.purpose) if made.purpose else 'no purpose recorded'}"
    )


def _merge(memory: Memory, call: ToolCall, count: Callable[[str], int]) -> str:
    given = Arguments.of(call.name, call.arguments, _MERGE)
    name = given.need("name", _there(memory))
    outcome = Outcome(given.choice("outcome", [one.value for one in _OUTCOMES], Outcome.SUCCESS))
    summary, resolutions = given.text("summary"), given.mapping("resolutions")
    policy = given.choice("policy", POLICIES, "agent")
    if outcome is Outcome.ABANDONED:
        if resolutions:
            raise ToolError("an abandoned branch is not merged: leave resolutions out")
        lesson = summary or given.need("summary", "the lesson of what led nowhere")
        made = memory.abandon(name, lesson)
        return f"abandoned {name}: its lesson is in {made.id} on {made.branch}"
    merged = memory.merge(
        name, outcome=outcome, summary=summary, policy=policy, resolutions=resolutions
    )
    if isinstance(merged, Conflict):
        return _conflict(merged)
    return f"merged {name} into {merged.branch}: {merged.id}"


def _recall(memory: Memory, call: ToolCall, count: Callable[[str], int]) -> str:
    from agentctx.memory.recall import Request

    given = Arguments.of(call.name, call.arguments, _RECALL)
    if not given.given:
        return _overview(memory, count)
    request = Request(
        level=given.choice("level", _LEVELS, "") if given.text("level") else "",
        branch=given.text("branch"),
        commit=given.text("commit"),
        segment=given.text("segment"),
        query=given.text("query"),
        k=given.number("k", 1),
        cursor=given.text("cursor"),
        min_trust=_trust(given),
    )
    return memory.context(request).text


def _search(memory: Memory, call: ToolCall, count: Callable[[str], int]) -> str:
    given = Arguments.of(call.name, call.arguments, ("query", "branch", "k", "cursor", "min_trust"))
    from agentctx.memory.recall import Request

    request = Request(
        level="search",
        query=given.need("query", "the words to look for"),
        branch=given.text("branch"),
        k=given.number("k", 5),
        cursor=given.text("cursor"),
        min_trust=_trust(given),
    )
    return memory.context(request).text


_ANSWERS: Final = {
    "context_commit": _commit,
    "context_branch": _branch,
    "context_switch": _switch,
    "context_merge": _merge,
    "context_recall": _recall,
    "context_search": _search,
}


def _overview(memory: Memory, count: Callable[[str], int]) -> str:
    """Return the status, and where the work stands, in `RECALL` tokens beside the user's words."""
    from agentctx.memory.recall import Request
    from agentctx.memory.state.render import render

    status = memory.context(Request(level="status"), budget=_STATUS).text
    frame = f"{OPENING}state {memory.current}]", CLOSING
    left = RECALL - count(status) - count("\n".join(frame)) - 2
    state = render(memory.state(), count=count, budget=left)
    return "\n".join((status, frame[0], state, frame[1]))


def _conflict(found: Conflict) -> str:
    """Return what two branches disagree about, and how the next call settles it."""
    lines = [
        f"conflict: {found.branch} and {found.into} differ in {_items(len(found.clashes))}; nothing "
        'was merged. Call context_merge again with resolutions {item: "ours", "theirs", "both" or '
        "the text to have}:",
        *map(_clash, found.clashes[:_CLASHES]),
    ]
    left = len(found.clashes) - _CLASHES
    return "\n".join([*lines, f"… and {left} more"] if left > 0 else lines)


def _clash(clash: Clash) -> str:
    sides = {"base": clash.base, "ours": clash.ours, "theirs": clash.theirs}
    told = " · ".join(f"{name}: {_side(text)}" for name, text in sides.items())
    return f"- {clash.item!r} · {told}"


def _side(text: str | None) -> str:
    if text is None:
        return "(none)"
    line = harmless(" ".join(text.split()))
    return marked(line if len(line) <= _SIDE else f"{line[: _SIDE - 1]}…")


def _there(memory: Memory) -> str:
    return f"there are: {', '.join(memory.store.branches()) or 'none yet'}"


def _trust(given: Arguments) -> Trust:
    name = given.choice("min_trust", [one.name.lower() for one in Trust], "untrusted")
    return Trust[name.upper()]


def _steps(number: int) -> str:
    return f"{number} step{'' if number == 1 else 's'}"


def _items(number: int) -> str:
    return f"{number} item{'' if number == 1 else 's'}"
