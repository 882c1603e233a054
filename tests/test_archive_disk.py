from __future__ import annotations

from pathlib import Path

import pytest

from agentctx.archive import Archive
from agentctx.errors import ArchiveError
from tests.processes import mounts, on_small_disk, posix, run


def test_a_folder_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(
        ArchiveError, match=r"cannot store an original in .*Not a directory: check"
    ) as caught:
        Archive(tmp_path / "file" / "archive").put(b"data")
    assert "\n" not in str(caught.value)


_FILL = """
    import json, os, sys
    from pathlib import Path
    from agentctx.archive import Archive
    from agentctx.errors import ArchiveError
    root = Path(sys.argv[1]) / "archive"
    archive = Archive(root)
    name = archive.put(b"small")
    if len(sys.argv) > 2:
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
    try:
        archive.put(os.urandom(3_000_000))
    except ArchiveError as error:
        left = [str(path) for path in root.rglob("*") if path.is_file()]
        print(json.dumps([str(error), len(left), archive.read(name).decode()]))
"""


@posix
def test_a_file_size_limit_is_told_in_one_line_and_nothing_is_lost(tmp_path: Path) -> None:
    message, left, small = run(_FILL, tmp_path, 1_000_000)
    assert message.startswith("cannot store an original in ")
    assert message.endswith("File too large: free some disk space")
    assert (left, small) == (1, "small")


@mounts
def test_a_full_disk_is_told_in_one_line_and_nothing_is_lost(tmp_path: Path) -> None:
    message, left, small = on_small_disk(_FILL, "1m", tmp_path)
    assert message.endswith("No space left on device: free some disk space")
    assert (left, small) == (1, "small")


@mounts
def test_a_read_only_archive_is_read_and_refuses_what_is_new_in_one_line(tmp_path: Path) -> None:
    script = """
        import json, subprocess, sys
        from pathlib import Path
        from agentctx.archive import Archive
        from agentctx.errors import ArchiveError
        archive = Archive(Path(sys.argv[1]) / "archive", cap=1)
        name = archive.put(b"data")
        subprocess.run(["mount", "-o", "remount,ro", sys.argv[1]], check=True)
        assert archive.put(b"data") == name
        told = [archive.read(name).decode()]
        try:
            archive.put(b"new")
        except ArchiveError as error:
            told.append(str(error))
        print(json.dumps(told))
    """
    data, message = on_small_disk(script, "1m", tmp_path)
    assert data == "data"
    assert message.endswith(
        "Read-only file system: let this user write there, or choose another data folder"
    )


_MEMORY = """
    import io, json, os, sys
    from pathlib import Path
    from agentctx import blob
    from agentctx.archive import Archive

    class Lines:
        def __init__(self, size):
            self.left, self.block = size, os.urandom(1 << 19).hex(" ", 32).replace(" ", chr(10)).encode()
        def read(self, size):
            size = min(size, self.left)
            self.left -= size
            return self.block[:size]

    def peak():
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0])

    archive, size, peaks = Archive(Path(sys.argv[1])), int(sys.argv[2]), []
    list(archive.lines(archive.put(b"warm"), 1, 1))
    before = peak()
    name = archive.put(Lines(size))
    peaks.append(peak() - before)
    with archive.stream(name) as source:
        blob.drain(source)
    peaks.append(peak() - before)
    count = sum(1 for _ in archive.lines(name, 1, 10**12))
    last = list(archive.lines(name, count, count))
    peaks.append(peak() - before)
    print(json.dumps([archive.size(name), count, len(last), peaks]))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
@pytest.mark.parametrize("mebibytes", [64, pytest.param(1024, marks=pytest.mark.long)])
def test_a_large_output_streams_through_in_little_memory(tmp_path: Path, mebibytes: int) -> None:
    size, count, last, peaks = run(_MEMORY, tmp_path / "archive", mebibytes << 20)
    assert size == mebibytes << 20
    assert count > size // 66
    assert last == 1
    assert max(peaks) <= (64 << 10 if mebibytes == 1024 else 16 << 10), peaks
