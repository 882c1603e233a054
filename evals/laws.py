"""The laws of agentctx, each with what a played run shows of it."""

from __future__ import annotations

from dataclasses import dataclass

from agentctx.evals.one import MODEL
from agentctx.evals.play import Played
from agentctx.evals.results import PolicyResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """A law by its number, whether it held, and the figures that show it."""

    number: int
    name: str
    holds: bool
    shown: str


def laws(played: Played) -> tuple[Law, ...]:
    """Return what was found of laws 1 to 6 on a run."""
    counts, prefix = ours(played).counts, played.prefix
    touched = ours(played).touched
    proven = sum(proof.equal for proof in played.proofs)
    reduced = sum(bool(proof.handle) for proof in played.proofs)
    return (
        Law(
            number=1,
            name="Nothing is lost",
            holds=proven == len(played.proofs) and not counts.lost and not counts.dangling,
            shown=f"{proven} of {len(played.proofs)} originals are there byte for byte; the {reduced} "
            "reduced ones were expanded from the archive after it was reopened",
        ),
        Law(
            number=2,
            name="The prefix never moves",
            holds=prefix.holds,
            shown=f"{prefix.extended} of {max(0, prefix.requests - 1)} requests begin with every byte "
            f"of the request before ({prefix.shared:,} bytes compared)",
        ),
        Law(
            number=3,
            name="Never worse",
            holds=not counts.longer,
            shown=f"{counts.longer} of {counts.observations} outputs have more tokens than the original",
        ),
        Law(
            number=4,
            name="Verbatim or marked",
            holds=not counts.verbatim,
            shown=f"{counts.verbatim} sent lines are neither a line of the original, in its order, "
            "nor a marker",
        ),
        Law(
            number=5,
            name="Evidence survives",
            holds=counts.evidence_kept == counts.evidence,
            shown=f"{counts.evidence_kept} of {counts.evidence} error, failure, traceback and summary "
            "lines were sent verbatim",
        ),
        Law(
            number=6,
            name="The protocol stays valid",
            holds=not played.broken and not touched,
            shown=f"{played.broken} rules of the provider broken by {prefix.requests} requests, "
            f"{touched} of the host's own messages changed in place",
        ),
    )


def ours(played: Played) -> PolicyResult:
    """Return the results of agentctx."""
    return next(policy for policy in played.results.policies if policy.policy == MODEL)


def raw(played: Played) -> PolicyResult:
    """Return the results without agentctx."""
    return next(policy for policy in played.results.policies if policy.policy != MODEL)
