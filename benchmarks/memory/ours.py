"""agentctx's memory as a side."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from agentctx.memory.memory import Memory
from agentctx.memory.recall import Request
from benchmarks.memory import texts


class Ours:
    """`Memory`; `times` are those of all commits."""

    name: ClassVar[str] = "agentctx"
    durable: ClassVar[str] = "yes"

    def __init__(self, folder: Path, *, size: int = 1_000, revises: bool = True) -> None:
        """Keep records of `size` characters in `folder`; `revises` says whether main.md changes."""
        self.size, self.revises = size, revises
        self.memory = Memory(folder)
        self.count, self.times = 0, list[float]()

    def log(self, number: int) -> None:
        """Append a step."""
        observation, thought, action = texts.step(number)
        self.memory.log(observation=observation, thought=thought, action=action)

    def grow_log(self, start: int, end: int) -> None:
        """Append the steps that are missing."""
        for number in range(start, end):
            self.log(number)

    def commit(self, number: int) -> None:
        said = texts.record(number, self.size)
        sections = {"Now": texts.now(number)} if self.revises else {}
        begin = time.perf_counter()
        self.memory.commit(said, sections=sections)
        self.times.append(time.perf_counter() - begin)
        self.count += 1

    def grow(self, count: int) -> None:
        while self.count < count:
            self.commit(self.count)

    def latest(self) -> str:
        return self.memory.context(Request(level="branch")).text

    def search(self, word: str) -> int:
        return len(self.memory.search(word).ids)

    def titles(self) -> Sequence[str]:
        return [one.title for one in self.memory.snapshot().since()]

    def linear(self) -> bool | None:
        view = self.memory.snapshot()
        return all(len(node.parents) <= 1 for node in view.store.walk(view.hash))

    def close(self) -> None:
        self.memory.close()
