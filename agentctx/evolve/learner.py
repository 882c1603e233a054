"""Learner: remembers what a session saw and lets rules evolve from it, in a thread of its own."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from threading import Lock
from weakref import ref

from agentctx.evolve.trail import Trail, of_slots, remember
from agentctx.learn.case import Step
from agentctx.options import Rules
from agentctx.slots import of_tool
from agentctx.stores import Stores
from agentctx.values import Observation, Slot

EVERY = 50
"""Results of a conversation after which it is looked at, and rules evolve."""

_MOST = 16  # conversations that are followed at once; the one that was silent longest goes


class Learner:
    """Follows the conversations of a session where the settings say so; failing costs nobody more."""

    def __init__(self, stores: Stores, task: str) -> None:
        """Follow conversations; `task` names what is only observed."""
        self.stores = stores
        self._task, self._lock, self._owner = task, Lock(), os.getpid()
        self._trails: dict[str, Callable[[], Trail]] = {}
        self._looked: dict[str, int] = {}
        self._observed: list[Step] = []
        self._begun = False

    @property
    def follows(self) -> bool:
        """Whether anything is remembered."""
        settings = self.stores.settings
        return settings.edits and settings.ruled and settings.rules is Rules.EVOLVE

    def saw(self, task: str, slots: Sequence[Slot]) -> None:
        """Take note of a conversation as its request shows it now."""
        if self.follows:
            self._follow(task, lambda: of_slots(slots), sum(map(of_tool, slots)))

    def came(self, observation: Observation) -> None:
        """Take note of a result that was observed, whose conversation nobody shows us."""
        if not self.follows:
            return
        self._observed.append(Step(said=observation.command, observation=observation))
        count = len(self._observed)
        self._follow(self._task, lambda: Trail(steps=tuple(self._observed[:count])), count)

    def close(self) -> None:
        """Remember the rest and let rules evolve; that goes on in its thread, also at the exit."""
        if self.follows and self._trails:
            self._start(self._finish)

    def wait(self) -> None:
        """Return when all that was begun is done."""
        self._start(lambda: None).result()

    def _follow(self, task: str, trail: Callable[[], Trail], results: int) -> None:
        with self._lock:
            if not self._begun:
                self._begun = True
                atexit.register(_leave, ref(self))
                self._start(self._evolve)
            self._trails.pop(task, None)
            self._trails[task] = trail
            while len(self._trails) > _MOST:
                self._trails.pop(next(iter(self._trails)))
            since = self._looked.get(task, 0)
            due = results - since >= EVERY
            if due:
                self._looked[task] = results
        if due:
            self._start(lambda: self._look(task, trail, since))

    def _look(self, task: str, trail: Callable[[], Trail], since: int) -> None:
        remember(trail(), task, self.stores, since)
        self._evolve()

    def _finish(self) -> None:
        with self._lock:
            trails, self._trails = self._trails, {}
        for task, trail in trails.items():
            remember(trail(), task, self.stores, self._looked.get(task, 0))
        self._evolve()

    def _evolve(self) -> None:
        from agentctx.evolve.evolution import Evolution

        with self.stores.pool() as pool:
            steps = Evolution(self.stores, pool).run(patient=True)
        for step in steps:
            self.stores.tell(
                "rule-evolved", "", rule=step.rule_id, became=step.became, why=step.why
            )

    def _start(self, job: Callable[[], None]) -> Future[None]:
        if self._owner != os.getpid():  # no thread survives a fork
            self._owner = os.getpid()
            vars(self).pop("_thread", None)
        return self._thread.submit(self._safely, job)

    def _safely(self, job: Callable[[], None]) -> None:
        try:
            job()
        except Exception as error:  # law 7: what cannot be learnt stops nobody
            self.stores.tell("learning-failed", "", error=str(error)[:500])

    @cached_property
    def _thread(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(max_workers=1, thread_name_prefix="agentctx-learner")


def _leave(learner: ref[Learner]) -> None:
    """Remember, at the exit, what nobody has closed; threads take no work any more then."""
    found = learner()
    if found is not None and found._trails and found._owner == os.getpid():
        found._safely(found._finish)
