import subprocess
from pathlib import Path

import pygit2
import pytest

from agentctx.errors import (
    AgentctxError,
    MemoryCorrupt,
    MemoryNameError,
    MemoryStoreError,
    RemoteError,
)
from agentctx.memory.look.health import verify
from agentctx.memory.memory import Memory
from agentctx.memory.remote import Remote


@pytest.fixture
def open_memory(tmp_path):
    opened = []

    def open_memory(name):
        opened.append(Memory(tmp_path / name))
        return opened[-1]

    yield open_memory
    for memory in opened:
        memory.close()


@pytest.fixture
def hub(tmp_path):
    path = tmp_path / "hub.git"
    pygit2.init_repository(str(path), bare=True)
    return str(path)


@pytest.fixture
def two(open_memory, hub):
    one, other = open_memory("one"), open_memory("other")
    one.commit("Began", milestones=["Works"], todo=["a"])
    Remote(one, hub).push()
    Remote(other, hub).clone()
    return one, other


def refs(repository):
    found = pygit2.Repository(repository).references
    return {name: str(found[name].target) for name in found}


def said(memory, branch="main"):
    return [record.contribution for record in memory.snapshot(branch).since()]


def fsck(path):
    return subprocess.run(["git", "-C", path, "fsck", "--strict"], capture_output=True).returncode


def test_a_relative_folder_stays_where_it_was(tmp_path, monkeypatch, hub):
    monkeypatch.chdir(tmp_path)
    memory = Memory(Path(".agentctx"))
    memory.commit("Began")
    assert Remote(memory, hub).push().refs == ("refs/heads/main",)
    assert not list(verify(memory))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    memory.commit("Went on")
    assert Remote(memory).push().refs == ("refs/heads/main",)
    assert not list(Path().iterdir())
    memory.close()


def test_a_clone_has_all_that_was_pushed(open_memory, hub):
    one, other = open_memory("one"), open_memory("other")
    one.log(observation="o", action="a")
    one.commit("Began", metadata={"env_config": {"python": "3.11"}})
    one.branch("fix/x", "Try x")
    one.commit("Tried")
    one.switch("main")
    one.merge("fix/x")
    Remote(one, hub).push()
    done = Remote(other, hub).clone()
    assert set(done.moved) == {"refs/heads/main", "refs/archive/fix/x"}
    assert other.store.branches() == one.store.branches()
    assert other.store.archived() == one.store.archived()
    assert list(other.store.verify()) == []
    assert fsck(other.folder / "memory.git") == 0


def test_a_pull_goes_on_with_what_the_other_side_added(two, hub):
    one, other = two
    one.commit("More")
    Remote(one).push()
    assert Remote(other).pull().moved == ("refs/heads/main",)
    assert said(other) == ["More", "Began"]
    assert Remote(other).pull() == Remote(one).pull()


def test_a_push_never_goes_over_what_is_new_there(two, hub):
    one, other = two
    one.commit("Mine")
    other.commit("Yours")
    Remote(one).push()
    before = refs(hub)
    with pytest.raises(RemoteError, match="gone on with 'main': agentctx memory pull"):
        Remote(other).push()
    assert refs(hub) == before


def test_branches_that_went_apart_are_merged_and_can_then_be_pushed(two, hub):
    one, other = two
    one.commit("Mine", todo=["b"], done=["a"])
    other.commit("Yours", todo=["c"])
    Remote(one).push()
    done = Remote(other).pull()
    assert done.merged == ("main",)
    assert {"Mine", "Yours", "Began"} <= {
        other.snapshot("main").record(record).contribution for record in _ids(other)
    }
    todo = {item.text: item.done for item in other.snapshot("main").roadmap.todo}
    assert todo == {"a": True, "b": False, "c": False}
    Remote(other).push()
    assert Remote(one).pull().moved == ("refs/heads/main",)
    assert one.store.branches() == other.store.branches()
    assert fsck(one.folder / "memory.git") == 0


def _ids(memory):
    files = memory.store.files(memory.store.tip("main"), "commits")
    return [path.rpartition("/")[2].removesuffix(".md") for path in files]


def test_a_conflict_moves_no_ref_and_a_policy_or_a_resolution_settles_it(two):
    one, other = two
    one.commit("Mine", metadata={"env_config": {"python": "3.11"}})
    other.commit("Yours", metadata={"env_config": {"python": "3.12"}})
    Remote(one).push()
    tip = other.store.tip("main")
    (conflict,) = Remote(other).pull().conflicts
    assert [(clash.ours, clash.theirs) for clash in conflict.clashes] != []
    assert other.store.tip("main") == tip
    Remote(other).pull("theirs")
    assert other.snapshot("main").metadata("env_config") == {"python": "3.11"}
    assert other.live() == ()


def test_a_pull_with_an_answer_to_what_is_no_conflict_moves_nothing(two):
    one, other = two
    one.commit("Mine", purpose="one", metadata={"env_config": {"python": "3.11"}})
    one.branch("new", "Only here")
    other.commit("Yours", purpose="two", metadata={"env_config": {"python": "3.12"}})
    Remote(one).push()
    before, python, purpose = other.store.branches(), "env_config:python", "main.md:purpose"
    with pytest.raises(
        MemoryStoreError, match=f"'x' is in no conflict: resolve '{purpose}', '{python}'"
    ):
        Remote(other).pull(resolutions={python: "ours", "x": "ours"})
    assert other.store.branches() == before
    done = Remote(other).pull(resolutions={python: "ours"})
    assert [clash.item for one in done.conflicts for clash in one.clashes] == [purpose]
    assert done.moved == ("refs/heads/new",)
    assert Remote(other).pull(resolutions={python: "ours", purpose: "theirs"}).merged == ("main",)
    assert other.snapshot("main").metadata("env_config") == {"python": "3.12"}
    assert other.snapshot("main").roadmap.purpose == "one"
    with pytest.raises(
        MemoryStoreError, match="'x' is in no conflict: there is none: leave it out"
    ):
        Remote(other).pull(resolutions={"x": "ours"})


def test_steps_that_are_not_committed_stay_through_a_pull(two):
    one, other = two
    one.commit("Mine")
    other.commit("Yours")
    other.log(observation="unsealed", action="a")
    Remote(one).push()
    Remote(other).pull()
    assert [step.observation for step in other.live()] == ["unsealed"]


def test_a_branch_that_was_merged_here_is_archived_there_and_elsewhere(two, hub):
    one, other = two
    one.branch("fix", "Try")
    one.commit("Tried")
    Remote(one).push()
    Remote(other).pull()
    assert "fix" in other.store.branches()
    one.switch("main")
    one.merge("fix")
    assert Remote(one).push().dropped == ("refs/heads/fix",)
    assert set(refs(hub)) == {"refs/heads/main", "refs/archive/fix"}
    Remote(other).pull()
    assert list(other.store.branches()) == ["main"]
    assert list(other.store.archived()) == ["fix"]


def test_a_pull_can_be_undone(two):
    one, other = two
    one.commit("More")
    Remote(one).push()
    Remote(other).pull()
    other.undo()
    assert said(other) == ["Began"]


def _commit(hub, entries, ref="refs/heads/main", message="x\n\nAgentctx-Id: x\n"):
    """Make a commit whose tree holds these (name, mode, text) and let a ref of the hub name it."""
    repository = pygit2.Repository(hub)
    tree = b"".join(
        b"%o %b\0%b" % (mode, name.encode(), repository.create_blob(text.encode()).raw)
        for name, mode, text in entries
    )
    made = repository.odb.write(pygit2.enums.ObjectType.TREE, tree)
    who = pygit2.Signature("x", "x@x", 0, 0)
    repository.create_commit(ref, who, who, message, made, [])


HOSTILE = {
    "a link": [("x", 0o120000, "/etc/passwd")],
    "an executable": [("x", 0o100755, "#!/bin/sh")],
    "a submodule": [("x", 0o160000, "")],
    ".git": [(".git", 0o100644, "x")],
    "..": [("..", 0o100644, "x")],
    "git~1": [("git~1", 0o100644, "x")],
    "a huge file": [("main.md", 0o100644, "x" * ((1 << 20) + 1))],
}


@pytest.mark.parametrize("entries", HOSTILE.values(), ids=HOSTILE)
def test_a_history_that_is_no_memory_is_refused_before_any_ref_moves(open_memory, hub, entries):
    _commit(hub, entries)
    memory = open_memory("one")
    memory.commit("Mine")
    tips = dict(memory.store.branches())
    with pytest.raises((MemoryCorrupt, RemoteError)) as found:
        Remote(memory, hub).pull("theirs")
    assert "\n" not in str(found.value)
    assert dict(memory.store.branches()) == tips
    assert set(refs(str(memory.folder / "memory.git"))) == {"refs/heads/main"}


def test_a_project_of_the_user_is_no_memory(open_memory, hub):
    _commit(hub, [("readme.md", 0o100644, "Hello")])
    memory = open_memory("one")
    memory.commit("Mine")
    with pytest.raises(AgentctxError):
        Remote(memory, hub).pull()
    assert said(memory) == ["Mine"]


def test_a_branch_that_no_memory_may_have_is_refused(open_memory, hub):
    _commit(hub, [("main.md", 0o100644, "x")], ref="refs/heads/Upper")
    with pytest.raises(MemoryNameError, match="Upper"):
        Remote(open_memory("one"), hub).pull()


def test_an_address_is_remembered_but_no_password(open_memory, hub):
    memory = open_memory("one")
    memory.commit("Mine")
    with pytest.raises(RemoteError, match="no address is known yet"):
        Remote(memory)
    Remote(memory, hub).push()
    assert Remote(memory).push().refs == ()


def test_a_failure_is_one_line_without_credentials(open_memory):
    memory = open_memory("one")
    memory.commit("Mine")
    with pytest.raises(RemoteError) as found:
        Remote(memory, "http://me:hunter2@127.0.0.1:1/x.git", timeout=20).push()
    assert "hunter2" not in str(found.value)
    assert "\n" not in str(found.value)


def test_there_is_nothing_to_push_in_an_empty_memory_and_nothing_to_clone_into_another(
    open_memory, hub
):
    memory = open_memory("one")
    with pytest.raises(RemoteError, match="nothing to push"):
        Remote(memory, hub).push()
    memory.commit("Mine")
    with pytest.raises(RemoteError, match="a memory here already"):
        Remote(memory, hub).clone()
