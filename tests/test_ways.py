"""Markers are written for those who can follow them, and meter mode measures for all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from agentctx.config import Settings
from agentctx.errors import ConfigError, LedgerError
from agentctx.ledger import Decision, Ledger
from agentctx.options import Mode
from agentctx.session import Session
from agentctx.terminal.marker import handles
from agentctx.values import Observation
from tests.test_session import NOISE, ONE, request, result, send, texts

SECRET = "q8J2kLz0vT5xWm3n"
PROGRESS = "\r".join(f"{i} % of the archive is downloaded" for i in range(100))


@pytest.mark.parametrize("noise", [NOISE, PROGRESS])
def test_what_is_shown_whole_for_want_of_expand_is_shown_without_its_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, noise: str
) -> None:
    monkeypatch.setenv("DEPLOY_API_TOKEN", SECRET)
    session = Session(data=tmp_path)
    payload = request(*ONE[:1], result("c1", f"{noise}\ntoken is {SECRET}"))
    assert len(texts(send(session, payload))[0]) < len(noise) / 2
    for one in (session, Session("never offered", data=tmp_path)):
        (text,) = texts(one.rewrite(payload))
        assert text.startswith(noise)
        assert SECRET not in text


def test_nothing_is_hidden_from_a_model_that_cannot_expand_it(tmp_path: Path) -> None:
    session = Session("run", data=tmp_path)
    assert session.observe(Observation(output=PROGRESS, command="make")).text == PROGRESS
    payload = request(*ONE[:1], result("c1", PROGRESS))
    assert session.rewrite(payload) is payload
    assert texts(send(session, payload)) == [PROGRESS]  # as it was sent, it stays


def test_a_request_without_tools_gets_no_new_marker_but_keeps_the_old(tmp_path: Path) -> None:
    session = Session(data=tmp_path)
    payload = request(*ONE[:1], result("c1", NOISE))
    sent = texts(send(session, payload))
    bare = {key: value for key, value in payload.items() if key != "tools"}
    assert texts(session.rewrite(bare)) == sent
    other = {**bare, "messages": [{"role": "user", "content": "Another"}, *bare["messages"][1:]]}
    assert texts(session.rewrite(other)) == [NOISE]


def test_meter_mode_measures_what_reducing_would_save(tmp_path: Path) -> None:
    session = Session(settings=Settings(mode=Mode.METER, data=tmp_path))
    payload = request(*ONE[:1], result("c1", NOISE))
    assert session.offer(payload) is payload
    assert session.rewrite(payload) is payload
    (metered,) = [event for event in session.stores.events.recent if event.kind == "metered"]
    assert metered.detail["after"] < metered.detail["before"] / 10


def test_meter_mode_edits_nothing_of_what_an_earlier_mode_reduced(tmp_path: Path) -> None:
    payload = request(*ONE[:1], result("c1", NOISE))
    offered = Session(data=tmp_path).offer(payload)
    assert handles(texts(Session("run", data=tmp_path).rewrite(offered))[0])
    session = Session("run", settings=Settings(mode=Mode.METER, data=tmp_path))
    assert session.rewrite(offered) is offered
    assert session.observe(Observation(output=NOISE), call_id="c1").text == NOISE


class Full(Ledger):
    def decide_all(self, made: Sequence[Decision]) -> tuple[Decision, ...]:
        raise LedgerError("the disk is full")


def test_a_reduction_that_cannot_be_stored_is_not_made(tmp_path: Path) -> None:
    session = Session("run", data=tmp_path)
    session.stores.ledger = Full(tmp_path / "state.db")
    now = texts(send(session, request(*ONE[:1], result("c1", NOISE))))
    later = request(*ONE[:1], result("c1", NOISE), *ONE)
    for one in (session, Session("run", data=tmp_path)):  # a restart must not move the prefix
        assert texts(send(one, later))[0] == now[0]


@pytest.mark.parametrize("hint", ["{0} {handle}", "run {tool} {handle}", "{", "agentctx expand"])
def test_a_hint_that_cannot_name_a_handle_is_refused(tmp_path: Path, hint: str) -> None:
    with pytest.raises(ConfigError, match="expand_hint"):
        Session(data=tmp_path, expand_hint=hint)
