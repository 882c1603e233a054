"""`python -m benchmarks.learning LEARN… --check CHECK…`: what rules save that were learnt from nothing.

With no other rules at all, learns on more and more of the tasks of the first runs and replays the
second ones, beside no rules and the rules that ship.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import typer

from agentctx.config import Settings
from agentctx.evals import replay
from agentctx.evals.lessons import recorded
from agentctx.evals.ours import SessionArm
from agentctx.evals.page import save
from agentctx.evals.page.learning import Point, curve
from agentctx.evals.policy import Arm
from agentctx.evals.trajectory import Trajectory
from agentctx.learn.case import Case
from agentctx.learn.lesson import learn
from agentctx.options import Rules
from agentctx.terminal.rules import pack, toml
from agentctx.terminal.rules.book import Book

_PACK = "AGENTCTX_LEARNING_PACK"
SHARES = (0.05, 0.25, 0.5, 1.0)


class NoRules:
    """agentctx without any rule."""

    def start(self, trajectory: Trajectory, ratios: Mapping[int, float]) -> Arm:
        """Return an arm with a session of its own."""
        return SessionArm(trajectory, Settings(rules=Rules.OFF))


class Learnt:
    """agentctx with the rules of one pack and no others."""

    def start(self, trajectory: Trajectory, ratios: Mapping[int, float]) -> Arm:
        """Return an arm with a session of its own."""
        arm = SessionArm(trajectory, Settings())
        vars(arm.session.stores)["book"] = Book(pack.load(Path(os.environ[_PACK])))
        return arm


def main(
    data: Annotated[list[Path], typer.Argument(help="Runs to learn from.")],
    check: Annotated[list[Path], typer.Option(help="Runs to measure with; may be repeated.")],
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
    html: Annotated[Path | None, typer.Option(help="Also draw the curve.")] = None,
) -> None:
    """Print reduction and recalls for each share of the tasks, as JSON lines."""
    found = _measured(check, "benchmarks.learning:NoRules", jobs)
    _print("no rules", 0, found)
    points = [_point(0, 0, found)]
    cases = recorded(data)
    for share in SHARES:
        some = [case for case in cases if _place(case) < share]
        rules = [lesson.rule for lesson in learn(some) if not lesson.why]
        with tempfile.NamedTemporaryFile("w", suffix=".toml", delete=False) as file:
            file.write(toml.write(rules))
        os.environ[_PACK] = file.name
        found = _measured(check, "benchmarks.learning:Learnt", jobs)
        Path(file.name).unlink()
        tasks = len({case.task for case in some})
        _print(f"learnt on {tasks} tasks", len(rules), found)
        points.append(_point(tasks, len(rules), found))
    found = _measured(check, "agentctx", jobs)
    _print("rules that ship", len(pack.shipped()), found)
    if html:
        save(curve(points, _point(0, len(pack.shipped()), found)), html)


def _point(tasks: int, rules: int, found: Mapping[str, Any]) -> Point:
    shares = ("reduction", "evidence_recall", "future_use_recall")
    return Point(tasks=tasks, rules=rules, **{name: found[name] for name in shares})


def _place(case: Case) -> float:
    """Return where a task stands among all, from 0 to 1, at random but always the same."""
    return int.from_bytes(sha256(f"order {case.task}".encode()).digest()[:4]) / 2**32


def _measured(paths: Sequence[Path], policy: str, jobs: int) -> dict[str, Any]:
    results = replay.run(paths, ["raw", policy], jobs)
    counts = results.policies[1].counts
    return {
        "reduction": round(counts.reduction, 4),
        "evidence_recall": round(counts.evidence_recall, 5),
        "future_use_recall": round(counts.future_use_recall, 4),
        "longer": counts.longer,
        "dollars": round(results.policies[1].dollars_vs_raw, 4),
    }


def _print(name: str, rules: int, found: Mapping[str, Any]) -> None:
    typer.echo(json.dumps({"case": name, "rules": rules, **found}))


if __name__ == "__main__":
    typer.run(main)
