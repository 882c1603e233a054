"""Three-way merge of `main.md` by section and checklist item: done wins, no milestone is lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from agentctx.memory.merge.policies import Policy
from agentctx.memory.merge.text import merge_texts
from agentctx.memory.plan.roadmap import named, same
from agentctx.memory.records import Clash, Item, Roadmap

_FILE = "main.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Box:
    """An item of one roadmap, the same ones in both of its lists taken together."""

    text: str
    done: bool
    milestone: bool


def merge_roadmaps(
    base: Roadmap, ours: Roadmap, theirs: Roadmap, policy: Policy
) -> tuple[Roadmap, tuple[Clash, ...]]:
    """Return the roadmap that has what both sides did since `base`, and every open clash.

    An item is done when it is on either side, and stands once. One that a side removed is gone
    unless the other has ticked or moved it since; a milestone goes only when both removed it.
    Where a clash stays open, the roadmap has our text.
    """
    purpose, clashes = merge_texts(
        Clash(
            _FILE,
            f"{_FILE}:purpose",
            *(roadmap.purpose or None for roadmap in (base, ours, theirs)),
        ),
        policy,
    )
    milestones, todo = _merge_items(base, ours, theirs)
    sections, more = _merge_sections(base, ours, theirs, policy)
    merged = Roadmap(purpose=purpose or "", milestones=milestones, todo=todo, sections=sections)
    return merged, (*clashes, *more)


def _merge_items(
    base: Roadmap, ours: Roadmap, theirs: Roadmap
) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    was, here, there = _boxes(base), _boxes(ours), _boxes(theirs)
    merged = {
        key: box
        for key in {**here, **there}
        if (box := _merged(was.get(key), here.get(key), there.get(key)))
    }
    milestones, todo = (
        tuple(
            Item(merged[key].text, merged[key].done)
            for key in _order(*(_keys(boxes, milestone) for boxes in (was, here, there)))
            if key in merged and merged[key].milestone is milestone
        )
        for milestone in (True, False)
    )
    return milestones, todo


def _boxes(roadmap: Roadmap) -> dict[str, _Box]:
    found: dict[str, _Box] = {}
    for items, milestone in ((roadmap.milestones, True), (roadmap.todo, False)):
        for item in items:
            key, box = same(item.text), _Box(text=item.text, done=item.done, milestone=milestone)
            first = found.setdefault(key, box)
            if item.done and not first.done:
                found[key] = replace(first, done=True)
    return found


def _merged(base: _Box | None, ours: _Box | None, theirs: _Box | None) -> _Box | None:
    if ours and theirs:
        return _Box(
            text=theirs.text if base and ours.text == base.text else ours.text,
            done=ours.done or theirs.done,
            milestone=ours.milestone or theirs.milestone,
        )
    left = ours or theirs
    return left if left and _outlives(left, base) else None


def _outlives(left: _Box, base: _Box | None) -> bool:
    """Return whether an item stays that one side does not have."""
    if not base or base.milestone or left.milestone:
        return True
    return left.done and not base.done


def _keys(boxes: Mapping[str, _Box], milestone: bool) -> list[str]:
    return [key for key, box in boxes.items() if box.milestone is milestone]


def _order(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Iterable[str]:
    """Return the keys as they stand on our side, or on theirs if ours left them as they were."""
    first, second = (theirs, ours) if base == ours else (ours, theirs)
    return dict.fromkeys([*first, *second])


def _merge_sections(
    base: Roadmap, ours: Roadmap, theirs: Roadmap, policy: Policy
) -> tuple[tuple[tuple[str, str], ...], tuple[Clash, ...]]:
    was, here, there = (_sections(roadmap) for roadmap in (base, ours, theirs))
    merged: list[tuple[str, str]] = []
    clashes: list[Clash] = []
    for key in _order(list(was), list(here), list(there)):
        sides = [side.get(key) for side in (was, here, there)]
        name = _name(*(side[0] if side else None for side in sides))
        clash = Clash(_FILE, f"{_FILE}:## {name}", *(side[1] if side else None for side in sides))
        body, open_ = merge_texts(clash, policy)
        if body is not None:
            merged.append((name, body))
        clashes += open_
    return tuple(merged), tuple(clashes)


def _sections(roadmap: Roadmap) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for name, body in roadmap.sections:
        first, old = found.get(named(name), (name, ""))
        found[named(name)] = (first, "\n\n".join(filter(None, [old, body])))
    return found


def _name(base: str | None, ours: str | None, theirs: str | None) -> str:
    return next(
        name for name in (theirs if ours == base else ours, ours, theirs) if name is not None
    )
