"""The levels of recall: what each of them tells, passage by passage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from agentctx.memory import texts
from agentctx.memory.recall import passages
from agentctx.memory.recall.cursor import wrong
from agentctx.memory.recall.quote import Passage, own, quoted
from agentctx.memory.recall.search import Hit
from agentctx.memory.recall.view import View
from agentctx.memory.records import Commit, Step
from agentctx.memory.store.paths import metadata_path
from agentctx.values import Trust

_RUN = 64  # records that one line may stand for, or that are read at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What a level tells: the passages from a key on, and those up to it, the last one first.

    `id` names the record that it is about. What can be read upwards begins with its end.
    """

    after: Callable[[str], Iterator[Passage]]
    before: Callable[[str], Iterator[Passage]] | None = None
    id: str = ""


def whole(passage: Passage, id: str = "") -> Story:
    """Tell one passage."""
    return listed([replace(passage, key="")], id)


def listed(told: Sequence[Passage], id: str = "") -> Story:
    """Tell some passages."""
    keys = [passage.key for passage in told]
    return Story(after=lambda key: iter(told[_place(keys, key) :]), id=id)


def branch(view: View, live: Sequence[Step], k: int, least: Trust) -> Story:
    """Tell what a branch is for and its last `k` records; a cursor leads to the records before."""

    def after(key: str) -> Iterator[Passage]:
        if not key:
            yield passages.intent(view.branch, len(live))
        yield from _records(view, key, k, least)

    return Story(after=after, id=latest.id if (latest := view.latest) else "")


def commit(found: Commit, least: Trust) -> Story:
    """Tell all of a record, unless it is not to be shown."""
    return whole(_hidden([found], least) or passages.record(found, least, whole=True), found.id)


def log(steps: Sequence[Step], least: Trust, found: Commit | None = None) -> Story:
    """Tell the steps of a record, or those of the journal, the newest last."""
    id = found.id if found else ""
    if found is not None and (hidden := _hidden([found], least)):
        return whole(hidden, id)
    if not steps:
        return whole(Passage(lines=own("(no steps; level=log commit=ID shows those of a record)")))
    keys = [step.id for step in steps]

    def after(key: str) -> Iterator[Passage]:
        start = _place(keys, key) if key else 0
        return (passages.step(steps[i], least) for i in range(start, len(steps)))

    def before(key: str) -> Iterator[Passage]:
        start = _place(keys, key) if key else len(steps) - 1
        return (passages.step(steps[i], least) for i in range(start, -1, -1))

    return Story(after=after, before=before, id=id)


def metadata(view: View, segment: str, count: Callable[[str], int]) -> Story:
    """Tell one metadata segment; without its name, which there are and how large."""
    if segment:
        held = texts.dump(view.metadata(segment)).rstrip("\n")
        lines = quoted(held, f"noted in {metadata_path(segment)}")
        return whole(Passage(lines=lines, ids=(segment,), trust=Trust.TOOL))
    names = view.segments()
    lines = own(f"Metadata ({len(names)}), level=metadata segment=NAME:")
    for name in names:
        lines += own(f"- {name}: {count(texts.dump(view.metadata(name)))} tokens")
    return whole(Passage(lines=lines, ids=names))


def search(query: str, hits: Sequence[Hit], least: Trust, view: View | None) -> Story:
    """Tell which records fit a query; their titles and excerpts are quotations."""
    shown = [hit for hit in hits if not hit.quarantined and hit.trust >= least]
    fit = f"{len(shown)} record{'s fit' if len(shown) != 1 else ' fits'}"
    lines = own(f"{fit} {passages.shortened(query)!r}, level=commit commit=ID:")
    if hidden := [hit.id for hit in hits if hit not in shown]:
        names = " ".join(hidden[:3])
        lines += own(
            f"({len(hidden)} held back, or below min_trust: agentctx memory trust {names})"
        )
    here = view.branch.name if view else ""
    return listed([Passage(lines=lines), *(_hit(hit, here) for hit in shown)])


def _hit(hit: Hit, here: str) -> Passage:
    where = "" if hit.branch == here else f" branch={hit.branch}"
    lines = own(f"commit {hit.id}{where}{passages.date(hit.id)}")
    lines += quoted(f"{hit.title}\n{hit.snippet}".strip("\n"), f"excerpt of commit {hit.id}")
    return Passage(key=hit.id, lines=lines, ids=(hit.id,), trust=min(hit.trust, Trust.TOOL))


def _records(view: View, start: str, k: int, least: Trust) -> Iterator[Passage]:
    """Yield `k` records, a line for every run of those that may not be shown, and where to go on."""
    shown, hidden = 0, list[Commit]()
    for found in _walk(view, start, k):
        if hidden and (
            len(hidden) == _RUN
            or passages.reason(found, least) != passages.reason(hidden[0], least)
        ):
            yield passages.held(hidden, least)
            hidden = []
        if passages.reason(found, least):
            hidden.append(found)
            continue
        yield passages.record(found, least)
        shown += 1
        if shown == k and found.parents:  # the next one is named without reading it
            yield Passage(key=found.parents[0], stop=True)
            return
    if hidden:
        yield passages.held(hidden, least)


def _walk(view: View, start: str, k: int) -> Iterator[Commit]:
    batch = view.records(start, min(k, _RUN))
    if start and not batch:
        raise wrong(start)
    while batch:
        yield from batch
        parents = batch[-1].parents
        batch = view.records(parents[0], _RUN) if parents else ()


def _hidden(commits: list[Commit], least: Trust) -> Passage | None:
    return passages.held(commits, least) if passages.reason(commits[0], least) else None


def _place(keys: Sequence[str], key: str) -> int:
    try:
        return keys.index(key)
    except ValueError:
        raise wrong(key) from None
