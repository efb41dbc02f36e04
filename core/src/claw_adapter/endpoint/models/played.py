"""A model that plays a plan: for each round the replies it gives, whose tools are named by purpose, for any harness.

Items of `ModelSpec.script`::

    {"round": "r3", "mark": "words of the prompt", "replies": [
        {"text": "I look.", "uses": [{"kind": "read", "target": "a.md"}, {"kind": "history", "target": "s1"}]},
        {"text": "Done."}]}

All `uses` of a reply are asked for at once; what a result does not show to be done is tried in another way. A request
without the mark and without tools is the harness's own affair (a title, a guard), is answered aside and uses nothing up.
Every attempt at a round begins anew; in the first one, a reply with `hang` never comes.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import TypeAdapter, ValidationError

from claw_adapter.endpoint.events import results
from claw_adapter.endpoint.reader.errands import Attempt, Errand, Habits, Steps
from claw_adapter.endpoint.reader.reading import read_file, read_session
from claw_adapter.endpoint.reader.tools import Toolbox, toolbox
from claw_adapter.endpoint.reader.writing import holds, write_file
from claw_adapter.errors import EndpointError
from claw_adapter.model import Call, CallDelta, Delta, Model, ModelRequest, TurnId
from claw_adapter.protocol.answer_key import AnswerKey
from claw_adapter.protocol.base import Record
from claw_adapter.protocol.model import ModelSpec

__all__ = ["PlayedModel", "PlayedReply", "PlayedRound", "ToolUse"]

ASIDE: Final = "Noted."
MOST_TRIES: Final = 6
"""Calls that are made for one purpose."""
MOST_WANTED: Final = 12
"""Lines that are looked for in a result."""


class ToolUse(Record):
    """A purpose: reading, writing, running a command (`target`), reading a session, known by one of `names`."""

    kind: Literal["read", "write", "run", "history"]
    target: str
    content: str = ""
    names: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    """Texts of what is to be read; a result that has a line of them shows it, and any result does where there are none."""


class PlayedReply(Record):
    """One reply; without `uses` it ends the turn."""

    text: str = ""
    uses: tuple[ToolUse, ...] = ()
    finish: Literal["stop", "length", "content_filter"] = "stop"
    hang: bool = False
    """In the first attempt it never comes."""
    piece: int = 40
    """Characters of text in one piece of the stream."""


class PlayedRound(Record):
    """What is said in one round."""

    round: str
    mark: str
    replies: tuple[PlayedReply, ...]


_SCRIPT: TypeAdapter[tuple[PlayedRound, ...]] = TypeAdapter(tuple[PlayedRound, ...])


@dataclass(slots=True)
class _Open:
    """A purpose that is being pursued."""

    use: ToolUse
    errand: Errand
    tries: int = 0


class PlayedModel(Model):
    """Plays a plan.

    Raises:
        EndpointError: the script is not of the form above.
    """

    def __init__(self, spec: ModelSpec, trial: str) -> None:
        try:
            rounds = _SCRIPT.validate_python(spec.script)
        except ValidationError as error:
            raise EndpointError(f"a script item has no known form: {error}", where=f"model {spec.name}") from None
        self._rounds = {item.round: item for item in rounds}
        self._habits = Habits()
        self._workspace = ""
        self._reset(TurnId(trial))

    def _reset(self, turn: TurnId) -> None:
        self._turn = turn
        self._at = self._calls = 0
        self._open: list[_Open] = []
        self._last = ASIDE

    def begin(self, turn: TurnId, answer_key: AnswerKey | None) -> None:
        """Every attempt starts with the first reply."""
        self._reset(turn)
        if answer_key is not None:
            self._workspace = answer_key.workspace

    async def answer(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """Play on."""
        played = self._rounds.get(self._turn.round)
        if played is None or (not request.tools and not any(played.mark in line.text for line in request.lines)):
            yield Delta(text=ASIDE, finish="stop")
            return
        self._harvest(request)
        text = ""
        if not self._open and self._at < len(played.replies):
            reply = played.replies[self._at]
            if reply.hang and self._turn.attempt == 1:
                await asyncio.Event().wait()
            self._at += 1
            text = reply.text
            self._open = self._opened(reply, toolbox(request.tools))
            if not self._open:
                self._last = text
        elif not self._open:
            text = self._last
        piece = played.replies[min(self._at, len(played.replies)) - 1].piece
        for start in range(0, len(text), piece):
            yield Delta(text=text[start : start + piece])
        for index, one in enumerate(self._open):
            if one.errand.attempt is not None:
                yield Delta(calls=(self._call(index, one, one.errand.attempt),))
        done = played.replies[self._at - 1].finish if self._at else "stop"
        yield Delta(finish="tool_calls" if self._open else done)

    def _call(self, index: int, one: _Open, attempt: Attempt) -> CallDelta:
        self._calls += 1
        one.tries += 1
        one.errand.call_id = self._turn.name("call", self._calls)
        arguments = json.dumps(attempt.arguments, ensure_ascii=False)
        return CallDelta(index, one.errand.call_id, attempt.tool, arguments)

    def _harvest(self, request: ModelRequest) -> None:
        """Close what has been done, go on with what was refused; a failed request is only asked again."""
        asked = [(one, one.errand.attempt) for one in self._open]
        calls = [Call(one.errand.call_id, attempt.tool, "") for one, attempt in asked if attempt is not None]
        found = results(request.lines, calls)
        if self._open and not found and request.lines and request.lines[-1].role != "tool":
            return  # the reply with the calls has not reached the harness
        left = []
        for one, attempt in asked:
            result = found.get(one.errand.call_id)
            if attempt is None or one.tries >= MOST_TRIES:
                continue
            if result is None:
                one.errand.lost()
            elif one.errand.advance(result).shows and one.use.kind != "write":
                self._habits.worked(attempt)
                continue
            if one.errand.attempt is not None:
                left.append(one)
        self._open = left

    def _opened(self, reply: PlayedReply, box: Toolbox) -> list[_Open]:
        found = [_Open(use, Errand(use.target, self._ways(use, box), _shows(use))) for use in reply.uses]
        return [one for one in found if one.errand.attempt is not None]

    def _ways(self, use: ToolUse, box: Toolbox) -> Steps:
        match use.kind:
            case "read":
                return read_file(use.target, self._workspace, box, self._habits)
            case "write":
                return write_file(use.target, use.content, self._workspace, box, self._habits)
            case "history":
                return read_session(use.names or (use.target,), box, self._habits, list)
            case "run":
                return _command(use.target, box)


def _shows(use: ToolUse) -> Callable[[str], bool]:
    """Whether a result shows that this has been done, or some of what is to be read."""
    if use.kind == "write":
        return holds(use.content)
    lines = [line for text in use.wanted for line in text.splitlines() if line.strip()][:MOST_WANTED]
    shown = [holds(line) for line in lines]
    return lambda result: not shown or any(one(result) for one in shown)


def _command(command: str, box: Toolbox) -> Steps:
    for shell in box.run[:1]:
        yield Attempt("run", shell.tool, shell.arguments(command))
    return True
