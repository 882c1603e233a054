from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from agentctx import db, schema


def described(engine: sa.Engine) -> dict[str, object]:
    inspector = sa.inspect(engine)
    return {
        name: (
            [(c["name"], str(c["type"]), c["nullable"]) for c in inspector.get_columns(name)],
            inspector.get_pk_constraint(name)["constrained_columns"],
            {i["name"]: (i["column_names"], i["unique"]) for i in inspector.get_indexes(name)},
            [unique["column_names"] for unique in inspector.get_unique_constraints(name)],
        )
        for name in inspector.get_table_names()
        if name != "migrations"
    }


def test_the_migrations_lead_to_the_tables_that_the_code_uses(tmp_path: Path) -> None:
    migrated, wanted = db.engine(tmp_path / "state.db"), db.engine(tmp_path / "wanted.db")
    db.migrate(migrated, schema.MIGRATIONS, "ledger")
    schema.metadata.create_all(wanted)
    assert described(migrated) == described(wanted)
    assert set(described(wanted)) == {"decisions", "handles", "usage", "events"}
