"""Which start of the machine this is: what was written but not synced may be gone in the next one."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

_LINUX = Path("/proc/sys/kernel/random/boot_id")


def boot() -> str:
    """Return a text that is another one after every start of the machine, "" where none is known."""
    with suppress(OSError, AttributeError):
        return _darwin() if sys.platform == "darwin" else _LINUX.read_text().strip()
    return ""


def _darwin() -> str:
    import ctypes

    text, size = ctypes.create_string_buffer(64), ctypes.c_size_t(64)
    system = ctypes.CDLL(None)
    failed = system.sysctlbyname(b"kern.bootsessionuuid", text, ctypes.byref(size), None, 0)
    return "" if failed else text.value.decode()
