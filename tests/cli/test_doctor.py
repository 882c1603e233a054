import json
import os

import pytest

from agentctx.cli import main


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith("AGENTCTX_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def examine(capfd):
    def examine():
        status = main(["doctor", "--json"])
        found = json.loads(capfd.readouterr().out)
        assert status == (0 if found["ok"] else 1)
        return {check["name"]: check for check in found["checks"]}

    return examine


def _used(here):
    from agentctx import Observation, Session

    session = Session("s", data=here / ".agentctx", expand_hint="agentctx expand {handle}")
    lines = "\n".join(f"compiling module {i}" for i in range(5000))
    session.observe(Observation(output=lines, command="make"))


def test_a_fresh_place_is_well_and_stays_untouched(here, examine):
    found = examine()
    assert all(check["ok"] for check in found.values())
    assert list(here.iterdir()) == []


def test_a_used_place_is_well(here, examine):
    _used(here)
    found = examine()
    assert all(check["ok"] for check in found.values())
    assert "1 originals" in found["archive"]["found"]
    assert "1 observations" in found["ledger"]["found"]


def test_every_check_that_fails_names_a_remedy_or_says_it(here, examine):
    _used(here)
    (here / ".agentctx").chmod(0o755)
    for path in (here / ".agentctx" / "archive").rglob("*"):
        if path.is_file() and path.stat().st_size > 1000:
            path.chmod(0o600)
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 0xFF
            path.write_bytes(data)
    found = examine()
    assert not found["data folder"]["ok"]
    assert "chmod 700" in found["data folder"]["remedy"]
    assert not found["archive"]["ok"]
    assert found["archive"]["remedy"]


def test_a_broken_ledger_is_found(here, examine):
    _used(here)
    for path in (here / ".agentctx").glob("state.db*"):
        path.write_bytes(b"this is no database" * 1000)
    assert not examine()["ledger"]["ok"]


def test_a_broken_key_is_found(here, examine):
    _used(here)
    (here / ".agentctx" / "redaction.key").write_bytes(b"short")
    assert not examine()["redaction"]["ok"]


def test_broken_settings_are_found_and_the_rest_is_checked(here, examine):
    (here / "agentctx.toml").write_text("nonsense = 1")
    found = examine()
    assert not found["settings"]["ok"]
    assert found["tokenizer"]["ok"]


def test_a_model_without_price_is_named(here, examine):
    from agentctx import Session, Usage

    Session("s", data=here / ".agentctx").record(Usage(input=10), model="no-such-model")
    found = examine()["prices"]
    assert found["ok"]
    assert "no-such-model" in found["found"]
    assert "agentctx.toml" in found["remedy"]


def test_the_table_is_for_people(capfd):
    assert main(["doctor"]) == 0
    assert "python" in capfd.readouterr().out


def test_a_missing_extra_comes_with_the_command_that_installs_it():
    from agentctx.cli.extras import installed

    for check in installed():
        assert ("missing" in check.found) == bool(check.remedy)
        if check.remedy:
            assert "pip install 'agentctx-middleware[" in check.remedy
