"""`python -m agentctx`."""

from __future__ import annotations

import sys

from agentctx.cli import main

if __name__ == "__main__":
    sys.exit(main())
