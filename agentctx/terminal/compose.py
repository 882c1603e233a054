"""From screened lines and hidden runs to the text that the model reads."""

from __future__ import annotations

from collections.abc import Sequence

from agentctx.terminal import marker
from agentctx.terminal.budget import HEAD, cut
from agentctx.terminal.hidden import Hidden
from agentctx.terminal.lines import Line, extent
from agentctx.values import Span


def compose(
    lines: Sequence[Line],
    hidden: Sequence[Hidden],
    *,
    total: int,
    way: str,
    longest: int | None = None,
) -> tuple[str, tuple[Span, ...]]:
    """Return the text with a marker for each group of adjacent hidden runs, and its spans.

    Args:
        lines: the screened output.
        hidden: runs that do not overlap, in any order.
        total: the number of lines of the original.
        way: what the reader does to get the original back.
        longest: characters above which a single line is cut to a head; None cuts nothing.
    """
    texts: list[str] = []
    spans: list[Span] = []
    at = 0
    for group in _groups(sorted(hidden, key=lambda run: run.start)):
        _show(lines[at : group[0].start], texts, spans, way, longest)
        text, span = _mark(lines, group, total, way)
        texts.append(text)
        spans.append(span)
        at = group[-1].stop
    _show(lines[at:], texts, spans, way, longest)
    return "\n".join(texts), tuple(spans)


def _groups(runs: Sequence[Hidden]) -> list[list[Hidden]]:
    """Put adjacent runs together: they share one marker."""
    groups: list[list[Hidden]] = []
    for run in runs:
        if groups and groups[-1][-1].stop == run.start:
            groups[-1].append(run)
        else:
            groups.append([run])
    return groups


def _show(
    lines: Sequence[Line],
    texts: list[str],
    spans: list[Span],
    way: str,
    longest: int | None,
) -> None:
    for line in lines:
        span = Span(line.first, line.last)
        if longest is None or len(line.text) <= longest:
            texts.append(line.text)
            spans.append(span)
            continue
        part = cut(line.text, int(longest * HEAD))
        texts += [
            part,
            marker.characters_hidden(
                shown=len(part), total=len(line.text), line=line.first, way=way
            ),
        ]
        spans += [span, Span(line.first, line.last, "long line")]


def _mark(lines: Sequence[Line], group: Sequence[Hidden], total: int, way: str) -> tuple[str, Span]:
    first, last = extent(lines, group[0].start, group[-1].stop)
    reasons: dict[str, int] = {}
    for run in group:
        start, stop = extent(lines, run.start, run.stop)
        reasons[run.reason] = reasons.get(run.reason, 0) + stop - start + 1
    text = marker.lines_hidden(total=total, reasons=reasons, first=first, last=last, way=way)
    sources = dict.fromkeys(run.source for run in group if run.source)
    return text, Span(first, last, ", ".join(reasons), " ".join(sources))
