"""Another process that does some work and is killed before it can close anything."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable

from agentctx.errors import DataError

FORKS = hasattr(os, "fork")
"""Whether this system can do it."""


def in_a_killed_process(work: Callable[[], bytes]) -> bytes:
    """Return what `work` returned in a forked process that then got a SIGKILL.

    Raises:
        DataError: it ended in another way.
    """
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads: the child needs none
        child = os.fork()
    if not child:
        try:
            with os.fdopen(writer, "wb", closefd=False) as pipe:
                pipe.write(work())
            os.kill(os.getpid(), signal.SIGKILL)
        finally:
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
        raise DataError(f"the process that was to be killed ended by itself ({status}): try again")
    return said
