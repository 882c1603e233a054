"""Git with a worktree: the git program, and GitPython's index API."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import git

from benchmarks.memory import texts

_MADE = "bench <bench@localhost>"
_SETTINGS = {
    "gc.auto": "0",
    "maintenance.auto": "false",
    "user.name": "bench",
    "user.email": "bench@localhost",
    "commit.gpgSign": "false",
    "core.hooksPath": os.devnull,
}


class GitCli:
    """`git add` and `git commit` in a worktree, the same tree as ours: one file a record."""

    name: ClassVar[str] = "git CLI"
    durable: ClassVar[str] = "no (git's default)"
    settings: ClassVar[dict[str, str]] = {}

    def __init__(self, folder: Path) -> None:
        self.folder, self.count = folder, 0
        if not (folder / ".git").exists():
            folder.mkdir(parents=True, exist_ok=True)
            self.run("init", "--quiet", "--initial-branch=main")
            for name, value in {**_SETTINGS, **self.settings}.items():
                self.run("config", name, value)

    def commit(self, number: int) -> None:
        self._add_and_commit([*self.written(number)], texts.title(number))
        self.count += 1

    def files(self, number: int) -> tuple[tuple[str, str], ...]:
        """Return path and text of each file that a record changes."""
        return (texts.path(number), texts.record(number)), ("main.md", texts.roadmap(number))

    def written(self, number: int) -> Iterator[str]:
        """Write the files of a record, and yield their paths."""
        for path, text in self.files(number):
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
            yield path

    def grow(self, count: int) -> None:
        if count > self.count:
            stream = "".join(self._stream(self.count, count))
            self.run("fast-import", "--quiet", said=stream)
            self.run("reset", "--quiet", "--hard", "main")
            self.count = count

    def latest(self) -> str:
        number = self.count - 1
        return self.run("show", f"HEAD:{texts.path(number)}", "HEAD:main.md")

    def search(self, word: str) -> int:
        return len(self.run("log", "--format=%H", f"--grep={word}").split())

    def titles(self) -> Sequence[str]:
        return self.run("log", "--format=%s").splitlines()

    def linear(self) -> bool | None:
        return self.run("rev-list", "--min-parents=2", "--count", "HEAD").strip() == "0"

    def close(self) -> None:
        pass

    def run(self, *arguments: str, said: str = "") -> str:
        """Return what git prints."""
        done = subprocess.run(
            ["git", *arguments],
            check=False,
            cwd=self.folder,
            input=said,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(done.stderr.strip() or f"git {arguments[0]} failed")
        return done.stdout

    def _add_and_commit(self, paths: Sequence[str], title: str) -> None:
        self.run("add", "--", *paths)
        self.run("commit", "--quiet", "-m", title)

    def _stream(self, start: int, end: int) -> Iterator[str]:
        for number in range(start, end):
            said = texts.title(number)
            yield f"commit refs/heads/main\ncommitter {_MADE} {1_700_000_000 + number} +0000\n"
            yield f"data {len(said)}\n{said}\n"
            if number == start and start:
                yield "from refs/heads/main^0\n"
            for path, text in self.files(number):
                yield f"M 100644 inline {path}\ndata {len(text)}\n{text}\n"


class GitCliSynced(GitCli):
    """The same, made durable by git's own setting."""

    name: ClassVar[str] = "git CLI, core.fsync=all"
    durable: ClassVar[str] = "yes"
    settings: ClassVar[dict[str, str]] = {"core.fsync": "all"}


class GitPythonIndex(GitCli):
    """`index.add` and `index.commit` of GitPython in a worktree."""

    name: ClassVar[str] = "GitPython index API"
    durable: ClassVar[str] = "no"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.repo = git.Repo(folder)

    def latest(self) -> str:
        head = self.repo.head.commit
        paths = (texts.path(texts.number(str(head.summary))), "main.md")
        return "".join((head.tree / path).data_stream.read().decode() for path in paths)

    def close(self) -> None:
        self.repo.close()

    def _add_and_commit(self, paths: Sequence[str], title: str) -> None:
        index = self.repo.index
        index.add(paths)
        index.commit(title)


class GitPythonNewest(GitPythonIndex):
    """The same with the smallest index there can be: only the newest record is in the tree."""

    name: ClassVar[str] = "GitPython index API, two files"

    def files(self, number: int) -> tuple[tuple[str, str], ...]:
        return ("record.md", texts.record(number)), ("main.md", texts.roadmap(number))


class GitPythonLog(GitPythonIndex):
    """The paper's layout as it stands: every record is added at the end of one file."""

    name: ClassVar[str] = "GitPython, append-only log.md"

    def written(self, number: int) -> Iterator[str]:
        with (self.folder / "log.md").open("a") as file:
            file.write(f"{texts.record(number, 500)}\n\n")
        yield "log.md"
