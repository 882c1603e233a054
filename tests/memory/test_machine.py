"""Any history of operations, crashes and reopenings, against plain dictionaries and `git log`."""

import copy
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from agentctx.errors import MemoryNameError, MemoryStoreError
from agentctx.memory.forget import forget
from agentctx.memory.forget.target import target
from agentctx.memory.memory import Memory
from agentctx.memory.plan import roadmap
from agentctx.memory.records import Commit, Conflict

WORDS = st.sampled_from(["parser", "lexer", "tests", "docs", "cache", "retry"])
NAMES = st.sampled_from(["main", "fix", "try/one", "try/two", "idea"])


@dataclass
class Line:
    """What the model knows of a branch."""

    ids: list[str] = field(default_factory=list)
    todo: dict[str, bool] = field(default_factory=dict)
    purpose: str = ""
    live: set[str] = field(default_factory=set)
    parent: str = "main"


class Machine(RuleBasedStateMachine):
    records = Bundle("records")

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="memory-"))
        self.memory = Memory(self.folder, session="s")
        self.lines: dict[str, Line] = {}
        self.undone: list[tuple[dict[str, Line], str]] = []
        self.secrets = 0

    @rule(word=WORDS)
    def log(self, word: str) -> None:
        step = self.memory.log(observation=word, thought="t", action=f"run {word}")
        self.lines.setdefault(self.memory.current, Line()).live.add(step.id)

    @rule(word=WORDS, todo=st.lists(WORDS, max_size=2), done=st.lists(WORDS, max_size=2))
    def commit(self, word: str, todo: list[str], done: list[str]) -> None:
        before = copy.deepcopy(self.lines)
        made = self.memory.commit(f"did {word}", todo=todo, done=done)
        line = self.lines.setdefault(self.memory.current, Line())
        assert made.steps == len(line.live)
        line.ids.append(made.id)
        line.live.clear()
        for item in todo:
            line.todo.setdefault(item, False)
        for item in done:
            if item in line.todo:
                line.todo[item] = True
        self.undone.append((before, ""))

    @rule(word=WORDS)
    def purpose(self, word: str) -> None:
        before = copy.deepcopy(self.lines)
        made = self.memory.commit(f"the purpose is {word}", purpose=word)
        line = self.lines.setdefault(self.memory.current, Line())
        line.ids.append(made.id)
        line.live.clear()
        line.purpose = word
        self.undone.append((before, ""))

    @rule(name=NAMES)
    def branch(self, name: str) -> None:
        current = self.memory.current
        if name in self._tips() or name == current:
            with pytest.raises(
                MemoryNameError, match="is there already" if name in self._tips() else "begins"
            ):
                self.memory.branch(name, f"try {name}")
            return
        before = copy.deepcopy(self.lines)
        self.memory.branch(name, f"try {name}")
        if not before.get("main", Line()).ids and current == "main":
            root = self._ids("main")
            self.lines.setdefault("main", Line()).ids.extend(root)
            self.lines["main"].live.clear()
        old = self.lines[current]
        made = copy.deepcopy(old)
        made.live = set()
        made.parent = current
        made.ids.append(self._ids(name)[-1])
        self.lines[name] = made
        self.undone.append((before, current))

    @rule(name=NAMES)
    def switch(self, name: str) -> None:
        if name in self._tips():
            self.memory.switch(name)
            assert self.memory.current == name

    @rule(name=NAMES, policy=st.sampled_from(["agent", "ours", "theirs", "both"]))
    def merge(self, name: str, policy: str) -> None:
        current = self.memory.current
        if name not in self._tips() or name == current or current not in self._tips():
            return
        before, refs = copy.deepcopy(self.lines), self._refs()
        made = self.memory.merge(name, policy=policy)
        ours, theirs = self.lines[current], self.lines[name]
        if isinstance(made, Conflict):
            assert policy == "agent"
            assert ours.purpose != theirs.purpose
            assert self._refs() == refs
            made = self.memory.merge(name, resolutions={c.item: "theirs" for c in made.clashes})
            assert isinstance(made, Commit)
        plan = self.memory.snapshot().roadmap
        items = [*plan.milestones, *plan.todo]
        assert len({roadmap.same(i.text) for i in items}) == len(items)
        for text, done in [*ours.todo.items(), *theirs.todo.items()]:
            found = [item for item in items if item.text == text]
            assert len(found) == 1
            assert found[0].done or not done
        ours.ids.append(made.id)
        ours.todo = {item.text: item.done for item in items}
        ours.purpose = plan.purpose
        ours.live.clear()
        assert self.memory.snapshot().record(theirs.ids[-1]).id == theirs.ids[-1]
        del self.lines[name]
        self.undone.append((before, ""))

    @rule(name=NAMES)
    def abandon(self, name: str) -> None:
        if name not in self._tips():
            return
        before, refs = copy.deepcopy(self.lines), self._refs()
        if name == "main" or len(self._tips()) == 1:
            with pytest.raises(MemoryStoreError, match="began" if name == "main" else "last"):
                self.memory.abandon(name, "it was too slow")
            assert self._refs() == refs
            return
        others = sorted({*self._tips()} - {name})
        heir = next(n for n in (self.lines[name].parent, "main", *others) if n in others)
        made = self.memory.abandon(name, "it was too slow")
        assert made.branch == heir
        home = self.lines[heir]
        home.ids.append(made.id)
        home.live.clear()
        assert "too slow" in dict(self.memory.snapshot(made.branch).roadmap.sections)["Lessons"]
        del self.lines[name]
        self.undone.append((before, ""))

    @rule()
    def undo(self) -> None:
        if not self.undone:
            return
        kept = {name: set(line.live) for name, line in self.lines.items()}
        self.memory.undo()
        self.lines, _ = self.undone.pop()
        there = self._tips()
        assert not there or self.memory.current in there
        for (
            name,
            steps,
        ) in kept.items():  # they stay in their journals, also where no commit is left
            if steps:
                self.lines.setdefault(name, Line()).live |= steps

    @rule(word=WORDS)
    def forget(self, word: str) -> None:
        self.secrets += 1
        secret = f"secret{self.secrets}x"
        step = self.memory.log(observation=secret, thought="t", action=f"run {word}")
        line = self.lines.setdefault(self.memory.current, Line())
        line.live.add(step.id)
        before = copy.deepcopy(self.lines)
        made = self.memory.commit(f"did {word} with {secret}", findings=[secret])
        assert made.steps == len(line.live)
        line.ids.append(made.id)
        line.live.clear()
        self.undone.append((before, ""))
        operations = {one.id for one in self.memory.store.operations()}
        forget(self.memory, target(text=secret))
        objects = self._git("cat-file", "--batch", "--batch-all-objects", "--unordered")
        assert objects.returncode == 0
        assert secret not in objects.stdout
        left = self.memory.snapshot().record(made.id)
        assert left.steps == made.steps
        assert [one.id for one in self.memory.snapshot().steps(left)][-1] == step.id
        assert operations <= {one.id for one in self.memory.store.operations()}

    @rule(close=st.booleans())
    def reopen(self, close: bool) -> None:
        current = self.memory.current
        if close:
            self.memory.close()
        self.memory = Memory(self.folder, session="s", branch=current)

    @invariant()
    def every_branch_is_what_the_model_and_git_say(self) -> None:
        tips = self._tips()
        assert set(tips) == {name for name, line in self.lines.items() if line.ids}
        for name in tips:
            line = self.lines[name]
            assert self._ids(name) == line.ids
            plan = self.memory.snapshot(name).roadmap
            assert {i.text: i.done for i in plan.todo} == line.todo
            assert plan.purpose == line.purpose
            assert {step.id for step in self.memory.live(name)} == line.live

    def teardown(self) -> None:
        if not hasattr(self, "memory"):
            return
        self.memory.close()
        git = self._git("fsck", "--strict", "--no-dangling")
        told = [line for line in (git.stdout + git.stderr).splitlines() if "notice" not in line]
        assert (git.returncode, told) == (0, [])
        shutil.rmtree(self.folder)

    def _tips(self) -> dict[str, str]:
        return self.memory.store.branches()

    def _refs(self) -> dict[str, str]:
        return {
            **self._tips(),
            **{f"archive {k}": v for k, v in self.memory.store.archived().items()},
        }

    def _ids(self, name: str) -> list[str]:
        log = self._git(
            "log", "--first-parent", "--reverse",
            "--format=%(trailers:key=Agentctx-Id,valueonly,separator=)", f"refs/heads/{name}",
        )  # fmt: skip
        assert log.returncode == 0, log.stderr
        return log.stdout.split()

    def _git(self, *words: str) -> "subprocess.CompletedProcess[str]":
        command = ["git", f"--git-dir={self.folder / 'memory.git'}", *words]
        return subprocess.run(command, capture_output=True, text=True, errors="replace")


TestMachine = Machine.TestCase
TestMachine.settings = settings(
    max_examples=settings().max_examples // 4,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
