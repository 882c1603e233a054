from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from agentctx.adapters.langchain_history import SEEN, before, usage
from agentctx.values import Usage
from tests.adapters.scripted import call, calls


def reply(total: int, **details: Any) -> AIMessage:
    spent: Any = {"input_tokens": total, "output_tokens": 5, "total_tokens": total + 5}
    return AIMessage("", usage_metadata={**spent, "input_token_details": details})


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (AIMessage(""), Usage()),
        (reply(100), Usage(input=100, output=5)),
        (reply(100, cache_read=60), Usage(input=40, cache_read=60, output=5)),
        (reply(100, flex_cache_read=60), Usage(input=40, cache_read=60, output=5)),
        (reply(100, audio=3), Usage(input=100, output=5)),
        (reply(100, cache_creation=30), Usage(input=70, cache_write=30, output=5)),
        (
            reply(
                100,
                cache_read=10,
                cache_creation=0,
                ephemeral_5m_input_tokens=20,
                ephemeral_1h_input_tokens=30,
            ),
            Usage(input=40, cache_read=10, cache_write=20, cache_write_1h=30, output=5),
        ),
        (reply(10, cache_read=60), Usage(cache_read=60, output=5)),
    ],
)
def test_usage_tells_fresh_from_cached_tokens(message: AIMessage, expected: Usage) -> None:
    assert usage(message) == expected


def result(call_id: str) -> ToolMessage:
    return ToolMessage("text", tool_call_id=call_id)


HISTORY = [
    HumanMessage("go"),
    calls(call("1", "t"), call("2", "t")),
    result("1"),
    result("2"),
    calls(call("3", "t"), call("4", "t"), call("5", "t")),
    result("3"),
]


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({"messages": HISTORY}, ["1", "2", "3", ""]),
        ({"messages": HISTORY, SEEN: None}, ["1", "2", "3", ""]),
        ({"messages": HISTORY, SEEN: ["", "2"]}, ["", "2", "3", ""]),
        ({"messages": []}, []),
        ({}, []),
        (None, []),
    ],
)
def test_what_stands_before_a_result_counts_parallel_calls(state: Any, expected: Any) -> None:
    assert before(state, "5") == expected
