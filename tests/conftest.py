"""How much the suite tries: `make test` a little of everything, `make test-long` thousands."""

from __future__ import annotations

import os
import signal
import threading

import pytest
from hypothesis import HealthCheck, settings

from tests.postgres import database, postgres

__all__ = ["database", "postgres"]

LONG = os.environ.get("AGENTCTX_TEST_PROFILE") == "long"
_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]

settings.register_profile("short", deadline=None, max_examples=40, suppress_health_check=_SLOW)
settings.register_profile("long", deadline=None, max_examples=1_000, suppress_health_check=_SLOW)
settings.load_profile("long" if LONG else "short")

if os.name == "posix" and threading.current_thread() is threading.main_thread():
    # Who starts us in the background may ignore them, and every process of a test would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(name, signal.SIG_DFL)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the long tests out unless they were asked for."""
    if LONG:
        return
    skip = pytest.mark.skip(reason="long: runs in `make test-long`")
    for item in items:
        if "long" in item.keywords:
            item.add_marker(skip)
