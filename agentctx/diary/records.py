"""Seen and Complaint: an output that is remembered, and an agent that came back for more of one."""

from __future__ import annotations

from dataclasses import dataclass

DOUBT_S = 86_400.0
"""How long a rule is not used where it was complained about, unless it is settled before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """An output that is in the archive under `name`, and the strings of it that were used.

    `at` is when it was remembered, in seconds since 1970.
    """

    name: str
    task: str
    command: str
    tool: str = ""
    exit_code: int | None = None
    used: tuple[str, ...] = ()
    at: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """An agent came back for lines that a rule had hidden.

    Attributes:
        rule_id: the rule.
        scope: the commands that the output is of, such as "git clone".
        name: of the original, in the archive.
        kind: "expand", "again" (the same command with nothing changed), "log" (a look into the file
            that has it), "full" (asked for in words).
        lines: those that were asked for, if they are known.
        released: tokens that were delivered again.
        number: counts them; 0 for a new one.
        at: when, in seconds since 1970.
    """

    rule_id: str
    scope: str
    name: str
    kind: str
    lines: tuple[str, ...] = ()
    released: int = 0
    number: int = 0
    at: float = 0.0
