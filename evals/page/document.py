"""One HTML file: its head, its style and script, and the parts that every report has."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from pathlib import Path

from agentctx.errors import DataError
from agentctx.evals.page.markup import Html, join, tag

_HERE = Path(__file__).parent


def document(title: str, *parts: object) -> str:
    """Return a whole page; its policy forbids every request and every script but its own."""
    style, script = _file("style.css"), _file("script.js")
    head = tag(
        "head", tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title), tag("style", Html(style)),
    )  # fmt: skip
    body = tag("body", tag("main", *parts), _dialog(), tag("div", id="tip", aria_hidden="true"),
               tag("script", Html(script)))  # fmt: skip
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def save(page: str, path: Path) -> None:
    """Write a page.

    Raises:
        DataError: it cannot be written there.
    """
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        reason = f"{str(path)!r} cannot be written ({error.strerror})"
        raise DataError(f"{reason}: say --html with another place") from error


def section(name: str, heading: str, *parts: object, lead: object = None) -> Html:
    """Return a part of the page with its heading, and a sentence that says what it shows."""
    intro = tag("p", lead, class_="lead") if lead else None
    return tag("section", tag("h2", heading, id=name), intro, *parts, aria_labelledby=name)


def card(label: str, value: object, note: object = None, state: str = "") -> Html:
    """Return one figure in large type; `state` is "good", "bad" or nothing."""
    return tag("div", tag("dt", label), tag("dd", tag("b", value), tag("span", note)),
               class_=f"card {state}".strip())  # fmt: skip


def cards(*items: Html) -> Html:
    """Return figures in a row that wraps."""
    return tag("dl", *items, class_="cards")


def table(columns: tuple[str, ...], rows: object, caption: str, *, words: int = 1) -> Html:
    """Return a table that scrolls by itself; the first `words` columns are words, not numbers."""
    heads = (
        tag("th", name, scope="col", class_=None if i < words else "n")
        for i, name in enumerate(columns)
    )
    inner = tag(
        "table", tag("caption", caption), tag("thead", tag("tr", heads)), tag("tbody", rows)
    )
    return tag("div", inner, class_="scroll", tabindex=0, role="region", aria_label=caption)


def row(*cells: object, words: int = 1, class_: str | None = None) -> Html:
    """Return a row of a table whose first cell names it."""
    first, *rest = cells
    return tag(
        "tr", tag("th", first, scope="row"),
        (tag("td", c, class_=None if i < words else "n") for i, c in enumerate(rest, 1)),
        class_=class_,
    )  # fmt: skip


def pill(word: str, *, good: bool) -> Html:
    """Return a word on the colour of what is well, or is not."""
    return tag("span", word, class_=f"pill {'good' if good else 'bad'}")


def terms(*pairs: tuple[str, object]) -> Html:
    """Return words and what they mean."""
    return tag(
        "dl", (join(tag("dt", word), tag("dd", meaning)) for word, meaning in pairs), class_="terms"
    )


def _policy(script: str) -> str:
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )


def _dialog() -> Html:
    close = tag("button", "close", type="button", class_="close")
    filter_ = tag(
        "input", type="search", placeholder="show only lines with …", aria_label="filter lines"
    )
    return tag(
        "dialog", tag("header", tag("h2", id="dialog-title"), close),
        tag("p", id="dialog-note"), tag("pre", class_="command"), filter_,
        tag("div", class_="original", tabindex=0), id="original", aria_labelledby="dialog-title",
    )  # fmt: skip


def _file(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")
