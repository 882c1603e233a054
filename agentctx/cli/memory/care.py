"""The memory commands that keep it well: forget, verify, gc."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentctx.cli.memory.place import opened
from agentctx.cli.memory.told import tell
from agentctx.cli.options import Json, Many
from agentctx.cli.output import print_json
from agentctx.errors import MemoryStoreError
from agentctx.memory.texts import plain
from agentctx.stores import ARCHIVE

if TYPE_CHECKING:
    from agentctx.memory.forget import Found
    from agentctx.memory.forget.target import Target
    from agentctx.memory.memory import Memory

_SHOWN = 20

app = typer.Typer()


@app.command()
def forget(
    text: Annotated[str, typer.Argument(help="What is to be in no object any more.")] = "",
    pattern: Annotated[str, typer.Option(metavar="RE", help="What matches (RE2).")] = "",
    record: Annotated[
        Many, typer.Option(metavar="ID", help="A record with its steps; may be repeated.")
    ] = None,
    session: Annotated[str, typer.Option(help="All of a session.")] = "",
    archive: Annotated[
        bool, typer.Option("--archive", help="Remove the originals that hold it, too.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; else only say what would go.")] = False,
    json: Json = False,
) -> None:
    """Rewrite all branches without something, and prove that no object holds it."""
    from agentctx.memory import forget as forgetting

    wanted = _target(text, pattern, record or (), session)
    with opened() as memory:
        exact = forgetting.resolved(memory, wanted)
        originals = _originals(memory.folder / ARCHIVE, exact)
        if not yes:
            _plan(forgetting.found(memory, exact), originals, as_json=json)
            return
        proof = forgetting.forget(memory, exact)
        if archive:
            _remove(memory.folder / ARCHIVE, originals)
        lines = [proof.line, *_left(originals, removed=archive), *_elsewhere(memory)]
    shown = {**plain(proof), "originals": originals, "removed": archive}
    tell(shown, "\n".join(lines), as_json=json)


@app.command()
def verify(json: Json = False) -> int:
    """Check every object, record, journal and the index; git fsck too where there is git."""
    from agentctx.memory.look import health

    with opened() as memory:
        found = list(health.verify(memory))
    tell({"ok": not found, "problems": found}, "\n".join(found) or "All is well", as_json=json)
    return 1 if found else 0


@app.command()
def gc(
    cap: Annotated[
        int | None, typer.Option(min=0, help="Bytes; old archived branches go to keep below.")
    ] = None,
    json: Json = False,
) -> None:
    """Pack everything and drop what nothing leads to."""
    from agentctx.memory.look import health

    with opened() as memory:
        done = health.gc(memory, cap=cap)
    gone = f"; dropped for the cap: {', '.join(done.dropped)}" if done.dropped else ""
    line = f"{done.before:,} bytes before, {done.after:,} after, {done.objects:,} objects{gone}"
    tell(done, line, as_json=json)


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
