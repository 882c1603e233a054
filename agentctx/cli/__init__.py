"""The command line. `agentctx exec` is on every command's path, so only it is reached lightly."""

from __future__ import annotations

import os
import sys

_OFF = ("", "0", "false", "no", "off")


def main(argv: list[str] | None = None) -> int:
    """Run one command line and return its exit status: 0 done, 1 failed, 2 wrong usage."""
    args = sys.argv[1:] if argv is None else list(argv)
    debug = os.environ.get("AGENTCTX_DEBUG", "0").lower() not in _OFF
    if args[:1] == ["--debug"]:
        debug, args = True, args[1:]
    try:
        return _dispatch(args)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _discard_stdout()
        return 141  # what a shell reports for a command whose reader went away
    except Exception as error:
        if debug:
            raise
        return _explain(error)


def _dispatch(args: list[str]) -> int:
    if args[:1] == ["exec"]:
        from agentctx.cli.exec import main as execute

        return execute(args[1:])
    from agentctx.cli.app import main as other

    return other(args)


def _discard_stdout() -> None:
    """Point stdout nowhere, or the interpreter would complain when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _explain(error: Exception) -> int:
    from agentctx.errors import AgentctxError

    text = " ".join(str(error).split()) or type(error).__name__
    if not isinstance(error, AgentctxError):
        text = (
            f"unexpected {type(error).__name__}: {text}: run it again as "
            "'agentctx --debug …' and file the traceback as a bug"
        )
    os.write(2, f"agentctx: {text}\n".encode(errors="backslashreplace"))
    return 1
