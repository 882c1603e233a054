"""The memory commands that take it elsewhere and bring it back."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from agentctx import config
from agentctx.cli.memory_place import opened
from agentctx.cli.memory_work import checked, plain, resolutions, show_conflicts, tell
from agentctx.cli.output import print_json
from agentctx.stores import Stores

if TYPE_CHECKING:
    from agentctx.memory.gcc import Exchanged
    from agentctx.memory.remote import Pulled


def push(address: str, *, as_json: bool) -> None:
    """Send all branches."""
    from agentctx.memory.remote import Remote

    with opened() as memory:
        done = Remote(memory, address).push()
    gone = f"; closed there: {_names(done.dropped)}" if done.dropped else ""
    tell(done, f"Pushed {_names(done.refs) or 'nothing new'}{gone}", as_json=as_json)


def pull(address: str, policy: str, resolve: Sequence[str], *, as_json: bool) -> int:
    """Take what is new; return 1 if something is left to settle."""
    from agentctx.memory.remote import Remote

    settled = resolutions(resolve)
    checked(policy, settled)
    with opened() as memory:
        done = Remote(memory, address).pull(policy, settled)
    if as_json:
        print_json(plain(done))
    else:
        typer.echo(_pulled(done))
        if done.conflicts:
            show_conflicts(done.conflicts, as_json=False)
    return 1 if done.conflicts else 0


def clone(address: str, *, as_json: bool) -> None:
    """Take a whole memory."""
    from agentctx.memory.remote import Remote

    with opened() as memory:
        done = Remote(memory, address).clone()
    tell(done, _pulled(done), as_json=as_json)


def export(folder: Path, *, as_json: bool) -> None:
    """Write a folder in the paper's layout."""
    from agentctx.memory.gcc import export as written

    with opened() as memory:
        done = written(memory, folder)
    tell(done, f"Wrote {_counts(done)} to {folder}", as_json=as_json)


def take(folder: Path, *, own: bool, as_json: bool) -> None:
    """Add what a folder holds."""
    from agentctx.memory.gcc import take_in
    from agentctx.memory.gcc.reading import Customs
    from agentctx.memory.hygiene import safely

    redactor = Stores(config.load()).redactor
    customs = Customs(safe=lambda text: safely(text, redactor.redact), own=own, now=time.time())
    with opened() as memory:
        done = take_in(memory, folder, customs)
    tell(done, _taken(done), as_json=as_json)


def _taken(done: Exchanged) -> str:
    lines = [f"Added {_counts(done)}"]
    lines += [f"{folder!r} became branch {name!r}" for folder, name in done.renamed.items()]
    if done.ignored:
        shown = ", ".join(done.ignored[:5])
        lines.append(f"left alone: {len(done.ignored)} other files, such as {shown}")
    return "\n".join(lines)


def _pulled(done: Pulled) -> str:
    moved = f"Pulled {_names(done.moved)}" if done.moved else ""
    merged = f"Merged {', '.join(done.merged)}" if done.merged else ""
    what = "; ".join(filter(None, (moved, merged)))
    return what or ("Pulled nothing" if done.conflicts else "Pulled nothing new")


def _counts(done: Exchanged) -> str:
    branches = f"{done.branches} branch{'' if done.branches == 1 else 'es'}"
    return f"{_some(done.records, 'record')} and {_some(done.steps, 'step')} of {branches}"


def _some(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _names(refs: Sequence[str]) -> str:
    return ", ".join(ref.removeprefix("refs/").removeprefix("heads/") for ref in refs)
