"""The execution state over recorded runs that are cut anywhere, and over conversations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from random import Random

import pytest

from agentctx.evals.load import load, records
from agentctx.evals.trajectory import Trajectory, Turn
from agentctx.memory.plan.roadmap import same, ticked
from agentctx.memory.records import Commit, Done, Item, Roadmap, Step, Word
from agentctx.memory.state import ExecutionState, derive
from agentctx.memory.state.constraints import standing
from agentctx.memory.state.render import NEXT, WORDS_BUDGET, block, one_line, render
from agentctx.memory.state.words import fold
from agentctx.tokens import Counter
from tests.memory.states import answer, call, record, said, section, step
from tests.shared import DATA, needs_shared

COUNT = Counter().count
WINDOW = 8
ASIDES = (
    "No, do it without a new dependency.",
    "Actually, keep the old signature and add a keyword instead.",
    "Also: never touch the files below docs/.\nUse tabs there.",
    "continue",
)


@dataclass
class Run:
    """A memory of lists: what the facade keeps in git and the journal, and what was really said."""

    words: tuple[Word, ...] = ()
    records: list[Commit] = field(default_factory=list)
    roadmap: Roadmap = field(default_factory=Roadmap)
    live: list[Step] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    done: set[str] = field(default_factory=set)

    def hear(self, text: str) -> None:
        self.live.append(said(text))
        self.heard.append(text)

    def commit(self, done: tuple[Done, ...], next_action: str, **more: object) -> None:
        made = record("A milestone", done=done, next_action=next_action, **more)
        self.records.insert(0, made)
        self.words = fold(self.words, self.live, finished=made.finished)
        self.roadmap = ticked(self.roadmap, [one.text for one in done])
        self.done |= {same(one.text) for one in done}
        self.live = []

    @property
    def state(self) -> ExecutionState:
        return derive(
            words=self.words,
            records=self.records[:WINDOW],
            roadmap=self.roadmap,
            live=self.live,
        )


def check(run: Run, heard: list[str] | None = None) -> ExecutionState:
    """Check what has to hold at every moment, and return the state."""
    state = run.state
    parts = block(state, COUNT)
    text = "\n".join(part.text for part in parts)
    fits = sum(COUNT(word.text) for word in state.words) <= WORDS_BUDGET
    for message in run.heard if heard is None else heard:
        assert message in text or not fits
        assert all(line in text for line in standing(message))
    assert COUNT("\n".join(part.text for part in parts if not part.theirs)) <= 600
    told = [item.strip("“”") for item in section(text, "Still to do:")]
    listed = {same(item) for item in (*state.open_items, *told)}
    assert not listed & run.done
    check_next(state, [part.text for part in parts if not part.theirs])
    return state


def check_next(state: ExecutionState, lines: list[str]) -> None:
    """Check that the next action is told to the letter, or cut where it is a whole script."""
    nexts = [line.removeprefix(NEXT).strip("“”") for line in lines if line.startswith(NEXT)]
    whole = one_line(state.next_action, 10**6)
    if len(whole) <= 300:
        assert nexts == ([whole] if whole else [])
    else:
        assert nexts == [one_line(whole, len(nexts[0]))]
        assert len(nexts[0]) >= 80


def action(turn: Turn) -> str:
    arguments = dict(turn.call.arguments) if turn.call else {}
    return turn.command or json.dumps(arguments)


def play(trajectory: Trajectory, random: Random) -> Iterator[tuple[Run, str, str]]:
    """Yield the run after each step, with its call in flight and its recorded next action."""
    turns = [turn for turn in trajectory.turns if turn.call]
    run = Run(roadmap=Roadmap(todo=tuple(Item(f"Part {n}") for n in range(len(turns) // 5 + 1))))
    run.hear("\n".join(m["content"] for m in trajectory.opening if m["role"] == "user"))
    recorded = ""
    for number, turn in enumerate(turns):
        doing, name = action(turn), turn.call_id
        run.live.append(call(doing, name))
        yield run, doing, recorded
        seen = turn.seen.text if turn.seen else ""
        code = turn.seen.exit_code if turn.seen else None
        run.live.append(step(doing, code, name, seen))
        if random.random() < 0.05:
            run.hear(f"{random.choice(ASIDES)} ({number})")
        yield run, "", recorded
        if random.random() < 0.1:
            part = number // 5
            evidence = Done(text=f"part {part}.", command=one_line(doing), exit_code=code)
            recorded = f"Look at what turn {number} left open, then go on with part {part + 1}"
            run.commit((evidence,), recorded)
            yield run, "", recorded


def run_all(trajectory: Trajectory, cuts: int) -> int:
    random = Random(trajectory.id)
    moments = list(range(2 * sum(1 for turn in trajectory.turns if turn.call)))
    chosen = set(random.sample(moments, min(cuts, len(moments))))
    cut = 0
    for moment, (run, doing, recorded) in enumerate(play(trajectory, random)):
        if moment in chosen:
            cut += 1
            state = check(run)
            first = state.open_items[0] if state.open_items else ""
            planned = recorded or first
            assert state.next_action == (doing or planned)
            assert state.afterwards == (planned if doing else "")
            assert [one.action for one in state.in_flight] == ([doing] if doing else [])
            heard = [word.text for word in state.words]
            assert heard == run.heard
    return cut


def trajectories(most: int | None) -> Iterator[Trajectory]:
    for source in sorted(DATA.glob("trajectories/*.gz")):
        found = (load(one).trajectory for one in islice(records([source]), most))
        yield from (one for one in found if one is not None)


@needs_shared
def test_recorded_runs_cut_anywhere_lose_nothing() -> None:
    assert sum(run_all(one, 3) for one in trajectories(12)) >= 60


@needs_shared
@pytest.mark.long
def test_all_recorded_runs_cut_anywhere_lose_nothing() -> None:
    cuts = sum(run_all(one, 12) for one in trajectories(None))
    print(f"{cuts} cuts")  # noqa: T201
    assert cuts >= 2_000


def test_a_conversation_with_corrections_and_constraints() -> None:
    run = Run(roadmap=Roadmap(todo=(Item("Write the parser"), Item("Write the printer"))))
    run.hear("Build a parser and a printer.\nUse only the standard library.")
    check(run)
    run.live += [call("vim parser.py", "1"), step("vim parser.py", None, "1")]
    run.hear("No, do it as one module instead.")
    assert [word.text for word in check(run).open_words] == run.heard
    run.commit((Done(text="write the parser", command="pytest", exit_code=0),), "Write the printer")
    state = check(run)
    assert state.next_action == "Write the printer"
    assert state.open_items == ("Write the printer",)
    run.hear("From now on, never edit README.md")
    assert check(run).overtaken
    run.commit((Done(text="Write the printer"),), "")
    state = check(run)
    assert (state.open_items, state.next_action) == ((), "")
    run.live.append(answer("Both are there."))
    assert check(run).open_words == ()
    run.commit((), "", finished=True)
    run.hear("Now write the docs")
    state = check(run)
    assert [word.text for word in state.open_words] == ["Now write the docs"]
    lines = render(state, count=COUNT).split("\n")
    assert lines.index("From now on, never edit README.md") < lines.index("Now write the docs")


def test_a_host_that_repeats_its_history_at_each_compaction() -> None:
    run = Run()
    requests = ["Do one. Never push.", "Do two", "Do three", "Do four"]
    for number, request in enumerate(requests):
        run.live += [said(text) for text in requests[: number + 1]]
        run.heard = requests[: number + 1]
        assert [word.text for word in check(run).open_words] == [request]
        run.live.append(step("ls", 0))
        run.commit((), f"step {number}")
        run.live += [said(text) for text in requests[: number + 1]]
        run.live.append(step("pwd", 0))
        state = check(run)
        assert [word.text for word in state.open_words] == [request]
        assert state.next_action == f"step {number}"
        run.live.append(answer())
    assert check(run).open_words == ()


def test_finished_requests_leave_only_their_constraints_behind() -> None:
    run, held = Run(), []
    for number in range(40):
        run.hear(f"Request {number}")
        if number % 8 == 0:
            run.hear(f"Never break rule {number}")
            held.append(f"Never break rule {number}")
        check(run, [*held, f"Request {number}"])
        run.live.append(answer())
        run.commit((Done(text=f"request {number}"),), "", finished=True)
        assert check(run, held).open_words == ()
    assert [word.text for word in run.words] == held
