"""What is shipped: listed, complete, nothing more; and that it runs where the tree is not."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

import pytest

from tests.shared import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]
EXTRAS = PROJECT["project"]["optional-dependencies"]
LINKS = ("adapters", "evals", "rules")
TOPS = ("agentctx", *LINKS)
OURS = {"agentctx", "benchmarks", "tests", "wheel", "__future__"}  # wheel: scripts/wheel.py
PEERS = {"contexa", "headroom", "leancontext", "tokenjuice"}  # measured beside us where installed
COMES_WITH = {"langchain-core": "langchain"}  # another name of what is asked for


def folder(package: str) -> str:
    """Return where a package lies in the tree."""
    return SETUPTOOLS["package-dir"].get(package) or _below(package)


def _below(package: str) -> str:
    parent, _, name = package.rpartition(".")
    return f"{folder(parent)}/{name}"


def files(*suffixes: str, tops: Iterable[str] = TOPS) -> Iterator[Path]:
    """Yield the files of the packages, each by its real path, relative to the tree."""
    links = {ROOT / "agentctx" / name for name in LINKS}
    for found in (f for top in tops for f in (ROOT / top).rglob("*")):
        wanted = not suffixes or found.suffix in suffixes
        hidden = "__pycache__" in found.parts or links & {*found.parents}
        if found.is_file() and wanted and not hidden:
            yield found.relative_to(ROOT)


def shipped() -> set[str]:
    """Return the files that a wheel has to hold, as the paths they have in it."""
    names = set()
    for package in SETUPTOOLS["packages"]:
        base = ROOT / folder(package)
        globs = ["*.py", *SETUPTOOLS["package-data"].get(package, ())]
        found = {path for pattern in globs for path in base.glob(pattern) if path.is_file()}
        names |= {f"{package.replace('.', '/')}/{f.relative_to(base).as_posix()}" for f in found}
    return names


def distribution(requirement: str) -> str:
    return re.split(r"[\s<>=!\[;]", requirement)[0].lower().replace("_", "-")


def wanted(*tops: str) -> set[str]:
    """Return the distributions that the files in these folders import."""
    known = metadata.packages_distributions()
    names = set()
    for path in files(".py", tops=tops):
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                modules = [node.module or ""]
            names |= {module.split(".")[0] for module in modules}
    names -= OURS | PEERS | sys.stdlib_module_names | {"_typeshed"}
    found = {_of(known[name], name) for name in names if not name.startswith("tiktoken_ext")}
    return {COMES_WITH.get(name, name) for name in found}


def _of(distributions: list[str], module: str) -> str:
    """Return which of those that share a namespace is meant."""
    names = [distribution(name) for name in distributions]
    return module if module in names else names[0]


def brought(extra: str) -> set[str]:
    """Return the distributions of an extra, those of the extras that it names included."""
    found = set()
    for line in EXTRAS[extra]:
        if line.startswith("agentctx-middleware["):
            names = line.partition("[")[2].rstrip("]").split(",")
            found |= set().union(*(brought(name) for name in names))
        else:
            found.add(distribution(line))
    return found


CORE = {distribution(line) for line in PROJECT["project"]["dependencies"]}


def test_every_package_is_listed() -> None:
    listed = {folder(package) for package in SETUPTOOLS["packages"]}
    on_disk = {str(path.parent.as_posix()) for path in files(".py")}
    assert on_disk | {"rules"} == listed


def test_every_file_of_a_package_is_listed() -> None:
    real = {f"agentctx/{name}/": f"{name}/" for name in LINKS}
    listed = set()
    for name in shipped():
        prefix = next((inside for inside in real if name.startswith(inside)), "")
        listed.add(real.get(prefix, "") + name.removeprefix(prefix))
    assert {path.as_posix() for path in files()} == listed


@pytest.mark.parametrize("name", LINKS)
def test_the_package_links_to_its_folders(name: str) -> None:
    link = ROOT / "agentctx" / name
    assert link.readlink() == Path("..", name)
    assert link.is_dir()


def test_the_core_depends_on_what_it_imports_and_no_more() -> None:
    assert wanted("agentctx", "evals") == CORE


def test_the_extras_are_those_of_the_design() -> None:
    names = (
        "langchain langgraph litellm openai anthropic postgres mcp proxy lens local evals dev all"
    )
    assert set(EXTRAS) == set(names.split())


def test_all_brings_every_extra_but_dev() -> None:
    every = set().union(*(brought(name) for name in EXTRAS if name not in {"all", "dev"}))
    assert brought("all") == every


def test_adapters_import_what_some_extra_brings() -> None:
    assert wanted("adapters") <= CORE | brought("all")


def test_dev_brings_all_that_tests_benchmarks_and_examples_import() -> None:
    assert wanted("tests", "benchmarks", "examples", "scripts") <= CORE | brought("dev")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the sdist of a copy of the tree."""
    copy, out = tmp_path_factory.mktemp("tree") / "copy", tmp_path_factory.mktemp("dist")
    left = shutil.ignore_patterns(".*", "*.egg-info", "build", "dist", "__pycache__")
    shutil.copytree(ROOT, copy, symlinks=True, ignore=left)
    _run(sys.executable, "-m", "build", "--outdir", out, copy, cwd=out)
    return next(out.glob("*.whl"))


@pytest.mark.long
def test_the_wheel_holds_what_is_listed_and_nothing_else(wheel: Path) -> None:
    names = {n for n in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in n}
    assert names == shipped()


@pytest.mark.long
def test_the_wheel_runs_where_the_tree_is_not(wheel: Path, tmp_path: Path) -> None:
    bin_ = _installed(wheel, tmp_path / "venv")
    for arguments in ("--help", "eval --help", "doctor", "demo --html report.html"):
        assert _run(bin_ / "agentctx", *arguments.split(), cwd=tmp_path), arguments
    assert (tmp_path / "report.html").stat().st_size > 10_000
    script = (
        "import agentctx.adapters.mini_swe_agent, agentctx.evals.replay, agentctx.evals.page\n"
        "import agentctx.testing, agentctx.wrap, importlib.resources as resources\n"
        "assert resources.files('agentctx.rules').is_dir()\n"
        "print(agentctx.__file__)"
    )
    where = Path(_run(bin_ / "python", "-c", script, cwd=tmp_path).strip())
    assert where.is_relative_to(tmp_path)


def _installed(wheel: Path, home: Path) -> Path:
    """Return the scripts of a new environment with the wheel in it, and what it depends on."""
    venv.create(home, with_pip=True)
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    _run(scripts / "python", "-m", "pip", "install", "--quiet", wheel, cwd=home)
    return scripts


def _run(*argv: object, cwd: Path) -> str:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("AGENTCTX_", "PYTHON"))}
    done = subprocess.run(
        [*map(str, argv)], cwd=cwd, env=env, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout
