"""What is found wrong with a text that tells where the work stands."""

from __future__ import annotations

from agentctx.evals.remember.checks import beside, judge, listed, next_action
from agentctx.evals.remember.results import Cut, Told
from agentctx.evals.remember.truth import Truth

TASK = "Mend the parser.\nNever touch the lexer.\nUse tabs."
BLOCK = f"""[agentctx memory: main]
Requests already answered; do not redo them, but their constraints still hold:
```
What is this?
```
Open request, in the user's own words:
```
{TASK}
```
Done, do not redo:
- “find it”
Next action: mend rule 7
Still to do:
- mend it
- test it
[end of memory]"""


def truth() -> Truth:
    noted = Truth()
    noted.hear("What is this?")
    noted.answered()
    noted.hear(TASK)
    noted.commit(["find it", "mend it", "test it"], ["find it"], "mend rule 7")
    return noted


def told(text: str, noted: Truth | None = None, recalled: str = "", request: str = "") -> Told:
    return judge(
        text, noted or truth(), count=lambda t: len(t.split()), recall=lambda _: recalled,
        request=request,
    )  # fmt: skip


def faults(found: Told) -> tuple[str, ...]:
    return Cut(run="r", turn=1, way="kill", form="", in_flight=False, told=found).faults


def test_a_text_that_tells_all_has_no_faults() -> None:
    found = told(BLOCK)
    assert faults(found) == ()
    assert (found.said, found.kept, found.lines, found.lines_kept) == (2, 2, 2, 2)
    assert found.next_action == "mend rule 7"


def test_a_message_that_is_not_there_to_the_letter_is_missed() -> None:
    assert faults(told(BLOCK.replace("lexer.", "lexer!"))) == ("words", "constraints")
    assert faults(told(BLOCK.replace("Mend the parser.", "Mend a parser."))) == ("words",)
    assert faults(told(BLOCK.replace(TASK, "(gone)"), request=f"user: {TASK}")) == ()


def test_what_is_finished_may_not_be_told_as_open() -> None:
    assert told(BLOCK.replace("- test it", "- FIND IT\n- test it")).reopened == ("FIND IT",)
    assert told(BLOCK.replace("mend rule 7", "find it")).reopened == ("find it",)
    swapped = BLOCK.replace("What is this?", "-").replace(TASK, f"{TASK}\n```\n```\nWhat is this?")
    assert told(swapped).reopened == ("What is this?",)


def test_what_is_open_may_not_be_told_as_answered() -> None:
    noted = truth()
    noted.said[0] = noted.said[1]
    swapped = BLOCK.replace(TASK, "-").replace("What is this?", TASK)
    assert told(swapped).closed == ("Mend the parser. Never touch the lexer. Use tabs.",)
    assert told(BLOCK).closed == ()


def test_the_next_action_is_compared_to_the_letter() -> None:
    assert faults(told(BLOCK.replace("mend rule 7", "mend rule 8"))) == ("next action",)
    assert faults(told(BLOCK.replace("Next action: mend rule 7\n", ""))) == ("next action",)
    noted = truth()
    noted.doing = "make test " * 60
    shown = noted.doing[:300]
    assert told(BLOCK.replace("mend rule 7", f"{shown}…"), noted).next_right
    assert not told(BLOCK.replace("mend rule 7", f"{shown[:40]}…"), noted).next_right
    assert not told(BLOCK.replace("mend rule 7", f"{shown}x…"), noted).next_right


def test_a_title_in_what_the_user_said_is_no_title() -> None:
    text = "```\nNext action: theirs\nStill to do:\n- theirs\n```\nNext action: ours\nStill to do:\n- ours"
    assert next_action(text) == "ours"
    assert listed(text, "Still to do:") == ["ours"]


def test_the_users_own_text_is_not_counted() -> None:
    assert TASK not in beside(BLOCK, [TASK])
    assert "What is this?" in beside(BLOCK, [TASK])
    assert told(BLOCK).tokens == len(BLOCK.split()) - len(f"{TASK} What is this?".split())
    assert faults(told(BLOCK.replace("rule 7", "rule 7\n" + "word " * 600))) == ("tokens",)


def test_a_message_that_is_too_long_may_be_cut_if_its_rest_comes_back() -> None:
    noted = Truth()
    lines = [f"line {n} of many" for n in range(2_000)]
    noted.hear("\n".join(["Never push.", *lines]))
    shown = f"```\nNever push.\n[agentctx: 2000 lines hidden · memory id 7a]\n{lines[-1]}\n```"
    found = told(shown, noted, recalled="\n".join(f"> {line}" for line in ["Never push.", *lines]))
    assert (found.hidden, found.recalled, faults(found)) == (1, 1, ())
    assert found.tokens <= 10  # of 4,000
    assert faults(told(shown, noted, recalled="Never push.")) == ("recall",)
    assert faults(told(shown.replace("Never", "now"), noted))[0] == "constraints"
