import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.config import Mode, Settings, explain, load
from agentctx.errors import ConfigError
from agentctx.options import PARSERS, Rules


def write(folder: Path, text: str, name: str = "agentctx.toml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_or_variables_the_defaults_hold(tmp_path):
    found = load(tmp_path, {})
    assert found == Settings(data=tmp_path / ".agentctx")
    assert found.sources == {}
    assert not (tmp_path / ".agentctx").exists()


def test_every_setting_can_be_explained():
    names = [row.name for row in explain(Settings())]
    fields = [name for name in Settings.__slots__ if name != "sources"]
    assert sorted(names) == sorted(fields) == sorted(PARSERS)


def test_a_file_sets_everything(tmp_path):
    write(
        tmp_path,
        """
        mode = "full"
        exclude_tools = ["read_*"]
        exclude_commands = ["make", '/^kubectl (get|describe)/']
        observation_tokens = 2_000
        min_tokens = 100
        archive_cap = "2 GiB"
        lossless = true
        data = "state"
        debug = true
        [prices."my-model"]
        input = 3
        output = 15.0
        """,
    )
    found = load(tmp_path / "deep" / "er", {})
    assert found == Settings(
        mode=Mode.FULL,
        exclude_tools=("read_*",),
        exclude_commands=("make", "/^kubectl (get|describe)/"),
        observation_tokens=2000,
        min_tokens=100,
        archive_cap=2 << 30,
        lossless=True,
        data=tmp_path / "state",
        debug=True,
        prices={"my-model": {"input": 3.0, "output": 15.0}},
    )
    assert {*found.sources.values()} == {str(tmp_path / "agentctx.toml")}


def test_the_nearest_file_wins_and_is_the_only_one(tmp_path):
    write(tmp_path, 'mode = "off"\ndebug = true')
    inner = tmp_path / "a"
    write(inner, '[tool.agentctx]\nmode = "meter"', "pyproject.toml")
    assert load(inner / "b", {}).mode is Mode.METER
    assert not load(inner / "b", {}).debug
    write(inner, 'mode = "reduce"')
    assert load(inner, {}).mode is Mode.REDUCE


@pytest.mark.parametrize(
    "text", ["[tool.other]\nx = 1", "this is not [toml", "# agentctx\n[tool]\n"]
)
def test_another_projects_pyproject_is_passed_over(tmp_path, text):
    write(tmp_path, 'mode = "off"')
    write(tmp_path / "a", text, "pyproject.toml")
    assert load(tmp_path / "a", {}).mode is Mode.OFF


def test_variables_win_over_the_file(tmp_path):
    path = write(tmp_path, 'mode = "off"\nmin_tokens = 7')
    env = {
        "AGENTCTX_MODE": "full",
        "AGENTCTX_DATA": "elsewhere",
        "AGENTCTX_DEBUG": "1",
        "AGENTCTX_EXCLUDE_COMMANDS": "make, git diff*",
        "AGENTCTX_ARCHIVE_CAP": "500MB",
        "AGENTCTX_OBSERVATION_TOKENS": "",
        "AGENTCTX_POOL_URL": "another part's",
    }
    found = load(tmp_path, env)
    assert (found.mode, found.debug, found.min_tokens) == (Mode.FULL, True, 7)
    assert found.data == tmp_path / "elsewhere"
    assert found.exclude_commands == ("make", "git diff*")
    assert found.archive_cap == 500_000_000
    rows = {row.name: (row.value, row.source) for row in explain(found)}
    assert rows["mode"] == ("full", "AGENTCTX_MODE")
    assert rows["min_tokens"] == ("7", str(path))
    assert rows["observation_tokens"] == ("4000", "default")
    assert rows["exclude_commands"][0] == "make, git diff*"


def test_a_variable_names_the_file(tmp_path):
    path = write(tmp_path / "x", 'mode = "off"\ndata = "d"', "other.toml")
    found = load(tmp_path, {"AGENTCTX_CONFIG": "x/other.toml"})
    assert (found.mode, found.data) == (Mode.OFF, tmp_path / "x" / "d")
    assert found.sources["mode"] == str(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('mod = "off"', "did you mean 'mode'?"),
        ("whatever = 1", "use one of mode, "),
        ('mode = "fast"', "mode = 'fast': use one of off, meter, reduce, full"),
        ("mode = 3", "use one of"),
        ("mode = []", "use one of"),
        ("debug = 2", "use true or false"),
        ("min_tokens = -1", "whole number"),
        ("min_tokens = true", "whole number"),
        ("min_tokens = 1.5", "whole number"),
        ('min_tokens = "٣"', "whole number"),
        ('archive_cap = "2 buckets"', "such as"),
        ("archive_cap = true", "such as"),
        ("archive_cap = -1", "such as"),
        ("exclude_tools = 3", "list of strings"),
        ("exclude_tools = [3]", "list of strings"),
        ("exclude_commands = ['/(?=x)/']", "is not an RE2 pattern"),
        ("exclude_commands = ['/(/']", "is not an RE2 pattern"),
        ('data = ""', "path of a folder"),
        ('data = "a\\u0000b"', "path of a folder"),
        ("data = 1", "path of a folder"),
        ("prices = 1", "use tables"),
        ("[prices]\nm = 1", "must be a table"),
        ("[prices.m]\ninputs = 1", "has no field 'inputs'"),
        ("[prices.m]\ninput = -1", "0 or more"),
        ("[prices.m]\ninput = nan", "0 or more"),
        ('[prices.m]\ninput = "3"', "0 or more"),
        ("mode = ", "not valid TOML"),
        (f"mode = '{'x' * 500}'", "..."),
    ],
)
def test_a_bad_file_is_one_line_with_the_place_and_a_remedy(tmp_path, text, said):
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, {})
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert said in message
    assert "\n" not in message
    assert len(message) < 400


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"AGENTCTX_MODE": "x"}, "AGENTCTX_MODE = 'x': use one of"),
        ({"AGENTCTX_MOD": "off"}, "did you mean AGENTCTX_MODE?"),
        ({"AGENTCTX_DEBUG": "maybe"}, "use true or false"),
        ({"AGENTCTX_CONFIG": "missing.toml"}, "missing.toml: No such file"),
    ],
)
def test_a_bad_variable_is_named(tmp_path, env, said):
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, env)
    assert said in str(caught.value)


def test_a_file_that_is_no_text_is_an_error(tmp_path):
    write(tmp_path, "").write_bytes(b"\xff\xfe mode")
    with pytest.raises(ConfigError, match="not valid TOML"):
        load(tmp_path, {})


@given(st.dictionaries(st.sampled_from([*PARSERS]), st.text(max_size=20)))
def test_any_value_is_either_taken_or_refused_in_one_line(values):
    env = {f"AGENTCTX_{name.upper()}": value for name, value in values.items()}
    refused = ""
    try:
        load(Path("/"), env)
    except ConfigError as error:
        refused = str(error)
    assert "\n" not in refused


@pytest.mark.parametrize(
    ("tool", "command", "excluded"),
    [
        ("read_file", "", True),
        ("bash", "make", True),
        ("bash", "make -j4 test", True),
        ("bash", "  make test ", True),
        ("bash", "makefile-lint", False),
        ("bash", "cd x && make", False),
        ("bash", "kubectl get pods", True),
        ("bash", "kubectl delete pod", False),
        ("bash", "git diff HEAD", True),
        ("", "", False),
    ],
)
def test_exclusions_cover_tools_and_commands(tool, command, excluded):
    settings = Settings(
        exclude_tools=("read_*",), exclude_commands=("make", "/^kubectl (get|top)/", "git diff*")
    )
    assert settings.excludes(tool=tool, command=command) is excluded


def test_the_data_folder_is_the_nearest_above(tmp_path):
    (tmp_path / ".agentctx").mkdir()
    (tmp_path / "a").mkdir()
    assert load(tmp_path / "a", {}).data == tmp_path / ".agentctx"


def test_the_data_folder_is_made_private_and_invisible_to_git(tmp_path):
    settings = Settings(data=tmp_path / "x" / ".agentctx")
    for _ in range(2):
        folder = settings.open_data()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / ".gitignore").read_text() == "*\n"


def test_a_data_folder_that_cannot_be_made_is_an_error_with_a_remedy(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="set AGENTCTX_DATA to another"):
        Settings(data=tmp_path / "file" / "x").open_data()


def test_loading_settings_needs_the_standard_library_alone(tmp_path):
    write(tmp_path, 'mode = "full"\nmin_tokens = 3\n[prices.m]\ninput = 1')
    code = "import sys; from agentctx.config import load; load(); print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert not {"pydantic", "re2", "sqlalchemy", "typer", "tiktoken"} & {*run.stdout.split()}


def test_a_working_folder_that_is_gone_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gone").mkdir()
    os.chdir("gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(ConfigError, match="the working folder is gone"):
        load()


@pytest.mark.parametrize("text", ["tool = 3", "tool = ['agentctx']"])
def test_a_project_file_without_tables_of_tools_sets_nothing(tmp_path, text):
    write(tmp_path, f"{text}  # agentctx", "pyproject.toml")
    assert load(tmp_path, {}).sources == {}


@pytest.mark.parametrize("text", ["[tool]\nagentctx = 5", "[[tool.agentctx]]"])
def test_settings_of_a_project_file_that_are_no_table_are_refused(tmp_path, text):
    write(tmp_path, text, "pyproject.toml")
    with pytest.raises(ConfigError, match=r"write \[tool.agentctx\]"):
        load(tmp_path, {})


@pytest.mark.parametrize(
    ("name", "value"),
    [("DATA", "~no-such-user/x"), ("ARCHIVE_CAP", "9" * 400), ("MIN_TOKENS", "9" * 5000)],
)
def test_a_value_beyond_all_bounds_is_refused(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=rf"^AGENTCTX_{name} = .*[Uu]se"):
        load(tmp_path, {f"AGENTCTX_{name}": value})


def test_a_password_is_not_shown() -> None:
    found = load(Path.cwd(), {"AGENTCTX_POOL_URL": "postgresql://me:sec/r@et@host/pool"})
    [shown] = [row.value for row in explain(found) if row.name == "pool_url"]
    assert shown == "postgresql://***@host/pool"
    assert found.pool_url == "postgresql://me:sec/r@et@host/pool"


def test_a_pool_is_a_file_beside_the_settings_or_a_database(tmp_path) -> None:
    (tmp_path / "agentctx.toml").write_text('pool_url = "shared/pool.db"\nrules = "evolve"\n')
    (tmp_path / "deeper").mkdir()
    found = load(tmp_path / "deeper", {})
    assert found.pool_url == tmp_path / "shared" / "pool.db"
    assert found.rules is Rules.EVOLVE
    assert load(tmp_path, {"AGENTCTX_RULES": "true"}).rules is Rules.ON
    assert load(tmp_path, {"AGENTCTX_RULES": "0"}).rules is Rules.OFF
