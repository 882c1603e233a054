"""Values that are let go when they were not asked for in a long time."""

from agentctx.recent import Recent


def test_a_value_is_made_once_and_the_longest_unused_one_goes() -> None:
    made: list[str] = []
    recent: Recent[str] = Recent(2)

    def get(name: str) -> str:
        return recent.get(name, lambda: made.append(name) or name.upper())

    assert [get(name) for name in ("a", "b", "a", "c", "a", "b")] == ["A", "B", "A", "C", "A", "B"]
    assert made == ["a", "b", "c", "b"]
