from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from agentctx import files


def test_folders_are_made_once_and_found_later(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b" / "c"
    for _ in range(2):
        files.private_folder(folder)
    assert folder.is_dir()


def test_a_file_in_the_way_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(NotADirectoryError):
            files.private_folder(folder)


def test_a_published_file_has_its_content_and_no_scratch_is_left(tmp_path: Path) -> None:
    target = tmp_path / "new" / "name"
    for content in (b"first", b"second"):
        with files.scratch(tmp_path) as (file, temporary):
            file.write(content)
            assert not target.exists() or target.read_bytes() == b"first"
            files.publish(file, temporary, target)
        assert target.read_bytes() == content
    assert list(tmp_path.iterdir()) == [tmp_path / "new"]


def test_an_unfinished_file_is_gone(tmp_path: Path) -> None:
    with files.scratch(tmp_path) as (file, _):
        file.write(b"half")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (errno.ENOSPC, "free some disk space"),
        (errno.EDQUOT, "free some disk space"),
        (errno.EFBIG, "free some disk space"),
        (errno.EACCES, "let this user write there"),
        (errno.EROFS, "let this user write there"),
        (errno.EIO, "check the disk and the path"),
    ],
)
def test_each_refusal_of_a_disk_comes_with_its_remedy(code: int, advice: str) -> None:
    said = files.remedy(OSError(code, os.strerror(code)))
    assert said.startswith(f"{os.strerror(code)}: {advice}")


def test_an_error_without_a_reason_is_named(tmp_path: Path) -> None:
    assert files.remedy(OSError()).startswith("OSError: check the disk")
