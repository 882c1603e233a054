"""The bare git repository of a memory, through libgit2 alone: no process, no hook, no setting of the user."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pygit2
from pygit2.enums import RepositoryOpenFlag

from agentctx.errors import MemoryCorrupt
from agentctx.memory.names import MAIN
from agentctx.memory.store.disk import Disk, refused, unread

_SETTINGS = {
    "core.logallrefupdates": "false",
    "core.hooksPath": os.devnull,
    "core.fsync": "all",  # for what the user's git brings by fetch
    "gc.auto": "0",
    "gc.autoDetach": "false",
    "maintenance.auto": "false",
    "commit.gpgSign": "false",
    "fetch.unpackLimit": "1",  # always a pack: loose objects are ours, and can be written again
    "transfer.unpackLimit": "1",
    "receive.denyNonFastForwards": "true",
}
_AT_ONCE = 3  # an index, its pack and a folder


class Repository:
    """`memory.git`, made when it is first opened under the lock."""

    def __init__(self, path: Path, disk: Disk) -> None:
        """Use the repository at `path`."""
        self.path, self.disk = path, disk
        self._git: pygit2.Repository | None = None

    @property
    def git(self) -> pygit2.Repository:
        """The open repository.

        Raises:
            MemoryCorrupt: there is something else.
        """
        if self._git is None:
            self._git = self._opened()
        return self._git

    @property
    def objects(self) -> Path:
        """The folder of its objects."""
        return self.path / "objects"

    def twin(self) -> Repository:
        """Return the same for another thread."""
        return Repository(self.path, self.disk)

    def again(self) -> pygit2.Repository:
        """Return it opened anew, for when another process has packed what we looked for."""
        self._git = None  # another thread may still read from the old one
        return self.git

    def probe(self) -> None:
        """See that files can be opened: without descriptors libgit2 says that an object is missing.

        Raises:
            MemoryStoreError: they cannot.
        """
        opened: list[int] = []
        try:
            for _ in range(_AT_ONCE):
                opened.append(os.open(os.devnull, os.O_RDONLY))
        except OSError as error:
            raise unread(f"{str(self.path)!r}", error) from None
        finally:
            for descriptor in opened:
                os.close(descriptor)

    def make(self) -> None:
        """Make the repository if there is none; call this under the lock only."""
        if self.path.exists():
            return
        scratch = self.path.with_name(f"tmp_{self.path.name}")
        shutil.rmtree(scratch, ignore_errors=True)
        with writing(f"memory at {str(self.path)!r}"):
            self.disk.through(_init, scratch)
            self._sync(scratch)
            self.disk.replace(scratch, self.path)
            self.disk.sync_folder(self.path.parent)

    def close(self) -> None:
        """Let go of its files."""
        if self._git is not None:
            self._git.free()
        self._git = None

    def _opened(self) -> pygit2.Repository:
        flags = RepositoryOpenFlag.BARE | RepositoryOpenFlag.NO_SEARCH
        try:
            return pygit2.Repository(str(self.path), flags)
        except (pygit2.GitError, OSError) as error:
            self.probe()
            raise MemoryCorrupt(
                f"{str(self.path)!r} is no repository that can be opened: {error}: move it away, "
                "or clone the memory again"
            ) from None

    def _sync(self, folder: Path) -> None:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                descriptor = self.disk.open(path, os.O_RDWR)
                try:
                    self.disk.sync(descriptor)
                finally:
                    os.close(descriptor)
            else:
                self.disk.sync_folder(path)
        self.disk.sync_folder(folder)


@contextmanager
def writing(thing: str) -> Iterator[None]:
    """Turn what the disk or libgit2 raise into one line.

    Raises:
        MemoryFull: they raised.
    """
    try:
        yield
    except (OSError, pygit2.GitError) as error:
        raise refused(thing, error) from None


def _init(path: Path) -> None:
    git = pygit2.init_repository(str(path), bare=True, mode=0o700, initial_head=MAIN)
    for name, value in _SETTINGS.items():
        git.config[name] = value
    git.free()
