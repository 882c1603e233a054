"""What holds for every history in every wire."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agentctx import wire
from agentctx.errors import WireError
from agentctx.values import Edit, Image, Kind, Path, Payload, Slot, Text, ToolSpec
from agentctx.wire.views import sequence
from tests.strategies import WIRES, Conversation, conversations, histories, requests

pytestmark = pytest.mark.parametrize("name", WIRES)

SPEC = ToolSpec(name="expand", description="Show it all.", parameters={"type": "object"})
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)


def at(payload: Any, path: Path) -> Any:
    for key in path:
        payload = payload[key]
    return payload


def observations(slots: tuple[Slot, ...]) -> list[Slot]:
    return [slot for slot in slots if slot.kind is Kind.OBSERVATION]


def places(node: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, node
    children = node.items() if isinstance(node, dict) else enumerate(sequence(node))
    for key, child in children:
        yield from places(child, (*path, key))


def leaves(node: Any) -> dict[Path, Any]:
    return {path: leaf for path, leaf in places(node) if not isinstance(leaf, (dict, list))}


def edits_of(slots: tuple[Slot, ...]) -> list[Edit]:
    return [Edit(s.path, (Text(f"new {i}"),)) for i, s in enumerate(observations(slots))]


def ids(payload: Payload) -> Counter[str]:
    keys = {"id", "call_id", "tool_call_id", "tool_use_id"}
    return Counter(leaf for path, leaf in leaves(payload).items() if path[-1] in keys)


@given(data=st.data())
def test_a_generated_request_breaks_no_rule(name: str, data: st.DataObject) -> None:
    for payload in requests(name, data.draw(conversations(max_turns=3))):
        assert wire.get(name).check(payload) == []


@given(data=st.data())
def test_a_slot_names_the_place_of_its_text(name: str, data: st.DataObject) -> None:
    payload = data.draw(histories(name))
    slots = wire.get(name).read(payload)
    assert len({slot.path for slot in slots}) == len(slots)
    for slot in slots:
        found = at(payload, slot.path)
        if slot.kind in (Kind.OBSERVATION, Kind.USER, Kind.SYSTEM):
            assert (found if isinstance(found, str) else found["text"]) == slot.text


@given(data=st.data())
def test_every_output_is_a_slot_that_knows_its_call(name: str, data: st.DataObject) -> None:
    conversation: Conversation = data.draw(conversations())
    slots = observations(wire.get(name).read(requests(name, conversation)[-1]))
    calls = {call.id: (call, i) for i, turn in enumerate(conversation.turns) for call in turn.calls}
    for slot in slots:
        call, index = calls[slot.call_id]
        assert slot.text in (call.output, call.more)
        assert slot.turn == index + 1
        assert slot.tool in (call.name, "shell", "apply_patch")
        if call.flavor == 0:
            assert slot.arguments == call.arguments
    shown = {(slot.call_id, slot.text) for slot in slots}
    assert {(key, call.output) for key, (call, _) in calls.items() if call.output} <= shown


@given(data=st.data())
def test_no_edit_gives_the_same_object(name: str, data: st.DataObject) -> None:
    payload = data.draw(histories(name))
    spoken = wire.get(name)
    same = [Edit(s.path, (Text(s.text),)) for s in observations(spoken.read(payload))]
    same = [edit for edit in same if edit.parts[0].text.strip()]  # type: ignore[union-attr]
    assert spoken.write(payload, []) is payload
    assert spoken.write(payload, same) is payload


@given(data=st.data())
def test_an_edit_changes_its_text_and_nothing_else(name: str, data: st.DataObject) -> None:
    payload = data.draw(histories(name))
    before = copy.deepcopy(payload)
    spoken = wire.get(name)
    edits = edits_of(spoken.read(payload))
    assume(edits)
    edits = data.draw(st.lists(st.sampled_from(edits), unique=True, min_size=1))
    written = spoken.write(payload, edits)
    assert payload == before
    assert spoken.check(written) == []
    assert ids(written) == ids(payload)
    wanted = leaves(payload)
    for edit in edits:
        is_part = isinstance(at(payload, edit.path), dict)
        wanted[(*edit.path, "text") if is_part else edit.path] = edit.parts[0].text  # type: ignore[union-attr]
    assert leaves(written) == wanted
    assert list(leaves(written)) == list(leaves(payload))


@given(data=st.data())
def test_what_no_edit_leads_through_stays_the_same_object(name: str, data: st.DataObject) -> None:
    payload = data.draw(histories(name))
    spoken = wire.get(name)
    edits = edits_of(spoken.read(payload))
    written = spoken.write(payload, edits)
    ways = {edit.path[:length] for edit in edits for length in range(len(edit.path) + 1)}
    for path, node in places(payload):
        if path not in ways and path[:-1] in ways and not any(e.path == path[:-1] for e in edits):
            assert at(written, path) is node


@given(data=st.data())
def test_the_new_text_is_read_back(name: str, data: st.DataObject) -> None:
    payload = data.draw(histories(name))
    spoken = wire.get(name)
    slots = spoken.read(payload)
    edits = edits_of(slots)
    again = spoken.read(spoken.write(payload, edits))
    assert [s.text for s in observations(again)] == [e.parts[0].text for e in edits]  # type: ignore[union-attr]
    rest = [s for s in slots if s.kind is not Kind.OBSERVATION]
    assert [s for s in again if s.kind is not Kind.OBSERVATION] == rest


@given(data=st.data())
def test_several_parts_take_the_place_of_one_and_the_marker_goes_last(
    name: str, data: st.DataObject
) -> None:
    payload = data.draw(histories(name))
    spoken = wire.get(name)
    slots = observations(spoken.read(payload))
    roomy = [s for s in slots if s.tool not in ("shell", "apply_patch") and not s.is_error]
    last = Text("end") if name == "openai_chat" or data.draw(st.booleans()) else Image(b"png")
    written = spoken.write(payload, [Edit(s.path, (Text("begin"), last)) for s in roomy])
    assert spoken.check(written) == []
    texts = [s.text for s in observations(spoken.read(written)) if s.text in ("begin", "end")]
    assert texts == (["begin", "end"] if isinstance(last, Text) else ["begin"]) * len(roomy)
    for path, node in places(written):
        if isinstance(node, dict) and node.get("text") == "begin":
            assert set(node) == {"type", "text"}, path
    marked = json.dumps(written).count("cache_control")
    assert marked == json.dumps(payload).count("cache_control")


@given(data=st.data())
def test_only_an_observation_can_be_edited(name: str, data: st.DataObject) -> None:
    payload = data.draw(histories(name))
    spoken = wire.get(name)
    slots = spoken.read(payload)
    other = data.draw(st.sampled_from([s for s in slots if s.kind is not Kind.OBSERVATION]))
    with pytest.raises(WireError, match="only an observation may be edited"):
        spoken.write(payload, [Edit(other.path, (Text("x"),))])


@given(data=st.data())
def test_fresh_observations_are_those_after_the_last_turn(name: str, data: st.DataObject) -> None:
    conversation = data.draw(conversations())
    spoken = wire.get(name)
    sent: set[Path] = set()
    for payload in requests(name, conversation):
        slots = spoken.read(payload)
        fresh = wire.fresh(slots)
        assert {s.path for s in fresh} == {s.path for s in observations(slots)} - sent
        sent |= {s.path for s in fresh}


@given(data=st.data())
def test_the_prefix_key_stays_while_the_conversation_grows(name: str, data: st.DataObject) -> None:
    conversation = data.draw(conversations())
    spoken = wire.get(name)
    assert len({wire.prefix_key(spoken.read(p)) for p in requests(name, conversation)}) == 1


@given(data=st.data())
def test_detect_finds_the_wire_once_a_tool_was_called(name: str, data: st.DataObject) -> None:
    payload = data.draw(histories(name))
    slots = wire.get(name).read(payload)
    if name == "openai_responses" or any(s.kind is Kind.TOOL_CALL for s in slots):
        assert wire.detect(payload) == name


@given(data=st.data())
def test_tools_are_added_once_at_the_end_and_only_beside_others(
    name: str, data: st.DataObject
) -> None:
    payload = data.draw(histories(name))
    before = copy.deepcopy(payload)
    spoken = wire.get(name)
    written = spoken.add_tools(payload, [SPEC])
    assert payload == before
    assert spoken.add_tools(written, [SPEC]) is written
    assert spoken.add_tools(payload, []) is payload
    assert spoken.check(written) == []
    if "tools" not in payload:
        assert written is payload
        return
    assert spoken.tool_names(written) == spoken.tool_names(payload) | {"expand"}
    assert written["tools"][:-1] == payload["tools"]
    assert written | {"tools": payload["tools"]} == payload
    assert spoken.add_tools({**payload, "tools": []}, [SPEC])["tools"] == []


@given(data=st.data())
def test_a_strange_value_anywhere_is_opaque_or_a_one_line_error(
    name: str, data: st.DataObject
) -> None:
    payload = data.draw(histories(name, min_turns=1, max_turns=2))
    path = data.draw(st.sampled_from([path for path, _ in places(payload) if path]))
    at(payload, path[:-1])[path[-1]] = data.draw(JSON)
    spoken = wire.get(name)
    message = ""
    try:
        wire.detect(payload)
        slots = spoken.read(payload)
        spoken.check(payload)
        spoken.tool_names(payload)
        spoken.write(payload, edits_of(slots))
        spoken.add_tools(payload, [SPEC])
        wire.prefix_key(slots)
    except WireError as error:
        message = str(error)
    assert "\n" not in message
