import os
import pty
import select
import signal
import sys
import time

import pytest

from tests.cli.run import EXEC, environment

COUNTS = (
    "import signal, time; seen = []\n"
    "signal.signal(signal.SIGINT, lambda *a: seen.append(1))\n"
    "print('ready', flush=True); end = time.time() + 1.2\n"
    "while time.time() < end: time.sleep(0.05)\n"
    "print('seen', len(seen))"
)


class Terminal:
    """A process that owns a terminal, and what it shows."""

    def __init__(self, argv, folder):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(argv[0], argv, environment(folder))
        self.shown = b""

    def wait_for(self, text, seconds=20.0):
        end = time.monotonic() + seconds
        while text not in self.shown:
            assert time.monotonic() < end, self.shown
            if select.select([self.fd], [], [], 0.1)[0]:
                self.shown += os.read(self.fd, 4096)

    def type(self, data):
        os.write(self.fd, data)

    def close(self):
        try:
            while data := os.read(self.fd, 4096):
                self.shown += data
        except OSError:  # a terminal that nobody holds open any more
            pass
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.fixture
def terminal(tmp_path):
    return lambda *argv: Terminal(list(argv), tmp_path)


def test_a_terminal_is_handed_to_the_command(terminal):
    screen = terminal(*EXEC, "sh", "-c", "test -t 0 && test -t 1 && test -t 2 && echo all; exit 3")
    assert screen.close() == 3
    assert screen.shown == b"all\r\n"


def test_the_command_takes_our_place_on_a_terminal(terminal):
    screen = terminal(*EXEC, "sh", "-c", "echo $$")
    screen.close()
    assert int(screen.shown) == screen.pid


@pytest.mark.parametrize("way", ["--raw", "--reduce"])
def test_control_c_reaches_the_command_once(terminal, way):
    screen = terminal(*EXEC, way, "--hold", "0", sys.executable, "-c", COUNTS)
    screen.wait_for(b"ready")
    screen.type(b"\x03")
    screen.wait_for(b"seen 1")
    assert screen.close() == 0


def test_control_c_kills_a_command_that_does_not_mind(terminal):
    screen = terminal(*EXEC, "--reduce", "--hold", "0", "sh", "-c", "echo ready; exec sleep 60")
    screen.wait_for(b"ready")
    screen.type(b"\x03")
    assert screen.close() == -signal.SIGINT


@pytest.mark.parametrize("way", ["--raw", "--reduce"])
def test_control_z_stops_and_fg_goes_on(terminal, way):
    program = "import time; print('re' + 'ady', flush=True); time.sleep(1); print('do' + 'ne')"
    screen = terminal("bash", "--norc", "--noprofile", "-i")
    line = [*EXEC, way, "--hold", "0", sys.executable, "-c", f'"{program}"']
    screen.type(" ".join(line).encode() + b"\n")
    screen.wait_for(b"\rready")
    screen.type(b"\x1a")
    screen.wait_for(b"Stopped")
    screen.type(b"fg\n")
    screen.wait_for(b"done\r\n")
    screen.type(b"exit 6\n")
    assert screen.close() == 6


def test_a_question_is_seen_before_it_is_answered(terminal):
    script = "printf 'name? '; read name; echo hello $name"
    screen = terminal(*EXEC, "--reduce", "--hold", "0.2", "sh", "-c", script)
    screen.wait_for(b"name? ")
    screen.type(b"ann\n")
    screen.wait_for(b"hello ann")
    assert screen.close() == 0
