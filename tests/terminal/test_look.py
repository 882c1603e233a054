from __future__ import annotations

import pytest

from agentctx.terminal.look import looks


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
