import subprocess
import sys

import pytest

from agentctx.errors import RedactionError
from agentctx.secrets import default
from agentctx.secrets.key import FILE, load

TOKEN = "gh" + "p_" + "a1B2c3D4e5" * 3 + "f6G7h8"


def test_the_key_is_made_once_and_kept_private(tmp_path):
    key = load(tmp_path)
    assert len(key) == 32
    assert load(tmp_path) == key
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_processes_that_start_at_once_agree(tmp_path):
    code = f"from pathlib import Path; from agentctx.secrets.key import load; print(load(Path({str(tmp_path)!r})).hex())"
    runs = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(6)
    ]
    assert len({run.communicate()[0] for run in runs}) == 1
    assert all(run.returncode == 0 for run in runs)


def test_another_process_that_was_first_wins(tmp_path, monkeypatch):
    from agentctx.secrets import key

    (tmp_path / FILE).write_bytes(b"w" * 32)
    key._make(tmp_path / FILE)
    assert load(tmp_path) == b"w" * 32


@pytest.mark.parametrize("damaged", [b"", b"short", b"x" * 33])
def test_a_damaged_key_is_an_error_with_a_remedy(tmp_path, damaged):
    (tmp_path / FILE).write_bytes(damaged)
    with pytest.raises(RedactionError, match="delete it"):
        load(tmp_path)


def test_a_folder_that_cannot_be_used_is_an_error_with_a_remedy(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RedactionError, match="writable"):
        load(tmp_path / "file")


def test_two_redactors_of_one_folder_write_the_same_placeholder(tmp_path):
    one, two = default(tmp_path, {}), default(tmp_path, {"X_TOKEN": TOKEN})
    assert one.redact(TOKEN) == two.redact(TOKEN) != TOKEN


def test_the_environment_of_the_process_is_the_default(tmp_path, monkeypatch):
    monkeypatch.setenv("AGENTCTX_TEST_SECRET", "zz91-kk27-pp")
    assert "zz91" not in default(tmp_path).redact("it is zz91-kk27-pp, see")
