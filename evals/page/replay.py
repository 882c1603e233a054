"""The report of `agentctx eval replay --html`."""

from __future__ import annotations

from agentctx.evals import figures
from agentctx.evals.page.document import document, section, terms
from agentctx.evals.page.exhibit import exhibit, originals
from agentctx.evals.page.markup import Html, join, tag
from agentctx.evals.page.replay_charts import curves, scatter
from agentctx.evals.page.replay_tables import (
    by_family,
    by_source,
    latency,
    misses,
    policies,
    price_table,
    promises,
    raw_check,
)
from agentctx.evals.page.spent import steps
from agentctx.evals.results import PolicyResult, Results

EXAMPLES = 10
_PREFERRED = ("agentctx", "lossless")
_POLICIES = {
    "raw": "everything is sent as it came",
    "host-cap": "first and last 5,000 characters of an output, as mini-swe-agent does",
    "mask": "all outputs but the last ten are replaced at every turn",
    "lossless": "agentctx; lines are hidden only where the model sees them elsewhere",
    "agentctx": "agentctx with its default settings",
    "random": "a control: random lines are dropped, as much as agentctx keeps back",
}


def render(results: Results) -> str:
    """Return the report of a replay as one HTML file."""
    ours = _ours(results)
    examples = ours.examples[:EXAMPLES]
    parts = [
        _header(results),
        section(
            "policies", "Policies compared", policies(results), _names(results), lead=_COMPARED
        ),
        section("promises", "What must not happen", promises(results), lead=_PROMISES),
        _terms(),
        section("runs", "Each run: dollars against raw", scatter(results), lead=_RUNS),
        section("curves", "As a run goes on", curves(results), lead=_CURVES),
        section("prices", "Tokens by price", price_table(results), lead=_PRICES),
        section("sources", "By source", by_source(results)),
        section("families", "By kind of command", by_family(results), lead=_FAMILIES),
        section("steps", f"What {ours.policy} kept back, by step", steps(ours)),
        section("latency", "Time and memory", latency(results), lead=_LATENCY),
        section("misses", "Misses by name", misses(results), lead=_MISSES),
        _examples(ours),
        section("notes", "Notes on the data", raw_check(results), _notes(results)),
        originals(examples),
    ]
    return document("agentctx: replay of recorded agent runs", *parts)


_COMPARED = (
    "Output tokens: by how much the outputs of commands shrank. Input and dollars: shares of raw, over all calls. "
    "Small below a figure its 95 % interval, found by drawing tasks anew 1,000 times."
)
_PROMISES = "Counts over all runs; zero is what agentctx promises."
_RUNS = "One dot for each run. Below the line it cost less than raw, above it more."
_CURVES = "Means over the runs that are as long; calls that fewer than a tenth of the runs reach are left out."
_PRICES = "Provider tokens of all calls, and what they cost with the cache priced."
_FAMILIES = "By how much the outputs of each kind of command shrank."
_LATENCY = "What a policy took for each turn, on the machine that ran this, and the largest size of the process."
_MISSES = (
    "Evidence lines and strings used later that were hidden, and sent lines that no original holds."
)


def _ours(results: Results) -> PolicyResult:
    named = {policy.policy: policy for policy in results.policies}
    return next((named[n] for n in _PREFERRED if n in named), results.policies[-1])


def _header(results: Results) -> Html:
    models = ", ".join(f"{source} ({model})" for source, model in results.models.items())
    return tag(
        "header",
        tag("p", "agentctx eval replay", class_="eyebrow"),
        tag("h1", "Recorded agent runs, replayed under each policy"),
        tag("p", f"{figures.count(results.runs)} runs with {figures.count(results.observations)} outputs of commands, "
                 f"from {models}. At each turn the policy got the whole request that the agent would send, and what it "
                 "returned was measured. No model was asked: a replay shows tokens, dollars and what was kept or lost, "
                 "not whether an agent would have done anything else."),
    )  # fmt: skip


def _names(results: Results) -> Html:
    pairs = [(p.policy, _POLICIES.get(p.policy, "from outside agentctx")) for p in results.policies]
    return join(tag("h3", "The policies"), terms(*pairs))


def _terms() -> Html:
    return section("terms", "What the words mean", terms(
        ("evidence recall", "share of error, failure, traceback, warning and summary lines of executed commands that the "
                            "last request shows verbatim."),
        ("future-use recall", "share of paths, names, numbers and hashes, first seen in an output and used by one of the "
                              "next five actions, that the request before that action showed."),
        ("dollars", "a request's common beginning with the one before is read from the cache, the rest written to it or "
                    "fresh. agentctx's own tool is in every request, and each output of which a used string was hidden "
                    "costs one more call and its full text from then on."),
        ("cheaper runs", "share of runs that cost less than raw; worst run: the dearest, relative to raw."),
        ("lost", "hidden lines whose original no handle in the text brings back byte for byte."),
        ("not verbatim", "sent lines that are neither lines of the original, in its order, nor markers."),
        ("prefix moved", "requests that do not begin with the whole request before; each one is paid for again."),
    ))  # fmt: skip


def _examples(ours: PolicyResult) -> Html | None:
    if not ours.examples:
        return None
    shown = (
        exhibit(one, key, f"{one.run}, output {one.number + 1}")
        for key, one in enumerate(ours.examples[:EXAMPLES])
    )
    lead = f"Where {ours.policy} kept most back, at most three of a kind. Click a handle to see the original."
    return section("examples", "Before and after", *shown, lead=lead)


def _notes(results: Results) -> Html:
    counted = f"{results.repaired} records were repaired, {results.skipped} skipped."
    notes = tag("ul", (tag("li", note) for note in results.notes)) if results.notes else None
    return join(tag("p", counted), notes)
