import os
import shutil
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentctx.errors import MemoryLocked, MemoryStoreError, UnknownMemory
from agentctx.memory.forget import forget, found, originals, resolved
from agentctx.memory.forget.proof import holds, prove
from agentctx.memory.forget.repack import alone
from agentctx.memory.forget.target import target
from agentctx.memory.memory import Memory
from agentctx.memory.store import Store
from agentctx.memory.store.disk import Disk
from tests.processes import posix
from tests.shared import ROOT

SECRET = "hunter2 is the\npassword"


def lived(memory):
    memory.heard(f"Deploy it. The {SECRET} of staging, mind you")
    memory.log(observation=f"login: {SECRET}", thought="hm, hunter2 is the password", action="ssh")
    memory.commit(
        f"Logged in with {SECRET}\nand it works",
        done=[{"text": f"log in ({SECRET})", "command": f"ssh -p '{SECRET}'"}],
        findings=[f'staging says "{SECRET}"'],
        next_action=f"rotate {SECRET}",
        milestones=[SECRET, "Deployed"],
        todo=[f"use {SECRET}"],
        metadata={"env_config": {"password": SECRET, "nested": {"a": ["x", SECRET]}, "b": 1}},
        sections={"Notes": f"- {SECRET}\n- keep this"},
    )
    memory.branch("fix", f"Try with {SECRET}", hypothesis=SECRET)
    memory.commit("Tried")
    memory.abandon("fix", f"{SECRET} is wrong")
    memory.branch("open", "Go on")
    memory.log(observation=f"again {SECRET}", action="still open")
    memory.search("password")
    return memory


@pytest.fixture
def memory(tmp_path):
    memory = Memory(tmp_path / "data", session="s1")
    yield memory
    memory.close()


def raw(folder):
    """Return all that git and the files of a memory hold, unpacked."""
    git = ["git", f"--git-dir={folder / 'memory.git'}"]
    show = [*git, "cat-file", "--batch-all-objects", "--batch", "--unordered"]
    objects = subprocess.run(show, capture_output=True, check=True).stdout
    files = [p.read_bytes() for p in folder.rglob("*") if p.is_file() and ".git" not in p.parts]
    return b"\n".join([objects, *files])


def fsck(folder):
    git = ["git", f"--git-dir={folder / 'memory.git'}", "fsck", "--strict", "--full"]
    return subprocess.run(git, capture_output=True).returncode


def test_a_forgotten_text_is_in_no_object_and_no_file(memory):
    lived(memory)
    assert b"hunter2" in raw(memory.folder)
    proof = forget(memory, target("hunter2 is the password"))
    assert proof.holding == ()
    assert proof.objects > 10
    assert proof.line == f"0 of {proof.objects} objects and {proof.files} files hold it"
    assert b"hunter2" not in raw(memory.folder)
    assert fsck(memory.folder) == 0
    assert list(memory.store.verify()) == []


def test_what_is_around_it_stays_with_its_ids(memory):
    lived(memory)
    before = list(memory.snapshot("main").since())
    forget(memory, target("hunter2 is the password"))
    view = memory.snapshot("main")
    after = list(view.since())
    assert [record.id for record in after] == [record.id for record in before]
    assert after[-1].contribution == "Logged in with (forgotten)\nand it works"
    assert [item.text for item in view.roadmap.milestones] == ["Deployed"]
    assert view.metadata("env_config") == {
        "password": "(forgotten)",
        "nested": {"a": ["x", "(forgotten)"]},
        "b": 1,
    }
    assert [step.observation for step in memory.live("open")] == ["again (forgotten)"]
    assert memory.store.branches().keys() == {"main", "open"}
    assert memory.store.archived().keys() == {"fix"}


def test_memory_goes_on_after_it(memory):
    lived(memory)
    forget(memory, target(pattern="hunter2 is the[ \n]password"))
    memory.switch("open")
    memory.commit("After")
    assert memory.snapshot("open").latest.contribution == "After"
    assert "After" in memory.search("After").text
    memory.undo()
    assert memory.search("After").ids == ()
    assert memory.snapshot("open").latest.contribution != "After"
    assert [step.observation for step in memory.live("open")] == ["again (forgotten)"]


def test_a_dry_run_names_the_places_and_changes_nothing(memory):
    lived(memory)
    tips = dict(memory.store.branches())
    plan = found(memory, target("hunter2 is the password"))
    places = {path.split("/")[0] for path in plan.files}
    assert places == {"main.md", "branch.yaml", "commits", "logs", "metadata", "words.jsonl"}
    assert "hunter2" not in str(plan)
    assert len(plan.steps) == 1
    assert memory.store.branches() == tips
    assert b"hunter2" in raw(memory.folder)


def test_a_record_goes_with_its_steps_and_what_it_handed_on(memory):
    memory.log(observation="the key is under the mat", action="look")
    first = memory.commit("Found the house key", findings=["the mat hides the key"])
    memory.commit("Went on", next_action="open the door")
    forget(memory, resolved(memory, target(records=[first.id[:10]])))
    view = memory.snapshot("main")
    after, gone = view.since()
    assert gone.id == first.id
    assert gone.contribution == "(forgotten)"
    assert view.steps(gone)[0].observation == "(forgotten)"
    assert after.contribution == "Went on"
    assert b"house key" not in raw(memory.folder)
    assert b"the mat" not in raw(memory.folder)


def test_a_summary_that_a_model_wrote_of_it_goes_with_it(tmp_path):
    with Memory(tmp_path, summarise=lambda previous, steps: "in other words: rosebud") as memory:
        wanted = memory.commit("the word is rosebud flower")
        memory.commit("went on")
        last = memory.commit("and on")
        assert last.previous == "in other words: rosebud"
        forget(memory, resolved(memory, target(records=[wanted.id])))
        assert "rosebud" not in "".join(one.previous for one in memory.snapshot().since())


def test_a_session_goes_as_a_whole(tmp_path):
    for name in ("good", "evil"):
        with Memory(tmp_path / "data", session=name) as memory:
            memory.heard(f"words of {name}")
            memory.log(observation=f"seen by {name}", action="look")
            memory.commit(f"Record of the {name} one", findings=[f"finding of {name}"])
    with Memory(tmp_path / "data") as memory:
        proof = forget(memory, resolved(memory, target(session="evil")))
        assert proof.holding == ()
        said = [record.contribution for record in memory.snapshot("main").since()]
        assert said == ["(forgotten)", "Record of the good one"]
        assert b"seen by evil" not in raw(memory.folder)
        assert b"evil" not in raw(memory.folder)
        assert b"seen by good" in raw(memory.folder)


def test_forgetting_again_finds_nothing_and_changes_nothing(memory):
    lived(memory)
    forget(memory, target("hunter2 is the password"))
    tips = {**memory.store.branches(), **memory.store.archived()}
    assert forget(memory, target("hunter2 is the password")).holding == ()
    assert {**memory.store.branches(), **memory.store.archived()} == tips


def test_operations_stay_and_those_that_still_can_be_undone(memory):
    memory.commit("One hunter2 is the password")
    memory.commit("Two")
    kinds = [one.kind for one in memory.operations()]
    forget(memory, target("hunter2 is the password"))
    assert [one.kind for one in memory.operations()] == ["forget", *kinds]
    memory.undo()
    assert memory.snapshot("main").latest.contribution == "One (forgotten)"


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"text": "ab"},
        {"text": "Contribution"},
        {"text": "Agentctx-Id"},
        {"text": "forgotten"},
        {"pattern": "("},
        {"pattern": "x*"},
        {"pattern": "."},
        {"text": "abc", "session": "x"},
    ],
)
def test_what_would_take_everything_is_refused_in_one_line(asked):
    with pytest.raises(MemoryStoreError) as error:
        target(**asked)
    assert "\n" not in str(error.value)


def test_an_unknown_record_or_session_is_said(memory):
    memory.commit("One")
    for asked in ({"records": ["zzzz"]}, {"session": "nobody"}):
        with pytest.raises(UnknownMemory):
            resolved(memory, target(**asked))


def test_a_branch_that_has_it_in_its_name_is_said_before_anything_changes(memory):
    memory.commit("One hunter2")
    memory.branch("hunter2", "x")
    with pytest.raises(MemoryStoreError, match="in its name"):
        forget(memory, target("hunter2"))
    assert "One hunter2" in [record.contribution for record in memory.snapshot("main").since()]


WRITES = """
import sys
from pathlib import Path
from agentctx.memory.memory import Memory
memory = Memory(Path(sys.argv[1]), branch="open")
memory.log(observation="mine")
print("ready", flush=True)
sys.stdin.read()
"""


@posix
def test_a_journal_in_use_elsewhere_is_said_and_finished_later(memory):
    lived(memory)
    other = subprocess.Popen(
        [sys.executable, "-c", WRITES, str(memory.folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert other.stdout.readline() == "ready\n"
    with pytest.raises(MemoryLocked, match="'open' is open in another process"):
        forget(memory, target("hunter2 is the password"))
    other.communicate("", timeout=60)
    assert forget(memory, target("hunter2 is the password")).holding == ()
    assert "mine" in [step.observation for step in memory.live("open")]


class Ends(Disk):
    """Ends the process at the n-th call that changes the disk."""

    def __init__(self, left):
        self.left = left

    def _count(self):
        self.left -= 1
        if self.left < 0:
            os._exit(7)

    def write(self, descriptor, data):
        self._count()
        return super().write(descriptor, data)

    def replace(self, path, target):
        self._count()
        super().replace(path, target)

    def unlink(self, path):
        self._count()
        super().unlink(path)

    def through(self, call, *given, **named):
        self._count()
        return super().through(call, *given, **named)


def _die_at(folder, number):
    """Forget in a child that ends at its n-th call; return whether it came to its end before."""
    child = os.fork()
    if not child:
        try:
            memory = Memory(folder)
            memory.close()
            memory.__dict__["store"] = Store(folder, disk=Ends(number))
            memory.close = lambda: None
            forget(memory, target("hunter2 is the password"))
        except BaseException:
            os._exit(9)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.fixture
def prepared(tmp_path):
    with Memory(tmp_path / "prepared") as memory:
        return lived(memory).folder


def _survives(prepared, number):
    """Die at a call, look at what is left, forget again; return whether it came that far."""
    folder = shutil.copytree(prepared, prepared.with_name(str(number)))
    status = _die_at(folder, number)
    assert status in (0, 7), status
    with Memory(prepared) as old, Memory(folder) as memory:
        assert list(memory.store.verify()) == []
        said, before = (
            [one.contribution for one in each.snapshot("main").since()] for each in (memory, old)
        )
        new = [one.replace(SECRET, "(forgotten)") for one in before]
        assert said in (before, new)
        assert (said == before) == (memory.store.branches() == old.store.branches())
        assert forget(memory, target("hunter2 is the password")).holding == ()
        assert [one.contribution for one in memory.snapshot("main").since()] == new
    assert fsck(folder) == 0
    return status == 7


@posix
def test_a_death_in_the_middle_leaves_the_old_or_the_new_and_again_finishes(prepared):
    assert all(_survives(prepared, number) for number in (0, 20, 45, 55, 62, 70, 90))


@posix
@pytest.mark.long
def test_a_death_at_any_call_leaves_the_old_or_the_new_and_again_finishes(prepared):
    number = 0
    while _survives(prepared, number):
        number += 1
    assert number > 50


def test_the_proof_finds_what_was_left(memory):
    lived(memory)
    with alone(memory.store) as parts:
        proof = prove(parts, target("hunter2 is the password"))
    assert len(proof.holding) > 5


@settings(max_examples=40)
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=4, max_size=30))
def test_the_proof_sees_through_every_way_of_writing_a_text(text):
    from agentctx.memory import texts
    from agentctx.memory.records import Commit, Step

    words = " ".join(text.split())
    try:
        wanted = target(words)
    except MemoryStoreError:
        return
    said = f"before {words} after"
    assert holds(texts.write_commit(Commit(id="x", branch="m", findings=(said,))).encode(), wanted)
    assert holds(texts.write_steps([Step(id="x", observation=said)]).encode(), wanted)
    assert holds(texts.dump({"a": {"b": [said]}}).encode(), wanted)


def test_originals_that_hold_it_or_that_a_forgotten_step_observed_are_counted(memory, tmp_path):
    from agentctx.archive import Archive

    archive = Archive(tmp_path / "archive")
    ids = [archive.put(f"log: {text}".encode()) for text in ("hunter2", "nothing", "other")]
    assert originals([*ids, "0" * 64], archive.read, target("hunter2")) == (ids[0],)
    memory.log(observation="short form", action="look", original=ids[2])
    wanted = resolved(memory, target(records=[memory.commit("Looked").id]))
    assert originals(ids, archive.read, wanted) == (ids[2],)
