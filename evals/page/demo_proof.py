"""The proof of law 1: one row for each output of the run."""

from __future__ import annotations

import re

from agentctx.evals import figures
from agentctx.evals.page.document import pill, row, table
from agentctx.evals.page.exhibit import opener
from agentctx.evals.page.markup import Html, tag
from agentctx.evals.play import Played
from agentctx.evals.proof import Proof
from agentctx.evals.results import Example

_COLUMNS = ("turn", "command", "kind", "bytes", "raw", "sent", "handle", "content id", "")


def proof_note(played: Played) -> Html:
    """Return how the comparison was made."""
    reduced = sum(bool(proof.handle) for proof in played.proofs)
    return tag(
        "p", f"After the run the archive was opened anew. For each of the {reduced} reduced outputs the handle in "
        "its marker was expanded, and the bytes compared with what the command had printed (secrets taken out). "
        "All other outputs were sent whole: there, what was sent is compared. Content ids are BLAKE2b-256.",
        class_="lead",
    )  # fmt: skip


def observations(played: Played) -> Html:
    """Return the table of all outputs."""
    rows = (
        _row(one, proof, turn)
        for one, proof, turn in zip(played.observations, played.proofs, played.turns, strict=False)
    )
    inner = table(_COLUMNS, rows, "every output of the run", words=3)
    return Html(inner.replace('class="scroll"', 'class="scroll tall"', 1))


def _row(one: Example, proof: Proof, turn: int) -> Html:
    command = tag("span", _short(one.command), class_="clip", title=one.command[:500])
    handle = (
        opener(one.number, proof.handle, code=True)
        if proof.handle
        else opener(one.number, "sent whole")
    )
    state = pill("equal" if proof.equal else "differs", good=proof.equal)
    return row(
        turn, command, one.family, figures.count(proof.size), figures.count(one.tokens_before),
        figures.count(one.tokens_after), handle, tag("code", proof.content[:12], title=proof.content), state, words=3,
    )  # fmt: skip


def _short(command: str) -> str:
    """Return the first line of a command, without the change of folder before it."""
    return re.sub(r"^cd \S+ && ", "", command.strip()).split("\n", 1)[0][:200]
