from __future__ import annotations

from pathlib import Path

import pytest

from agentctx import db
from agentctx.errors import LedgerError
from agentctx.ledger import Decision, Ledger
from agentctx.values import Span


@pytest.mark.parametrize(
    "damage",
    [
        "spans = '[['",
        "spans = '[]'",
        'spans = \'[[1], [2, 3], [""], [""]]\'',
        'spans = \'[["1"], [2], [""], [""]]\'',
        'spans = \'[[true], [2], [""], [""]]\'',
        "rules = '{}'",
        "rules = '[1]'",
        "refs = 'null'",
        "tokens_before = 'many'",
        "text = 7",
        "text = x'ff'",
        "call_id = x'ff'",
    ],
)
def test_a_row_that_nobody_wrote_so_is_refused_in_one_line(tmp_path: Path, damage: str) -> None:
    engine = db.engine(tmp_path / "state.db")
    ledger = Ledger(engine)
    ledger.decide(
        Decision(session="s", call_id="c", content_id="a", emitted_id="b", spans=(Span(1, 2),))
    )
    with db.writing(engine) as connection:
        connection.exec_driver_sql(f"UPDATE decisions SET {damage}")
    with pytest.raises(
        LedgerError, match=r"damaged: .*: move the ledger away|a value cannot"
    ) as told:
        ledger.decisions("s")
    assert "\n" not in str(told.value)
