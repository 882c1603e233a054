"""Records, steps and branches as the lines that recall shows of them."""

from __future__ import annotations

import time
from collections.abc import Iterator

from agentctx.memory import ids
from agentctx.memory.hygiene import harmless, marked
from agentctx.memory.recall.quote import Line, Passage, noted, own, quoted, verbatim
from agentctx.memory.records import Branch, Commit, Done, Outcome, Step, StepKind
from agentctx.memory.store.paths import BRANCH
from agentctx.values import Trust

_SHORT = 160
"""Characters of a text in an overview."""


def record(commit: Commit, least: Trust = Trust.UNTRUSTED, *, whole: bool = False) -> Passage:
    """Return a record; the `whole` one has the paper's first block, its parents and sources too.

    What stood before is folded from records of any trust, and the branch may be for what any of
    them said: both are quoted, or left out by `least`.
    """
    lines, trust = [*own(_heading(commit))], commit.trust
    for label, text in _blocks(commit, whole):
        lines += noted(f"{label}{text}", commit.trust, commit.id)
    for source, text in _before(commit, whole):
        if text and least <= Trust.TOOL:
            lines += quoted(text, source)
            trust = min(trust, Trust.TOOL)
    if commit.steps:
        lines += own(f"Log: {_number(commit.steps, 'step')}, level=log commit={commit.id}")
    if whole and commit.parents:
        lines += own(f"Follows: {' '.join(commit.parents)}")
    return Passage(key=commit.id, lines=tuple(lines), ids=(commit.id,), trust=trust)


def reason(commit: Commit, least: Trust) -> str:
    """Return why a record is not to be shown ("": it is)."""
    if commit.quarantined:
        return "held back"
    return "" if commit.trust >= least else f"below min_trust={least.name.lower()}"


def held(commits: list[Commit], least: Trust) -> Passage:
    """Return the line that stands for records that are not to be shown, all for the same reason."""
    number = _number(len(commits), "record")
    names = " ".join(commit.id for commit in commits[:3]) + " …" * (len(commits) > 3)
    lines = own(f"({number} {reason(commits[0], least)}: agentctx memory trust {names})")
    return Passage(key=commits[0].id, lines=lines)


def step(found: Step, least: Trust) -> Passage:
    """Return one step of a log; its observation is left out if it is trusted less than `least`."""
    exit = "" if found.exit_code is None else f" · exit {found.exit_code}"
    kind = "step" if found.kind is StepKind.STEP else found.kind.value
    original = f" · expand {found.original[:12]}" if found.original else ""
    lines = [*own(f"{kind} {found.id}{exit}{original}")]
    for label, text in (("Thought: ", found.thought), ("$ ", found.action)):
        lines += _done(f"{label}{text}", found) if text else ()
    if found.observation and found.trust < least:
        lines += own(f"(observation left out: it is trusted as {found.trust.name.lower()} only)")
    elif found.observation:
        lines += _observation(found)
    trust = found.trust if found.observation else Trust.MODEL
    return Passage(key=found.id, lines=tuple(lines), ids=(found.id,), trust=trust)


def intent(branch: Branch, live: int) -> Passage:
    """Return what a branch is for, where it comes from, and what became of it."""
    lines = own(f"Branch {branch.name}{'' if branch.purpose else ': (no purpose given)'}")
    if branch.created_from:
        lines += own(f"Begun from {branch.parent or 'main'} at commit {branch.created_from}")
    if branch.outcome is not Outcome.OPEN:
        into = f", merged into {branch.merged_into}" if branch.merged_into else ""
        lines += own(f"Outcome: {branch.outcome.value}{into}")
    for label in ("purpose", "hypothesis", "lesson"):
        if said := getattr(branch, label):
            lines += quoted(f"{label.capitalize()}: {said}", f"noted in {BRANCH}")
    if live:
        lines += own(f"Not committed yet: {_number(live, 'step')}, level=log branch={branch.name}")
    return Passage(lines=lines, ids=(branch.name,), trust=Trust.TOOL)


def listed(branch: Branch, current: bool) -> tuple[Line, ...]:
    """Return a branch as one line of an overview."""
    state = "" if branch.outcome is Outcome.OPEN else f" ({branch.outcome.value})"
    purpose = f": {marked(harmless(shortened(branch.purpose)))}" if branch.purpose else ""
    return own(f"{'*' if current else '-'} {branch.name}{state}{purpose}")


def shortened(text: str) -> str:
    """Return a text as one line of at most 160 characters."""
    line = " ".join(text.split())
    return line if len(line) <= _SHORT else f"{line[: _SHORT - 1]}…"


def date(id: str) -> str:
    """Return when an id was made ("" if it is none of ours)."""
    if not ids.ID.fullmatch(id):
        return ""
    return time.strftime(" · %Y-%m-%d %H:%MZ", time.gmtime(ids.seconds(id)))


def _heading(commit: Commit) -> str:
    kind = "" if commit.kind == "commit" else f" · {commit.kind.value}"
    origin = f" of {shortened(commit.origin)}" if commit.origin else ""
    code = f" · code {commit.code[:12]}" if commit.code else ""
    finished = " · finishes the request" if commit.finished else ""
    return f"commit {commit.id}{date(commit.id)}{kind}{origin}{code}{finished}"


def _blocks(commit: Commit, whole: bool) -> Iterator[tuple[str, str]]:
    """Yield label and text of what a record says, what a resuming agent needs most first."""
    if commit.contribution:
        yield "", commit.contribution
    if commit.next_action:
        yield "Next: ", commit.next_action
    for label, texts in (("Blocked: ", commit.blockers), ("Found: ", commit.findings)):
        yield from ((label, text) for text in texts)
    yield from (("Done: ", _evidence(done)) for done in commit.done)
    if whole and commit.sources:
        yield "Rests on: ", " ".join(commit.sources)


def _before(commit: Commit, whole: bool) -> Iterator[tuple[str, str]]:
    """Yield source and text of what a record says that others have said first."""
    if whole and commit.purpose:
        yield f"noted in {BRANCH}", f"Branch purpose: {commit.purpose}"
    yield f"Progress before commit {commit.id}", commit.previous


def _evidence(done: Done) -> str:
    exit = "" if done.exit_code is None else f"exit {done.exit_code}"
    command = f"$ {done.command}" if done.command else ""
    shown = ", ".join(part for part in (command, exit, done.commit) if part)
    return f"{done.text} ({shown})" if shown else done.text


def _done(text: str, found: Step) -> tuple[Line, ...]:
    """Return what was thought or done, quoted where a foreign folder says so."""
    return own(text) if found.trust >= Trust.TOOL else quoted(text, f"tool output, step {found.id}")


def _observation(found: Step) -> tuple[Line, ...]:
    if found.trust >= Trust.USER:
        return verbatim(found.observation)
    if found.trust > Trust.TOOL:
        return own(found.observation)
    return quoted(found.observation, f"tool output, step {found.id}")


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
