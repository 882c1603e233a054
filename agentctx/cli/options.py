"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

Many = list[str] | None

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OnBranch = Annotated[
    str, typer.Option("--branch", metavar="NAME", help="Instead of the one switched to.")
]
Budget = Annotated[int | None, typer.Option(min=1, help="Tokens that the answer may take at most.")]
MinTrust = Annotated[
    str, typer.Option(metavar="LEVEL", help="Leave out what is trusted less: user, model, tool.")
]
Resolve = Annotated[
    Many, typer.Option(metavar="ITEM=CHOICE", help="Settles one conflict; may be repeated.")
]
