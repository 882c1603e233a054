"""Record what a command writes to a terminal: record.py FILE ROWS COLUMNS KEYS COMMAND…

KEYS are typed one by one, a tenth of a second apart, once the command has begun; "" for none.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time
from pathlib import Path

PAUSE = 0.1


def record(rows: int, columns: int, keys: str, command: list[str]) -> bytes:
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    output, due, waiting = b"", time.monotonic() + 5 * PAUSE, list(keys)
    while True:
        if select.select([terminal], [], [], PAUSE / 2)[0]:
            try:
                part = os.read(terminal, 65536)
            except OSError:  # how Linux says that the other end is closed
                break
            if not part:
                break
            output += part
        if waiting and time.monotonic() > due:
            os.write(terminal, waiting.pop(0).encode())
            due = time.monotonic() + PAUSE
    os.waitpid(pid, 0)
    return output


if __name__ == "__main__":
    name, rows, columns, keys, *command = sys.argv[1:]
    Path(name).write_bytes(record(int(rows), int(columns), keys, command))
