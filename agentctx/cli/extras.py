"""Which optional dependencies are installed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from importlib import metadata

from agentctx.cli.checks import Check

DISTRIBUTION = "agentctx-middleware"
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_BUNDLES = {"dev", "all"}
_LATER = {"lens", "local", "mcp", "proxy"}  # what they are for is not there yet


def installed() -> Iterator[Check]:
    """Yield a check for each extra: the versions that are here, and how to get the rest."""
    for extra, names in _extras().items():
        versions = {name: _version(name) for name in names}
        found = ", ".join(f"{name} {v or 'missing'}" for name, v in versions.items())
        missing = not all(versions.values())
        remedy = f"for its features: pip install '{DISTRIBUTION}[{extra}]'" if missing else ""
        yield Check(f"extra {extra}", found, remedy)


def _extras() -> dict[str, list[str]]:
    """Return the names of the distributions that each extra asks for."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in _requirements():
        extra, name = _EXTRA.search(line), _NAME.match(line)
        if extra and name and extra[1] not in _BUNDLES | _LATER:
            found[extra[1]].append(name[0])
    return found


def _requirements() -> list[str]:
    try:
        return metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:  # run from a source tree
        return []


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
