"""Where the tokens of outputs went: by kind of command, and by the step that kept them back."""

from __future__ import annotations

from agentctx.evals import figures
from agentctx.evals.page.charts import Series, legend, share
from agentctx.evals.page.document import row, table
from agentctx.evals.page.markup import Html, join, tag
from agentctx.evals.results import PolicyResult

_STEPS = {
    "echo": "lines that stand earlier in the same conversation",
    "repeats": "lines that repeat the one before them",
    "budget": "the middle of long outputs of commands that run something",
    "cut": "the rest of one endless line",
    "screen": "what a terminal would have overwritten: progress bars, colours",
    "frames": "progress lines glued together",
    "other": "other lines that markers name",
}


def families(policy: PolicyResult) -> Html:
    """Return a bar for each kind of command: sent, and kept back."""
    most = max((c.tokens_raw for c in policy.by_family.values()), default=0)
    rows = (
        row(name, _bar(name, c.tokens_out, c.tokens_raw, most), figures.count(c.observations),
            figures.count(c.tokens_raw), figures.count(c.tokens_out), figures.change(c.tokens_raw, c.tokens_out), words=2)
        for name, c in policy.by_family.items() if c.tokens_raw
    )  # fmt: skip
    columns = ("kind of command", "tokens", "outputs", "raw", "sent", "")
    return join(
        tag("h3", "By kind of command"),
        legend([Series("sent", "ours", ()), Series("kept back", "less", ())]),
        table(columns, rows, "tokens by kind of command", words=2),
    )


def steps(policy: PolicyResult) -> Html:
    """Return a bar for each reducing step; nothing if none saved anything."""
    found = {name: tokens for name, tokens in policy.by_step.items() if tokens > 0}
    total = sum(found.values())
    rows = (
        row(join(name, tag("small", _STEPS.get(name, ""))),
            share([("ours", tokens)], max(found.values()), f"{name}: {tokens} tokens"),
            figures.count(tokens), figures.percent(tokens / total, 0), words=2)
        for name, tokens in found.items()
    )  # fmt: skip
    if not found:
        return tag("p", "No step kept anything back.", class_="note")
    columns = ("step", "tokens kept back", "", "share")
    return table(columns, rows, "tokens by step", words=2)


def _bar(name: str, sent: int, before: int, most: int) -> Html:
    parts = [("ours", sent), ("less", max(0, before - sent))]
    return share(parts, most, f"{name}: {sent} of {before} tokens sent")
