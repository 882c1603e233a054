"""Push, pull and clone: memory on another machine, through the user's own git and credentials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from agentctx.errors import MemoryNameError, RemoteError
from agentctx.memory import names
from agentctx.memory.memory import Memory
from agentctx.memory.merge.policies import Policy, policy
from agentctx.memory.records import Conflict
from agentctx.memory.remote.address import address, holds_credentials
from agentctx.memory.remote.git import TIMEOUT_S, Git
from agentctx.memory.remote.pull_plan import Plan, has, same, short
from agentctx.memory.remote.reunion import clashes, reunite
from agentctx.memory.store.incoming import INCOMING, forget_incoming, incoming, opened
from agentctx.memory.store.lock import Lock
from agentctx.memory.store.paths import ARCHIVE, HEADS

_REMEMBERED = "remote.origin.url"
_KINDS = (HEADS, ARCHIVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """What went to the other side: full ref names, and those that it dropped as archived."""

    refs: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulled:
    """What came: branches that are new or went on, those that were merged, and what disagrees."""

    moved: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


class Remote:
    """The other side of a memory."""

    def __init__(self, memory: Memory, url: str = "", *, timeout: float = TIMEOUT_S) -> None:
        """Use the repository at `url`, or the one that was used last.

        Args:
            memory: this side.
            url: where the other one is.
            timeout: seconds that one git command may take.

        Raises:
            RemoteError: there is no address, or it cannot be used.
        """
        memory.store.branches()  # makes the repository if it is not there
        self._memory, self._path = memory, memory.folder / "memory.git"
        self._url = address(url or self._remembered())
        self._git = Git(self._path, timeout)

    def push(self) -> Pushed:
        """Send all branches; never over what the other side has and this one has not.

        Raises:
            RemoteError: git failed, or the other side has gone on.
        """
        ours, theirs = self._ours(), self._theirs()
        changed = [ref for ref, hash in ours.items() if theirs.get(ref) != hash]
        behind = [ref for ref in changed if ref in theirs and not self._has(ours[ref], theirs[ref])]
        if behind:
            raise RemoteError(
                f"the other side has gone on with {short(behind[0])!r}: agentctx memory pull, "
                "then push again"
            )
        dropped = [ref for ref, hash in theirs.items() if self._archived(ref, hash)]
        if not ours:
            raise RemoteError("there is nothing to push yet: commit first")
        if changed or dropped:
            words = [self._url, *(f"{ref}:{ref}" for ref in changed), *(f":{r}" for r in dropped)]
            self._git.run("push", "--quiet", "--atomic", "--no-verify", "--no-tags", words=words)
        self._remember()
        return Pushed(refs=tuple(changed), dropped=tuple(dropped))

    def pull(self, how: str = "agent", resolutions: Mapping[str, str] | None = None) -> Pulled:
        """Take what the other side has; branches that went on on both sides are merged.

        Args:
            how: the merge policy: "ours", "theirs", "both", or "agent", which reports conflicts.
            resolutions: item of a conflict → what to take.

        Raises:
            RemoteError: git failed.
            MemoryCorrupt: what came is no memory; nothing has changed.
            MemoryNameError: a branch there has a name that none here may have.
            MemoryStoreError: the policy or a resolution cannot be used; nothing has changed.
        """
        chosen = policy(how, resolutions, self._memory.redact)
        with self._fetched() as theirs:
            moved, apart = self._adopt(theirs, chosen)
            results = {name: reunite(self._memory, name, hash, chosen) for name, hash in apart}
        self._remember()
        conflicts = {name: one for name, one in results.items() if isinstance(one, Conflict)}
        return Pulled(
            moved=tuple(moved),
            merged=tuple(name for name in results if name not in conflicts),
            conflicts=tuple(conflicts.values()),
        )

    def clone(self) -> Pulled:
        """Take all that the other side has into a memory that is empty.

        Raises:
            RemoteError: it is not, or git failed.
        """
        if self._ours():
            raise RemoteError("there is a memory here already: agentctx memory pull")
        return self.pull()

    def _ours(self) -> dict[str, str]:
        store = self._memory.store
        heads = {f"{HEADS}{name}": hash for name, hash in store.branches().items()}
        return {**heads, **{f"{ARCHIVE}{name}": tip for name, tip in store.archived().items()}}

    def _theirs(self) -> dict[str, str]:
        listed = self._git.run("ls-remote", "--refs", "--quiet", words=[self._url])
        pairs = (line.partition("\t")[::2] for line in listed.splitlines())
        return {ref: hash for hash, ref in pairs if ref.startswith(_KINDS)}

    def _archived(self, ref: str, hash: str) -> bool:
        """Say whether a branch that is open there has been closed here since."""
        name, store = ref.removeprefix(HEADS), self._memory.store
        if not ref.startswith(HEADS) or name in store.branches():
            return False
        return any(
            self._has(tip, hash) for other, tip in store.archived().items() if same(other, name)
        )

    def _has(self, tip: str, hash: str) -> bool:
        return has(self._memory.store, tip, hash)

    @contextmanager
    def _fetched(self) -> Iterator[dict[str, str]]:
        """Yield the refs of the other side, whose objects are here as long as the block runs."""
        with Lock(self._memory.folder / "remote.lock"):
            try:
                specs = [f"+{kind}*:{INCOMING}{kind.removeprefix('refs/')}*" for kind in _KINDS]
                options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-gc")
                self._git.run("fetch", *options, words=[self._url, *specs])
                found = incoming(self._path)
                for ref in found:
                    names.branch(short(ref))
                yield found
            except MemoryNameError as error:
                raise MemoryNameError(
                    f"the other side has a branch that cannot come: {error}"
                ) from None
            finally:
                forget_incoming(self._path)

    def _adopt(
        self, theirs: Mapping[str, str], chosen: Policy
    ) -> tuple[list[str], list[tuple[str, str]]]:
        """Move what can simply go on; return it, and the branches that went apart."""
        store = self._memory.store
        with store.transaction("pull", session=self._memory.author.session) as change:
            plan = Plan(store, change)
            for ref in sorted(theirs):  # archived ones come first
                plan.take(ref, theirs[ref])
            if chosen.given:
                chosen.check([one for each in plan.apart for one in clashes(self._memory, *each)])
        return plan.moved, plan.apart

    def _remembered(self) -> str:
        if found := remembered(self._path):
            return found
        raise RemoteError("no address is known yet: agentctx memory push ADDRESS")

    def _remember(self) -> None:
        if not holds_credentials(self._url):
            opened(self._path).config[_REMEMBERED] = self._url


def remembered(path: Path) -> str:
    """Return the address that the repository at `path` was last used with, "" if there is none."""
    config = opened(path).config
    return str(config[_REMEMBERED]) if _REMEMBERED in config else ""
