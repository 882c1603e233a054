"""What kind of output a shell command prints: a view of data, or the log of a run."""

from __future__ import annotations

import re
import shlex
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import chain, pairwise

_READ = frozenset(
    "cat bat sed head tail less more grep egrep fgrep zgrep rg ag ack find fd ls tree wc nl cut awk"
    " gawk sort uniq diff cmp comm hexdump xxd od strings file stat du df jq yq column tac rev paste"
    " env printenv ps id whoami uname date which type md5sum sha1sum sha256sum tr fold expand"
    " readlink realpath basename dirname zcat less base64 sqlite3 psql".split()
)
_READ_SUBCOMMANDS = {
    "git": frozenset(
        "diff show log blame ls-files ls-tree grep cat-file status branch tag rev-parse config"
        " remote reflog shortlog describe stash".split()
    ),
    "pip": frozenset("list show freeze".split()),
    "npm": frozenset("ls list view".split()),
    "docker": frozenset("ps images inspect".split()),
    "kubectl": frozenset("get describe".split()),
    "tar": frozenset("-tf tf -tvf tvf -tzf tzf".split()),
    "unzip": frozenset("-l".split()),
    "agentctx": frozenset("expand".split()),
}
_SILENT = frozenset(
    "cd export set unset source . true false : mkdir touch rm cp mv ln chmod pushd popd test [ ["
    " echo printf sleep trap umask alias local declare read wait exit pwd tee".split()
)
_SYSTEM = frozenset({"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin"})
_TO_STDOUT = re.compile(r"-\w*O *(?:-|/dev/stdout)(?: |$)|--output-document[ =]-")
_TO_FILE = re.compile(r"(?:^| )(?:-\w*[oO]|--output|--remote-name)(?:[ =]|$)")
_PASSING = frozenset("tail head tee cat less more sponge ts".split())
_PIPES = frozenset({"|", "|&"})
_WRAPPERS = frozenset("timeout time sudo env nice nohup stdbuf xargs command exec unbuffer".split())
_RUNNERS = frozenset(
    "uv run|uvx|poetry run|pipenv run|pdm run|hatch run|rye run|pixi run|conda run|mamba run|npx"
    "|pnpm exec|pnpm dlx|yarn exec|yarn dlx|bunx|bundle exec|direnv exec .".split("|")
)
_VALUED = frozenset("-n -p --name --prefix --with --python --extra --group --project".split())
_SHELLS = frozenset("sh bash zsh dash ksh".split())
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_BODY = "<< heredoc"
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_LABEL = 24  # characters
_CHDIR = re.compile(r"^\s*cd\s+\S+\s*(?:&&|;)\s*")
_READ_TOOL = re.compile(r"read|view|cat|get|search|grep|glob|list|ls\b|find|fetch|open|diff", re.I)


class Output(StrEnum):
    """READ output is data that may be copied or parsed; RUN output is a log."""

    READ = "read"
    RUN = "run"
    UNKNOWN = "unknown"


def classify(command: str, tool: str = "") -> Output:
    """Return what a command prints; without a command, judge by the name of the tool.

    A line with any running stage is RUN (`pytest | tail`), one of only reading stages READ
    (`cd x && cat y | grep z`), and one that cannot be parsed UNKNOWN.
    """
    if not command.strip():
        return Output.READ if _READ_TOOL.search(tool) else Output.UNKNOWN
    try:
        found = list(stages(command))
    except ValueError:
        return Output.UNKNOWN
    kinds = {_kind(stage) for stage in found} - {None}
    if not kinds:
        return Output.UNKNOWN
    return Output.READ if kinds == {Output.READ} else Output.RUN


def printed(command: str) -> tuple[str, ...]:
    """Return the simple commands whose own lines an output consists of, without their wrappers.

    `cd x && timeout 60 pytest -q | tail -50` prints what `pytest -q` does. Where something else may
    stand among the lines, as after `| grep` or beside `cat`, there are none.
    """
    try:
        pipelines = list(_pipelines(command))
    except ValueError:
        return ()
    found = []
    for first, *rest in pipelines:
        kind = _kind(first)
        if kind is Output.READ or not all(map(_passes, rest)):
            return ()
        if kind is Output.RUN:
            found.append(" ".join(first))
    return tuple(found)


def expands(command: str) -> bool:
    """Tell whether a command asks agentctx for an original, whose text is never reduced again."""
    try:
        return any(stage[:2] == ["agentctx", "expand"] for stage in stages(command))
    except ValueError:
        return "agentctx expand" in command


def stages(command: str) -> Iterator[list[str]]:
    """Yield the words of each simple command; heredoc bodies are left out.

    Raises:
        ValueError: it cannot be parsed.
    """
    return chain.from_iterable(_pipelines(command))


def _pipelines(command: str) -> Iterator[list[list[str]]]:
    """Yield the simple commands of each pipeline that are not empty, each as its words."""
    flat = _without_heredocs(command).replace("\\\n", " ").replace("\n", " ; ")
    lexer = shlex.shlex(flat, posix=True, punctuation_chars="();<>|&")
    lexer.whitespace_split = True
    lexer.commenters = ""
    stages: list[list[str]] = [[]]
    for word in chain(lexer, ";"):
        if word in _PIPES:
            stages.append([])
        elif word and set(word) <= set("();|&"):
            bare = [stage for words in stages if (stage := _bare(words))]
            if len(bare) == 1 and (script := _script(bare[0])) is not None:
                yield from _pipelines(script)
            elif bare:
                yield bare
            stages = [[]]
        else:
            stages[-1].append(word)


def _without_heredocs(command: str) -> str:
    """Leave out the bodies of heredocs, in one pass: programs written with `<<` are not read twice."""
    if "<<" not in command:
        return command
    lines = command.split("\n")
    ends: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        ends.setdefault(line.lstrip(), []).append(number)
    kept, at = [], 0
    while at < len(lines):
        line, at = lines[at], at + 1
        found = _HEREDOC.search(line)
        while found:
            places = ends.get(found[2], [])
            after = found.end()
            if (first := bisect_left(places, at)) < len(places):
                line, at = line[: found.start()] + _BODY + line[after:], places[first] + 1
                after = found.start() + len(_BODY)
            found = _HEREDOC.search(line, after)
        kept.append(line)
    return "\n".join(kept)


def _bare(words: list[str]) -> list[str]:
    """Strip assignments and wrappers from the front of a simple command."""
    rest = list(words)
    while rest:
        if _ASSIGNMENT.match(rest[0]) or rest[0] in {"if", "then", "do", "while", "!", "{", "else"}:
            rest.pop(0)
        elif rest[0] in _WRAPPERS and len(rest) > 1:
            rest.pop(0)
            while rest and (rest[0].startswith("-") or rest[0].rstrip("smh").isdigit()):
                rest.pop(0)
        elif runner := _runner(rest):
            rest = rest[runner:]
        else:
            break
    return rest


def _runner(words: Sequence[str]) -> int:
    """Return how many words only say in which environment the others run."""
    length = next((n for n in (1, 2, 3) if " ".join(words[:n]) in _RUNNERS), 0)
    while 0 < length < len(words) and words[length].startswith("-"):
        length += 1 + (words[length] in _VALUED)
    return length if length < len(words) else 0


def _script(stage: Sequence[str]) -> str | None:
    """Return what a shell is given to run with `-c`."""
    if stage and stage[0].rpartition("/")[2] in _SHELLS:
        for option, script in pairwise(stage[1:]):
            if option.startswith("-") and option.endswith("c"):
                return script
            if not option.startswith("-"):
                break
    return None


def _kind(stage: list[str]) -> Output | None:
    folder, _, name = stage[0].rpartition("/")
    if folder and folder not in _SYSTEM:  # `bin/test` is a program of the project's
        return Output.RUN
    if name in _SILENT or name in {"for", "done", "fi", "}", "in"} or set(name) <= set("<>"):
        return None
    if name in _READ:
        return Output.READ
    if name in ("curl", "wget"):  # what is saved to a file leaves only the progress to print
        text = " ".join(stage)
        saved = _TO_FILE.search(text) if name == "curl" else not _TO_STDOUT.search(text)
        return Output.RUN if saved else Output.READ
    words = [word for word in stage[1:] if not word.startswith("-") or name in {"tar", "unzip"}]
    if _READ_SUBCOMMANDS.get(name, frozenset()) & set(words[:2]):  # `git -C folder diff`
        return Output.READ
    return Output.RUN


def _passes(stage: list[str]) -> bool:
    """Tell whether a stage of a pipeline lets lines through as they are."""
    return stage[0].rpartition("/")[2] in _PASSING


def label(command: str) -> str:
    """Name an observation in a few words that its reader recognises: its command, clipped."""
    words = " ".join(_CHDIR.sub("", command).split())
    return words if len(words) <= _LABEL else words[: _LABEL - 1] + "…"
