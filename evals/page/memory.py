"""What memory brought back: a section of the demo's report, and a report of its own."""

from __future__ import annotations

from collections.abc import Iterator

from agentctx.evals import figures
from agentctx.evals.page.document import card, cards, document, pill, row, section, table, terms
from agentctx.evals.page.markup import Html, join, tag
from agentctx.evals.remember.demo import Revival
from agentctx.evals.remember.report import COLUMNS, cells, fault, remarks
from agentctx.evals.remember.results import BUDGET, Cut, Remembered, Told, Total

COMMAND = "agentctx eval memory DATA --html memory.html"
_WORDS = terms(
    ("kill", "the process dies without closing anything, some by SIGKILL; another one goes on with the same "
             "history. What it is told is what context_recall answers."),
    ("compaction", "the host replaces its history by a summary that keeps nothing, and goes on."),
    ("resume", "another session, under another name, in a fresh conversation."),
    ("fork", "a sub-agent with a branch of its own, in a conversation of its own."),
    ("handoff", "a text for another agent that knows nothing and shares no folder."),
)  # fmt: skip


def revived(revival: Revival) -> Html:
    """Return the section of the demo: how the run was killed, and what came back."""
    lead = (
        f"At turn {revival.turn} of {revival.of}, while a command was running, the agent's process was killed. "
        "Another session, under another name and with an empty history, went on. The first request that its model "
        "gets ends with this block. (Recordings hold no corrections of the user's and no commits: two and three "
        "were added to this one.)"
    )  # fmt: skip
    told = revival.cut.told
    return section("memory", "Killed, and resumed by another session", _back(told, revival.cut),
                   tag("pre", told.text, class_="command", tabindex=0), lead=lead)  # fmt: skip


def render(found: Remembered) -> str:
    """Return the report of `agentctx eval memory` as one HTML file."""
    return document(
        "agentctx: what memory brings back",
        _header(found),
        _cards(found),
        section("ways", "By way of cutting", _table(found), tag("p", remarks(found), class_="note"),
                lead="Each run was cut at random turns in each of these ways, one after another."),
        section("reading", "How to read this", _WORDS),
        _short(found),
        section("method", "How this was made", tag("pre", COMMAND, class_="command"), tag("p", _METHOD)),
    )  # fmt: skip


_METHOD = (
    "Recorded runs are played request by request through real sessions with memory on. A simulated agent commits at "
    "random turns, a simulated user interrupts it, and what was said and recorded is noted apart. After a cut the "
    "request that a model would get is read as text and held against those notes: the user's messages and the lines "
    "of them that hold beyond the moment verbatim, no finished step or answered request as open, the next action to "
    f"the letter, at most {BUDGET} tokens beside the user's own text, the provider's rules, and the prefix."
)


def _back(told: Told, cut: Cut) -> Html:
    return cards(
        card("The user's words", f"{told.kept} of {told.said}", "messages, verbatim", _state(told.kept == told.said)),
        card("Constraints", f"{told.lines_kept} of {told.lines}", "lines that still hold",
             _state(told.lines_kept == told.lines)),
        card("Next action", "as recorded" if told.next_right else "differs", "to the letter", _state(told.next_right)),
        card("Finished, told as open", len(told.reopened), None, _state(not told.reopened)),
        card("Beside the user's words", f"{told.tokens} tokens", f"at most {BUDGET}", _state(told.tokens <= BUDGET)),
        card("Ready after", f"{1000 * cut.seconds:.0f} ms", "session opened, request written"),
    )  # fmt: skip


def _header(found: Remembered) -> Html:
    cuts = sum(total.cuts for total in found.totals)
    short = sum(total.fell_short for total in found.totals) + len(found.errors)
    verdict = "nothing fell short" if found.proven else f"{short} cuts fell short"
    return tag(
        "header",
        tag("p", "agentctx eval memory", class_="eyebrow"),
        tag("h1", "Recorded agent runs, cut anywhere"),
        tag("p", f"{figures.count(found.runs)} runs, cut {figures.count(cuts)} times: killed, compacted, resumed, "
                 "forked and handed over."),
        tag("span", verdict, class_=f"verdict {'good' if found.proven else 'bad'}"),
    )  # fmt: skip


def _cards(found: Remembered) -> Html:
    totals = found.totals
    return cards(
        _share("The user's words", [(t.kept + t.recalled, t.said) for t in totals]),
        _share("Constraints", [(t.lines_kept, t.lines) for t in totals]),
        _share("Next action as recorded", [(t.next_right, t.cuts) for t in totals]),
        card("Finished, told as open", sum(t.reopened for t in totals), None,
             _state(not any(t.reopened for t in totals))),
        card("Tokens beside them", max(t.tokens_most for t in totals), f"at most {BUDGET}",
             _state(all(t.tokens_most <= BUDGET for t in totals))),
        _share("Prefix unmoved", [(found.due - found.moved, found.due)]),
    )  # fmt: skip


def _share(label: str, parts: list[tuple[int, int]]) -> Html:
    kept, of = (sum(part[side] for part in parts) for side in (0, 1))
    return card(label, figures.recall(kept, of), f"{kept:,} of {of:,}", _state(kept == of))


def _table(found: Remembered) -> Html:
    columns = (*COLUMNS[:-1], "")
    return table(columns, (_row(total) for total in found.totals), "by way of cutting")


def _row(total: Total) -> Html:
    word = f"{total.fell_short} fell short" if total.fell_short else "all right"
    return row(*cells(total)[:-1], pill(word, good=not total.fell_short))


def _short(found: Remembered) -> Html | None:
    lines = [*found.errors, *map(fault, found.examples)]
    if not lines:
        return None
    return section(
        "short", "What fell short", join(_items(lines)), lead="Up to three of each kind."
    )


def _items(lines: list[str]) -> Iterator[Html]:
    yield tag("ul", (tag("li", line) for line in lines))


def _state(holds: bool) -> str:
    return "good" if holds else "bad"
