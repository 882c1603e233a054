"""Reports as one HTML file each: no request leaves it, opened from disk or from anywhere."""

from agentctx.evals.page.document import save
from agentctx.evals.page.replay import render

__all__ = ["render", "save"]
