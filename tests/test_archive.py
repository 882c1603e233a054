from __future__ import annotations

import io
import os
import signal
import stat
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.archive import Archive
from agentctx.errors import AmbiguousHandle, ArchiveError, UnknownHandle
from agentctx.values import content_id
from tests.processes import posix, start, together


@pytest.fixture(scope="module")
def shared_archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    return Archive(tmp_path_factory.mktemp("data") / "archive")


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "archive")


def files(archive: Archive) -> list[Path]:
    return [path for path in archive.root.rglob("*") if path.is_file()]


@given(data=st.binary(max_size=2000))
def test_what_is_put_comes_back_under_its_content_id(shared_archive: Archive, data: bytes) -> None:
    name = shared_archive.put(data)
    assert name == content_id(data) == shared_archive.put(io.BytesIO(data))
    assert shared_archive.read(name) == data
    assert shared_archive.size(name) == len(data)


@given(
    data=st.lists(
        st.sampled_from([b"\n", b"\r\n", b"\r", b"\x0b", "\u2028".encode(), b"\xff", b"ab", b""])
    ).map(b"".join),
    first=st.integers(1, 8),
    count=st.integers(0, 8),
)
def test_lines_are_those_between_newline_bytes(
    shared_archive: Archive, data: bytes, first: int, count: int
) -> None:
    expected = list(io.BytesIO(data))[first - 1 : first + count]
    assert list(shared_archive.lines(shared_archive.put(data), first, first + count)) == expected


def test_a_line_longer_than_the_buffer_is_one_line(archive: Archive) -> None:
    long = b"x" * 3_000_000 + b"\n"
    name = archive.put(b"a\n" + long + b"b\n")
    assert list(archive.lines(name, 2, 2)) == [long]
    assert list(archive.lines(name, 3, 9)) == [b"b\n"]


@pytest.mark.parametrize(("first", "last"), [(0, 3), (-1, 1), (3, 2)])
def test_impossible_line_ranges_are_refused_in_one_line(
    archive: Archive, first: int, last: int
) -> None:
    with pytest.raises(ArchiveError, match=f"no lines {first}-{last}: ask for"):
        archive.lines(archive.put(b"a\nb\n"), first, last)


@posix
def test_folders_and_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        archive = Archive(tmp_path / "new" / "archive", cap=10**9)
        archive.put(b"secret")
    finally:
        os.umask(before)
    for path in (tmp_path / "new").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


def test_putting_the_same_twice_keeps_one_file_and_its_first_command(archive: Archive) -> None:
    name = archive.put(b"data", command="first")
    assert archive.put(b"data", command="second") == name
    assert len(files(archive)) == 1
    assert archive.command(name) == "first"
    assert files(archive)[0].relative_to(archive.root).as_posix() == f"{name[:2]}/{name[2:]}"


def test_putting_again_repairs_a_damaged_original(archive: Archive) -> None:
    name = archive.put(b"data")
    files(archive)[0].write_bytes(b"junk")
    archive.put(b"data")
    assert archive.read(name) == b"data"


def test_processes_may_put_the_same_at_once(archive: Archive) -> None:
    script = """
        import json, sys
        from pathlib import Path
        from agentctx.archive import Archive
        archive = Archive(Path(sys.argv[1]))
        print(json.dumps([archive.read(archive.put(b"%d" % n * 5000)).decode()[:2] for n in range(40)]))
    """
    told = together(4, script, archive.root)
    assert told == [[str(n)[:1] * 2 if n < 10 else str(n) for n in range(40)]] * 4
    assert len(files(archive)) == 40
    assert list(archive.verify()) == []


def test_an_unused_archive_leaves_no_trace(archive: Archive) -> None:
    with pytest.raises(UnknownHandle):
        archive.resolve("a1b2c3")
    assert not archive.contains("a" * 64)
    assert list(archive.verify()) == []
    assert archive.stats().originals == 0
    assert not archive.root.exists()


def test_handles_resolve_to_the_whole_id(archive: Archive) -> None:
    name = archive.put(b"data")
    assert {archive.resolve(name[:end]) for end in range(6, 65)} == {name}


@pytest.mark.parametrize(
    "handle",
    [
        "",
        "a1b2c",
        "A1B2C3",
        "a1b2c3\n",
        "../../x",
        "a1/../a1b2",
        "g" * 6,
        "a" * 65,
        "١١١١١١",
        "\0" * 6,
    ],
)
def test_what_is_no_handle_is_unknown(archive: Archive, handle: str) -> None:
    archive.put(b"data")
    with pytest.raises(UnknownHandle, match="no original has the handle") as caught:
        archive.resolve(handle)
    assert "\n" not in str(caught.value)
    with pytest.raises(UnknownHandle):
        archive.read(handle)
    assert not archive.contains(handle)


def test_an_ambiguous_handle_names_its_candidates(archive: Archive) -> None:
    seen: dict[str, bytes] = {}
    for number in range(100_000):
        data = b"%d" % number
        twin = seen.setdefault(content_id(data)[:6], data)
        if twin != data:
            break
    names = [archive.put(data), archive.put(twin)]
    with pytest.raises(AmbiguousHandle, match="fits 2 originals") as caught:
        archive.resolve(names[0][:6])
    assert all(name[:16] in str(caught.value) for name in names)
    assert archive.resolve(names[0][:16]) == names[0]


def test_a_source_that_breaks_off_leaves_nothing(archive: Archive) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell():
                raise ValueError("gone")
            return super().read(size)

    with pytest.raises(ValueError, match="gone"):
        archive.put(Broken(b"x" * 1_000_000))
    assert files(archive) == []


@posix
def test_a_killed_put_is_not_seen_and_its_scratch_file_is_swept_an_hour_later(
    archive: Archive,
) -> None:
    script = """
        import os, sys, time
        from pathlib import Path
        from agentctx.archive import Archive
        class Endless:
            def read(self, size): return os.urandom(size)
        Archive(Path(sys.argv[1])).put(Endless())
    """
    process = start(script, archive.root)
    while not any(path.stat().st_size > 1_000_000 for path in files(archive)):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (left,) = files(archive)
    assert list(Archive(archive.root).verify()) == []
    assert left.exists()
    os.utime(left, (time.time() - 3700,) * 2)
    Archive(archive.root)
    assert files(archive) == []


def test_an_error_of_the_reader_is_not_taken_for_one_of_the_archive(archive: Archive) -> None:
    name = archive.put(b"data")
    with pytest.raises(FileNotFoundError, match="mine"), archive.stream(name):
        raise FileNotFoundError("mine")
