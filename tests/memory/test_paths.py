from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.errors import MemoryNameError
from agentctx.memory import ids, names
from agentctx.memory.records import Commit
from agentctx.memory.store import paths


@pytest.mark.parametrize(
    ("number", "shard"),
    [
        (0, "0000"),
        (99, "0000"),
        (100, "0001"),
        (10_000, "0100"),
        (1_048_576, "10485"),
    ],
)
def test_a_record_stands_in_the_folder_of_its_number(number: int, shard: str) -> None:
    commit = Commit(id="1m8qx2kz9z192qcm", branch="main", number=number)
    assert paths.commit_path(commit) == f"commits/{shard}/1m8qx2kz9z192qcm.md"
    assert paths.log_path(commit) == f"logs/{shard}/1m8qx2kz9z192qcm.jsonl"


@given(number=st.integers(0, 10**7))
def test_every_part_of_a_path_may_stand_in_a_tree(number: int) -> None:
    commit = Commit(id=ids.new(), branch="main", number=number)
    for path in (paths.commit_path(commit), paths.log_path(commit), paths.metadata_path("a_b")):
        assert [names.file(part) for part in path.split("/")]


def test_no_folder_holds_more_than_a_hundred_records() -> None:
    commits = [Commit(id=ids.new(), branch="main", number=number) for number in range(2_000)]
    folders = [paths.commit_path(commit).rpartition("/")[0] for commit in commits]
    assert max(map(folders.count, set(folders))) == 100


def test_a_branch_has_its_refs_and_one_journal() -> None:
    assert paths.head("a/b") == "refs/heads/a/b"
    assert paths.archive("a/b") == "refs/archive/a/b"
    assert paths.journal_path(Path("d"), "a/b") == Path("d/journal/a+b.jsonl")


@pytest.mark.parametrize("make", [paths.head, paths.archive, paths.metadata_path])
@pytest.mark.parametrize("name", ["..", "A", "", "a b", "x.lock", "../a"])
def test_a_name_that_breaks_the_rule_has_no_place(make, name: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(MemoryNameError):
        make(name)
