from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentctx.session import Session
from agentctx.values import Observation
from tests.test_session import FILE, call, request, result, send, texts

SECRET = "q8J2kLz0vT5xWm3n"
OTHER = FILE.replace("compute", "collect")


def parts(name: str, *some: str) -> dict[str, Any]:
    return {**result(name, ""), "content": [{"type": "text", "text": text} for text in some]}


def sent(session: Session, *messages: dict[str, Any]) -> str:
    for end in range(2, len(messages) + 1, 2):
        last = send(session, request(*messages[:end]))
    return str(texts(last)[-1])


def on_disk(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("empty", ["", [], None])
def test_results_without_text_count_as_results(tmp_path: Path, empty: Any) -> None:
    nothing = {**result("c2", ""), "content": empty}
    first = (call("c1", "cat a.py"), result("c1", FILE))
    text = sent(Session(data=tmp_path), *first, call("c2", "true"), nothing, *_again("c3"))
    assert "shown 2 results back" in text


def test_the_parts_of_one_result_count_once(tmp_path: Path) -> None:
    first = (call("c1", "cat a.py"), parts("c1", FILE, OTHER))
    second = (call("c2", "true"), parts("c2", "well", "done"))
    text = sent(Session(data=tmp_path), *first, *second, *_again("c3", OTHER))
    assert "shown 2 results back" in text


def test_a_part_refers_to_no_part_of_its_own_result(tmp_path: Path) -> None:
    payload = request(call("c1", "cat a.py"), parts("c1", FILE, FILE))
    session = Session(data=tmp_path)
    assert send(session, payload)["messages"][2] == payload["messages"][2]


def test_a_call_that_the_host_changes_is_referred_to_no_more(tmp_path: Path) -> None:
    session = Session(data=tmp_path)
    wrote = call("c1", json.dumps(FILE)[1:-1])
    assert "shown in this call" in sent(session, wrote, result("c1", FILE))
    assert sent(session, call("c1", "[left out]"), result("c1", FILE)) == FILE


def test_what_names_a_result_in_a_marker_holds_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_API_TOKEN", SECRET)
    first = (call("c1", f"T={SECRET} cat a.py"), result("c1", FILE))
    text = sent(Session(data=tmp_path), *first, call("c2", "true"), result("c2", "ok"), *_again())
    assert "shown 2 results back by T=⟪secret:env:" in text
    assert SECRET[:6].encode() not in on_disk(tmp_path)


def test_a_request_that_cannot_be_reduced_goes_out_without_its_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_API_TOKEN", SECRET)
    payload = {**request(call("c1", "env"), result("c1", f"T={SECRET}")), "tools": 5}
    out = Session(data=tmp_path).rewrite(payload)
    assert texts(out)[0].startswith("T=⟪secret:env:")
    assert out["tools"] == 5


def test_a_result_that_leaves_an_empty_screen_stays_as_it_came(tmp_path: Path) -> None:
    spinner = "".join(f"\r{sign} waiting for the server" for sign in "|/-" * 40) + "\r\x1b[2K"
    session = Session(data=tmp_path)
    assert sent(session, call("c1", "up"), result("c1", spinner)) == spinner
    assert not session.stores.events.recent


def test_after_a_restart_results_that_were_also_rewritten_count_once(tmp_path: Path) -> None:
    noise = "waiting for the server to come up\n" * 300
    messages: list[dict[str, Any]] = []
    for number, output in enumerate([noise + OTHER, noise + FILE, "ok", OTHER]):
        session = Session("run", data=tmp_path)
        send(session, request(*messages))
        seen = session.observe(Observation(output=output, command="make"), call_id=str(number))
        messages += [call(str(number), "make"), result(str(number), seen.text)]
    assert "shown 3 results back" in messages[-1]["content"]


def test_a_secret_stays_out_after_all_state_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_API_TOKEN", "q8J2kLz0vT5xWm3n")
    leaked = (call("c1", "env"), result("c1", "token is q8J2kLz0vT5xWm3n"))
    first = texts(send(Session(data=tmp_path / "a"), request(*leaked)))[0]
    later = texts(send(Session(data=tmp_path / "b"), request(*leaked, *_again())))[0]
    assert "q8J2kLz0vT5xWm3n" not in first + later


def _again(name: str = "c3", text: str = FILE) -> tuple[dict[str, Any], dict[str, Any]]:
    return call(name, "cat a.py"), result(name, text)
