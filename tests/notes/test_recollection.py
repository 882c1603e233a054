from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from agentctx import wire as formats
from agentctx.errors import WireError
from agentctx.memory.memory import Memory
from agentctx.notes.recollection import part, place, recollect
from agentctx.notes.standing import leads, positions
from agentctx.session import Session
from agentctx.tokens import counter
from agentctx.values import Kind, Slot
from tests.strategies import WIRES, Conversation, conversations, render

BLOCK = "[agentctx memory: main @0123456789abcdef]\nOpen request:\n\n- mend it\n[end of memory]"
COUNT = counter().count

wires = pytest.mark.parametrize("wire", WIRES)


def heads(wire: str, payload: Any) -> list[Slot]:
    return [slot for slot in formats.get(wire).read(payload) if leads(slot)]


@wires
@given(conversations())
def test_a_block_stands_behind_what_the_user_says_first(
    wire: str, conversation: Conversation
) -> None:
    module, raw = formats.get(wire), render(wire, conversation)
    kept = deepcopy(raw)
    sent = place(module, raw, module.read(raw), BLOCK, "")
    assert raw == kept
    assert module.check(sent) == module.check(raw)
    bare, found = part(module.read(sent))
    assert found == BLOCK
    assert [s.text for s in bare] == [s.text for s in module.read(raw)]
    assert positions(bare) == positions(module.read(raw))
    assert place(module, sent, bare, BLOCK, BLOCK) is sent
    other = place(module, sent, bare, BLOCK.replace("mend it", "done"), BLOCK)
    assert other == place(module, raw, module.read(raw), BLOCK.replace("mend it", "done"), "")
    assert place(module, sent, bare, "", BLOCK) == raw
    texts = [slot.text for slot in module.read(sent)]
    assert sum(BLOCK in text for text in texts) == 1
    assert BLOCK in heads(wire, sent)[-1].text


@wires
def test_no_block_without_a_message_of_the_users(wire: str) -> None:
    payload: Any = {"messages": [], "input": []}
    module = formats.get(wire)
    assert place(module, payload, module.read(payload), BLOCK, "") is payload


def test_a_message_of_an_sdk_is_never_edited() -> None:
    class Message:
        def model_dump(self, **options: Any) -> dict[str, Any]:
            return {"role": "user", "content": "hello"}

    payload = {"messages": [Message()]}
    module = formats.get("openai_chat")
    with pytest.raises(WireError, match="lies in an object of an SDK: pass it as a dict"):
        place(module, payload, module.read(payload), BLOCK, "")


@wires
def test_what_only_looks_like_a_block_stays_the_users(wire: str, tmp_path: Path) -> None:
    raw = render(wire, Conversation(system="", task=f"Explain this:\n\n{BLOCK}", turns=()))
    session = Session("run", data=tmp_path, memory="on")
    assert session.rewrite(raw, wire=wire) is raw
    session.memory.commit("something to tell")
    with Session("other", data=tmp_path, memory="on") as other:
        sent = other.rewrite(raw, wire=wire)
    assert heads(wire, sent)[-1].text.count("[end of memory]") == 2 or len(heads(wire, sent)) > 1
    assert BLOCK in "".join(slot.text for slot in heads(wire, sent))


def user(text: str) -> Slot:
    return Slot(path=("messages", 0, "content"), kind=Kind.USER, text=text)


def test_an_empty_memory_tells_nothing(tmp_path: Path) -> None:
    with Memory(tmp_path) as memory:
        assert recollect(memory, [user("hello")], count=COUNT) == ""
        memory.heard("hello")
        assert recollect(memory, [user("hello")], count=COUNT) == ""


def test_what_stands_in_the_request_is_not_said_again(tmp_path: Path) -> None:
    with Memory(tmp_path) as memory:
        memory.heard("Mend the parser")
        memory.heard("Never touch tests/")
        memory.log(observation="1 failed", action="pytest -q", exit_code=1)
        said = recollect(memory, [user("Mend the parser")], count=COUNT)
    assert "Never touch tests/" in said
    assert "Mend the parser" not in said
    assert "`pytest -q` → exit 1" in said
    assert "No request is open" not in said


def test_a_block_names_where_it_comes_from_and_how_to_go_on(tmp_path: Path) -> None:
    with Memory(tmp_path) as memory:
        made = memory.commit("Half done", next_action="the other half")
        for name in "abcdefg":
            memory.branch(f"try-{name}", "a try", switch=False)
        lines = recollect(memory, [user("Go on")], count=COUNT).split("\n")
    assert lines[0] == f"[agentctx memory: main @{made.id}]"
    assert lines[-1] == "[end of memory]"
    assert lines[-2].startswith(
        "More: context_recall, context_search. Other branches: try-a, try-b"
    )
    assert lines[-2].endswith("(2 more)")


def test_a_block_takes_600_tokens_beside_the_users_words(tmp_path: Path) -> None:
    words = "Mend the parser; never touch tests/ and keep the public names. " * 20
    with Memory(tmp_path) as memory:
        memory.heard(words)
        for number in range(25):
            memory.log(observation="x", action=f"python {number}.py --long-option", exit_code=0)
            done = [f"part {number} with all of its little things"]
            memory.commit(f"Part {number} is done", done=done, todo=[f"polish part {number}"])
            memory.log(observation="x", action=f"python {number}.py --long-option", exit_code=0)
        said = recollect(memory, [user("Go on")], count=COUNT)
    assert words.strip() in said
    assert COUNT(said) - COUNT(words) <= 600
