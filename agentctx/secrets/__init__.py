"""What takes secrets out of a text before it is stored or sent."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol


class Redactor(Protocol):
    """Takes secrets out of texts.

    The same secret always becomes the same placeholder, and redacting twice changes nothing more:
    what was sent in one turn is sent again, byte for byte, in the next.
    """

    def redact(self, text: str) -> str:
        """Return `text` without its secrets.

        Raises:
            RedactionError: they could not be taken out, so the text must not be used.
        """
        ...


def default(data: Path, env: Mapping[str, str] | None = None) -> Redactor:
    """Return the redactor that ships, keyed by the file `redaction.key` in the data folder.

    Args:
        data: the data folder, which exists.
        env: the environment whose secrets are known by value; the process's own by default.

    Raises:
        RedactionError: the key cannot be read or made.
    """
    from agentctx.secrets.key import load
    from agentctx.secrets.redactor import DefaultRedactor

    return DefaultRedactor(load(data), os.environ if env is None else env)
