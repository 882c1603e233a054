from __future__ import annotations

import io
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from agentctx import blob
from agentctx.archive import Archive
from agentctx.errors import Corrupt
from agentctx.eviction import path

TEXT = b"".join(b"line %d of the original\n" % number for number in range(3000))


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "archive")


@given(data=st.binary(max_size=500), command=st.text(max_size=50))
def test_a_blob_is_a_zstd_file_with_a_header_that_zstd_skips(data: bytes, command: str) -> None:
    file = io.BytesIO()
    name = blob.write(io.BytesIO(data), file, command)
    file.seek(0)
    plain = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
    assert plain.read() == data
    file.seek(0)
    assert blob.header(file, name) == blob.Header(len(data), command)


def test_a_command_of_any_length_and_alphabet_fits(archive: Archive) -> None:
    assert archive.command(archive.put(b"a", command="x" * 5000)) == "x" * 4096
    assert archive.command(archive.put(b"b", command="echo '\ud800'")) == "echo '?'"
    assert archive.command(archive.put(b"c", command="é" * 2049)).startswith("é" * 2047)


def test_any_flipped_bit_is_noticed_or_harmless(archive: Archive) -> None:
    name = archive.put(TEXT[:600], command="ls")
    file = path(archive.root, name)
    sound = file.read_bytes()
    told = []
    for place in range(len(sound)):
        for bit in (1, 128):
            damaged = bytearray(sound)
            damaged[place] ^= bit
            file.write_bytes(damaged)
            try:
                assert archive.read(name) == TEXT[:600], (place, bit)
            except Corrupt as error:
                told.append(str(error))
    assert len(told) > len(sound)  # the two bytes of the command and spare bits of zstd are silent
    assert all("\n" not in message for message in told)


@pytest.mark.parametrize("keep", [0, 10, 40, 1000, -1])
def test_a_file_cut_short_is_corrupt(archive: Archive, keep: int) -> None:
    name = archive.put(TEXT)
    file = path(archive.root, name)
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(Corrupt, match=r"is damaged: .*: run its command again"):
        archive.read(name)
    with pytest.raises(Corrupt):
        archive.lines(name, 1, 1)


def test_a_valid_blob_under_a_wrong_name_is_corrupt_however_it_is_read(archive: Archive) -> None:
    name, other = archive.put(TEXT), archive.put(TEXT.replace(b"7", b"8"))
    path(archive.root, name).write_bytes(path(archive.root, other).read_bytes())
    with pytest.raises(Corrupt, match="do not match its name"):
        archive.read(name)
    with pytest.raises(Corrupt, match="do not match its name"), archive.stream(name) as source:
        blob.drain(source)
    with pytest.raises(Corrupt, match="do not match its name"):
        archive.lines(name, 1, 1)
    assert [(problem.id, "match its name" in problem.reason) for problem in archive.verify()] == [
        (name, True)
    ]
    assert archive.read(other) == TEXT.replace(b"7", b"8")


def test_a_partial_stream_needs_no_end(archive: Archive) -> None:
    with archive.stream(archive.put(TEXT)) as source:
        assert source.readline() == b"line 0 of the original\n"
        assert source.read(4) == b"line"


def test_a_frame_that_asks_for_much_memory_is_refused(archive: Archive) -> None:
    data = b"x" * (1 << 25)
    name = archive.put(data)
    wide = zstandard.ZstdCompressionParameters(window_log=25, compression_level=1)
    packer = zstandard.ZstdCompressor(compression_params=wide).compressobj()
    frame = packer.compress(data) + packer.flush()
    path(archive.root, name).write_bytes(blob.Header(len(data), "").pack() + frame)
    with pytest.raises(Corrupt, match="zstd cannot read it"):
        archive.read(name)
