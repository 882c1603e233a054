from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from agentctx import eviction
from agentctx.archive import Archive
from agentctx.errors import Evicted, UnknownHandle
from tests.processes import finish, posix, start

HOUR = 3600.0


def age(archive: Archive, name: str, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(eviction.path(archive.root, name), (then, then))


def fill(archive: Archive, count: int, size: int = 1000) -> list[str]:
    """Put `count` originals that do not compress, the first one the longest unused."""
    names = [archive.put(os.urandom(size), command=f"make {number}") for number in range(count)]
    for number, name in enumerate(names):
        age(archive, name, HOUR * (count - number))
    return names


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "archive"


def test_without_a_cap_everything_stays(root: Path) -> None:
    archive = Archive(root)
    fill(archive, 5)
    archive.put(b"one more")
    assert archive.stats().originals == 6


def test_over_the_cap_the_longest_unused_leave_first(root: Path) -> None:
    names = fill(Archive(root), 6)
    archive = Archive(root, cap=4500)
    newest = archive.put(os.urandom(1000))
    kept = [archive.contains(name) for name in [*names, newest]]
    assert kept == [False, False, False, True, True, True, True]
    stats = archive.stats()
    assert (stats.originals, stats.evicted) == (4, 3)
    assert stats.stored <= 4500


def test_reading_an_original_makes_it_stay(root: Path) -> None:
    names = fill(Archive(root), 6)
    archive = Archive(root, cap=4500)
    archive.read(names[0])
    list(archive.lines(names[1], 1, 1))
    archive.put(os.urandom(1000))
    assert [archive.contains(name) for name in names[:4]] == [True, True, False, False]


def test_putting_an_original_again_makes_it_stay(root: Path) -> None:
    names = fill(Archive(root), 6)
    archive = Archive(root, cap=4500)
    archive.put(archive.read(names[0]))
    archive.put(os.urandom(1000))
    assert archive.contains(names[0])


def test_an_evicted_original_says_how_large_it_was_and_what_to_run(root: Path) -> None:
    archive = Archive(root, cap=1000, grace=0)
    name = archive.put(b"x" * 12_000_000, command="pytest -q\n&& echo '\x1b[31m'")
    age(archive, name, HOUR)
    archive.put(os.urandom(1000))
    expected = rf"^'{name[:6]}' was evicted \(12 MB\): run again: pytest -q\\n&& echo '\\x1b\[31m'$"
    for read in (archive.read, archive.size, lambda name: archive.lines(name, 1, 1)):
        with pytest.raises(Evicted, match=expected):
            read(name)
    assert archive.resolve(name[:6]) == name
    assert list(archive.verify()) == []


@pytest.mark.parametrize(
    ("size", "shown"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (999_600, "1 MB"), (3 * 10**9, "3.0 GB")],
)
def test_sizes_read_well(root: Path, size: int, shown: str) -> None:
    stone = eviction.tombstone(root, "a" * 64)
    stone.parent.mkdir(parents=True)
    stone.write_text(f'{{"size": {size}, "command": ""}}')
    with pytest.raises(Evicted, match=rf"\({shown}\): run the command again"):
        Archive(root).read("a" * 64)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"size": null, "command": ""}', '"\xff"'])
def test_a_damaged_tombstone_still_marks_the_grave(root: Path, content: str) -> None:
    stone = eviction.tombstone(root, "a" * 64)
    stone.parent.mkdir(parents=True)
    stone.write_bytes(content.encode("latin-1"))
    with pytest.raises(Evicted, match="size unknown"):
        Archive(root).read("a" * 64)


def test_what_is_put_again_is_back(root: Path) -> None:
    archive = Archive(root, cap=1, grace=0)
    name = archive.put(b"data", command="make")
    age(archive, name, HOUR)
    archive.put(b"other")
    assert not archive.contains(name)
    assert archive.put(b"data", command="make") == name
    assert archive.read(name) == b"data"
    assert not eviction.tombstone(root, name).exists()


def test_what_was_just_put_or_read_stays_even_above_the_cap(root: Path) -> None:
    archive = Archive(root, cap=1)
    names = [archive.put(b"%d" % number) for number in range(5)]
    assert all(archive.contains(name) for name in names)
    for name in names:
        age(archive, name, 301)
    archive.read(names[2])
    archive.put(b"last")
    assert [archive.contains(name) for name in names] == [False, False, True, False, False]


def test_the_original_being_put_stays_without_any_grace(root: Path) -> None:
    archive = Archive(root, cap=1, grace=0)
    for number in range(3):
        data = b"%d" % number
        assert archive.read(archive.put(data)) == data


def test_small_puts_do_not_look_through_the_archive_each_time(root: Path) -> None:
    names = fill(Archive(root), 3)
    archive = Archive(root, cap=10**6)
    archive.put(b"first")
    looked = (root / "swept").stat().st_mtime_ns
    archive.put(b"second")
    assert (root / "swept").stat().st_mtime_ns == looked
    os.utime(root / "swept", (time.time() - 61,) * 2)
    archive.put(b"third")
    assert (root / "swept").stat().st_mtime_ns >= looked
    assert all(archive.contains(name) for name in names)


def test_a_damaged_original_can_leave_too(root: Path) -> None:
    archive = Archive(root, cap=1, grace=0)
    name = archive.put(b"data")
    eviction.path(root, name).write_bytes(b"junk")
    age(archive, name, HOUR)
    archive.put(b"other")
    with pytest.raises(Evicted):
        archive.read(name)


def test_files_of_others_are_left_alone(root: Path) -> None:
    archive = Archive(root, cap=1, grace=0)
    archive.put(b"data")
    strange = [root / "README", root / "ab" / "notes.txt", root / "zz" / ("a" * 62)]
    for file in strange:
        file.parent.mkdir(exist_ok=True)
        file.write_text("mine")
        os.utime(file, (0, 0))
    archive.put(b"other")
    assert all(file.read_text() == "mine" for file in strange)
    assert list(archive.verify()) == []
    with pytest.raises(UnknownHandle):
        archive.resolve("abnotes")


def test_what_was_used_since_it_was_chosen_is_not_evicted(root: Path) -> None:
    archive = Archive(root)
    name = archive.put(b"data")
    age(archive, name, HOUR)
    (chosen,) = eviction.entries(root)
    archive.read(name)
    assert not eviction.bury(root, chosen)
    assert archive.read(name) == b"data"
    assert archive.stats().evicted == 0
    (chosen,) = eviction.entries(root)
    assert eviction.bury(root, chosen)
    assert not eviction.bury(root, chosen)
    assert not archive.contains(name)


@posix
def test_putting_an_old_original_again_wins_against_its_eviction(root: Path) -> None:
    evict = """
        import sys
        from pathlib import Path
        from agentctx import eviction
        root = Path(sys.argv[1])
        while not (root / "stop").exists():
            eviction.make_room(root, 0, keep="", grace=300)
    """
    archive, data = Archive(root), b"the same every time"
    name = archive.put(data)
    evictor, evicted, pause = start(evict, root), 0, random.Random(1)
    deadline = time.monotonic() + 60  # a busy machine takes its time to start the evictor
    try:
        while evicted < 10 and time.monotonic() < deadline:
            age(archive, name, HOUR)
            time.sleep(pause.uniform(0, 0.004))  # about what burying takes: they meet half-way
            evicted += not archive.contains(name)
            assert archive.put(data) == name
            assert archive.read(name) == data
    finally:
        (root / "stop").touch()
        finish(evictor)
    assert archive.read(name) == data
    assert evicted == 10


def test_only_stale_scratch_files_are_swept(root: Path) -> None:
    root.mkdir()
    fresh, stale = root / "tmpfresh", root / "tmpstale"
    fresh.touch()
    stale.touch()
    os.utime(stale, (time.time() - 3601,) * 2)
    Archive(root)
    assert fresh.exists()
    assert not stale.exists()
