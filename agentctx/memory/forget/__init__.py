"""Forget: every branch is written again without something, and nothing of it stays in any object."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from agentctx.errors import ArchiveError, MemoryLocked, MemoryStoreError, UnknownMemory
from agentctx.memory import ids, texts
from agentctx.memory.forget import repack, scrub
from agentctx.memory.forget.proof import Proof, prove
from agentctx.memory.forget.repack import alone
from agentctx.memory.forget.rewrite import Rewrite, in_order
from agentctx.memory.forget.target import Target, with_copies
from agentctx.memory.journals import place
from agentctx.memory.memory import Memory
from agentctx.memory.records import Commit, Step
from agentctx.memory.store import lines, operation, paths
from agentctx.memory.store.commit import commit
from agentctx.memory.store.journal import Journal, Mark
from agentctx.memory.store.operation import Move, Operation
from agentctx.memory.store.parts import Parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What would change: the path of each file with its lines as they would be; open steps."""

    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    steps: tuple[str, ...] = ()


def resolved(memory: Memory, wanted: Target) -> Target:
    """Return a target whose records are known by their full ids, with what they handed on.

    Raises:
        UnknownMemory: no record or session is called so.
    """
    if not wanted.records and not wanted.session:
        return wanted
    known = list(_records(memory))
    whole = frozenset(_full(prefix, known) for prefix in wanted.records)
    exact = replace(wanted, records=whole)
    said = [(hash, made) for hash, made in known if exact.takes(made.id, made.session)]
    steps = [step for hash, made in said for step in _steps(memory, hash, made)]
    if wanted.session and not said and not any(_live(memory, exact)):
        raise UnknownMemory(f"no record or step of session {wanted.session[:40]!r}")
    mine = steps if whole else [step for step in steps if step.session == wanted.session]
    return with_copies(exact, [made for _, made in said], mine)


def found(memory: Memory, wanted: Target) -> Found:
    """Return what forgetting would change; nothing is written."""
    with alone(memory.store) as parts:
        tips = list(parts.refs.all().values())
        changed = Rewrite(parts, wanted).changes(tips)
    files = {path: _changed(*both) for path, both in changed.items()}
    return Found(files=files, steps=tuple(step.id for step in _live(memory, wanted)))


def forget(memory: Memory, wanted: Target) -> Proof:
    """Write every branch again without something, drop all else, and prove that it is gone.

    Ids stay, git hashes change. Whatever ends this half-way leaves the old state or the new one;
    doing it again finishes it.

    Raises:
        MemoryLocked: another process has a journal open.
        MemoryStoreError: the name of a branch holds it, or something is left.
    """
    memory.close()
    with alone(memory.store) as parts:
        _check_names(parts, wanted)
        _rewrite(parts, wanted, memory.author.session)
        busy = list(_journals(parts, wanted))
    memory.index.rebuild(memory.store, {**memory.store.archived(), **memory.store.branches()})
    memory.index.close()
    with alone(memory.store) as parts:
        proof = prove(parts, wanted)
    if busy:
        raise MemoryLocked(
            f"the journal of {busy[0]!r} is open in another process, so it stays: "
            "end that process and forget again"
        )
    if proof.holding:
        raise MemoryStoreError(f"{proof.line} ({proof.holding[0]}): forget again, and file a bug")
    return proof


def _rewrite(parts: Parts, wanted: Target, session: str) -> None:
    refs = parts.refs.all()
    rewrite = Rewrite(parts, wanted)
    new = rewrite.commits(list(refs.values()))
    kept = repack.keep(parts, [new[hash] for hash in refs.values()])
    moves = tuple(Move(ref, old, new[old]) for ref, old in refs.items() if new[old] != old)
    if moves:
        made = Operation(
            id=ids.new(after=parts.wal.last),
            kind="forget",
            session=session,
            at=time.time(),
            moves=moves,
        )
        commit(parts, made)
    _history(parts, new, rewrite.titles, wanted)
    repack.drop_rest(parts, kept)


def _history(
    parts: Parts, new: Mapping[str, str], titles: Mapping[str, str], wanted: Target
) -> None:
    """Write the operations again with the new hashes; those that cannot be undone lose theirs."""
    known = {one.id: one.slim for one in reversed(list(parts.history.newest()))}
    known |= {one.id: one.slim for one in parts.wal.recent()}
    clean = (_operation(one, new, titles, wanted) for one in known.values())
    data = b"".join(lines.encode(operation.write(one)) for one in clean)
    parts.disk.publish(data, parts.folder / "operations.jsonl")
    parts.refs.sync(parts.refs.all().keys())
    parts.wal.restart(parts.wal.end, parts.refs.all())


def _operation(
    one: Operation, new: Mapping[str, str], titles: Mapping[str, str], wanted: Target
) -> Operation:
    gone = wanted.session and one.session == wanted.session
    moves = tuple(_moved(move, new) for move in one.moves)
    return replace(
        one,
        title=wanted.without(titles.get(one.title, one.title)),
        session="" if gone else wanted.without(one.session),
        moves=tuple(one for one in moves if one) if all(moves) else (),
    )


def _moved(move: Move, new: Mapping[str, str]) -> Move | None:
    """Return a move between commits as they are now, None where one of them is gone."""
    if any(hash and hash not in new for hash in (move.old, move.new)):
        return None
    old, now = new.get(move.old or ""), new.get(move.new or "")
    return Move(move.ref, old, now) if old != now else None


def _journals(parts: Parts, wanted: Target) -> Iterator[str]:
    """Keep the open steps alone, without what is forgotten; yield the branches of busy journals."""
    for path in sorted((parts.folder / "journal").glob("*.jsonl")):
        name = path.stem.replace("+", "/")
        journal = Journal(path)
        try:
            steps = journal.read(_sealed(parts, name))
            if not journal.replace(scrub.step(step, wanted) for step in steps):
                yield name
        finally:
            journal.close()


def _sealed(parts: Parts, name: str) -> Mark | None:
    tip = parts.refs.get(f"{paths.HEADS}{name}")
    return place(parts.objects.node(tip).mark) if tip else None


def _check_names(parts: Parts, wanted: Target) -> None:
    for ref in parts.refs.all():
        name = ref.removeprefix(paths.HEADS).removeprefix(paths.ARCHIVE)
        if wanted.matches(name):
            raise MemoryStoreError(
                f"branch {name!r} has it in its name, which cannot change: export the memory, "
                "rename that folder, and import it into a new one"
            )


def _records(memory: Memory) -> Iterator[tuple[str, Commit]]:
    store = memory.store
    tips = {**store.archived(), **store.branches()}
    with alone(store) as parts:
        hashes = list(in_order(parts, list(tips.values())))
    for hash in hashes:
        path = store.node(hash).path
        text = store.read(hash, path) if path else None
        if text is not None:
            yield hash, texts.read_commit(text)


def _steps(memory: Memory, hash: str, made: Commit) -> Iterator[Step]:
    text = memory.store.read(hash, paths.log_path(made)) if made.steps else None
    yield from texts.read_steps(text or "")


def _live(memory: Memory, wanted: Target) -> Iterator[Step]:
    """Yield the open steps of all branches that would change."""
    for name in memory.store.branches():
        for step in memory.live(name):
            if scrub.step(step, wanted) != step:
                yield step


def _full(prefix: str, known: list[tuple[str, Commit]]) -> str:
    fits = {made.id for _, made in known if made.id.startswith(prefix)}
    if len(fits) != 1:
        reason = "several begin so: give more of it" if fits else "see agentctx memory history"
        raise UnknownMemory(f"no record {prefix[:40]!r}: {reason}")
    return fits.pop()


def _changed(before: str, after: str) -> tuple[str, ...]:
    """Return the lines of a file that change, as they would be."""
    kept = set(before.split("\n"))
    return tuple(line for line in after.split("\n") if line not in kept)


def originals(ids: Iterable[str], read: Callable[[str], bytes], wanted: Target) -> tuple[str, ...]:
    """Return those originals of the archive that hold it.

    Args:
        ids: content ids of all of them.
        read: returns one by its content id; what it cannot read is left out.
        wanted: what is to be forgotten.
    """
    return tuple(id for id in ids if id in wanted.originals or _reads(id, read, wanted))


def _reads(id: str, read: Callable[[str], bytes], wanted: Target) -> bool:
    try:
        return wanted.matches(read(id).decode("utf-8", "replace"))
    except ArchiveError:
        return False
