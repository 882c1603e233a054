"""The report of `agentctx demo`."""

from __future__ import annotations

from collections.abc import Sequence

from agentctx.evals import figures
from agentctx.evals.laws import Law, ours, raw
from agentctx.evals.page.demo_charts import dollars_so_far, per_call, prompts, totals
from agentctx.evals.page.demo_proof import observations, proof_note
from agentctx.evals.page.document import card, cards, document, pill, row, section, table, terms
from agentctx.evals.page.exhibit import exhibit, originals
from agentctx.evals.page.markup import Html, join, tag
from agentctx.evals.page.memory import revived
from agentctx.evals.page.spent import families, steps
from agentctx.evals.play import Played, best
from agentctx.evals.remember.demo import Revival

EXAMPLES = 10
COMMAND = "agentctx demo --html report.html"


def render(played: Played, laws: Sequence[Law], revival: Revival, seconds: float) -> str:
    """Return the report as one HTML file."""
    return document(
        f"agentctx: {played.trajectory.task}, replayed",
        _header(played, laws, seconds),
        _cards(played, laws),
        _reading(),
        section("tokens", "Tokens of each call", prompts(played), lead=_TOKENS),
        section("dollars", "Dollars", dollars_so_far(played), per_call(played), totals(played),
                lead=_dollars(played)),
        section("where", "Where the tokens went", families(ours(played)), tag("h3", "By reducing step"),
                steps(ours(played)), lead=_WHERE),
        _examples(played),
        revived(revival),
        section("laws", "The laws, checked on this run", _laws(laws), lead=_LAWS),
        section("proof", "Law 1, original by original", proof_note(played), observations(played)),
        _method(played),
        originals(played.observations),
    )  # fmt: skip


_TOKENS = (
    "Every call sends the whole history again, so what is saved once is saved in every later call."
)
_WHERE = "Tokens of all outputs, each counted once: what was sent, and what was kept back."
_LAWS = "If one of these fails, agentctx demo ends with exit status 1."


def _header(played: Played, laws: Sequence[Law], seconds: float) -> Html:
    run = played.trajectory
    holds = sum(law.holds for law in laws)
    state = "good" if holds == len(laws) else "bad"
    return tag(
        "header",
        tag("p", "agentctx demo", class_="eyebrow"),
        tag("h1", "One recorded agent run, with and without agentctx"),
        tag("p", f"The agent {run.agent} working on {run.task}: {len(run.turns)} turns, replayed call by call in "
                 f"{seconds:.1f} s through the same Session that a live agent uses. "
                 "No model was asked, no key and no network were used."),
        tag("span", f"{holds} of {len(laws)} laws hold on this run", class_=f"verdict {state}"),
    )  # fmt: skip


def _cards(played: Played, laws: Sequence[Law]) -> Html:
    one, other = raw(played), ours(played)
    counts = other.counts
    proven = sum(proof.equal for proof in played.proofs)
    prefix = played.prefix
    return cards(
        card("Input tokens", figures.change(one.spend.prompt, other.spend.prompt),
             f"{figures.count(one.spend.prompt)} → {figures.count(other.spend.prompt)}"),
        card("Dollars", figures.change(one.spend.dollars, other.spend.dollars),
             f"{figures.dollars(one.spend.dollars)} → {figures.dollars(other.spend.dollars)}, cache priced"),
        card("Output of commands", figures.change(counts.tokens_raw, counts.tokens_out),
             f"{figures.count(counts.tokens_raw)} → {figures.count(counts.tokens_out)} tokens"),
        card("Evidence kept", figures.recall(counts.evidence_kept, counts.evidence),
             f"{counts.evidence_kept} of {counts.evidence} lines", _state(counts.evidence_kept == counts.evidence)),
        card("Used later, kept", figures.recall(counts.uses_kept, counts.uses),
             f"{counts.uses_kept} of {counts.uses} strings", _state(counts.uses_kept == counts.uses)),
        card("Originals that came back", f"{proven} of {len(played.proofs)}", "byte for byte (law 1)",
             _state(laws[0].holds)),
        card("Prefix unmoved", f"{prefix.extended} of {max(0, prefix.requests - 1)}", "requests (law 2)",
             _state(prefix.holds)),
        card("Time of each turn", f"{other.latency_p50:.1f} ms", f"median; 99 of 100 within {other.latency_p99:.0f} ms"),
    )  # fmt: skip


def _state(holds: bool) -> str:
    return "good" if holds else "bad"


def _reading() -> Html:
    return section("reading", "How to read this", terms(
        ("raw", "what the agent sends by itself: every output whole, in every call."),
        ("agentctx", "the same run with agentctx between agent and model. Lines that the model has already "
                     "seen, repeats and the middle of long outputs give way to a marker that says what is missing."),
        ("handle", join("the digits in a marker, such as ", tag("code", "expand a1b2c3"),
                        ": the agent calls that tool and has the original back. "
                        "On this page, click a handle to see it.")),
        ("cache", "providers charge little for a beginning of a request that they know from the one before, and "
                  "more for what is new. So a request must begin exactly as the last one did (law 2)."),
        ("evidence", "lines with errors, failures, tracebacks and final results. They must be sent verbatim."),
        ("used later", "paths, names and numbers that one of the agent's next five actions used and that stood "
                       "nowhere before: the model must have seen them."),
    ))  # fmt: skip


def _dollars(played: Played) -> str:
    model = played.trajectory.model
    return (
        f"Prices of {model}. What a request shares with the one before is read from the cache, the rest is "
        "written to it. The definition of the expand tool is paid for in every call."
    )


def _examples(played: Played) -> Html:
    chosen = best(played.observations, EXAMPLES)
    shown = (exhibit(one, one.number, f"Turn {played.turns[one.number]}") for one in chosen)
    lead = (
        f"The {len(chosen)} outputs of this run of which most was kept back, at most four of a kind first. "
        "Left what the command printed, lines that the model did not see tinted; right what it saw."
    )
    return section("examples", "Before and after", *shown, lead=lead)


def _laws(laws: Sequence[Law]) -> Html:
    rows = (row(f"{law.number}. {law.name}", law.shown, _held(law), words=3) for law in laws)
    return table(("law", "what this run shows", ""), rows, "laws", words=3)


def _held(law: Law) -> Html:
    return pill("holds" if law.holds else "broken", good=law.holds)


def _method(played: Played) -> Html:
    run = played.trajectory
    stand_in = (
        f"{run.host_prompt:,} tokens stand in for the agent's system prompt and tool schemas, which were not recorded. "
        if run.host_prompt else ""
    )  # fmt: skip
    return section(
        "method", "How this was made",
        tag("pre", COMMAND, class_="command"),
        tag("p", f"The recording ({run.source}, MIT licence) ships with agentctx. It was chosen because its saving is "
                 "typical, not because it is large: both dollars and tokens saved are close to those of all recorded "
                 "runs of its kind taken together. Measure all of yours with ",
            tag("code", "agentctx eval replay"), "."),
        tag("p", stand_in + "Recorded answers follow whatever was sent, so a replay shows tokens, dollars and what was "
                 "kept, and not whether the agent would have done anything else. Tokens are counted with a public "
                 "vocabulary; the provider's own counts differ by a few percent, for both columns alike."),
    )  # fmt: skip
