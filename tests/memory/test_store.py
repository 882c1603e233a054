"""One memory on disk: whole operations, checked trees, any number of writers."""

from __future__ import annotations

import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import pygit2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygit2.enums import ObjectType

from agentctx.errors import (
    MemoryCorrupt,
    MemoryLocked,
    MemoryNameError,
    MemoryStoreError,
    UnknownMemory,
)
from agentctx.memory import ids
from agentctx.memory.store import Store, wal
from agentctx.memory.store.lock import Lock
from tests.memory.storage import MAIN, add, check, put, told
from tests.processes import together

WRITER = """
    import json, sys
    from pathlib import Path
    from agentctx.memory.store import wal
    from agentctx.memory.store import Store
    from tests.memory.storage import add

    wal.OPERATIONS = 50  # so that several write checkpoints too
    with Store(Path(sys.argv[1])) as store:
        made = [add(store, f"{sys.argv[3]} {number}") for number in range(int(sys.argv[2]))]
    print(json.dumps(made))
"""


def raw(store: Store, tree: bytes) -> str:
    """Write a tree and a commit around all checks and return the commit's hash."""
    add(store, "before")
    git = pygit2.Repository(str(store.folder / "memory.git"))
    hash = str(git.odb.write(ObjectType.TREE, tree))
    made = "agentctx <a@b> 1 +0000"
    text = f"tree {hash}\nauthor {made}\ncommitter {made}\n\nraw\n"
    return str(git.odb.write(ObjectType.COMMIT, text.encode()))


def entry(mode: str, name: str, store: Store) -> bytes:
    add(store, "before")
    tip = store.tip("main")
    git = pygit2.Repository(str(store.folder / "memory.git"))
    blob = git.odb.write(ObjectType.BLOB, b"text")
    target = {"160000": tip, "40000": store.node(tip or "").tree}.get(mode, str(blob))
    return f"{mode} {name}".encode() + b"\0" + bytes.fromhex(target or "")


def test_what_was_put_is_read_back(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        assert store.tip("main") is None
        hash = add(store, "text", number=300)
        node = store.node(hash)
        assert store.tip("main") == hash
        assert store.branches() == {"main": hash}
        assert node.title == "text"
        assert node.parents == ()
        assert node.at == ids.seconds(node.trailers["Agentctx-Id"])
        assert store.read(hash, node.trailers["Agentctx-Path"]) == "text"
        assert store.read(hash, "missing.md") is None
        assert store.read(hash, "commits") is None
        assert list(store.files(hash, "commits")) == [node.trailers["Agentctx-Path"]]
        assert sorted(store.files(hash)) == [node.trailers["Agentctx-Path"], "main.md"]
    check(tmp_path)


def test_a_file_goes_and_its_empty_folders_with_it(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        first = add(store, "text")
        path = store.node(first).trailers["Agentctx-Path"]
        with store.transaction("note") as change:
            hash = change.put(
                MAIN, files={path: None}, parents=[first], base=first, title="", trailers={}, at=1
            )
        assert list(store.files(hash)) == ["main.md"]
    check(tmp_path)


@given(
    texts=st.dictionaries(
        st.from_regex(r"[a-f]{1,2}(/[a-f]{1,2}){0,3}\.md", fullmatch=True),
        st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
        max_size=5,
    )
)
def test_a_tree_holds_what_a_dict_would(tmp_path: Path, texts: dict[str, str | None]) -> None:
    with Store(tmp_path) as store:
        known: dict[str, str] = {}
        base: str | None = None
        for path, text in texts.items():
            with store.transaction("note") as change:
                base = change.put(
                    MAIN,
                    files={path: text},
                    parents=[base] if base else [],
                    base=base,
                    title="x",
                    trailers={},
                    at=1,
                )
            known |= {path: text} if text is not None else {}
        if base:
            assert {path: store.read(base, path) for path in store.files(base)} == known


def test_nothing_happens_when_the_block_raises(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        first = add(store, "first")
        with suppress(ZeroDivisionError), store.transaction("commit") as change:
            put(change, "second")
            raise ZeroDivisionError
        assert store.tip("main") == first
        assert len(list(store.operations())) == 1
        assert told(store) == ["first"]
    check(tmp_path)


def test_all_refs_of_an_operation_move_together(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        add(store, "one", ref="refs/heads/topic/a")
        with store.transaction("merge", session="s7") as change:
            hash = put(change, "two")
            change.move("refs/archive/topic/a", change.tip("topic/a"))
            change.move("refs/heads/topic/a", None)
            assert change.tip("topic/a") is None
            assert change.archived("topic/a")
            assert store.tip("main") is None
        assert store.branches() == {"main": hash}
        assert store.archived().keys() == {"topic/a"}
        newest, oldest = store.operations()
        assert (newest.kind, newest.session, newest.title) == ("merge", "s7", "two")
        assert {move.ref: (bool(move.old), bool(move.new)) for move in newest.moves} == {
            MAIN: (False, True),
            "refs/archive/topic/a": (False, True),
            "refs/heads/topic/a": (True, False),
        }
        assert oldest.id < newest.id


def test_an_operation_can_be_taken_back_by_its_moves(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        add(store, "one")
        add(store, "two")
        operation = next(store.operations(1))
        with store.transaction("undo") as change:
            change.title = "undo it"
            for move in operation.moves:
                change.move(move.ref, move.old)
        assert told(store) == ["one"]
        assert [one.title for one in store.operations()] == ["undo it", "two", "one"]


@pytest.mark.parametrize("count", [5, 90])
def test_operations_are_listed_once_across_checkpoints(
    tmp_path: Path, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal, "OPERATIONS", 20)
    with Store(tmp_path) as store:
        for number in range(count):
            add(store, str(number), number=number)
            if number % (count // 4) == 2:
                store.checkpoint()
        titles = [operation.title for operation in store.operations()]
        assert titles == [str(number) for number in reversed(range(count))]
        assert [one.title for one in store.operations(3)] == titles[:3]
        assert told(store) == titles[::-1]


def test_a_checkpoint_leaves_packs_and_a_short_log(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        for number in range(30):
            add(store, f"text {number}", number=number)
        before = (tmp_path / "wal.jsonl").stat().st_size
        other = Store(tmp_path)
        assert told(other) == told(store)
        store.checkpoint()
        objects = tmp_path / "memory.git" / "objects"
        assert before > 5_000 > (tmp_path / "wal.jsonl").stat().st_size
        assert not list(objects.glob("??/*"))
        assert len(list(objects.glob("pack/*.pack"))) == 1
        add(other, "text 30")
        assert told(other) == told(store) == [f"text {number}" for number in range(31)]
        other.close()
    check(tmp_path)


def test_packs_stay_few(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        other = Store(tmp_path)
        for number in range(24):
            add(store, f"text {number}", number=number)
            store.checkpoint()
            assert len(told(other)) == number + 1
        assert len(list((tmp_path / "memory.git/objects/pack").glob("*.pack"))) <= 6
        other.close()
    check(tmp_path)


def test_a_long_log_is_packed_in_the_background(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal, "OPERATIONS", 10)
    with Store(tmp_path) as store:
        for number in range(25):
            add(store, f"text {number}", number=number)
    assert len(list((tmp_path / "memory.git/objects/pack").glob("*.pack"))) >= 1
    assert (tmp_path / "operations.jsonl").stat().st_size > 1_000
    check(tmp_path)


@pytest.mark.parametrize(
    ("mode", "name", "said"),
    [
        ("120000", "link.md", "a symbolic link"),
        ("160000", "module", "a submodule"),
        ("100755", "run.sh", "an executable"),
        ("100664", "group.md", "mode 100664"),
        ("100644", ".git", "may not stand"),
        ("40000", ".git", "may not stand"),
        ("100644", "..", "may not stand"),
        ("100644", "git~1", "may not stand"),
        ("100644", "a\\b", "may not stand"),
        ("100644", ".g\u200cit", "may not stand"),
        ("100644", "con", "may not stand"),
    ],
)
def test_a_tree_that_none_of_ours_could_be_is_refused(
    tmp_path: Path, mode: str, name: str, said: str
) -> None:
    with Store(tmp_path) as store:
        hash = raw(store, entry(mode, name, store))
        with pytest.raises(MemoryCorrupt, match=said):
            store.read(hash, "main.md")
        with pytest.raises(MemoryCorrupt, match=said):
            list(store.files(hash))
        with pytest.raises(MemoryCorrupt, match=said), store.transaction("fetch") as change:
            change.move("refs/heads/theirs", hash)
        with pytest.raises(MemoryCorrupt, match=said), store.transaction("commit") as change:
            change.put(MAIN, files={"x": ""}, parents=[], base=hash, title="", trailers={}, at=1)
        assert store.branches().keys() == {"main"}


@pytest.mark.parametrize("name", ["../x", "a/../b", ".git/config", "A.md", "", "a//b", "a/", "con"])
def test_a_path_that_no_memory_may_have_is_refused(tmp_path: Path, name: str) -> None:
    with Store(tmp_path) as store:
        with pytest.raises(MemoryNameError), store.transaction("commit") as change:
            change.put(MAIN, files={name: "x"}, parents=[], base=None, title="", trailers={}, at=1)
        assert not store.branches()


@pytest.mark.parametrize(
    "ref", ["main", "refs/heads/", "refs/heads/A", "refs/tags/a", "refs/heads/../x", "HEAD"]
)
def test_a_ref_that_no_memory_may_have_is_refused(tmp_path: Path, ref: str) -> None:
    with Store(tmp_path) as store, pytest.raises(MemoryNameError):
        add(store, "x", ref=ref)


@pytest.mark.parametrize("names", [("a", "a/b"), ("a/b", "a"), ("a/b", "a/b/c")])
def test_a_branch_cannot_be_a_folder_of_another(tmp_path: Path, names: tuple[str, str]) -> None:
    with Store(tmp_path) as store:
        add(store, "x", ref=f"refs/heads/{names[0]}")
        with pytest.raises(MemoryNameError, match="git keeps branches as files"):
            add(store, "y", ref=f"refs/heads/{names[1]}")
        with store.transaction("move") as change:
            change.move(f"refs/heads/{names[1]}", change.tip(names[0]))
            change.move(f"refs/heads/{names[0]}", None)
        assert store.branches().keys() == {names[1]}


def test_a_text_that_is_too_large_or_no_text_is_refused(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        for text, said in (("x" * (1 << 20) + "x", "1 MiB is the most"), ("\ud800", "no Unicode")):
            with pytest.raises(MemoryStoreError, match=said):
                add(store, text)
        assert not store.branches()


def test_what_is_not_there_is_unknown(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        hash = add(store, "x")
        nothing = "1" * 40
        assert not store.contains(nothing)
        assert store.contains(hash)
        assert store.resolve(hash[:8]) == hash
        assert store.resolve(store.node(hash).tree[:10]) is None
        assert store.resolve("zz") is None
        assert store.resolve(nothing) is None
        for look in (
            store.node,
            lambda one: store.read(one, "x"),
            lambda one: list(store.walk(one)),
        ):
            with pytest.raises(UnknownMemory):
                look(nothing)
        with pytest.raises(UnknownMemory), store.transaction("move") as change:
            change.move(MAIN, nothing)
        with pytest.raises(MemoryStoreError):
            store.node("no hash")


def test_branches_have_a_common_record(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        base = add(store, "base")
        with store.transaction("branch") as change:
            change.move("refs/heads/other", base)
        ours, theirs = add(store, "ours"), add(store, "theirs", ref="refs/heads/other")
        alone = add(store, "alone", ref="refs/heads/alone")
        assert store.common(ours, theirs) == base
        assert store.common(ours, alone) is None


def test_texts_come_back_byte_for_byte(tmp_path: Path) -> None:
    texts = ["a\r\nb\r", "\0\x1b[0m", "﻿é\u2028", "", "-----\ntree x\n"]
    with Store(tmp_path) as store:
        files: dict[str, str | None] = {f"f{place}": text for place, text in enumerate(texts)}
        with store.transaction("note") as change:
            hash = change.put(
                MAIN,
                files=files,
                parents=[],
                base=None,
                title="one\ntwo\0",
                trailers={"Agentctx-Kind": "a\nParent: b"},
                at=1,
            )
        assert [store.read(hash, name) for name in files] == texts
        assert store.node(hash).title == "one two"
        assert store.node(hash).trailers == {"Agentctx-Kind": "a Parent: b"}
    check(tmp_path)


def test_threads_and_stores_of_one_process_write_in_turn(tmp_path: Path) -> None:
    stores = [Store(tmp_path), Store(tmp_path)]
    errors: list[BaseException] = []

    def write(number: int) -> None:
        try:
            for turn in range(10):
                add(stores[number % 2], f"{number} {turn}")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sorted(told(stores[0])) == sorted(f"{n} {t}" for n in range(6) for t in range(10))
    for store in stores:
        store.close()
    check(tmp_path)


def written_together(folder: Path, processes: int, count: int) -> None:
    """Let processes write on one branch, and see that all is there, in one line."""
    made = together(processes, WRITER, folder, count)
    with Store(folder) as store:
        nodes = list(store.walk(store.tip("main") or ""))
        texts = told(store)
    assert all(len(node.parents) == 1 for node in nodes[:-1])
    assert {node.hash for node in nodes} == {hash for hashes in made for hash in hashes}
    for number in range(processes):
        mine = [text for text in texts if text.startswith(f"{number} ")]
        assert mine == [f"{number} {turn}" for turn in range(count)]
    check(folder)


def test_eight_processes_write_twenty_commits_each_on_one_branch(tmp_path: Path) -> None:
    written_together(tmp_path, 8, 20)


@pytest.mark.long
def test_a_hundred_processes_write_twenty_commits_each_on_one_branch(tmp_path: Path) -> None:
    written_together(tmp_path, 100, 20)


def test_a_thread_cannot_wait_for_itself(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        with pytest.raises(MemoryStoreError, match="this very thread"), store.transaction("a"):
            add(store, "inner")
        add(store, "afterwards")


def test_a_lock_that_is_held_for_too_long_is_told(tmp_path: Path) -> None:
    with Store(tmp_path) as store, Lock(tmp_path / "lock"):
        store._lock.patience = 0.05
        with pytest.raises(MemoryLocked, match="wait for it"):
            add(store, "x")


def test_what_is_no_repository_is_told(tmp_path: Path) -> None:
    (tmp_path / "memory.git").mkdir()
    with Store(tmp_path) as store, pytest.raises(MemoryCorrupt, match="move it away"):
        store.tip("main")


def test_a_commit_of_the_users_own_git_is_adopted_and_survives(tmp_path: Path) -> None:
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    with Store(theirs) as store:
        for number in range(20):
            add(store, f"text {number}", number=number)
        hash = store.tip("main")
    with Store(ours) as store:
        assert store.tip("main") is None
        git = ["git", "--git-dir", str(ours / "memory.git")]
        fetch = ["fetch", "--quiet", str(theirs / "memory.git"), "+refs/heads/*:refs/remotes/o/*"]
        subprocess.run([*git, *fetch], check=True)
        with store.transaction("pull") as change:
            change.move(MAIN, hash)
        add(store, "mine", number=20)
        assert told(store) == [*(f"text {number}" for number in range(20)), "mine"]
        assert store.branches().keys() == {"main"}
    check(ours)


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.99])  # libgit2 would never return from these
@pytest.mark.parametrize("what", ["tree", "commit", "blob"])
def test_a_damaged_object_is_told_and_mended_from_the_log(
    tmp_path: Path, what: str, share: float
) -> None:
    with Store(tmp_path) as store:
        first = add(store, "text")
        tree = store.node(first).tree
        blob = str(pygit2.Repository(str(tmp_path / "memory.git"))[tree]["main.md"].id)
        last = add(store, "more")
        hash = {"tree": tree, "commit": first, "blob": blob}[what]
        path = tmp_path / "memory.git" / "objects" / hash[:2] / hash[2:]
        path.chmod(0o600)
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    with Store(tmp_path) as store:
        assert store.tip("main") == last
        with pytest.raises(MemoryCorrupt, match="verify"):
            store.read(first, "main.md")
        with pytest.raises(MemoryCorrupt, match="verify"):
            store.common(first, last)
        assert store.resolve(hash[:12]) is None
        assert any("damaged" in problem for problem in store.verify())
        store.checkpoint()
        assert store.read(first, "main.md")
        assert store.common(first, last) == first
        assert list(store.verify()) == []
    check(tmp_path)
