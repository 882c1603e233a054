from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from agentctx.errors import DataError
from agentctx.evals.load import count, load, records
from tests.evals.runs import mini, vorflux, write
from tests.shared import DATA, needs_shared


def test_plain_and_gzipped_files_of_both_formats_load_together(tmp_path: Path) -> None:
    plain = write(tmp_path / "a.jsonl", vorflux(("ls", "a\n")))
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(json.dumps(mini(("ls", "b\n"))).encode()))
    found = [load(record).trajectory for record in records([plain, packed])]
    assert [t and t.wire for t in found] == ["anthropic", "openai_chat"]
    assert count([plain, packed]) == 2


def test_a_stray_backslash_is_doubled_and_reported(tmp_path: Path) -> None:
    line = json.dumps(vorflux(("ls", "write to X\n"))).replace("X", r"the\\nlist\devec@example.com")
    path = tmp_path / "a.jsonl"
    path.write_text(line, encoding="utf-8")
    loaded = load(next(records([path])))
    assert loaded.repaired
    assert loaded.note.startswith("a.jsonl, record 0: repaired")
    assert loaded.trajectory is not None
    seen = loaded.trajectory.turns[0].seen
    assert seen is not None
    assert seen.text == "write to the\\nlist\\devec@example.com\n"


@pytest.mark.parametrize("line", ['{"id": "a", ', "[1, 2]", '{"a": 1}', '{"steps": [{}]}', "\x00"])
def test_a_record_beyond_repair_is_skipped_with_one_line(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "a.jsonl", vorflux(("ls", "a\n")))
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    _, broken = records([path])
    loaded = load(broken)
    assert loaded.trajectory is None
    assert "record 1: skipped" in loaded.note
    assert "\n" not in loaded.note


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", b"not json\n"),
        ("a.jsonl", b"\xff\xfe{}"),
        ("a.jsonl.gz", b"not gzip"),
        ("a.jsonl.gz", gzip.compress(b'{"steps": []}\n' * 9, mtime=0)[:-12]),
    ],
)
def test_a_file_of_another_kind_is_one_line(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        list(records([path]))
    assert "\n" not in str(caught.value)
    assert name in str(caught.value)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        list(records([tmp_path / "none.jsonl"]))


@needs_shared
@pytest.mark.long
def test_every_shared_record_loads_and_one_is_repaired() -> None:
    loaded = [load(record) for record in records(sorted(DATA.glob("trajectories/*.gz")))]
    assert all(one.trajectory for one in loaded)
    assert sum(one.repaired for one in loaded) == 1
