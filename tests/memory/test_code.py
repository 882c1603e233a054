"""The code commit beside a record: what it holds, and that nothing of the user's moves."""

import subprocess
from pathlib import Path

import pytest

from agentctx.errors import MemoryStoreError
from agentctx.memory import code
from agentctx.memory.memory import Memory


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "kept.py").write_text("one\n")
    (tmp_path / "gone.py").write_text("two\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def state(folder: Path) -> tuple[str, ...]:
    index = (folder / ".git" / "index").read_bytes().hex()
    return (
        index,
        git(folder, "status", "--porcelain"),
        git(folder, "branch", "-av"),
        (folder / ".git" / "HEAD").read_text(),
    )


def test_the_commit_that_is_checked_out_is_found_from_any_folder(project: Path) -> None:
    (project / "deep").mkdir()
    assert code.head(project / "deep") == git(project, "rev-parse", "HEAD").strip()


def test_without_a_repository_or_a_commit_there_is_none(tmp_path: Path) -> None:
    assert code.head(tmp_path) == ""
    git(tmp_path, "init", "-q")
    assert code.head(tmp_path) == ""


def test_a_snapshot_holds_the_worktree_and_touches_nothing(project: Path) -> None:
    (project / "kept.py").write_text("one, mended\n")
    (project / "new file.py").write_text("three\n")
    (project / "staged.py").write_text("four\n")
    git(project, "add", "staged.py")
    (project / "gone.py").unlink()
    (project / "noise.log").write_text("x\n")
    (project / "link").symlink_to("kept.py")
    (project / "run.sh").write_text("#!/bin/sh\n")
    (project / "run.sh").chmod(0o755)
    hook = project / ".git" / "hooks" / "reference-transaction"
    hook.write_text("#!/bin/sh\ntouch hooked\n")
    hook.chmod(0o755)
    before = state(project)
    made = code.snapshot(project, "someid", "what was done")
    assert state(project) == before
    assert not (project / "hooked").exists()
    listed = git(project, "ls-tree", "-r", made).splitlines()
    found = {line.partition("\t")[2]: line.split()[0] for line in listed}
    assert found == {
        ".gitignore": "100644", "kept.py": "100644", "new file.py": "100644",
        "staged.py": "100644", "link": "120000", "run.sh": "100755",
    }  # fmt: skip
    assert git(project, "show", f"{made}:kept.py") == "one, mended\n"
    assert git(project, "rev-parse", f"{made}^") == git(project, "rev-parse", "HEAD")
    assert git(project, "rev-parse", "refs/agentctx/code/someid").strip() == made
    git(project, "fsck", "--strict")


def test_large_untracked_files_stay_out(project: Path) -> None:
    (project / "weights.bin").write_bytes(b"0" * (6 << 20))
    made = code.snapshot(project, "someid", "x")
    assert "weights.bin" not in git(project, "ls-tree", "-r", "--name-only", made)


def test_a_folder_outside_any_worktree_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(MemoryStoreError, match="no git worktree"):
        code.snapshot(tmp_path, "id", "x")


def test_a_record_names_the_commit_that_is_checked_out_or_one_made_for_it(
    project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    head = code.head(project)
    with Memory(tmp_path_factory.mktemp("data")) as memory:
        assert memory.commit("one", code="HEAD").code == head
        (project / "kept.py").write_text("mended\n")
        made = memory.commit("Mended it\nat last", code="WORKTREE").code
        assert git(project, "show", f"{made}:kept.py") == "mended\n"
        assert git(project, "log", "-1", "--format=%s", made) == "Mended it\n"
        assert memory.commit("two", code="abc123").code == "abc123"
        assert memory.commit("three").code == ""
    with Memory(tmp_path_factory.mktemp("data"), code="HEAD") as memory:
        assert memory.commit("four").code == head


def test_only_code_that_a_record_asks_for_itself_can_stop_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Memory(tmp_path / "data", code="WORKTREE") as memory:
        assert memory.commit("one").code == ""
        assert memory.commit("two", code="HEAD").code == ""
        with pytest.raises(MemoryStoreError, match="no git worktree"):
            memory.commit("three", code="WORKTREE")
