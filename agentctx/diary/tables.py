"""The tables of a diary, and how its records lie in their rows."""

from __future__ import annotations

import json
import time
from typing import Any

from sqlalchemy import Column, Float, Integer, MetaData, Table
from sqlalchemy import String as Name

from agentctx.diary.records import Complaint, Seen
from agentctx.schema import Exact

metadata = MetaData()
cases = Table(
    "diary_cases",
    metadata,
    Column("name", Name, primary_key=True),
    Column("task", Name, primary_key=True),
    Column("command", Exact, nullable=False),
    Column("tool", Exact, nullable=False),
    Column("exit_code", Integer),
    Column("used", Exact, nullable=False),
    Column("at", Float, nullable=False),
)
complaints = Table(
    "diary_complaints",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("rule_id", Name, nullable=False),
    Column("scope", Name, nullable=False),
    Column("name", Name, nullable=False),
    Column("kind", Name, nullable=False),
    Column("lines", Exact, nullable=False),
    Column("released", Integer, nullable=False),
    Column("settled", Integer, nullable=False),
    Column("at", Float, nullable=False),
)
learnt = Table("diary_learnt", metadata, Column("at", Float, primary_key=True))
own = Table("diary_self", metadata, Column("id", Name, primary_key=True))


def complaint_row(one: Complaint) -> dict[str, Any]:
    """Return the values of a complaint's row."""
    return {
        "rule_id": one.rule_id,
        "scope": one.scope,
        "name": one.name,
        "kind": one.kind,
        "lines": json.dumps(one.lines),
        "released": one.released,
        "settled": 0,
        "at": time.time(),
    }


def complaint(row: Any) -> Complaint:
    """Read a complaint."""
    return Complaint(
        rule_id=row.rule_id,
        scope=row.scope,
        name=row.name,
        kind=row.kind,
        lines=_texts(row.lines),
        released=row.released,
        number=row.number,
        at=row.at,
    )


def seen_row(one: Seen) -> dict[str, Any]:
    """Return the values of an output's row."""
    return {
        "name": one.name,
        "task": one.task,
        "command": one.command,
        "tool": one.tool,
        "exit_code": one.exit_code,
        "used": json.dumps(one.used),
        "at": time.time(),
    }


def seen(row: Any) -> Seen:
    """Read an output."""
    return Seen(
        name=row.name,
        task=row.task,
        command=row.command,
        tool=row.tool,
        exit_code=row.exit_code,
        used=_texts(row.used),
        at=row.at,
    )


def _texts(text: str) -> tuple[str, ...]:
    try:
        given = json.loads(text)
    except ValueError:
        return ()
    return tuple(one for one in given if isinstance(one, str)) if isinstance(given, list) else ()
