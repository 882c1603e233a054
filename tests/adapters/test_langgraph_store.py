from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.base import (
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchItem,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from agentctx.adapters.langgraph import AgentctxStore
from agentctx.errors import MemoryStoreError
from tests.processes import run, together


def fields(one: Any) -> Any:
    return st.dictionaries(st.sampled_from(["f", "g", "$h"]), one, max_size=2)


LABELS = st.sampled_from(["a", "b", "A", "../c", "ü\n", "*", "\ud800"])
SPACES = st.lists(LABELS, min_size=1, max_size=3).map(tuple)
KEYS = st.sampled_from(["", "k", "K", "a/b", "\u0000", "long " * 100])
SIMPLE = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "x", "ü\ud800"])
JSON = st.recursive(SIMPLE, lambda one: st.lists(one, max_size=2) | fields(one), max_leaves=4)
NUMBERS = st.fixed_dictionaries({"n": st.integers(0, 4) | st.sampled_from(["1", "3.5"])})
OPERATORS = st.sampled_from(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"])


VALUES = st.builds(lambda some, number: {**some, **number}, fields(JSON), NUMBERS)
FILTERS = (
    st.none()
    | fields(SIMPLE)
    | st.fixed_dictionaries(
        {"n": st.dictionaries(OPERATORS, st.integers(0, 4), min_size=1, max_size=2)}
    )
)
CONDITIONS = st.builds(
    MatchCondition,
    match_type=st.sampled_from(["prefix", "suffix"]),
    path=st.lists(LABELS | st.just("*"), max_size=3).map(tuple),
)
PUTS = st.builds(
    PutOp,
    namespace=SPACES,
    key=KEYS,
    value=st.none() | VALUES,
    index=st.none() | st.just(False),
    ttl=st.none(),
)
READS = (
    st.builds(GetOp, namespace=SPACES, key=KEYS)
    | st.builds(
        SearchOp,
        namespace_prefix=st.just(()) | SPACES,
        filter=FILTERS,
        limit=st.just(1_000),
        offset=st.just(0),
        query=st.none(),
    )
    | st.builds(
        ListNamespacesOp,
        match_conditions=st.none() | st.lists(CONDITIONS, max_size=2).map(tuple),
        max_depth=st.none() | st.integers(1, 3),
        limit=st.integers(0, 4),
        offset=st.integers(0, 2),
    )
)


def plain(result: Any) -> Any:
    """Return a result without its times and without an order of its own."""
    if isinstance(result, Item):
        return result.namespace, result.key, result.value
    if isinstance(result, list) and result and isinstance(result[0], SearchItem):
        return sorted(map(repr, map(plain, result)))
    return result


@settings(max_examples=settings.default.max_examples // 2)
@given(batches=st.lists(st.lists(PUTS | READS, max_size=6), min_size=1, max_size=5))
def test_it_answers_as_the_store_in_memory_does(
    batches: list[list[Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    ours = AgentctxStore(folder := tmp_path_factory.mktemp("data"))
    items: dict[tuple[tuple[str, ...], str], PutOp] = {}
    for ops in batches:
        model = InMemoryStore()  # a new one, since it goes on listing what it holds nothing in
        model.batch(items.values())
        expected = []
        for op in ops:
            (result,) = model.batch([op]) if not isinstance(op, PutOp) else (None,)
            expected.append(plain(result))
            for space in [space for space, there in model._data.items() if not there]:
                del model._data[space]
        assert [plain(result) for result in ours.batch(ops)] == expected
        for op in ops:
            if isinstance(op, PutOp) and op.value is None:
                items.pop((op.namespace, op.key), None)
            elif isinstance(op, PutOp):
                items[op.namespace, op.key] = op
    ours.close()
    found = AgentctxStore(folder).search((), limit=1_000)
    assert {(item.namespace, item.key): item.value for item in found} == {
        place: op.value for place, op in items.items()
    }


def test_pages_of_a_search_are_together_the_whole_of_it(tmp_path: Path) -> None:
    store = AgentctxStore(tmp_path)
    store.batch([PutOp(("a", str(n % 3)), str(n), {"n": n}) for n in range(25)])
    pages = [store.search(("a",), limit=4, offset=start) for start in range(0, 28, 4)]
    assert sorted(int(item.key) for page in pages for item in page) == list(range(25))


def test_the_newest_comes_first_and_keeps_the_time_it_was_made(tmp_path: Path) -> None:
    store = AgentctxStore(tmp_path)
    for key in ("a", "b", "c", "a"):
        store.put(("x",), key, {"key": key})
    found = store.search(("x",))
    assert [item.key for item in found] == ["a", "c", "b"]
    assert found[0].created_at < found[2].created_at < found[1].created_at < found[0].updated_at


def test_a_query_finds_by_words_best_first(tmp_path: Path) -> None:
    store = AgentctxStore(tmp_path)
    store.put(("m",), "tea", {"text": "She likes green tea, and tea with milk"})
    store.put(("m",), "both", {"text": "Tea or coffee, whichever is there, as long as it is hot"})
    store.put(("m",), "coffee", {"deep": [{"text": "coffees only"}]})
    store.put(("m",), "other", {"text": "nothing of the kind"})
    store.put(("n",), "elsewhere", {"text": "tea"})
    assert [item.key for item in store.search(("m",), query="tea")] == ["tea", "both"]
    assert {i.key for i in store.search(("m",), query="coffee?")} == {"both", "coffee"}
    scores = [item.score or 0 for item in store.search((), query="green tea coffee")]
    assert len(scores) == 4
    assert all(a >= b > 0 for a, b in pairwise(scores))
    store.put(("m",), "tea", {"text": "changed"})
    store.delete(("m",), "both")
    assert store.search(("m",), query="tea") == []
    assert [i.key for i in store.search(("m",), query="changed")] == ["tea"]


@pytest.mark.parametrize(
    "query", ['"', "a OR", "NEAR(", "-x", "*", "kind:", "日本", "\ud800", "' --"]
)
def test_no_query_is_a_syntax_error(query: str, tmp_path: Path) -> None:
    store = AgentctxStore(tmp_path)
    store.put(("m",), "k", {"text": "今日は日本へ"})
    assert [i.key for i in store.search(("m",), query=query)] == (["k"] if query == "日本" else [])


def test_an_item_is_found_by_the_fields_that_it_names(tmp_path: Path) -> None:
    store = AgentctxStore(tmp_path)
    value = {"title": "shown", "notes": [{"text": "inner"}], "secret": "hidden"}
    store.put(("m",), "some", value, index=["title", "notes[*].text"])
    store.put(("m",), "none", value, index=False)
    found = {
        q: [i.key for i in store.search(("m",), query=q)] for q in ("shown", "inner", "hidden")
    }
    assert found == {"shown": ["some"], "inner": ["some"], "hidden": []}
    assert {i.key for i in AgentctxStore(tmp_path).search(("m",))} == {"some", "none"}


def test_every_value_of_a_key_stays_and_the_last_batch_can_be_undone(tmp_path: Path) -> None:
    store = AgentctxStore(tmp_path)
    store.put(("x",), "k", {"n": 1})
    store.put(("x",), "other", {"n": 9})
    store.put(("x",), "k", {"n": 2})
    store.delete(("x",), "k")
    assert [item.value["n"] for item in store.history(("x",), "k")] == [2, 1]
    assert store.get(("x",), "k") is None
    store.undo()
    assert [item.key for item in store.search(("x",))] == ["k", "other"]
    store.undo()
    item = store.get(("x",), "k")
    assert item is not None
    assert item.value == {"n": 1}
    store.undo()
    store.undo()
    with pytest.raises(MemoryStoreError, match="nothing to undo"):
        store.undo()


def test_a_batch_is_all_or_nothing_and_reads_what_was_before(tmp_path: Path) -> None:
    store = AgentctxStore(tmp_path)
    store.put(("x",), "k", {"n": 1})
    with pytest.raises(MemoryStoreError, match=r"value of 'bad': .* a store holds JSON"):
        store.batch([PutOp(("x",), "k", {"n": 2}), PutOp(("x",), "bad", {"n": object()})])
    read, _, _ = store.batch(
        [GetOp(("x",), "k"), PutOp(("x",), "k", {"n": 3}), PutOp(("x",), "l", {})]
    )
    assert read.value == {"n": 1}
    tip = store._store.tip("items")
    assert len(list(store._store.walk(tip or ""))) == 2
    read.value["n"] = 7
    found = store.get(("x",), "k")
    assert found is not None
    assert found.value == {"n": 3}


@pytest.mark.parametrize("size", [0, 249_000, 250_000, 2_000_000])
def test_a_value_may_be_as_long_as_it_likes_and_get_shorter(size: int, tmp_path: Path) -> None:
    store = AgentctxStore(tmp_path)
    store.put(("x",), "k", {"text": "ü" * size})
    found = AgentctxStore(tmp_path).get(("x",), "k")
    assert found is not None
    assert found.value == {"text": "ü" * size}
    store.put(("x",), "k", {"text": "short"})
    assert [item.value for item in AgentctxStore(tmp_path).search(("x",))] == [{"text": "short"}]


def test_filters_compare_what_can_be_compared(tmp_path: Path) -> None:
    store = AgentctxStore(tmp_path)
    for key, value in {"a": 1, "b": "2024-05-01", "c": None, "d": [1]}.items():
        store.put(("x",), key, {"v": value})
    assert [i.key for i in store.search(("x",), filter={"v": {"$gt": "2023"}})] == ["b"]
    assert [i.key for i in store.search(("x",), filter={"v": {"$lt": 2}})] == ["a"]
    assert [i.key for i in store.search(("x",), filter={"v": [{"$gte": 1}]})] == ["d"]
    with pytest.raises(MemoryStoreError, match=r"filter operator '\$in' is unknown: use one of"):
        store.search(("x",), filter={"v": {"$in": [1]}})


def test_what_would_expire_is_refused(tmp_path: Path) -> None:
    store = AgentctxStore(tmp_path)
    assert not store.supports_ttl
    for put in (
        lambda: store.put(("x",), "k", {}, ttl=1),
        lambda: store.batch([PutOp(("x",), "k", {}, ttl=1)]),
    ):
        with pytest.raises(NotImplementedError):
            put()
    assert store.get(("x",), "k") is None


async def test_it_answers_asynchronously(tmp_path: Path) -> None:
    store = AgentctxStore(tmp_path)
    await store.aput(("x", "y"), "k", {"n": 1})
    found = await store.aget(("x", "y"), "k")
    assert found is not None
    assert found.value == {"n": 1}
    assert await store.alist_namespaces() == [("x", "y")]
    assert [item.key for item in await store.asearch(("x",), filter={"n": 1})] == ["k"]


def test_processes_put_at_once_and_see_each_other(tmp_path: Path) -> None:
    script = """
    import sys
    from agentctx.adapters.langgraph import AgentctxStore
    store = AgentctxStore(sys.argv[1])
    for n in range(5):
        store.put(("p", sys.argv[2]), str(n), {"n": n})
        assert len(store.search(("p", sys.argv[2]))) == n + 1
    """
    store = AgentctxStore(tmp_path)
    store.search(())
    together(3, script, tmp_path)
    assert len(store.search(("p",), limit=100)) == 15
    assert store.list_namespaces() == [("p", "0"), ("p", "1"), ("p", "2")]


def test_the_core_loads_no_langgraph_and_without_it_the_adapter_says_what_to_install() -> None:
    script = """
    import json, sys
    import agentctx, agentctx.adapters, agentctx.adapters.shell
    loaded = [name for name in sys.modules if name.split(".")[0].startswith("lang")]
    sys.modules["langgraph"] = None
    try:
        import agentctx.adapters.langgraph
    except Exception as error:
        print(json.dumps([loaded, type(error).__name__, str(error)]))
    """
    message = "'langgraph' is not installed: pip install 'agentctx-middleware[langgraph]'"
    assert run(script) == [[], "MissingExtra", message]
