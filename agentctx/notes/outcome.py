"""What became of a command, as far as its exit status or the tool's own words say so."""

from __future__ import annotations

import re
from enum import Enum

_VERDICT = 2_000  # characters at the end of a run of tests that say how it went
_ENDS = 400  # characters at either end in which a host puts the exit status
_CODE = re.compile(
    r"<(?:returncode|exit_code|exitcode)>\s*(-?\d{1,10})\s*</"
    r"|\"(?:exit_code|exitCode|returncode)\"\s*:\s*(-?\d{1,10})\b"
    r"|^\W{0,3}(?:process )?(?:exited with |exit(?:ed)?[ _-]?|return[ _-]?)(?:code|status)"
    r"\W{1,3}(-?\d{1,10})\W*$",
    re.IGNORECASE | re.MULTILINE,
)
_TEST = re.compile(
    r"(?:^|[;&|(]\s*|(?:\s-m|\b(?:run|npx|exec)|\btimeout \S+|\b\w+=\S*)\s+|[\w.]/)"  # it is what runs
    r"(?:pytest|py\.test|unittest|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|nextest"
    r"|(?:npm|pnpm|yarn|bun)(?: run)? test|(?:cargo|go|dotnet|mvn|gradle|gradlew|make|mix|deno"
    r"|swift|bazel|manage\.py) test)\b(?![./\w])",
    re.MULTILINE,
)
_BUILD = re.compile(
    r"\b(?:(?:cargo|go|dotnet|swift|bazel|docker|podman|npm run|pnpm run|pnpm|yarn|yarn run|bun run"
    r"|python -m) build|cmake --build|mvn (?:package|install)|gradlew? (?:build|assemble)"
    r"|make(?: all)?(?=\s*(?:$|[;&|]|-j)))"
)
_COMMIT = re.compile(r"\bgit (?:-C \S+ )?(?:commit|apply|am)\b(?! --(?:check|stat))")
_PATCH = re.compile(r"apply_?patch\b", re.IGNORECASE)
_PATCHED = re.compile(r"\W*(?:success|done\b)", re.IGNORECASE)
_FAILED = re.compile(
    r"\b[1-9]\d* (?:failed|failures?|errors?|failing)\b|\btest result: FAILED\b|^(?:FAILED|FAIL)\b"
    r"|\bTests failed\b|^(?:make|npm ERR!)[^\n]*\b(?:Error|ERR)",
    re.MULTILINE,
)
_PASSED = re.compile(
    r"\b[1-9]\d* (?:passed|passing|tests? pass(?:ed)?|examples?, 0 failures)\b|\btest result: ok\b"
    r"|^OK\b|^ok\s+\S+|^PASS\b|\bBUILD SUCCESS\b|\b100% tests passed\b",
    re.MULTILINE,
)


class Ran(Enum):
    """What a result says: tests failed or passed, a change landed, or nothing of that kind."""

    OTHER = "other"
    RED = "red"
    GREEN = "green"
    LANDED = "landed"


def exit_code(text: str) -> int | None:
    """Return the exit status that a host wrote around a command's output, if it did."""
    ends = text if len(text) <= 2 * _ENDS else f"{text[:_ENDS]}\n{text[-_ENDS:]}"
    found = _CODE.search(ends)
    return int(next(group for group in found.groups() if group)) if found else None


def ran(command: str, output: str, code: int | None) -> Ran:
    """Return what a command's result says.

    Without an exit status, tests count by what they print, and nothing counts as built or landed.
    """
    if _TEST.search(command):
        return _tested(output, code)
    if _PATCH.match(command):
        return Ran.LANDED if code == 0 or _PATCHED.match(output) else Ran.OTHER
    landed = _COMMIT.search(command) or _BUILD.search(command)
    return Ran.LANDED if landed and code == 0 else Ran.OTHER


def _tested(output: str, code: int | None) -> Ran:
    output = output[-_VERDICT:]
    if code is not None and (code or not _FAILED.search(output)):  # a pipe hides the status
        return Ran.RED if code else Ran.GREEN
    if _FAILED.search(output):
        return Ran.RED
    return Ran.GREEN if _PASSED.search(output) else Ran.OTHER
