import time

from hypothesis import given
from hypothesis import strategies as st

from agentctx.memory.gcc.paper import (
    COMMIT_FIELDS,
    STEP_FIELDS,
    Entry,
    read_commits,
    read_log,
    write_commits,
    write_log,
)

BITS = st.sampled_from(
    ["---", "\\---", "\n", "\n\n", " ", "x", "\\", "## Commit `a`", "### Step 1 — now", "-->", "é"]
    + [f"**{name}:** " for name in (*COMMIT_FIELDS, *STEP_FIELDS, "Timestamp")]
    + ["## Merged from `b`", '<!-- agentctx {"id": "x"} -->', "#### Thought", "**Action**:", "# "]
)
TEXT = st.lists(BITS, max_size=12).map("".join) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=40
)
NAMES = st.from_regex(r"[a-z0-9]{1,16}", fullmatch=True)
EXTRA = st.dictionaries(NAMES, st.none() | st.integers() | TEXT, max_size=3)


def entries(names, origins):
    return st.lists(
        st.builds(
            Entry,
            name=NAMES,
            at=st.just("2026-12-01T03:43:32.323528+00:00"),
            fields=st.fixed_dictionaries(dict.fromkeys(names, TEXT)),
            extra=EXTRA,
            origin=origins,
        ),
        max_size=4,
    )


@given(entries(COMMIT_FIELDS, st.just("")))
def test_what_is_written_to_commit_md_is_read_back_exactly(given):
    assert read_commits(write_commits("main", given)) == given


@given(entries(STEP_FIELDS, st.sampled_from(["", "alt", "fix/x"])))
def test_what_is_written_to_log_md_is_read_back_exactly(given):
    assert read_log(write_log("main", given), "main") == given


@given(st.text(max_size=200) | st.lists(BITS, max_size=30).map("".join))
def test_any_text_can_be_read(text):
    read_commits(text)
    read_log(text, "main")


CONTEXA = """# Commit History — branch `main`

## Commit `837badd0`
**Timestamp:** 2026-12-01T03:43:32.323528+00:00

**Branch Purpose:** Primary reasoning trajectory

**Previous Progress Summary:** Initial state — no prior commits.

**This Commit's Contribution:** First **done**
\\---
line

---
"""


def test_commits_of_contexa_are_read():
    (one,) = read_commits(CONTEXA)
    assert one.name == "837badd0"
    assert one.at == "2026-12-01T03:43:32.323528+00:00"
    assert one.fields["Branch Purpose"] == "Primary reasoning trajectory"
    assert one.fields["This Commit's Contribution"] == "First **done**\n---\nline"


def test_a_commit_file_with_windows_line_ends_is_read_alike():
    assert read_commits(CONTEXA.replace("\n", "\r\n")) == read_commits(CONTEXA)


def test_both_ways_in_which_contexa_heads_a_step_are_read():
    body = "\n**Observation:** o\n\n**Thought:** t\n\n**Action:** a\n\n---\n"
    text = f"### Step 1 — 2026-01-01T00:00:00{body}### Step 2-2026-01-01T00:00:01{body}"
    assert [(one.name, one.at) for one in read_log(text, "main")] == [
        ("1", "2026-01-01T00:00:00"),
        ("2", "2026-01-01T00:00:01"),
    ]


def test_merged_steps_say_where_they_come_from():
    step = "### Step 1 — now\n**Observation:** o\n\n**Thought:** \n\n**Action:** \n\n---\n"
    found = read_log(f"{step}\n## Merged from `alt` (now)\n\n{step}", "main")
    assert [one.origin for one in found] == ["", "alt"]


def test_text_without_entries_is_kept_as_one():
    (one,) = read_commits("# History\n\nWe fixed the parser.\n")
    assert one.fields["This Commit's Contribution"] == "We fixed the parser."
    (one,) = read_log("ran the tests", "main")
    assert one.fields["Observation"] == "ran the tests"


def test_blocks_under_headings_are_read_too():
    text = "### Commit C001\n#### Branch Purpose\nparse\n\n#### This Commit's Contribution\ndone\n"
    (one,) = read_commits(text)
    assert one.name == "C001"
    assert one.fields == {"Branch Purpose": "parse", "This Commit's Contribution": "done"}


def test_a_hostile_file_is_read_in_linear_time():
    began = time.perf_counter()
    for text in ("\n" * 300_000 + "x", "\\" * 300_000, " " * 300_000, "## Commit `" * 30_000):
        read_commits(f"## Commit `a`\n**Timestamp:** now\n\n{text}")
        read_log(f"### Step {text}\n{text}", "main")
    assert time.perf_counter() - began < 5
