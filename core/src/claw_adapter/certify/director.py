"""The model of a certification trial: plays the steps of the turn under way, with whatever tools the harness offers.

A request belongs to the turn if it comes during it and holds the turn's marker or offers tools; any other (a title, a
summary, a straggler) is answered aside and uses nothing up.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from claw_adapter.certify.script import Fail, Hang, Say, Step, Use
from claw_adapter.endpoint.dialects import DIALECTS
from claw_adapter.endpoint.events import results
from claw_adapter.endpoint.faults import FaultRule, broken_call, raise_fault
from claw_adapter.endpoint.reader.errands import Attempt, Errand, Habits, Steps
from claw_adapter.endpoint.reader.reading import read_file, read_session
from claw_adapter.endpoint.reader.tools import Toolbox, toolbox
from claw_adapter.endpoint.reader.writing import holds, write_file
from claw_adapter.model import Call, CallDelta, Delta, Model, ModelRequest, TurnId
from claw_adapter.protocol.answer_key import AnswerKey
from claw_adapter.tokens.meter import flatten

__all__ = ["Deed", "Director", "Request", "TrialPlaces"]

ASIDE: Final = "Noted."
DONE: Final = "Done."
PIECE: Final = 40
MOST_ATTEMPTS: Final = 30
STAYS: Final = 0.1
"""Seconds after which a client that is gone has been noticed."""


class Request:
    """One model request as the endpoint saw it; `messages` and `tools` are in the OpenAI chat form whatever the dialect."""

    def __init__(self, round_id: str, request: ModelRequest) -> None:
        self.round = round_id
        self.messages = tuple(request.messages)
        self.tools = tuple(request.tool_json)
        self.model = request.model
        self.dialect = request.dialect
        self.stream = request.stream
        self.awaited = False
        """Whether its answer was still waited for a moment later; only known of what came outside rounds or met a `Hang`."""

    @cached_property
    def said(self) -> tuple[tuple[str, str], ...]:
        """Role and whole text (tool calls included) of each message."""
        return tuple((str(message.get("role", "")), flatten(message)[0]) for message in self.messages)

    @cached_property
    def text(self) -> str:
        """All messages as one text."""
        return "\n".join(text for _, text in self.said)

    def texts(self, *roles: str) -> tuple[str, ...]:
        """The texts of the messages with these roles."""
        return tuple(text for role, text in self.said if role in roles)


@dataclass(slots=True)
class Deed:
    """What became of a `Use`: the calls made, what came back, and whether one of them worked."""

    step: Use
    attempts: list[Attempt] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    done: bool = False

    @property
    def possible(self) -> bool:
        """Whether the harness offered any tool for it."""
        return bool(self.attempts)

    @property
    def text(self) -> str:
        """Everything that came back."""
        return "\n".join(self.results)


@dataclass(frozen=True, slots=True)
class TrialPlaces:
    """Where things are for the harness under test."""

    workspace: str
    session_key: Callable[[str], str]
    history_file: Callable[[str], str]
    """The file of a history session, empty where the harness keeps it natively."""


class Director(Model):
    """Plays one turn after another."""

    def __init__(self, places: TrialPlaces) -> None:
        self._places = places
        self._turn = TurnId("")
        self._marker = ""
        self._steps: list[Step] = []
        self._at = 0
        self._failed = 0
        self._calls = 0
        self._habits = Habits()
        self._errand: Errand | None = None
        self.requests: list[Request] = []
        self.deeds: list[Deed] = []
        """Those of the turn under way."""
        self.arrived = asyncio.Event()
        """Set whenever a request has come."""

    def play(self, steps: Sequence[Step], marker: str) -> None:
        """What to do in the next turn; call it before the round begins."""
        self._steps, self._marker = list(steps), marker
        self._at, self._failed, self._calls, self._errand, self.deeds = 0, 0, 0, None, []
        self.arrived.clear()

    def begin(self, turn: TurnId, answer_key: AnswerKey | None) -> None:
        """Ids of calls are named after the turn."""
        del answer_key
        self._turn = turn

    async def answer(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """Play on."""
        seen = Request(self._turn.round, request)
        self.requests.append(seen)
        self.arrived.set()
        side = self._marker and self._marker not in seen.text and not request.tools
        if not self._turn.round:
            await _stays(seen)
        if side or not self._turn.round:
            yield Delta(text=ASIDE, finish="stop")
            return
        async for delta in self._perform(seen, request):
            yield delta

    async def _perform(self, seen: Request, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        while self._at < len(self._steps):
            step = self._steps[self._at]
            match step:
                case Use():
                    if (delta := self._use(step, request)) is not None:
                        for piece in _pieces(step.says):
                            yield Delta(text=piece)
                        yield delta
                        yield Delta(finish="tool_calls")
                        return
                    self._at += 1
                case Fail():
                    for delta in self._fail(step, request):
                        yield delta
                    return
                case Hang():
                    await _stays(seen)
                    await asyncio.Event().wait()
                case Say():
                    await asyncio.sleep(step.delay)
                    self._at += 1
                    for piece in _pieces(step.text):
                        yield Delta(text=piece)
                    yield Delta(finish=step.finish)
                    return
        last = next((step.text for step in reversed(self._steps) if isinstance(step, Say)), DONE)
        yield Delta(text=last)
        yield Delta(finish="stop")

    def _fail(self, step: Fail, request: ModelRequest) -> list[Delta]:
        self._failed += 1
        if step.times and self._failed >= step.times:
            self._at, self._failed = self._at + 1, 0
        dialect = next(one for one in DIALECTS if one.name == request.dialect)
        raise_fault(FaultRule(at="every 1", kind=step.kind), dialect)
        return [broken_call(request, self._turn.name("call_broken", self._at)), Delta(finish="tool_calls")]

    def _use(self, step: Use, request: ModelRequest) -> Delta | None:
        """The next call for this step, or None when it is finished (or cannot be done)."""
        if self._errand is None:
            self.deeds.append(Deed(step))
            self._errand = Errand(step.target, self._steps_of(step, toolbox(request.tools)), _shows(step))
        errand, deed = self._errand, self.deeds[-1]
        self._harvest(errand, deed, request)
        attempt = errand.attempt
        if attempt is None or self._satisfied(deed) or len(deed.attempts) >= MOST_ATTEMPTS:
            errand.close()
            self._errand = None
            return None
        self._calls += 1
        deed.attempts.append(attempt)
        errand.call_id = self._turn.name("call", self._calls)
        arguments = json.dumps(attempt.arguments, ensure_ascii=False)
        return Delta(calls=(CallDelta(0, errand.call_id, attempt.tool, arguments),))

    def _harvest(self, errand: Errand, deed: Deed, request: ModelRequest) -> None:
        attempt = errand.attempt
        if not errand.call_id or attempt is None:
            return
        found = results(request.lines, [Call(errand.call_id, attempt.tool, "")])
        if errand.call_id not in found:
            errand.lost()
            return
        result = found[errand.call_id]
        deed.results.append(result)
        shown = errand.advance(result).shows
        if shown and deed.step.kind != "write":
            self._habits.worked(attempt)
        deed.done = errand.success if deed.step.kind == "write" else deed.done or shown

    @staticmethod
    def _satisfied(deed: Deed) -> bool:
        if not deed.step.wanted:
            return deed.done
        return all(text in deed.text for text in deed.step.wanted)

    def _steps_of(self, step: Use, box: Toolbox) -> Steps:
        workspace = self._places.workspace
        match step.kind:
            case "read":
                if "read" in self._habits.working:  # what it leaves out is to be found, not to be got otherwise
                    box = replace(box, run=())
                return read_file(step.target, workspace, box, self._habits)
            case "write":
                return write_file(step.target, step.content, workspace, box, self._habits)
            case "run":
                return _command(step.target, box)
        if path := self._places.history_file(step.target):
            return read_file(path, workspace, box, self._habits)
        names = list(dict.fromkeys([self._places.session_key(step.target), step.target]))
        deed = self.deeds[-1]
        return read_session(names, box, self._habits, lambda: [text for text in step.wanted if text not in deed.text])


def _shows(step: Use) -> Callable[[str], bool]:
    """Whether a result shows that a step is done, or some of what it wants; where nothing is wanted, any does."""
    if step.kind == "write":
        return holds(step.content)
    return lambda result: not step.wanted or any(text in result for text in step.wanted)


async def _stays(seen: Request) -> None:
    """See whether the client does; if it has hung up, this is cancelled."""
    await asyncio.sleep(STAYS)
    seen.awaited = True


def _command(command: str, box: Toolbox) -> Steps:
    for shell in box.run[:1]:
        yield Attempt("run", shell.tool, shell.arguments(command))
    return True


def _pieces(text: str) -> list[str]:
    size = max(PIECE, len(text) // 50)
    return [text[start : start + size] for start in range(0, len(text), size)]
