from __future__ import annotations

import pytest

from agentctx.terminal.look import looked_at, looks, written


@pytest.mark.parametrize(
    "command",
    [
        "cat a.py",
        "cd x && grep -rn foo . | head -5",
        "sed -n 1,20p a.py",
        "git diff HEAD~1",
        "ls 2>/dev/null",
        "find . -name x 2>&1 | wc -l",
        "agentctx expand abc123",
    ],
)
def test_what_only_looks(command: str) -> None:
    assert looks(command)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "sed -i s/a/b/ a.py",
        "sed -n 's/a/b/w out' a.py",
        "sed 1d a.py",
        "agentctx memory forget x",
        "sed --in-place s/a/b/ a.py",
        "cat > a.py",
        "cat <<'E' > a.py\nx\nE",
        "echo x >> a.py",
        "grep x y &> z",
        "find . -delete",
        "find . -exec rm {} +",
        "git checkout a.py",
        "git",
        "python fix.py",
        "cat a.py; make",
        "sqlite3 x.db 'delete from t'",
        "cat 'unclosed",
    ],
)
def test_what_may_change_something(command: str) -> None:
    assert not looks(command)


def test_files_that_have_an_output() -> None:
    assert written("pytest -v 2>&1 | tee -a out.log | tail -5") == {"out.log"}
    assert written("make > build.log 2>&1; npm t >> a.log") == {"build.log", "a.log"}
    assert written("make 2> /dev/null") == frozenset()
    assert written("cat 'x") == frozenset()


def test_what_is_looked_at() -> None:
    assert {"out.log", "-n", "E"} <= looked_at("cd x && grep -n E out.log | head")
    assert looked_at("python out.log") == frozenset()
    assert looked_at("cat 'x") == frozenset()
