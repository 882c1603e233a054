from __future__ import annotations

import json
from types import SimpleNamespace

import anthropic
import openai
import pydantic
from openai import Omit, omit
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletionMessage

from agentctx.testing import FakeUpstream, ScriptedModel, Thinking, call
from agentctx.wrap.shape import added, field, plain, put


class Block(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    __api_exclude__ = {"secret"}

    kind: str
    from_: str = pydantic.Field(default="", alias="from")
    unset: int | None = None


def test_fields_are_found_in_dicts_lists_and_objects():
    value = {"choices": [SimpleNamespace(delta={"text": "x"})]}
    assert field(value, "choices", 0, "delta", "text") == "x"
    assert field(value, "choices", 1, "delta") is None
    assert field(None, "x") is None


def test_a_changed_copy_leaves_the_original_alone():
    for value in ({"a": 1}, SimpleNamespace(a=1), Block(kind="k", a=1)):
        changed = put(value, a=2)
        assert (field(value, "a"), field(changed, "a")) == (1, 2)
        assert type(changed) is type(value)


def test_what_is_plain_already_stays_the_same_object():
    value = {"a": [1, {"b": None}], "c": "x"}
    assert plain(value) is value


def test_objects_become_what_their_sdk_would_send():
    block = Block.model_validate({"kind": "k", "from": "me", "extra": [Block(kind="inner")]})
    assert plain({"x": (block,)}) == {
        "x": [{"kind": "k", "from": "me", "extra": [{"kind": "inner"}]}]
    }


def test_fields_that_were_not_passed_or_are_never_sent_are_left_out():
    assert plain({"a": 1, "b": omit, "c": Omit()}) == {"a": 1}
    assert plain([Block(kind="k", secret=1)]) == [{"kind": "k"}]
    message = ChatCompletionMessage.construct(role="assistant", content="x")
    assert plain(message) == {"role": "assistant", "content": "x"}


def test_usage_adds_up_number_by_number():
    one = CompletionUsage.model_validate(
        {
            "prompt_tokens": 1,
            "completion_tokens": 2,
            "total_tokens": 3,
            "prompt_tokens_details": {"cached_tokens": 1},
            "service_tier": "a",
        }
    )
    other = CompletionUsage.model_validate(
        {
            "prompt_tokens": 10,
            "completion_tokens": 20,
            "total_tokens": 30,
            "cost": 0.5,
            "service_tier": "b",
        }
    )
    total = added(one, other)
    assert isinstance(total, CompletionUsage)
    assert (total.prompt_tokens, total.completion_tokens, total.total_tokens) == (11, 22, 33)
    assert total.prompt_tokens_details.cached_tokens == 1
    assert (total.cost, total.service_tier) == (0.5, "b")
    assert added(None, one) is one
    assert added({"a": 1, "b": {"c": 2}}, {"a": 2, "b": {"c": 3}}) == {"a": 3, "b": {"c": 5}}


TURN = (Thinking("hm"), "Let me see.", call("bash", command="ls"), "And?")


def test_replies_are_written_as_their_sdk_writes_them():
    with (
        FakeUpstream(ScriptedModel(TURN, TURN, TURN)) as upstream,
        openai.OpenAI(base_url=upstream.url + "/v1", api_key="none") as client,
        anthropic.Anthropic(base_url=upstream.url, api_key="none") as other,
    ):
        ask = [{"role": "user", "content": "hi"}]
        message = client.chat.completions.create(model="m", messages=ask).choices[0].message
        response = client.responses.create(model="m", input=ask)
        blocks = other.messages.create(model="m", max_tokens=9, messages=ask).content
    for model in (message, *response.output, *blocks):
        assert json.dumps(plain(model)) == json.dumps(model.to_dict())
