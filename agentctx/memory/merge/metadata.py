"""Three-way merge of a metadata segment, key by key."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentctx.memory.merge.policies import BOTH, OURS, THEIRS, Policy
from agentctx.memory.records import Clash, Metadata

_SCALARS = (str, int, float, bool, type(None))


def merge_metadata(
    segment: str, base: Metadata, ours: Metadata, theirs: Metadata, policy: Policy
) -> tuple[dict[str, Any], tuple[Clash, ...]]:
    """Return a segment that has what both sides did since `base`, and every open clash.

    Mappings are merged key by key, lists of distinct scalars element by element, everything else
    as a whole. A null is as good as no key. Where a clash stays open, the segment has our value.
    """
    merger = _Merger(segment, policy)
    merged = merger.mapping((), base, ours, theirs)
    return merged, tuple(merger.clashes)


@dataclass(frozen=True, slots=True)
class _Merger:
    segment: str
    policy: Policy
    clashes: list[Clash] = field(default_factory=list)

    def mapping(
        self, path: tuple[str, ...], base: Metadata, ours: Metadata, theirs: Metadata
    ) -> dict[str, Any]:
        merged = {
            key: self.value((*path, str(key)), base.get(key), ours.get(key), theirs.get(key))
            for key in {**ours, **theirs}
        }
        return {key: value for key, value in merged.items() if value is not None}

    def value(self, path: tuple[str, ...], base: Any, ours: Any, theirs: Any) -> Any:
        if _text(base) == _text(ours) or _text(ours) == _text(theirs):
            return theirs
        if _text(base) == _text(theirs):
            return ours
        if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
            return self.mapping(path, base if isinstance(base, Mapping) else {}, ours, theirs)
        if _distinct(ours) and _distinct(theirs):
            return _merge_lists(base if _distinct(base) else [], ours, theirs)
        return self._decided(path, base, ours, theirs)

    def _decided(self, path: tuple[str, ...], base: Any, ours: Any, theirs: Any) -> Any:
        item = f"{self.segment}:{'.'.join(map(_key, path))}"
        file = f"metadata/{self.segment}.yaml"
        clash = Clash(file, item, _shown(base), _shown(ours), _shown(theirs))
        answer = self.policy(clash)
        if answer is None:
            self.clashes.append(clash)
            return ours
        if answer in (OURS, THEIRS):
            return ours if answer == OURS else theirs
        return _both(ours, theirs) if answer == BOTH else _given(answer, ours, theirs)


def _merge_lists(base: Sequence[Any], ours: Sequence[Any], theirs: Sequence[Any]) -> list[Any]:
    was, here, there = ({_text(one): one for one in side} for side in (base, ours, theirs))
    every = {**here, **there}
    return [one for key, one in every.items() if (key in here and key in there) or key not in was]


def _distinct(value: Any) -> bool:
    """Return whether a value is a list of scalars of which none stands in it twice."""
    return (
        isinstance(value, (list, tuple))
        and all(isinstance(one, _SCALARS) for one in value)
        and len({_text(one) for one in value}) == len(value)
    )


def _both(ours: Any, theirs: Any) -> Any:
    if ours is None or theirs is None:
        return theirs if ours is None else ours
    every = [one for side in (ours, theirs) for one in _listed(side)]
    return list({_text(one): one for one in every}.values())


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else [value]


def _given(answer: str, ours: Any, theirs: Any) -> Any:
    value = _parsed(answer)
    texts = all(isinstance(side, (str, type(None))) for side in (ours, theirs))
    if texts and not isinstance(value, (str, list, dict)):
        return answer  # the version "3.10" is not the number 3.1
    return value


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _shown(value: Any) -> str | None:
    """Return the text of a value, None for none; given as a resolution, it is that value again."""
    if value is None:
        return None
    words = (OURS, THEIRS, BOTH)
    plain = isinstance(value, str) and value not in words and _parsed(value) is value
    return str(value) if plain else _text(value)


def _text(value: Any) -> str:
    """Return the value as JSON: 1, 1.0 and true are three, the order of keys is nothing."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _key(key: str) -> str:
    return key if key.isidentifier() or key.replace("-", "_").isidentifier() else _text(key)
