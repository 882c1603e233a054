from __future__ import annotations

import pytest

from agentctx import wire
from agentctx.evals.host import Host, replaced, same, shown, snapshot
from agentctx.evals.trajectory import Trajectory
from tests.evals.runs import trajectory


def played(run: Trajectory) -> Host:
    host = Host(run)
    for turn in run.turns:
        host.answer(turn)
        assert turn.seen is not None
        host.observe(turn, turn.seen.text)
    return host


@pytest.mark.parametrize("native", [True, False])
def test_the_payload_is_one_that_the_provider_accepts(native: bool) -> None:
    request = played(trajectory(("ls", "a\n"), ("cat a", "b\n"), native=native)).request()
    assert wire.detect(request.payload) == request.wire
    assert not wire.get(request.wire).check(request.payload)


@pytest.mark.parametrize("native", [True, False])
def test_every_observation_is_found_where_it_stands(native: bool) -> None:
    request = played(trajectory(("ls", "a\n"), ("cat a", ""), native=native)).request()
    messages = request.payload["messages"]
    assert [shown(messages[p.message], p) for p in request.places] == ["a\n", ""]


@pytest.mark.parametrize("native", [True, False])
def test_a_replacement_leaves_the_hosts_message_and_words_alone(native: bool) -> None:
    host = played(trajectory(("ls", "a\n"), native=native))
    place = host.places[0]
    message = replaced(host.messages[place.message], place, "other")
    assert shown(message, place) == "other"
    assert shown(host.messages[place.message], place) == "a\n"
    assert host.touched() == 0


def test_a_message_changed_in_place_is_noticed() -> None:
    host = played(trajectory(("ls", "a\n"), ("ls", "b\n")))
    host.messages[host.places[0].message]["content"][0]["content"] = "x"
    assert host.touched() == 1


def test_the_order_of_keys_tells_two_pieces_apart() -> None:
    assert same({"a": [1, "x"]}, {"a": [1, "x"]})
    assert not same({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert not same([1], [True])
    assert not same({"a": "x"}, {"a": "y"})


def test_a_snapshot_shares_nothing_that_can_change() -> None:
    value = {"a": [{"b": 1}]}
    copy = snapshot(value)
    value["a"][0]["b"] = 2
    assert copy == {"a": [{"b": 1}]}
