"""A run lived through real sessions with memory, over everything that cuts it."""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from agentctx import wire as formats
from agentctx.config import Settings
from agentctx.evals.host import Host, same
from agentctx.evals.ours import HINT, KEY
from agentctx.evals.remember.agent import ASIDES, COMMITS, ENDS, Agent, action
from agentctx.evals.remember.checks import judge
from agentctx.evals.remember.results import Told
from agentctx.evals.remember.truth import Truth
from agentctx.evals.trajectory import Seen, Trajectory, Turn
from agentctx.secrets.redactor import DefaultRedactor
from agentctx.session import Session
from agentctx.tokens import Counter
from agentctx.values import Kind, Observation, Payload, ToolCall

_BLOCK = "[agentctx memory: "
_CURSOR = "cursor="


class Life:
    """One run: its host, the session of the moment, and what was really said and recorded."""

    def __init__(self, trajectory: Trajectory, folder: Path, random: Random) -> None:
        """Begin a run in an empty folder."""
        self.trajectory, self.folder, self.random = trajectory, folder, random
        self.agent = Agent(trajectory, random)
        self.truth = Truth()
        self.host = Host(trajectory)
        self.opening = list(trajectory.opening)  # of the conversation of the moment
        self.redactor = DefaultRedactor(KEY, {})
        self.session = self.open(trajectory.id)
        self.seconds = array("d")
        self.requests = self.due = self.commits = 0
        self.moved: list[int] = []
        self._last: Payload | None = None
        self._count = Counter().count
        for message in trajectory.opening:
            if message["role"] == "user":
                self.truth.hear(message["content"])

    def open(self, name: str) -> Session:
        """Return a session of that name on the run's folder, as a new process would open it."""
        return Session(
            name,
            data=self.folder,
            settings=Settings(),
            redactor=self.redactor,
            expand_hint=None if self.trajectory.native else HINT,
            memory="on",
        )

    def send(self) -> Payload:
        """Return what the model would get now; it has to begin with what it got last."""
        begin = time.perf_counter()
        sent = self.rewritten()
        self.seconds.append(time.perf_counter() - begin)
        self.requests += 1
        if self._last is not None:
            self.due += 1
            if not extends(self._last, sent):
                self.moved.append(self.requests)
        self._last = sent
        return sent

    def rewritten(self) -> Payload:
        """Return the host's next request as the session makes it."""
        request = self.host.request()
        offered = self.session.offer(request.payload, wire=request.wire)
        return self.session.rewrite(offered, wire=request.wire)

    def epoch(self) -> None:
        """Note that the next request need not begin with the last one."""
        self._last = None

    @property
    def system(self) -> list[Payload]:
        """The messages that stand before every conversation."""
        return [m for m in self.trajectory.opening if m["role"] == "system"]

    def begin(self, opening: list[Payload]) -> None:
        """Go on with another history."""
        self.host = Host(replace(self.trajectory, opening=tuple(opening)))
        self.epoch()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Let something happen in another conversation: this one goes on afterwards."""
        last, self._last = self._last, None
        try:
            yield
        finally:
            self._last = last

    def end(self) -> None:
        """Close the session of the moment."""
        self.session.close()

    def call(self, turn: Turn) -> None:
        """Let the model answer; its call is in flight."""
        self.host.answer(turn)
        if turn.call and self.host.native:
            self.truth.doing = action(turn)

    def receive(self, turn: Turn) -> None:
        """Hand over what the call of a turn returned."""
        self.truth.doing = ""
        if turn.seen:
            self.host.observe(turn, turn.seen.text if self.host.native else self._observed(turn))
        elif turn.note:
            self.host.note(turn.note)
            self.truth.hear(turn.note)

    def chance(self, turn: Turn, number: int) -> None:
        """Let happen between two turns what happens at random."""
        if self.random.random() < COMMITS:
            self.commit(turn, number)
        if self.random.random() < ASIDES:
            self.say(self.agent.aside(number))
        if self.random.random() < ENDS:
            self.end_request(f"That is done. ({number})")
            self.say(self.agent.request(number))

    def end_request(self, text: str) -> None:
        """Let the agent have its last word; where every turn is a text, its host has to say so."""
        if not self.host.native:
            self.send()  # it answers what it was shown
        self.host.answer(Turn(text=text))
        self.truth.answered()
        if not self.host.native:
            self.session.answered(text)

    def say(self, text: str) -> None:
        """Let the user say something."""
        self.host.note(text)
        self.truth.hear(text)

    def commit(self, turn: Turn, number: int) -> None:
        """Let the agent commit, by a call of its own if it has tools, else by the command line."""
        arguments = self.agent.commit(turn, number, self.truth)
        call = ToolCall(id=f"toolu_c{number:04d}", name="context_commit", arguments=arguments)
        answer = self.committed(call)
        if self.host.native:
            made = Turn(call=call, seen=Seen(text=answer))
            self.host.answer(made)
            self.host.observe(made, answer)

    def committed(self, call: ToolCall) -> str:
        """Return the answer to a commit, and note it."""
        answer = self.session.handle(call) or ""
        if not answer.startswith("committed "):
            raise AssertionError(f"a commit was refused: {answer}")
        self.agent.recorded(self.truth, call.arguments)
        self.commits += 1
        return answer

    def told(self, text: str, sent: Payload | None = None, *, truth: Truth | None = None) -> Told:
        """Return what a text tells, beside what stands in the request."""
        return judge(
            text,
            truth or self.truth,
            count=self._count,
            recall=self.recall,
            request=self.texts(sent) if sent else "",
            redact=self.redactor.redact,
        )

    def state(self) -> str:
        """Return what an agent is told that asks its memory where the work stands."""
        return self.ask("context_recall")

    def ask(self, tool: str, **arguments: Any) -> str:
        """Return what a tool of memory's answers."""
        return self.session.handle(ToolCall(id="ask", name=tool, arguments=arguments)) or ""

    def recall(self, id: str) -> str:
        """Return everything that memory tells of an id, page by page."""
        lines, cursor = list[str](), ""
        for _ in range(50):
            page = self.ask("context_recall", commit=id, **({"cursor": cursor} if cursor else {}))
            lines += page.split("\n")[1:-1]
            cursor = page.rpartition(_CURSOR)[2].split()[0].rstrip("]") if _CURSOR in page else ""
            if not cursor:
                break
        return "\n".join(line for line in lines if _CURSOR not in line)

    def block(self, sent: Payload) -> str:
        """Return the block of memory in a request, "" if there is none."""
        texts = (s.text for s in formats.get(self.host.wire).read(sent) if s.kind is Kind.USER)
        found = [text for text in texts if _BLOCK in text]
        return found[-1][found[-1].rindex(_BLOCK) :] if found else ""

    def texts(self, sent: Payload) -> str:
        """Return all that the user says in a request, without the block."""
        block = self.block(sent)
        slots = formats.get(self.host.wire).read(sent)
        said = "\n".join(slot.text for slot in slots if slot.kind is Kind.USER)
        return said.replace(block, "") if block else said

    def broken(self, sent: Payload) -> int:
        """Count the provider's rules that a request breaks and the host's own does not."""
        check = formats.get(self.host.wire).check
        known = {violation.rule for violation in check(self.host.request().payload)}
        return sum(violation.rule not in known for violation in check(sent))

    def _observed(self, turn: Turn) -> str:
        seen = turn.seen or Seen(text="")
        came = Observation(
            output=seen.text, command=turn.command, exit_code=seen.exit_code, tool=turn.tool
        )
        return self.session.observe(came, call_id=turn.call_id).text


def extends(last: Payload, now: Payload) -> bool:
    """Tell whether a request begins with every byte of another one."""
    before, after = last["messages"], now["messages"]
    heads = ({k: v for k, v in one.items() if k != "messages"} for one in (last, now))
    return (
        same(*heads) and len(before) <= len(after) and all(map(same, before, after[: len(before)]))
    )
