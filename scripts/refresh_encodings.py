"""Rebuild the token vocabularies in agentctx/data from the litellm wheel.

    python scripts/refresh_encodings.py

The wheel carries OpenAI's vocabulary files under the SHA-1 of their address; their SHA-256 and the
splitting patterns are those that the installed tiktoken publishes.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import tempfile
import zipfile
from pathlib import Path

import wheel

HOST = "https://openaipublic.blob.core.windows.net/encodings"
SHA256 = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}


def cache_name(encoding: str) -> str:
    """Return the file name under which tiktoken caches a vocabulary."""
    address = f"{HOST}/{encoding}.tiktoken"
    return hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()


def vocabulary(archive: zipfile.ZipFile, encoding: str) -> bytes:
    """Return the verified vocabulary file of `encoding`."""
    name = next(n for n in archive.namelist() if n.endswith(f"tokenizers/{cache_name(encoding)}"))
    data = archive.read(name)
    if hashlib.sha256(data).hexdigest() != SHA256[encoding]:
        raise SystemExit(f"{encoding}: the wheel's file is not the one that OpenAI publishes")
    return data


def describe(encoding: str) -> dict[str, object]:
    """Return the pattern and special tokens of `encoding`; tiktoken reads TIKTOKEN_CACHE_DIR."""
    import tiktoken

    found = tiktoken.get_encoding(encoding)
    return {"pat_str": found._pat_str, "special_tokens": found._special_tokens}


def main() -> None:
    """Write both vocabularies and their description."""
    with tempfile.TemporaryDirectory() as folder, wheel.litellm() as archive:
        os.environ["TIKTOKEN_CACHE_DIR"] = folder
        for encoding in SHA256:
            data = vocabulary(archive, encoding)
            (Path(folder) / cache_name(encoding)).write_bytes(data)
            (wheel.DATA / f"{encoding}.tiktoken.gz").write_bytes(gzip.compress(data, 9, mtime=0))
        described = {encoding: describe(encoding) for encoding in SHA256}
    text = json.dumps(described, indent=1, sort_keys=True)
    (wheel.DATA / "encodings.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
