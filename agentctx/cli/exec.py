"""`agentctx exec`: the command runs as if it stood alone, and its reader gets less to read."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

from agentctx.cli.arguments import USAGE, Asked, Wrong, parse
from agentctx.cli.audience import NESTED, reduced_fds, same_file
from agentctx.cli.child import NotStarted, become, die_of, leave_as


def main(args: list[str]) -> int:
    """Run the command and return its exit status, or 2, 126 or 127 as a shell would."""
    try:
        asked = parse(args)
    except Wrong as error:
        return _complain(str(error), 2)
    if asked.help:
        sys.stdout.write(USAGE)
        return 0
    if asked.json and os.name != "posix":
        return _complain("--json needs pipes as POSIX has them: leave it out here", 2)
    fds = () if _answers_for_agentctx(asked.text) else reduced_fds(asked.policy)
    try:
        if asked.json or fds:
            _reduced(asked, (1, 2) if asked.json else fds)
        return become(asked.argv)
    except NotStarted as error:
        return _complain(str(error), error.code)


def _reduced(asked: Asked, fds: tuple[int, ...]) -> NoReturn:
    from agentctx.cli import child, pump
    from agentctx.cli.digest import Digester

    streams, pipes = [], {}
    for fd in fds:
        read, write = (pump.above_stdio(end) for end in os.pipe())
        streams.append(pump.Stream(read, fd, target=1 if asked.json else fd))
        pipes[fd] = write
    targets = dict(pipes)
    if 1 in fds and 2 not in fds and same_file(1, 2):
        targets[2] = pipes[1]  # one pipe keeps the order of the two
    env = child.environment()
    env[NESTED] = _nested(env.get(NESTED, ""), [s.source for s in streams])
    digester = Digester(asked.text, as_json=asked.json, raw=asked.policy == "raw")
    limits = pump.Limits(quiet=asked.hold)
    mover = pump.Pump(streams, limits, digester.digest, digester.prepare)
    command = child.Forwarder(child.spawn(asked.argv, env, targets))
    for write in pipes.values():
        os.close(write)
    status = mover.run(command)
    if asked.json:
        digester.finish(status)
    if mover.unread and status == 0:
        die_of(signal.SIGPIPE)  # as the command itself would have
    leave_as(status)


def _nested(outer: str, sources: list[int]) -> str:
    inodes = [str(os.fstat(fd).st_ino) for fd in sources]
    return ",".join([*filter(None, outer.split(",")), *inodes])


def _answers_for_agentctx(command: str) -> bool:
    """Say whether the command asks for an original, which must come back as it is."""
    return "agentctx expand" in command


def _complain(text: str, code: int) -> int:
    os.write(2, f"agentctx exec: {text}\n".encode(errors="surrogateescape"))
    return code
