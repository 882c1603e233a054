"""Writers die, and disks refuse, at any call; what was acknowledged stays, and nobody repairs."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from agentctx.errors import MemoryFull, MemoryStoreError
from agentctx.memory.store import Store, lines
from agentctx.memory.store.disk import Disk
from agentctx.memory.store.journal import Journal
from tests.memory.dying import room
from tests.memory.storage import Counting, add, check, kept, step, story, told
from tests.processes import mounts, on_small_disk, posix, run

AT_EVERY_CALL = """
    import json, sys
    from tests.memory.dying import at_every_call
    print(json.dumps(at_every_call(int(sys.argv[1]), int(sys.argv[2]))))
"""
AT_ANY_MOMENT = """
    import json, sys
    from tests.memory.dying import at_any_moment
    print(json.dumps(at_any_moment(int(sys.argv[1]), int(sys.argv[2]))))
"""
FULL = """
    import json, sys
    from pathlib import Path
    from agentctx.errors import MemoryFull
    from tests.memory.storage import add, check, told
    from agentctx.memory.store import Store

    disk = Path(sys.argv[1])
    (disk / "filler").write_bytes(bytes(1 << 20))
    known, refused = [], ""
    store = Store(disk / "memory")
    for number in range(1_000):
        try:
            add(store, f"{number} " + "x" * 4_000, number=number)
            known.append(f"{number} " + "x" * 4_000)
        except MemoryFull as error:
            refused = str(error)
            break
    assert told(store) == known
    (disk / "filler").unlink()
    add(store, "afterwards")
    store.close()
    check(disk / "memory")
    with Store(disk / "memory") as store:
        assert told(store) == [*known, "afterwards"]
    print(json.dumps([len(known), refused]))
"""
FEW = """
    import json, os, resource, sys
    from pathlib import Path
    from agentctx.errors import MemoryFull
    from tests.memory.storage import add, check, told
    from agentctx.memory.store import Store

    folder, store = Path(sys.argv[1]), Store(Path(sys.argv[1]))
    add(store, "before")
    which, limit = getattr(resource, sys.argv[2]), int(sys.argv[3])
    if not limit:  # not one more than are open
        os.close(limit := os.dup(0))
    soft, hard = resource.getrlimit(which)
    refused = ""
    resource.setrlimit(which, (limit, hard))
    try:
        add(store, "x" * 300_000)
    except MemoryFull as error:
        refused = str(error)
    resource.setrlimit(which, (soft, hard))
    add(store, "after")
    assert told(store) == ["before", "after"]
    store.close()
    check(folder)
    print(json.dumps(refused))
"""

STARVED = """
    import json, os, resource, sys
    from pathlib import Path
    from agentctx.errors import MemoryStoreError
    from tests.memory.losing import start_again
    from tests.memory.storage import add, check, told
    from agentctx.memory.store import Store

    folder, refused = Path(sys.argv[1]), set()
    with Store(folder) as store:
        for number in range(8):
            add(store, str(number), number=number)
            if number in (3, 5):
                store.checkpoint()
    for again in (False, True):
        for more in range(14):
            if again:
                start_again(folder / "wal.jsonl")
            os.close(limit := os.dup(0))
            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit + more, hard))
            try:
                with Store(folder) as store:
                    assert told(store) == [str(number) for number in range(8)]
            except MemoryStoreError as error:
                refused.add(str(error))
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        check(folder)
        with Store(folder) as store:
            assert told(store) == [str(number) for number in range(8)]
            assert len(list(store.operations())) == 8
    print(json.dumps(sorted(refused)))
"""


@posix
def test_a_writer_may_end_at_any_call() -> None:
    assert run(AT_EVERY_CALL, 1, 8) >= 28


@posix
@pytest.mark.long
def test_a_writer_may_end_at_every_call() -> None:
    assert run(AT_EVERY_CALL, 1, 1) >= 230


@posix
def test_a_writer_may_be_killed_at_any_moment() -> None:
    assert run(AT_ANY_MOMENT, 20, 1) > 20


@posix
@pytest.mark.long
def test_a_writer_may_be_killed_300_times() -> None:
    assert run(AT_ANY_MOMENT, 300, 2) > 300


def refusing(number: int, *, for_good: bool) -> Callable[[Disk, str, tuple[Any, ...]], None]:
    """Return what refuses a call, and after half of a write; or that one and all that follow."""

    def refuse(disk: Disk, name: str, given: tuple[Any, ...]) -> None:
        if for_good:
            disk._at += 1  # type: ignore[attr-defined]
        if name == "write":
            os.write(given[0], given[1][: len(given[1]) // 2])
        raise OSError(number, os.strerror(number))

    return refuse


@pytest.mark.parametrize("for_good", [False, True])
@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EMFILE])
def test_whatever_call_the_disk_refuses_it_is_told_and_the_store_goes_on(
    number: int, for_good: bool
) -> None:
    refused = 0
    for at in range(1 + number % 7, 260, 43):
        with room() as folder:
            disk = Counting(at, refusing(number, for_good=for_good))
            done: list[tuple[str, str]] = []
            with suppress(MemoryStoreError):
                for one in story(folder, disk):
                    done.append(one)
            refused += disk.count >= at
            kept(folder, done)
            check(folder)
    assert refused >= 4


@pytest.mark.parametrize("for_good", [False, True])
@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EMFILE])
def test_an_operation_that_was_refused_has_happened_only_where_that_is_told(
    number: int, for_good: bool, tmp_path: Path
) -> None:
    seen, written = set(), set()
    for at in range(1, 30):
        disk = Counting()
        store = Store(tmp_path / str(at), disk=disk)
        add(store, "before")
        first = disk._at = disk.count + at
        disk._event = refusing(number, for_good=for_good)
        known = ["before", "refused"]
        try:
            add(store, "refused")
        except MemoryFull as error:
            seen.add(str(error))
            known = ["before"]
            assert told(store) == known
        except MemoryStoreError as error:
            written.add(str(error))
        done = disk.count < first
        disk._event = None
        add(store, "after")
        assert told(store) == [*known, "after"]
        with Store(tmp_path / str(at)) as other:
            assert told(other) == told(store)
        store.close()
        check(tmp_path / str(at))
        if done:
            break
    assert seen
    assert all("\n" not in text and "then do it again" in text for text in seen)
    assert bool(written) is for_good
    assert all("\n" not in text and "and do not do it again: " in text for text in written)


def test_a_step_that_was_refused_is_not_there(tmp_path: Path) -> None:
    disk = Counting()
    journal = Journal(tmp_path / "main.jsonl", disk=disk)
    journal.append(step("before"))
    disk._at, disk._event = disk.count + 1, refusing(errno.ENOSPC, for_good=False)
    with pytest.raises(MemoryFull, match="free some disk space"):
        journal.append(step("refused"))
    journal.append(step("after"))
    assert [one.observation for one in journal.read()] == ["before", "after"]
    assert all(line.value for line in lines.scan(journal.path.read_bytes()))


@mounts
def test_a_full_disk_is_told_and_the_store_goes_on_when_there_is_room() -> None:
    known, refused = on_small_disk(FULL, "3m", "/mnt")
    assert known > 10
    assert "No space left on device" in refused


@posix
@pytest.mark.parametrize(("limit", "value"), [("RLIMIT_NOFILE", 0), ("RLIMIT_FSIZE", 100_000)])
def test_a_limit_of_the_system_is_told_and_the_store_goes_on(
    limit: str, value: int, tmp_path: Path
) -> None:
    refused = run(FEW, tmp_path / "memory", limit, value)
    assert "was not written" in refused


@posix
def test_without_descriptors_nothing_is_taken_for_missing(tmp_path: Path) -> None:
    refused = run(STARVED, tmp_path / "memory")
    assert refused
    assert all("Too many open files" in text and "missing" not in text for text in refused)
