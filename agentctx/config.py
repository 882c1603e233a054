"""What the user has set: one TOML file, environment variables, defaults.

Only the standard library is loaded, since `agentctx exec` reads the settings before every command.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from agentctx import options
from agentctx.errors import ConfigError
from agentctx.options import PARSERS, Mode, Prices, Remember, Rules

FILE = "agentctx.toml"
FOLDER = ".agentctx"
PREFIX = "AGENTCTX_"
_PASSWORD = re.compile(r"(?<=://).*(?=@)")
_ELSEWHERE = {"config", "model", "prices", "session"}  # variables that set nothing here


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The effective settings.

    Attributes:
        mode: off (nothing), meter (measures, never edits), reduce (observations), full (folds too).
        exclude_tools: globs of tool names whose results are never reduced.
        exclude_commands: globs, or RE2 patterns between slashes, of commands never reduced.
        observation_tokens: what an observation may take before head, tail and evidence apply.
        min_tokens: observations below this are left alone.
        archive_cap: bytes that the archive may take, None for no cap.
        lossless: whether lines are hidden only where the model sees them elsewhere.
        rules: what rules for single commands may do: off, frozen, on, evolve (see `Rules`).
        pool_url: the database of the pool of rules, "" for a file of this user's.
        pool_model: the model of LiteLLM's that proposes rules, "" for none.
        prices: the user's own prices.
        data: folder of the archive, the ledger and all other state (see `open_data`).
        memory: off, log (steps and records, unseen by the model), on (also its tools and state).
        memory_branch: the branch that a session stands on at first, "" for "main".
        memory_code: the code commit that goes with a record: HEAD, WORKTREE (made for it), "" none.
        memory_model: the model of LiteLLM's that writes progress summaries, "" for none.
        debug: whether every rewritten payload is checked.
        sources: setting → where its value comes from, for those that are not defaults.
    """

    mode: Mode = Mode.REDUCE
    exclude_tools: tuple[str, ...] = ()
    exclude_commands: tuple[str, ...] = ()
    observation_tokens: int = 4000
    min_tokens: int = 150
    archive_cap: int | None = None
    lossless: bool = False
    rules: Rules = Rules.ON
    pool_url: str | Path = ""
    pool_model: str = ""
    prices: Prices = field(default_factory=dict)
    data: Path = Path(FOLDER)
    memory: Remember = Remember.OFF
    memory_branch: str = ""
    memory_code: str = ""
    memory_model: str = ""
    debug: bool = False
    sources: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def edits(self) -> bool:
        """Whether anything is changed in what the model sees."""
        return self.mode in (Mode.REDUCE, Mode.FULL)

    @property
    def ruled(self) -> bool:
        """Whether rules for single commands have a say."""
        return self.rules is not Rules.OFF and not self.lossless

    def excludes(self, *, tool: str = "", command: str = "") -> bool:
        """Return whether the user exempts this tool or command from reduction."""
        return any(fnmatchcase(tool, glob) for glob in self.exclude_tools) or any(
            _covers(pattern, command.strip()) for pattern in self.exclude_commands
        )

    def open_data(self) -> Path:
        """Return the data folder, made if need be: mode 0700, invisible to git.

        Raises:
            ConfigError: it cannot be made or written.
        """
        ignore = self.data / ".gitignore"
        try:
            if not ignore.exists():
                self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
                ignore.write_text("*\n", encoding="utf-8")
        except OSError as error:
            raise ConfigError(
                f"data folder {str(self.data)!r}: {error.strerror}: set {PREFIX}DATA to another"
            ) from error
        return self.data


class Row(NamedTuple):
    """One setting, as `agentctx config` shows it."""

    name: str
    value: str
    source: str


def explain(settings: Settings) -> tuple[Row, ...]:
    """Return every setting with its value and where that comes from."""
    return tuple(
        Row(name, _show(getattr(settings, name)), settings.sources.get(name, "default"))
        for name in PARSERS
    )


def load(start: Path | None = None, env: Mapping[str, str] | None = None) -> Settings:
    """Return the settings that hold in the folder `start` (default: the working folder).

    Environment variables (`AGENTCTX_MODE`, …) win over the file, the file over the defaults. The
    file is `$AGENTCTX_CONFIG`, or the nearest `agentctx.toml` or `pyproject.toml` with a table
    `[tool.agentctx]`, in `start` or above.

    Raises:
        ConfigError: a file cannot be read, a key is unknown, or a value cannot be used.
    """
    env = os.environ if env is None else env
    start = _working_folder() if start is None else start.absolute()
    explicit = env.get(f"{PREFIX}CONFIG")
    path, table = (start / explicit, _toml(start / explicit)) if explicit else _nearest(start)
    values: dict[str, Any] = {"data": _nearest_data(start)}
    sources: dict[str, str] = {}
    for name, value in table.items():
        values[name] = _parse(name, value, f"{path}: {name}", path.parent)
        sources[name] = str(path)
    for variable, name in _variables(env):
        values[name] = _parse(name, env[variable], variable, start)
        sources[name] = variable
    return Settings(**values, sources=sources)


def _working_folder() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise ConfigError(
            f"the working folder is gone ({error.strerror}): change to another"
        ) from None


def _nearest(start: Path) -> tuple[Path, dict[str, Any]]:
    for folder in (start, *start.parents):
        if (path := folder / FILE).is_file():
            return path, _toml(path)
        if (path := folder / "pyproject.toml").is_file():
            tool = _toml(path, "agentctx").get("tool", {})
            table = tool.get("agentctx") if isinstance(tool, dict) else None
            if isinstance(table, dict):
                return path, table
            if table is not None:
                raise ConfigError(f"{path}: tool.agentctx is no table: write [tool.agentctx]")
    return start / FILE, {}


def _toml(path: Path, only_with: str = "") -> dict[str, Any]:
    import tomllib

    try:
        text = path.read_text(encoding="utf-8")
        return tomllib.loads(text) if only_with in text else {}
    except OSError as error:
        reason = error.strerror or "cannot be read"
    except ValueError as error:
        reason = f"is not valid TOML: {error}"
    raise ConfigError(f"{path}: {reason}: mend or remove it")


def _nearest_data(start: Path) -> Path:
    found = (folder / FOLDER for folder in (start, *start.parents) if (folder / FOLDER).is_dir())
    return next(found, start / FOLDER)


def _variables(env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for variable in env:
        name = variable.removeprefix(PREFIX).lower()
        if not variable.startswith(PREFIX) or not env[variable] or name in _ELSEWHERE:
            continue
        if name in PARSERS:
            yield variable, name
        elif near := options.near(name, PARSERS):
            raise ConfigError(f"{variable}: no such setting: did you mean {PREFIX}{near.upper()}?")


def _parse(name: str, value: Any, place: str, folder: Path) -> Any:
    if name not in PARSERS:
        near = options.near(name, PARSERS)
        remedy = f"did you mean {near!r}?" if near else f"use one of {', '.join(PARSERS)}"
        raise ConfigError(f"{place}: no such setting: {remedy}")
    try:
        parsed = PARSERS[name](value)
    except ValueError as error:
        raise ConfigError(f"{place} = {_short(value)}: {error}") from None
    return folder / parsed if isinstance(parsed, Path) else parsed


def _covers(pattern: str, command: str) -> bool:
    """Return whether an exclusion covers a command; a glob may stop before its arguments."""
    if options.is_pattern(pattern):
        return options.program(pattern).search(command) is not None
    return fnmatchcase(command, pattern) or fnmatchcase(command, f"{pattern} *")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _show(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    if isinstance(value, Mapping):
        return ", ".join(sorted(value)) or "none"
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else _PASSWORD.sub("***", str(value)) or "none"
