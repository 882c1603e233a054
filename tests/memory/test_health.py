import os

import pytest

from agentctx.memory.look.health import gc, verify
from agentctx.memory.memory import Memory


@pytest.fixture
def memory(tmp_path):
    with Memory(tmp_path / "data") as memory:
        yield memory


def lived(memory, commits=30):
    for number in range(commits):
        memory.log(observation=os.urandom(300).hex(), action="run")
        memory.commit(f"Record {number}")
    return memory


def loose(memory):
    return list((memory.folder / "memory.git" / "objects").glob("[0-9a-f][0-9a-f]/*"))


def packs(memory):
    return list((memory.folder / "memory.git" / "objects" / "pack").glob("*.pack"))


def test_a_sound_memory_has_nothing_wrong(memory):
    lived(memory, 3).search("record")
    assert list(verify(memory)) == []


def test_an_empty_memory_is_sound(memory):
    assert list(verify(memory)) == []


def test_a_damaged_object_is_found(memory):
    lived(memory, 3)
    memory.store.checkpoint()
    path = packs(memory)[0]
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.chmod(0o600)
    path.write_bytes(data)
    memory.close()
    assert any("git fsck" in line for line in verify(memory))


def test_a_damaged_journal_line_is_found(memory):
    memory.log(observation="first")
    memory.log(observation="second")
    path = memory.folder / "journal" / "main.jsonl"
    path.write_bytes(path.read_bytes().replace(b"first", b"fIrst"))
    assert ["1 line" in line for line in verify(memory)] == [True]
    assert [step.observation for step in memory.live()] == ["second"]


def test_a_damaged_index_is_found_with_its_remedy(memory):
    lived(memory, 3).search("record")
    memory.index.close()
    path = memory.folder / "index.db"
    path.write_bytes(b"this is no database" * 500)
    (line,) = verify(memory)
    assert "index.db is damaged" in line
    assert "remove it" in line


def test_a_foreign_commit_on_a_branch_is_found(memory):
    import pygit2

    lived(memory, 1)
    git = pygit2.Repository(str(memory.folder / "memory.git"))
    who = pygit2.Signature("x", "x@x", 0, 0)
    git.create_commit("refs/heads/foreign", who, who, "x", git.TreeBuilder().write(), [])
    assert any("'foreign'" in line for line in verify(memory))


def test_gc_leaves_one_pack_and_everything_readable(memory):
    lived(memory)
    memory.branch("fix", "Try")
    memory.commit("Tried")
    memory.abandon("fix", "No")
    before = [record.contribution for record in memory.snapshot("main").since()]
    done = gc(memory)
    assert (len(packs(memory)), loose(memory)) == (1, [])
    assert done.after < done.before
    assert done.objects > 100
    assert [record.contribution for record in memory.snapshot("main").since()] == before
    assert list(verify(memory)) == []


def test_what_gc_leaves_can_still_be_undone(memory):
    lived(memory, 2)
    gc(memory)
    memory.undo()
    assert memory.snapshot("main").latest.contribution == "Record 0"
    gc(memory)
    memory.commit("After")
    assert list(verify(memory)) == []


def test_gc_drops_what_nothing_leads_to(memory):
    lived(memory, 2)
    undone = memory.store.tip("main")
    memory.undo()
    assert gc(memory).objects > gc(memory, keep_s=0.0).objects
    assert not memory.store.contains(undone)
    assert list(verify(memory)) == []


def test_above_the_cap_archived_branches_go_the_oldest_first(memory):
    memory.commit("Began")
    for name in ("one", "two"):
        memory.branch(name, "Try")
        memory.log(observation=os.urandom(40_000).hex())
        memory.commit("Tried")
        memory.switch("main")
        memory.abandon(name, "No")
    size = gc(memory, keep_s=0.0).after
    assert gc(memory, cap=size).dropped == ()
    done = gc(memory, cap=size - 30_000)
    assert done.dropped == ("one",)
    assert done.after <= size - 30_000
    assert list(memory.store.archived()) == ["two"]
    assert "- one: No" in str(memory.snapshot("main").roadmap.sections)
    assert gc(memory, cap=0).dropped == ("two",)


def test_gc_twice_changes_nothing(memory):
    lived(memory, 3)
    assert gc(memory).after == gc(memory).after
