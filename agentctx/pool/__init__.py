"""The pool: rules with their evidence and what became of them, shared by tasks, people and machines."""

from agentctx.pool.entry import Change, Entry, digest
from agentctx.pool.outcome import Outcome
from agentctx.pool.pool import Pool, opened

__all__ = ["Change", "Entry", "Outcome", "Pool", "digest", "opened"]
