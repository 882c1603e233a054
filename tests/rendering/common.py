"""What the renderers of all wires share."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

MARK = {"cache_control": {"type": "ephemeral"}}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg=="
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}
UNKNOWN = {"x_unknown": {"kept": [1, None, "ü"]}}


def extra(flavor: int) -> Json:
    """Return fields that no SDK knows, now and then."""
    return UNKNOWN if flavor == 3 else {}
