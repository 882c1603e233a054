"""The power goes: what was synced is there, and of all else any part, or none, or half."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from agentctx.memory.store import Store
from tests.memory.dying import room
from tests.memory.losing import Power, cut, start_again
from tests.memory.storage import Died, add, check, kept, put, story, told


@pytest.mark.parametrize("seed", range(4))
def test_after_a_power_cut_all_that_was_acknowledged_is_there(seed: int) -> None:
    assert sum(survives(at, seed) for at in range(1 + 7 * seed, 250, 28)) >= 7


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_after_a_power_cut_at_every_call_all_is_there(seed: int) -> None:
    assert sum(survives(at, seed) for at in range(1, 260)) > 200


def survives(at: int, seed: int) -> bool:
    """Cut the power at a call and look at what is left."""
    with room() as folder:
        image, power, done = folder.with_name("image"), Power(at), list[tuple[str, str]]()
        with suppress(Died):
            for one in story(folder, power):
                done.append(one)
        if not folder.exists():
            return False
        cut(folder, image, power, seed * 1_000 + at)
        kept(image, [one for one in done if one[0] != "step"])  # steps: from a sync on only
        if at % 4 == 0:
            check(image)
    return True


def test_every_object_and_ref_that_was_not_synced_may_be_gone_or_empty(tmp_path: Path) -> None:
    with Store(tmp_path / "m") as store:
        for number in range(40):
            add(store, f"text {number}", number=number)
        add(store, "elsewhere", ref="refs/heads/a/b")
    git = tmp_path / "m" / "memory.git"
    for path in git.glob("objects/??/*"):
        path.chmod(0o600)
        path.write_bytes(b"")
    for path in (git / "refs/heads/main", git / "refs/heads/a/b"):
        path.write_bytes(b"")
    with Store(tmp_path / "m") as store:
        assert told(store) == [f"text {number}" for number in range(40)]
        assert told(store, "a/b") == ["elsewhere"]
    check(tmp_path / "m")


@pytest.mark.parametrize("place", range(6))
def test_what_nobody_acknowledged_goes_when_half_of_it_is_lost(tmp_path: Path, place: int) -> None:
    with Store(tmp_path) as store:
        add(store, "kept")
        before = set(tmp_path.glob("memory.git/objects/??/*"))
        with suppress(Died), store.transaction("commit") as change:
            put(change, "never acknowledged", ref="refs/heads/other")
            raise Died
    made = sorted(set(tmp_path.glob("memory.git/objects/??/*")) - before)
    assert len(made) == 6
    made[place].unlink()
    start_again(tmp_path / "wal.jsonl")
    check(tmp_path)
    with Store(tmp_path) as store:
        assert told(store) == ["kept"]
