"""Lines that decide what happens next: errors, failures, tracebacks, warnings, final results.

They outlive every rule and every budget (law 5), so the net is wide: a line too many costs a few
tokens, a line too few costs the task.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate

from agentctx.patterns import Pattern, compiled
from agentctx.terminal.lines import Line

_WORDS = (
    r"error|exception|traceback|fail|fatal|panic|assert|warning|denied|refused|critical"
    r"|not found|no such|cannot|can't|could not|unable to|undefined|unresolved|unexpected"
    r"|abort|segmentation|core dumped|timed out|timeout|killed|conflict|invalid|missing"
    r"|incompatible|not installed|no module|mismatch|not recognized|usage:|violat|unhandled"
)
_RESULTS = (
    r"^ran \d+ tests?|^ok\b|^tests?:|^test suites:|^test result|^total\b|^results?\b|^summary"
    r"|\b\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?|passing|failing)"
    r"|^not ok|^build |^success|^finished|^done\b|exit(?:ed)? (?:code|status|with)|^---? (?:ok|bad)"
    r"|^={3,}.*={3,}$|^[✓✗✖×✘●]"
)
_PLACES = (
    r"^\s*file \"[^\"\n]+\", line \d+|^e\s|^>\s"
    r"|^\s*(?:at |--> )?[\w./\\@+-]*\.[a-z]{1,5}[:(]\d+"
)
_PASSED = (
    r"(?:test\w* \([\w.]+\)|test [\w:]+) \.\.\. ok|[\w./-]+::\S.* PASSED(?: +\[ *\d+%\])?"
    r"|(?:\[gw\d+\] \[ *\d+%\] )?PASSED [\w./-]+::\S+|--- PASS: \S+ \([\d.]+s\)"
    r"|\s+(?:✓|✔|√) .*|[\w.$]+ > .*\S PASSED|\s*ok \d+ - [^#]*"
    r"|\[INFO\] Tests run: \d+, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: .* in [\w.$]+"
)
"""A test that passed, whatever its name says."""

_DONE = (
    r"> Task :\S+ (?:UP-TO-DATE|NO-SOURCE|FROM-CACHE)|npm http (?:fetch|cache) .* (?:2\d\d|304) .*"
    r"|➤ YN0013: .* will be fetched from the remote registry"
)
"""A step that went well, whatever its names say."""


@cache
def _pattern() -> Pattern:
    return compiled(f"(?im)(?:{_WORDS}|{_RESULTS}|{_PLACES})".encode(), memory=32 << 20)


_COUNTS = r"[✗✖×✘✕]|[1-9]\d* (?:fail|error|warning)"
"""What no line says that only tells of a test that passed."""


@cache
def _counts() -> Pattern:
    return compiled(f"(?i){_COUNTS}".encode())


@cache
def _passed() -> Pattern:
    return compiled(f"^(?:{_PASSED}|{_DONE})\\s*$".encode())


def evidence(lines: Sequence[Line]) -> list[bool]:
    """Return, for each line, whether it must stay. Linear in the size of the text (RE2)."""
    raw = [line.text.encode("utf-8", "replace") for line in lines]
    starts = [0, *accumulate(len(text) + 1 for text in raw)]
    keep = [False] * len(lines)
    text = b"\n".join(raw)
    pattern, at = _pattern(), 0
    while (match := pattern.search(text, at)) is not None:
        line = min(bisect_right(starts, match.start()) - 1, len(lines) - 1)
        # A match that begins with a newline-crossing blank belongs to the line it ends in.
        line = max(line, bisect_right(starts, max(match.end() - 1, 0)) - 1)
        well = _passed().search(raw[line]) is not None
        keep[line] = not well or _counts().search(raw[line]) is not None
        at = starts[line + 1]
        if at >= len(text):
            break
    return keep
