from __future__ import annotations

import subprocess
import sys

import pytest

from agentctx.events import Event, Log, Sink
from tests.shared import ROOT


def broken(event: Event, /) -> None:
    raise OSError(f"no room for {event.kind}")


def test_events_reach_every_sink_in_order() -> None:
    first: list[Event] = []
    second: list[Event] = []
    log = Log(first.append, second.append)
    sent = [Event("reduce", "s", {"tokens": 3}), Event("expand", "s")]
    for event in sent:
        log(event)
    assert first == second == list(log.recent) == sent


def test_only_the_last_events_are_kept() -> None:
    log = Log(keep=3)
    for number in range(10):
        log(Event("tick", "s", {"number": number}))
    assert [event.detail["number"] for event in log.recent] == [7, 8, 9]


def test_a_sink_that_raises_fails_neither_the_caller_nor_the_next_sink() -> None:
    seen: list[Event] = []
    log = Log(broken, seen.append)
    log(Event("reduce", "s"))
    assert len(seen) == len(log.recent) == log.failed == 1


def test_a_sink_cannot_swallow_an_interrupt() -> None:
    def interrupted(event: Event, /) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Log(interrupted)(Event("reduce", "s"))


def test_logs_can_be_chained() -> None:
    inner = Log()
    sink: Sink = inner
    Log(sink)(Event("reduce", "s"))
    assert inner.recent == (Event("reduce", "s"),)


def test_importing_events_and_the_archive_loads_no_database_or_compression() -> None:
    script = "import sys, agentctx.events, agentctx.archive; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, text=True, capture_output=True, check=True
    ).stdout.split()
    assert not {"sqlalchemy", "zstandard", "pydantic", "sqlite3"} & set(loaded)
