"""The values of credential-like environment variables: the one detector that misses no known secret."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote, urlsplit

from agentctx.secrets.samples import is_manual, is_template, is_wordy

SHORTEST = 8
_LONGEST = 1 << 16
_WORDY = 16  # a passphrase has more letters than a word that also stands in ordinary output

_SECRET = re.compile(
    r"(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|APIKEY|(?:ACCESS|PRIVATE|AUTH|SIGNING)KEY)S?"
    r"|KEYS?|PASS|PWD|AUTH|PAT|CREDS?"
)
_COMPOUND = re.compile(r"\w+(?:TOKEN|SECRET|PASSWORD|PASSWD|APIKEY|ACCESSKEY|SECRETKEY)S?")
_ABOUT = frozenset(  # AUTH_URL, SECRET_NAME: what is said about a secret
    "ALG ALGORITHM ALIAS AUDIENCE BUDGET COUNT DIR ENDPOINT EXPIRES EXPIRY FILE FORMAT HOST ISSUER "
    "LENGTH LIMIT METHOD MODE NAME PARALLELISM PATH PORT PROVIDER REGION SIZE SOCK SOCKET TTL TYPE "
    "URI URL USER USERNAME VERSION".split()
)


def secrets(env: Mapping[str, str]) -> dict[str, str]:
    """Return every spelling of a secret in `env` → the secret itself, longest spelling first."""
    values = {value for name in env for value in _values(name, env[name])}
    found = {spelling: value for value in sorted(values) for spelling in _spellings(value)}
    found |= {value: value for value in values}
    return dict(sorted(found.items(), key=lambda item: (-len(item[0]), item[0])))


def _values(name: str, value: str) -> Iterator[str]:
    found = value if names_secret(name) else _password(value)
    if is_secret(found):
        yield found


def names_secret(name: str) -> bool:
    """Return whether a variable of this name holds a secret."""
    parts = name.upper().split("_")
    if parts[-1] in _ABOUT or name.upper() in ("PWD", "OLDPWD"):
        return False
    return any(_SECRET.fullmatch(part) or _COMPOUND.fullmatch(part) for part in parts)


def is_secret(value: str) -> bool:
    """Return whether a value is worth hiding: long, varied, neither a word nor an existing path."""
    if not SHORTEST <= len(value) <= _LONGEST or len({*value}) < 5 or value != value.strip():
        return False
    if is_template(value) or is_manual(value) or (is_wordy(value) and len(value) < _WORDY):
        return False
    return not re.match(r"[a-z+]+://[^@\s]*$", value) and not _is_path(value)


def _is_path(value: str) -> bool:
    try:
        return "/" in value and Path(value).expanduser().exists()
    except (OSError, ValueError, RuntimeError):
        return False


def _password(value: str) -> str:
    try:
        return urlsplit(value).password or "" if "://" in value else ""
    except ValueError:
        return ""


def _spellings(value: str) -> Iterator[str]:
    """Yield how a URL and a JSON string would write `value`."""
    yield quote(value, safe="", errors="surrogatepass")
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
