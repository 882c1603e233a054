"""The memory commands that keep it well: forget, verify, gc."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from agentctx.cli.memory_place import opened
from agentctx.cli.memory_work import plain, tell
from agentctx.cli.output import print_json
from agentctx.errors import MemoryStoreError
from agentctx.stores import ARCHIVE

if TYPE_CHECKING:
    from agentctx.memory.forget import Found
    from agentctx.memory.forget.target import Target
    from agentctx.memory.memory import Memory

_SHOWN = 20


def forget(
    text: str,
    pattern: str,
    records: Sequence[str],
    session: str,
    *,
    archive: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Say what would go, or let it go and print the proof."""
    wanted = _target(text, pattern, records, session)
    with opened() as memory:
        from agentctx.memory import forget as forgetting

        exact = forgetting.resolved(memory, wanted)
        originals = _originals(memory.folder / ARCHIVE, exact)
        if not yes:
            _plan(forgetting.found(memory, exact), originals, as_json=as_json)
            return
        proof = forgetting.forget(memory, exact)
        if archive:
            _remove(memory.folder / ARCHIVE, originals)
        lines = [proof.line, *_left(originals, removed=archive), *_elsewhere(memory)]
    if as_json:
        print_json({**plain(proof), "originals": list(originals), "removed": archive})
    else:
        typer.echo("\n".join(lines))


def verify(*, as_json: bool) -> int:
    """Print what is wrong; return 1 if anything is."""
    from agentctx.memory.look.health import verify as problems

    with opened() as memory:
        found = list(problems(memory))
    if as_json:
        print_json({"ok": not found, "problems": found})
    else:
        typer.echo("\n".join(found) or "All is well")
    return 1 if found else 0


def gc(cap: int | None, *, as_json: bool) -> None:
    """Pack the memory."""
    from agentctx.memory.look.health import gc as packed

    with opened() as memory:
        done = packed(memory, cap=cap)
    gone = f"; dropped for the cap: {', '.join(done.dropped)}" if done.dropped else ""
    tell(
        done,
        f"{done.before:,} bytes before, {done.after:,} after, {done.objects:,} objects{gone}",
        as_json=as_json,
    )


def _target(text: str, pattern: str, records: Sequence[str], session: str) -> Target:
    from agentctx.memory.forget.target import target

    try:
        return target(text, pattern, records, session)
    except MemoryStoreError as error:
        raise typer.BadParameter(str(error)) from None


def _plan(found: Found, originals: Sequence[str], *, as_json: bool) -> None:
    if as_json:
        print_json({"dry_run": True, **plain(found), "originals": list(originals)})
        return
    for path, lines in list(found.files.items())[:_SHOWN]:
        typer.echo(path)
        typer.echo("\n".join(f"  {line[:200]}" for line in lines[:3]))
    count = f"{len(found.files)} files of all branches and {len(found.steps)} open steps"
    typer.echo("\n".join([f"Would change {count}", *_left(originals, removed=False)]))
    typer.echo("Nothing has changed yet: --yes does it; git hashes change, ids stay")


def _originals(root: Path, wanted: Target) -> tuple[str, ...]:
    from agentctx import eviction
    from agentctx.archive import Archive
    from agentctx.memory.forget import originals

    ids = [entry.id for entry in eviction.entries(root)] if root.is_dir() else []
    return originals(ids, Archive(root).read, wanted)


def _remove(root: Path, originals: Sequence[str]) -> None:
    """Remove originals; expanding one then says that it is not there."""
    from agentctx import eviction

    for id in originals:
        eviction.path(root, id).unlink(missing_ok=True)
        eviction.tombstone(root, id).unlink(missing_ok=True)


def _left(originals: Sequence[str], *, removed: bool) -> Iterator[str]:
    if originals and removed:
        yield f"{len(originals)} originals of the archive held it and are gone"
    elif originals:
        shown = ", ".join(id[:12] for id in originals[:5])
        yield f"{len(originals)} originals of the archive hold it ({shown}): --archive removes them"


def _elsewhere(memory: Memory) -> Iterator[str]:
    from agentctx.memory.remote import remembered

    if address := remembered(memory.folder / "memory.git"):
        yield f"{address} may still hold it, and a pull would bring it back: make it anew"
    if (Path(memory.folder) / "state.db").exists():
        yield "state.db, which keeps what models were shown, was not searched"
