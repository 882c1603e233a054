import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.errors import UnknownMemory
from agentctx.memory.look.blame import blame, flat
from agentctx.memory.memory import Memory


@pytest.fixture
def memory(tmp_path):
    with Memory(tmp_path / "data") as memory:
        yield memory


@pytest.fixture
def lived(memory):
    memory.commit("Began", milestones=["Parser is fast"], purpose="Make it quick")
    memory.log(observation="branch misses dominate the profile", action="perf stat")
    memory.log(observation="nothing of interest", action="ls")
    memory.commit(
        "Looked closer",
        sections={"Notes": "branch misses dominate"},
        metadata={"env_config": {"python": "3.11", "tools": {"lint": "ruff"}}},
    )
    memory.log(observation="12 passed", action="pytest -q", exit_code=0)
    memory.commit(
        "Rewrote it",
        done=[{"text": "Parser is fast", "command": "pytest -q", "exit_code": 0}],
        metadata={"env_config": {"python": "3.12"}},
    )
    return memory


def titles(origins):
    return [(one.place, one.line, one.record.title) for one in origins]


def test_a_line_of_the_roadmap_comes_from_the_record_that_wrote_it(lived):
    (one,) = [o for o in blame(lived.snapshot(), "branch misses") if o.place == "main.md"]
    assert one.record.title == "Looked closer"
    assert [step.action for step in one.steps] == ["perf stat"]


def test_a_ticked_box_comes_from_the_record_that_ticked_it_with_its_evidence(lived):
    first = blame(lived.snapshot(), "parser is fast")[0]
    assert (first.line, first.record.title) == ("- [x] Parser is fast", "Rewrote it")
    assert first.evidence[0].command == "pytest -q"


def test_a_metadata_value_comes_from_the_record_that_set_it_last(lived):
    found = titles(blame(lived.snapshot(), "python: 3.12"))
    assert found == [("metadata/env_config", "python: 3.12", "Rewrote it")]
    found = titles(blame(lived.snapshot(), "ruff"))
    assert found == [("metadata/env_config", "tools.lint: ruff", "Looked closer")]


def test_the_purpose_comes_from_the_first_record(lived):
    assert titles(blame(lived.snapshot(), "make it QUICK")) == [
        ("main.md", "Make it quick", "Began")
    ]


def test_a_record_is_found_by_its_id_hash_or_words(lived):
    record = lived.snapshot().record(lived.snapshot().records(k=2)[1].id)
    by_id = blame(lived.snapshot(), record.id[:12])
    assert titles(by_id) == [("record", "Looked closer", "Looked closer")]
    assert lived.store.node(by_id[0].hash).title == "Looked closer"
    assert titles(blame(lived.snapshot(), by_id[0].hash[:10])) == titles(by_id)
    assert titles(blame(lived.snapshot(), "looked  closer")) == titles(by_id)


def test_what_a_merged_branch_brought_is_blamed_on_its_own_record(memory):
    memory.commit("Began")
    memory.branch("table", "Try a table")
    memory.log(observation="lookup tables win by 2x", action="bench")
    memory.commit("Table built", todo=["keep the lookup table"])
    memory.switch("main")
    memory.commit("Meanwhile", todo=["other"])
    memory.merge("table")
    (one,) = [o for o in blame(memory.snapshot(), "keep the lookup") if o.place == "main.md"]
    assert (one.record.title, one.record.branch) == ("Table built", "table")
    assert [step.action for step in one.steps] == ["bench"]


def test_sources_are_named_where_no_step_speaks_of_the_line(memory):
    step = memory.log(observation="xyz", action="abc")
    memory.log(observation="other", action="thing")
    memory.commit("Conclusion without any words in common", sources=[step.id])
    (one,) = blame(memory.snapshot(), "conclusion")
    assert [found.id for found in one.steps] == [step.id]


@pytest.mark.parametrize("query", ["nowhere to be found", "", "   "])
def test_what_is_nowhere_is_said_in_one_line(lived, query):
    with pytest.raises(UnknownMemory, match="nothing on 'main' holds"):
        blame(lived.snapshot(), query)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=3), below, max_size=3)
    ),
    max_leaves=10,
)


@given(VALUES)
def test_every_value_has_one_line(value):
    def leaves(one):
        if isinstance(one, dict):
            return sum(map(leaves, one.values()))
        return sum(map(leaves, one)) if isinstance(one, list) else 1

    assert len(list(flat(value))) == leaves(value)
