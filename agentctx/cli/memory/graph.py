"""The graph of all branches, in colours where they can be seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from agentctx.cli.output import print_json

if TYPE_CHECKING:
    from rich.text import Text

    from agentctx.memory.look.graph import Line
    from agentctx.memory.memory import Memory
    from agentctx.memory.store.nodes import Node

_COLOURS = ("red", "green", "yellow", "blue", "magenta", "cyan")


def print_graph(memory: Memory, limit: int, *, as_json: bool) -> None:
    """Print up to `limit` records of all branches, archived ones too."""
    from agentctx.memory.look.graph import draw, ordered

    store = memory.store
    refs = dict[str, list[str]]()
    for name, tip in store.branches().items():
        refs.setdefault(tip, []).append(name)
    for name, tip in store.archived().items():
        refs.setdefault(tip, []).append(f"archive/{name}")
    points = ordered(refs, store.node)[:limit]
    nodes = {one.hash: store.node(one.hash) for one in points}
    if as_json:
        print_json([_node(node, refs.get(hash, [])) for hash, node in nodes.items()])
        return
    lines = list(draw(points))
    wide = max((len(line.text) for line in lines), default=0)
    print_lines(_drawn(line, wide, nodes, refs, memory.current) for line in lines)


def _drawn(
    line: Line,
    wide: int,
    nodes: Mapping[str, Node],
    refs: Mapping[str, list[str]],
    current: str,
) -> Text:
    from rich.text import Text

    text = Text()
    for character, number in line.cells:
        text.append(character, _COLOURS[number % len(_COLOURS)])
    if not line.hash:
        return text
    node = nodes[line.hash]
    text.append(" " * (wide - len(line.text) + 1))
    id = node.id or node.hash[:16]
    text.append(id, "yellow")
    for name in refs.get(line.hash, []):
        style = "dim" if name.startswith("archive/") else "bold green"
        text.append(f" ({'* ' if name == current else ''}{name})", style)
    text.append(f" {when(id)} ", "dim")
    text.append(node.title)
    return text


def print_lines(lines: Iterable[Text]) -> None:
    """Print lines: with colours on a terminal, never broken or cut."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        console.print(line, markup=False)


def when(id: str) -> str:
    """Return when an id was made, in local time."""
    from datetime import datetime

    from agentctx.memory import ids

    if not ids.ID.fullmatch(id):
        return "-"
    return datetime.fromtimestamp(ids.seconds(id)).astimezone().strftime("%Y-%m-%d %H:%M")


def _node(node: Node, refs: list[str]) -> dict[str, Any]:
    from agentctx.memory.store.nodes import KIND

    return {
        "hash": node.hash,
        "parents": list(node.parents),
        "refs": refs,
        "id": node.id,
        "kind": node.trailers.get(KIND, ""),
        "title": node.title,
    }
