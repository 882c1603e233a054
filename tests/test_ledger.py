from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx import db
from agentctx.errors import LedgerError
from agentctx.events import EXPAND, Event, Log
from agentctx.ledger import Call, Decision, Key, Ledger
from agentctx.values import Span, Usage, content_id
from tests.processes import together

TEXT = st.text(st.characters(), max_size=30)  # lone surrogates and NUL included
COUNT = st.integers(0, 10**9)
SPANS = st.builds(Span, COUNT, COUNT, TEXT, TEXT)
_NUMBERS = count()
DECISIONS = st.builds(
    Decision,
    session=st.sampled_from(["one", "two"]),
    call_id=TEXT,
    content_id=TEXT.map(content_id),
    emitted_id=TEXT.map(content_id),
    text=st.none() | TEXT,
    handle=st.sampled_from(["", "a1b2c3"]),
    spans=st.lists(SPANS, max_size=5).map(tuple),
    rules=st.lists(TEXT, max_size=3).map(tuple),
    refs=st.lists(TEXT, max_size=3).map(tuple),
    tokens_before=COUNT,
    tokens_after=COUNT,
)


def decision(number: int, session: str = "s", text: str | None = "short") -> Decision:
    return Decision(
        session=session,
        call_id=f"call_{number}",
        content_id=content_id(f"original {number}"),
        emitted_id=content_id(f"emitted {number}"),
        text=text,
        tokens_before=1000,
        tokens_after=100 if text else 1000,
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


@pytest.fixture(scope="module")
def shared_ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    opened = Ledger(tmp_path_factory.mktemp("ledger") / "state.db", durable=False)
    yield opened
    opened.close()


@pytest.fixture
def ledger(file: Path) -> Iterator[Ledger]:
    opened = Ledger(file, durable=False)
    yield opened
    opened.close()


def corrupt(file: Path, statement: str) -> None:
    with db.writing(db.engine(file)) as connection:
        connection.exec_driver_sql(statement)


@given(made=st.lists(DECISIONS, max_size=6))
def test_the_first_decision_of_a_key_stands_exactly_as_it_was_made(
    shared_ledger: Ledger, made: list[Decision]
) -> None:
    prefix = f"{next(_NUMBERS)} "
    made = [replace(new, session=prefix + new.session) for new in made]
    first: dict[tuple[str, Key], Decision] = {}
    for new in made:
        first.setdefault((new.session, new.key), new)
    assert shared_ledger.decide_all(made) == tuple(first[new.session, new.key] for new in made)
    for new in made:
        assert shared_ledger.decide(new) == first[new.session, new.key]
    for session in (prefix + "one", prefix + "two"):
        standing = [new for (name, _), new in first.items() if name == session]
        assert shared_ledger.decisions(session) == tuple(standing)
        found = shared_ledger.find(session, [*(new.key for new in made), ("no", "such")])
        assert found == {new.key: new for new in standing}


def test_decisions_outlive_the_ledger_that_made_them(ledger: Ledger, file: Path) -> None:
    made = ledger.decide(decision(1))
    ledger.close()
    assert Ledger(file).find("s", [made.key]) == {made.key: made}
    assert ledger.find("s", [made.key]) == {made.key: made}


def test_thousands_of_keys_are_found_at_once(ledger: Ledger) -> None:
    made = [decision(number) for number in range(2500)]
    ledger.decide_all(made)
    assert ledger.find("s", [new.key for new in made]) == {new.key: new for new in made}
    assert ledger.emitted(new.emitted_id for new in made) == {new.emitted_id for new in made}


def test_nothing_asked_is_nothing_found(ledger: Ledger) -> None:
    assert ledger.find("s", []) == {}
    assert ledger.decide_all([]) == ()
    assert ledger.emitted([]) == set()
    assert ledger.decisions("s") == ()


def test_emitted_ids_are_known_across_sessions_and_others_are_not(ledger: Ledger) -> None:
    made = ledger.decide(decision(1, session="another"))
    assert ledger.emitted([made.emitted_id, made.content_id]) == {made.emitted_id}


def test_processes_that_decide_the_same_all_get_the_same_winner(file: Path) -> None:
    script = """
        import json, sys
        from agentctx.ledger import Decision, Ledger
        from agentctx.values import Usage, content_id
        ledger, me = Ledger(sys.argv[1], durable=False), sys.argv[2]
        made = [
            Decision(session="s", call_id=str(n), content_id=content_id(str(n)),
                     emitted_id=content_id(me), text=f"process {me}")
            for n in range(30)
        ]
        winners = [ledger.decide(new).text for new in made[:15]]
        winners += [won.text for won in ledger.decide_all(made[15:])]
        handles = [ledger.claim("abcdef" + "%058x" % (n % 5)) for n in range(10)]
        print(json.dumps([winners, handles]))
    """
    told = together(8, script, file)
    assert all(each == told[0] for each in told)
    assert len(told[0][0]) == 30
    ledger = Ledger(file)
    assert [standing.text for standing in ledger.decisions("s")] == told[0][0]
    assert len(set(told[0][1])) == 5
    for handle in told[0][1]:
        assert (ledger.claimed(handle) or "").startswith(handle)


@pytest.mark.parametrize("times", [10, pytest.param(100, marks=pytest.mark.long)])
def test_usage_and_events_of_many_processes_are_all_there(file: Path, times: int) -> None:
    script = """
        import sys
        from agentctx.events import Event
        from agentctx.ledger import Ledger
        from agentctx.values import Usage
        ledger = Ledger(sys.argv[1], durable=False)
        for _ in range(int(sys.argv[2])):
            ledger.record(Usage(input=1, output=2), session=sys.argv[3], model="m")
            ledger.note(Event("expand", sys.argv[3]))
    """
    together(8, script, file, times)
    stats = Ledger(file).stats()
    assert (stats.calls, stats.expanded) == (8 * times, 8 * times)
    assert stats.usage == Usage(input=8 * times, output=16 * times)


def test_a_handle_is_the_shortest_start_of_an_id_that_was_free(ledger: Ledger) -> None:
    ids = [f"abcdef{end}".ljust(64, "0") for end in ("1", "12", "123", "2")]
    claimed = [ledger.claim(name) for name in ids]
    assert claimed == ["abcdef", "abcdef1", "abcdef12", "abcdef2"]
    assert [ledger.claim(name) for name in reversed(ids)] == claimed[::-1]
    assert [ledger.claimed(handle) for handle in claimed] == ids
    assert ledger.claimed("abcde") is None


@pytest.mark.parametrize("name", ["", "abcde"])
def test_a_handle_for_what_is_no_id_is_refused(ledger: Ledger, name: str) -> None:
    with pytest.raises(LedgerError, match="is no content id: give 64 hex digits"):
        ledger.claim(name)


def test_stats_are_sums_over_a_session_or_all(ledger: Ledger) -> None:
    ledger.decide_all([decision(1), decision(2, text=None), decision(3, session="t")])
    ledger.record(Usage(input=5, cache_read=7), session="s", model="a")
    ledger.record(Usage(input=1, cache_write=2), session="s", model="b")
    ledger.record(Usage(output=4, cache_write_1h=3), session="t", model="b")
    log = Log(ledger.note)
    for kind, session in [(EXPAND, "s"), ("reduce", "s"), (EXPAND, "t")]:
        log(Event(kind, session))
    everything, one, none = ledger.stats(), ledger.stats("s"), ledger.stats("unknown")
    assert (one.sessions, one.observations, one.reduced) == (1, 2, 1)
    assert (one.tokens_before, one.tokens_after) == (2000, 1100)
    assert (one.calls, one.expanded) == (2, 1)
    assert one.models == {
        "a": Usage(input=5, cache_read=7),
        "b": Usage(input=1, cache_write=2),
    }
    assert (everything.sessions, everything.observations, everything.calls) == (2, 3, 3)
    assert everything.usage == Usage(
        input=6, cache_read=7, cache_write=2, cache_write_1h=3, output=4
    )
    assert (none.observations, none.tokens_before, none.usage, none.expanded) == (0, 0, Usage(), 0)


def test_calls_and_events_come_back_in_order(ledger: Ledger) -> None:
    for turn in (0, 1):
        ledger.record(Usage(input=turn), session="s", model="m")
        ledger.note(Event("reduce", "s", {"turn": turn, "path": Path("x")}))
    assert ledger.calls("s") == tuple(
        Call(session="s", turn=turn, model="m", usage=Usage(input=turn)) for turn in (0, 1)
    )
    assert [event.detail for event in ledger.events("s")] == [
        {"turn": 0, "path": "x"},
        {"turn": 1, "path": "x"},
    ]


def test_a_damaged_event_shows_what_is_left_of_it(ledger: Ledger, file: Path) -> None:
    ledger.note(Event("reduce", "s"))
    corrupt(file, "UPDATE events SET detail = '{'")
    assert ledger.events("s") == (Event("reduce", "s", {"damaged": "{"}),)


def test_values_that_no_database_holds_are_refused_in_one_line(ledger: Ledger) -> None:
    cycle: dict[str, object] = {}
    cycle["self"] = cycle
    with pytest.raises(LedgerError, match="give it JSON values"):
        ledger.note(Event("reduce", "s", cycle))
    with pytest.raises(LedgerError, match="a value cannot pass"):
        ledger.record(Usage(input=1 << 70), session="s", model="m")
    with pytest.raises(LedgerError, match="a value cannot pass"):
        ledger.record(Usage(), session="\ud800", model="m")
    assert ledger.stats().calls == 0


def test_a_ledger_of_a_newer_agentctx_is_refused_with_a_remedy(ledger: Ledger, file: Path) -> None:
    corrupt(file, "INSERT INTO migrations VALUES ('ledger', 99, 0)")
    with pytest.raises(LedgerError, match=r"has version 99 of 'ledger'.*: upgrade agentctx"):
        Ledger(file)


def test_a_handle_is_the_start_of_no_other_original(tmp_path):
    ledger = Ledger(tmp_path / "state.db")
    mine, other = "abcdef1" + "0" * 57, "abcdef2" + "0" * 57
    assert ledger.claim(mine, [other]) == "abcdef1"
    assert ledger.claim(mine) == "abcdef1"
