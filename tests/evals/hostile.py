"""Outputs that try to break a page, and what a browser would make of it."""

from __future__ import annotations

from html.parser import HTMLParser

HOSTILE = (
    "</script><script>window.broken = 1</script>",
    "<img src=x onerror='window.broken = 1'>",
    "\"><svg onload=window.broken=1> ' & &amp; &lt; </style></pre></code></dialog> -->",
    "<!-- <script> ]]> ${window.broken=1} `x`",
    "\x00\x01\x07\x08\x1b[31mred\x1b[0m \x7f \x85 \u202e \u2028 \ufeff",
    "lone \ud800 and \udfff surrogates, \U0001f600 and \ufffd",
    "https://example.org/?a=1&b=2 url(https://example.org/x.png)",
)


class Seen(HTMLParser):
    """Collects what a browser would: elements, their attributes, and text."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
