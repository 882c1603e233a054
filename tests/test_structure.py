"""What can be said of the whole tree: what loads, how long files get, whether the texts are true."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared import ROOT

FRAMEWORKS = (
    *("torch", "triton", "transformers", "langchain", "langchain_core", "langgraph", "litellm"),
    *("mcp", "minisweagent", "openai", "anthropic", "PIL"),
)
HEAVY = ("sqlalchemy", "tiktoken", "re2", "zstandard", "pydantic", "typer", "rich", "asyncio")
CORE = ("session", "wrap", "terminal", "wire.anthropic", "archive", "ledger", "cli.app", "testing")
TEXTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "AGENTS.md")]
TIMED = re.compile(r"^import time: [^|]*\|[^|]*\|(.+)$", re.M)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")


def loaded(script: str, folder: Path) -> set[str]:
    """Return the modules that a new Python loads for `script`, beyond those of every start."""
    return imported(folder, "-c", script) - imported(folder, "-c", "")


def imported(folder: Path, *arguments: str) -> set[str]:
    command = [sys.executable, "-X", "importtime", *arguments]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {name.strip() for name in TIMED.findall(done.stderr)}


def roots(modules: set[str]) -> set[str]:
    return {name.split(".")[0] for name in modules}


def sources() -> list[Path]:
    tops = ("agentctx", "adapters", "evals", "examples", "benchmarks", "scripts")
    links = {ROOT / "agentctx" / name for name in ("adapters", "evals", "rules")}
    return [f for top in tops for f in (ROOT / top).rglob("*.py") if not links & {*f.parents}]


def test_importing_agentctx_loads_nothing_heavy(tmp_path: Path) -> None:
    assert not roots(loaded("import agentctx", tmp_path)) & {*FRAMEWORKS, *HEAVY}


@pytest.mark.parametrize("name", CORE)
def test_no_module_of_the_core_loads_a_framework(name: str, tmp_path: Path) -> None:
    assert not roots(loaded(f"import agentctx.{name}", tmp_path)) & {*FRAMEWORKS}


def test_exec_loads_the_standard_library_and_us(tmp_path: Path) -> None:
    found = imported(tmp_path, "-m", "agentctx", "exec", "true") - imported(tmp_path, "-c", "")
    assert roots(found) - sys.stdlib_module_names == {"agentctx"}


def test_nothing_runs_at_import(tmp_path: Path) -> None:
    walk = (
        "import importlib, pkgutil, threading, agentctx\n"
        "for found in pkgutil.walk_packages(agentctx.__path__, 'agentctx.'):\n"
        "    if not found.name.endswith(('.__main__', '.langchain', '.langchain_history')):\n"
        "        importlib.import_module(found.name)\n"
        "assert threading.active_count() == 1"
    )
    assert "agentctx.session" in loaded(walk, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_is_one_noun(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= 250


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_every_link_in_the_texts_leads_to_a_file(path: Path) -> None:
    links = LINK.findall(path.read_text(encoding="utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_the_rules_for_agents_are_short() -> None:
    assert len((ROOT / "AGENTS.md").read_text(encoding="utf-8").splitlines()) <= 40
