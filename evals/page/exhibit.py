"""Before and after, side by side, with every handle leading to its original."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from agentctx.evals.audit import handles
from agentctx.evals.figures import change, count
from agentctx.evals.page.align import Row, align, extent
from agentctx.evals.page.markup import Html, data, join, tag, visible
from agentctx.evals.results import Example

CONTEXT, BLOCK = 3, 8
"""Lines shown at each end of a longer block, and the length that is shown whole."""

LARGEST = 2_500_000
"""Characters of originals in one page; those beyond are left out, the shown examples last."""

_HANDLE = re.compile(r"(?<=expand )[0-9a-f]{6,64}(?=\])")
_VIEWS = ("both", "before", "after")


def exhibit(example: Example, key: int, place: str) -> Html:
    """Return one example; `key` is the number of its original, `place` says where it is from."""
    rows = align(example.before, example.after)
    before, after = example.tokens_before, example.tokens_after
    return tag(
        "article",
        tag("header", tag("h3", place, " · ", example.family), _switch(),
            tag("p", f"{count(before)} → {count(after)} tokens ", tag("b", change(before, after)))),
        tag("pre", example.command or "(no command)", class_="command", tabindex=0),
        _columns(),
        tag("div", (_block(list(block), key) for block in _blocks(rows)), class_="rows",
            tabindex=0, role="group", aria_label=f"{place}: before and after"),
        tag("footer", opener(key, "the whole original")),
        class_="exhibit", data_view="both",
    )  # fmt: skip


def opener(key: int, *label: object, line: int = 0, code: bool = False) -> Html:
    """Return a button that opens original `key`, at a line if one is named."""
    return tag(
        "button", *label, type="button", class_="open code" if code else "open", data_open=key,
        data_line=line or None,
    )  # fmt: skip


def originals(examples: Sequence[Example]) -> Html:
    """Return the originals as data for the script; the largest give way when room is short."""
    room, kept = LARGEST, set[int]()
    for key in sorted(range(len(examples)), key=lambda k: len(examples[k].before)):
        room -= len(examples[key].before)
        if room >= 0:
            kept.add(key)
    values = [_original(one, whole=key in kept) for key, one in enumerate(examples)]
    return tag("script", Html(data(values)), type="application/json", id="originals")


def _original(example: Example, *, whole: bool) -> Mapping[str, object]:
    named = handles(example.after)
    return {
        "command": visible(example.command)[:4000],
        "handle": named[0] if named else "",
        "tokens": [example.tokens_before, example.tokens_after],
        "hidden": _hidden(example) if example.after != example.before else [],
        "text": visible(example.before) if whole else None,
    }


def _hidden(example: Example) -> list[list[int]]:
    """Return the ranges of lines that the model did not see."""
    ranges: list[list[int]] = []
    for row in align(example.before, example.after):
        if row.kind != "hidden":
            continue
        if ranges and ranges[-1][1] == row.first - 1:
            ranges[-1][1] = row.first
        else:
            ranges.append([row.first, row.first])
    return ranges


def _switch() -> Html:
    buttons = (
        tag("button", view, type="button", data_show=view, aria_pressed="true" if view == "both" else "false")
        for view in _VIEWS
    )  # fmt: skip
    return tag("div", buttons, class_="switch", role="group", aria_label="view")


def _columns() -> Html:
    return tag(
        "div", tag("span", "the command printed"), tag("span", "the model saw"),
        class_="columns", aria_hidden="true",
    )  # fmt: skip


def _blocks(rows: Sequence[Row]) -> Iterator[Iterator[Row]]:
    return (block for _, block in groupby(rows, key=lambda row: row.kind))


def _block(rows: list[Row], key: int) -> Html:
    """Return a block of rows of one kind; the middle of a long one waits for a click."""
    if rows[0].kind == "marker" or len(rows) <= BLOCK:
        return join(_row(row, key) for row in rows)
    middle = rows[CONTEXT:-CONTEXT]
    return join((_row(r, key) for r in rows[:CONTEXT]), _folded(middle, key),
                (_row(r, key) for r in rows[-CONTEXT:]))  # fmt: skip


def _folded(rows: list[Row], key: int) -> Html:
    what = "hidden" if rows[0].kind == "hidden" else "unchanged"
    label = f"⋯ {count(len(rows))} more {what} lines"
    button = tag(
        "button", label, type="button", class_="unfold", data_from=rows[0].first,
        data_to=rows[-1].first, data_of=key,
    )  # fmt: skip
    return tag("div", button, class_=f"row fold {rows[0].kind}")


def _row(row: Row, key: int) -> Html:
    if row.kind == "marker":
        return tag("div", tag("i"), tag("code", class_="l"), tag("code", _marker(row.after, key), class_="r"),
                   class_="row marker")  # fmt: skip
    return tag(
        "div", tag("i", row.first or None), tag("code", row.before, class_="l"),
        tag("code", row.after, class_="r"), class_=f"row {row.kind}",
    )  # fmt: skip


def _marker(line: str, key: int) -> Html:
    """Return a marker whose handle opens the original at the first hidden line."""
    found = _HANDLE.search(line)
    if not found:
        return tag("mark", line)
    first, _ = extent(line) or (1, 1)
    button = opener(key, found[0], line=first, code=True)
    return tag("mark", line[: found.start()], button, line[found.end() :])
