"""A history written again: commit by commit, each with the texts that a function makes of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pygit2.enums import SortMode

from agentctx.errors import MemoryCorrupt
from agentctx.memory import texts
from agentctx.memory.forget import scrub
from agentctx.memory.forget.target import Target
from agentctx.memory.records import Commit
from agentctx.memory.store import paths
from agentctx.memory.store.nodes import SESSION, Node
from agentctx.memory.store.operation import Put
from agentctx.memory.store.parts import Parts
from agentctx.memory.write.fold import fold


class Rewrite:
    """One pass over all that some commits lead to, parents first."""

    def __init__(self, parts: Parts, wanted: Target) -> None:
        """Leave `wanted` out; the lock is held."""
        self._parts, self._wanted = parts, wanted
        self._texts: dict[tuple[str, str], tuple[str, str]] = {}
        self._before: dict[str, tuple[Commit, Commit]] = {}
        self.titles: dict[str, str] = {}

    def commits(self, tips: Sequence[str]) -> dict[str, str]:
        """Write the history again and return the new hash of every commit by its old one."""
        new: dict[str, str] = {}
        for hash in in_order(self._parts, tips):
            node = self._parts.objects.node(hash)
            new[hash] = self._commit(node, [new[parent] for parent in node.parents])
        return new

    def changes(self, tips: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Return what would change: path → its text before and after; nothing is written."""
        found: dict[str, tuple[str, str]] = {}
        for hash in in_order(self._parts, tips):
            for path, texts_ in self._files(self._parts.objects.node(hash)).items():
                if texts_ and texts_[0] != texts_[1]:
                    found[path] = texts_
        return found

    def _commit(self, node: Node, parents: Sequence[str]) -> str:
        files = self._files(node)
        title, trailers = self._title(node, files), self._trailers(node)
        changed = any(one and one[0] != one[1] for one in files.values())
        same = (title, trailers, tuple(parents)) == (node.title, dict(node.trailers), node.parents)
        if same and not changed:
            return node.hash
        self.titles[node.title] = title
        return self._parts.objects.put(
            Put(
                hash="",
                base=parents[0] if parents else None,
                parents=tuple(parents),
                files={path: one[1] if one else None for path, one in files.items()},
                title=title,
                trailers=trailers,
                at=int(node.at),
            )
        )

    def _files(self, node: Node) -> dict[str, tuple[str, str] | None]:
        """Return what a commit changes: path → its text before and after, None if it goes."""
        objects = self._parts.objects
        base = objects.node(node.parents[0]).tree if node.parents else None
        found: dict[str, tuple[str, str] | None] = {}
        for path, blob in sorted(_differing(self._parts, base, node.tree, "")):
            found[path] = self._text(path, blob) if blob else None
        return found

    def _text(self, path: str, blob: str) -> tuple[str, str]:
        if (path, blob) not in self._texts:
            old = self._parts.objects.text(blob, path)
            new = scrub.file(path, old, self._wanted, self._refolded)
            if path.startswith(f"{paths.COMMITS}/"):
                self._remember(old, new)
            self._texts[path, blob] = old, new
        return self._texts[path, blob]

    def _remember(self, old: str, new: str) -> None:
        try:
            was, now = texts.read_commit(old), texts.read_commit(new)
        except MemoryCorrupt:
            return
        self._before[was.id] = was, now

    def _refolded(self, made: Commit) -> Commit | None:
        was, now = self._before.get(made.parents[0] if made.parents else "", (None, None))
        if was is None or was == now:
            return None
        # A model may have told a record that goes as a whole in other words.
        whole = self._wanted.records or self._wanted.session
        return now if whole or fold(was) == made.previous else None

    def _title(self, node: Node, files: Mapping[str, tuple[str, str] | None]) -> str:
        one = files.get(node.path)
        try:
            was, now = map(texts.read_commit, one or ("", ""))
        except MemoryCorrupt:
            return self._wanted.without(node.title)
        known = node.title == (was.title or was.kind.value)
        return now.title or now.kind.value if known else self._wanted.without(node.title)

    def _trailers(self, node: Node) -> dict[str, str]:
        gone = self._wanted.session
        return {
            name: self._wanted.without(value)
            for name, value in node.trailers.items()
            if not (gone and name == SESSION and value == gone)
        }


def in_order(parts: Parts, tips: Sequence[str]) -> Iterator[str]:
    """Yield all commits that some lead to, parents first."""
    parts.objects.intact()
    walker = parts.repository.git.walk(None, SortMode.TOPOLOGICAL | SortMode.REVERSE)
    for tip in tips:
        walker.push(tip)
    yield from (str(commit.id) for commit in walker)


def _differing(
    parts: Parts, old: str | None, new: str | None, folder: str
) -> Iterator[tuple[str, str | None]]:
    """Yield the paths at which two trees differ, with the blob that the new one has there."""
    if old == new:
        return
    was = parts.objects.tree(old) if old else {}
    now = parts.objects.tree(new) if new else {}
    for name in {*was, *now}:
        before, after = was.get(name), now.get(name)
        if before == after:
            continue
        path = f"{folder}{name}"
        old_tree = before.hash if before and before.folder else None
        new_tree = after.hash if after and after.folder else None
        if old_tree or new_tree:
            yield from _differing(parts, old_tree, new_tree, f"{path}/")
        if after and not after.folder:
            yield path, after.hash
        elif before and not before.folder:
            yield path, None
