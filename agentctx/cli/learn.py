"""`agentctx rules learn`: rules out of recorded runs, and why each is one or is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from agentctx.cli.output import print_json, print_table
from agentctx.errors import DataError

if TYPE_CHECKING:
    from agentctx.learn.lesson import Lesson


def learn(
    data: Sequence[Path],
    out: Path | None,
    html: Path | None,
    model: str,
    *,
    alone: bool,
    as_json: bool,
) -> None:
    """Learn from recorded runs; write what became active to `out`, and a page to `html`.

    Raises:
        DataError: the runs cannot be read, or the pack or the page cannot be written.
    """
    from agentctx import config
    from agentctx.cli.evaluate import progress
    from agentctx.evals.lessons import recorded
    from agentctx.learn.lesson import learn as learnt
    from agentctx.stores import Stores
    from agentctx.terminal.rules import toml

    settings = config.load()
    stores = Stores(replace(settings, pool_model=model or settings.pool_model))
    with progress("reading") as advance:
        cases = recorded(data, advance)
    others = () if alone else stores.book.rules
    with progress("learning") as advance:
        lessons = list(learnt(cases, others, stores.redactor.redact, advance, stores.proposer()))
    active = [lesson.rule for lesson in lessons if not lesson.why]
    if out is not None:
        _write(out, toml.write(active))
    if html is not None:
        from agentctx.evals import page
        from agentctx.evals.page.learning import report

        page.save(report(lessons, len(cases)), html)
    if as_json:
        print_json({"outputs": len(cases), "lessons": [_plain(lesson) for lesson in lessons]})
        return
    _show(lessons, len(cases), out)


def _write(out: Path, text: str) -> None:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(f"{out}: {error.strerror}: name a file that can be written") from error


def _show(lessons: Sequence[Lesson], outputs: int, out: Path | None) -> None:
    import typer
    from rich.table import Table

    table = Table("proposed", "became", "tokens saved", "on other tasks", "because", box=None)
    for lesson in lessons:
        table.add_row(
            lesson.rule.rule_id,
            "refused" if lesson.why else "active",
            f"{lesson.shadow.saved:,}",
            f"{lesson.held_out.saved:,}",
            lesson.why
            or f"{len(lesson.rule.strip_patterns)} kinds of lines, {lesson.rule.provenance}",
        )
        for pattern, why in lesson.dropped:
            table.add_row("", "dropped", "", "", f"{pattern[:60]} {why}")
    print_table(table)
    active = sum(not lesson.why for lesson in lessons)
    where = (
        f"; written to {out}" if out else "; --out .agentctx/rules/learnt.toml puts them in force"
    )
    typer.echo(
        f"{active} of {len(lessons)} proposals became active, from {outputs:,} outputs{where}"
    )


def _plain(lesson: Lesson) -> dict[str, object]:
    return {**asdict(lesson), "why": lesson.why}
