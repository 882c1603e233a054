"""Whether a command only looks at things, so that all is afterwards as it was."""

from __future__ import annotations

import re
from itertools import pairwise

from agentctx.terminal.command import stages

_LOOKS = frozenset(
    "cat bat head tail less more grep egrep fgrep zgrep rg ls tree wc nl file stat du df pwd cd echo"
    " diff cmp comm md5sum sha1sum sha256sum which type whoami uname date hexdump xxd od sed find"
    " git agentctx".split()
)
_SUBCOMMANDS = {
    "git": frozenset("diff show log blame status ls-files grep".split()),
    "agentctx": frozenset({"expand"}),
}
_PRINTS = re.compile(r"[\d,$+~;p ]+")
_NOWHERE = frozenset({"/dev/null", "1", "2"})
_ACTS = ("-delete", "-exec", "-ok", "-fprint", "-fls")


def looks(command: str) -> bool:
    """Tell whether every part of a command line is known to change nothing."""
    try:
        found = list(stages(command))
    except ValueError:
        return False
    return bool(found) and all(map(_looks, found))


def looked_at(command: str) -> frozenset[str]:
    """Return the words of a command that only looks, among them the files; none of any other."""
    if not looks(command):
        return frozenset()
    return frozenset(word for words in stages(command) for word in words[1:])


def written(command: str) -> frozenset[str]:
    """Return the files that a command line sends output to, with `tee` or `>`."""
    if ">" not in command and "tee" not in command:
        return frozenset()
    try:
        found = list(stages(command))
    except ValueError:
        return frozenset()
    names = {after for words in found for one, after in pairwise(words) if _writes(one, after)}
    names |= {name for words in found if words[0] == "tee" for name in words[1:]}
    return frozenset(name for name in names if not name.startswith("-"))


def _looks(words: list[str]) -> bool:
    name = words[0].rpartition("/")[2]
    if name not in _LOOKS or any(_writes(one, after) for one, after in pairwise([*words, ""])):
        return False
    if name in _SUBCOMMANDS:
        return len(words) > 1 and words[1] in _SUBCOMMANDS[name]
    if name == "sed":  # whose scripts may write and run things
        return len(words) > 2 and words[1] == "-n" and _PRINTS.fullmatch(words[2]) is not None
    return name != "find" or not any(word.startswith(_ACTS) for word in words)


def _writes(word: str, after: str) -> bool:
    """Tell whether a word sends output to a file."""
    return ">" in word and set(word) <= set("<>&") and after not in _NOWHERE
