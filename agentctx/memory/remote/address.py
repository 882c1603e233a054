"""Where a memory may be pushed to and pulled from."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

from agentctx.errors import RemoteError
from agentctx.memory.remote.git import without_credentials

_RULE = "write https://…, ssh://…, git@host:path or the path of a repository"
_SCHEMES = {"https", "http", "ssh", "git", "file", "git+ssh", "ssh+git"}
_HELPER = re.compile(r"[^/:]*::")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.S)
_SCP = re.compile(r"(?:([^@/:\\]+)@)?([^@/:\\]+):(?!//)(.+)", re.S)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_LONGEST = 2_000


def address(text: str) -> str:
    """Return an address that git may be given; a path becomes absolute.

    Raises:
        RemoteError: it could be taken for an option, a program to run, or is none at all.
    """
    shown = repr(without_credentials(text)[:80])
    if not text.strip() or len(text) > _LONGEST or not text.isprintable():
        raise RemoteError(f"{shown} is no address: {_RULE}")
    if text.startswith("-") or _HELPER.match(text):
        raise RemoteError(f"{shown} would make git run something else: {_RULE}")
    if found := _SCHEME.fullmatch(text):
        return _url(text, found[1].lower(), shown)
    if not _DRIVE.match(text) and (found := _SCP.fullmatch(text)):
        if any((part or "").startswith("-") for part in found.groups()):
            raise RemoteError(f"{shown} has a part that begins with '-': {_RULE}")
        return text
    try:
        return str(Path(text).expanduser().absolute())
    except RuntimeError:  # nobody has such a home
        raise RemoteError(f"{shown}: no such user: {_RULE}") from None


def holds_credentials(text: str) -> bool:
    """Say whether an address has a password in it, which is then not written down."""
    return without_credentials(text) != text and ":" in urlsplit(text).netloc.rpartition("@")[0]


def _url(text: str, scheme: str, shown: str) -> str:
    host = urlsplit(text).netloc.rpartition("@")[2]
    if scheme not in _SCHEMES:
        raise RemoteError(f"{shown} is of a kind that is not used: {_RULE}")
    if text.partition("://")[2].startswith("-") or host.startswith("-"):
        raise RemoteError(f"{shown} has a host that begins with '-': {_RULE}")
    if not host and scheme != "file":
        raise RemoteError(f"{shown} names no host: {_RULE}")
    return text
