from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentctx.memory import ids
from agentctx.memory.store import lines
from agentctx.memory.store.boot import boot
from agentctx.memory.store.disk import Disk
from agentctx.memory.store.operation import Move, Operation, Put
from agentctx.memory.store.wal import Wal
from tests.memory.storage import Counting


def operation(title: str) -> Operation:
    put = Put(
        hash="1" * 40,
        base=None,
        parents=("2" * 40,),
        files={"crc": '{"crc":"', "gone.md": None, "é.md": "a\nb\0"},
        title=title,
        trailers={"A": "b"},
        at=7,
    )
    moves = (Move("refs/heads/main", None, "1" * 40),)
    return Operation(id=ids.new(), kind="commit", moves=moves, title=title, puts=(put,), at=1.5)


def opened(path: Path, disk: Disk | None = None) -> tuple[Wal, list[Operation]]:
    log = Wal(path, disk or Disk())
    return log, log.catch_up(lambda: {"refs/heads/main": "0" * 40})


def test_operations_are_read_as_they_were_written(tmp_path: Path) -> None:
    log, unseen = opened(tmp_path / "wal.jsonl")
    made = [operation(str(number)) for number in range(3)]
    for one in made:
        log.append(one)
    assert unseen == []
    assert log.catch_up(dict) == []
    assert log.recent() == made
    other, unseen = opened(tmp_path / "wal.jsonl")
    assert unseen == made
    assert other.refs == {"refs/heads/main": "0" * 40}
    assert (other.count, other.last) == (3, made[-1].id)


def test_each_sees_what_others_appended_once(tmp_path: Path) -> None:
    one, _ = opened(tmp_path / "wal.jsonl")
    two, _ = opened(tmp_path / "wal.jsonl")
    made = operation("a")
    one.append(made)
    assert two.catch_up(dict) == [made]
    assert two.catch_up(dict) == []
    more = operation("b")
    two.append(more)
    assert one.catch_up(dict) == [more]


@pytest.mark.parametrize("junk", [b"{", b"\0" * 100, b'{"crc":"00000000","id":"x"}\n', b"\n\n"])
def test_what_a_dead_writer_left_is_cut_off(tmp_path: Path, junk: bytes) -> None:
    path = tmp_path / "wal.jsonl"
    log, _ = opened(path)
    log.append(made := operation("a"))
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(junk)
    assert log.catch_up(dict) == []
    assert path.stat().st_size == size
    other, unseen = opened(path)
    assert unseen == [made]
    other.append(operation("b"))
    assert len(other.recent()) == 2


def test_a_line_that_was_not_synced_is_taken_out_again(tmp_path: Path) -> None:
    def refuse(disk: Disk, name: str, given: tuple[object, ...]) -> None:
        raise OSError(5, os.strerror(5))

    disk = Counting(0, refuse)
    log, _ = opened(tmp_path / "wal.jsonl", disk)
    log.append(made := operation("a"))
    disk._at = disk.count + 2  # the write goes well, the sync does not
    with pytest.raises(OSError, match="Input/output"):
        log.append(operation("b"))
    assert log.recent() == [made]
    log.append(last := operation("c"))
    assert log.recent() == [made, last]


def test_a_new_log_keeps_what_came_after_its_mark(tmp_path: Path) -> None:
    path = tmp_path / "wal.jsonl"
    log, _ = opened(path)
    other, _ = opened(path)
    log.append(operation("a"))
    end = log.end
    log.append(kept := operation("b"))
    log.restart(end, {"refs/heads/x": "3" * 40})
    assert log.recent() == [kept]
    assert log.refs == {"refs/heads/x": "3" * 40}
    assert other.catch_up(dict) == [kept]
    other.append(new := operation("c"))
    assert log.catch_up(dict) == [new]
    log.restart(log.end, {})
    assert log.recent() == []
    assert log.last == new.id
    assert opened(path)[0].last == new.id


def test_a_log_of_another_start_of_the_machine_is_known(tmp_path: Path) -> None:
    path = tmp_path / "wal.jsonl"
    assert opened(path)[0].same_boot == bool(boot())
    path.write_bytes(lines.encode({"version": 1, "boot": "another", "refs": {}, "last": ""}))
    assert not opened(path)[0].same_boot


def test_a_log_without_its_header_or_empty_still_opens(tmp_path: Path) -> None:
    path = tmp_path / "wal.jsonl"
    path.write_bytes(b"")
    log, _ = opened(path)
    log.append(made := operation("a"))
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    headless, unseen = opened(path)
    assert unseen == [made]
    assert not headless.same_boot


def test_a_log_is_due_after_many_or_large_operations(tmp_path: Path) -> None:
    log, _ = opened(tmp_path / "wal.jsonl")
    assert not log.due
    log.append(operation("x" * (1 << 20)))
    assert log.due
