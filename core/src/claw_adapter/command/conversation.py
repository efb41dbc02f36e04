"""One conversation with a command-line program: a process per turn, or one on a terminal."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from claw_adapter.command import failures as table
from claw_adapter.command.answers import Output, Stored
from claw_adapter.command.data import read_file
from claw_adapter.command.description import Description
from claw_adapter.command.places import PROMPT, fill, folders_of
from claw_adapter.command.state import State
from claw_adapter.command.turns import OpenTurn, TurnConversation
from claw_adapter.drivers import Captured, Completed
from claw_adapter.drivers.command import ARGUMENT_BYTES
from claw_adapter.errors import AdapterError, ClawError, DeadlineExceeded, EmptyAnswer
from claw_adapter.harness import Event, Message, TrialContext

__all__ = ["CommandConversation", "ProcessConversation", "Start", "refuse_argument"]


@dataclass(frozen=True, slots=True)
class Start:
    """How the program is started in this trial; `argv` may still have the place of the prompt."""

    argv: Sequence[str]
    env: Mapping[str, str]
    readable: Sequence[Path]
    places: Mapping[str, str]


def refuse_argument(prompt: str, remedy: str = "") -> None:
    """Refuse what would not arrive whole as an argument of a command.

    Raises:
        AdapterError: too long, empty, with a NUL character, or not text.
    """
    try:
        size = len(prompt.encode())
    except UnicodeEncodeError as error:
        raise AdapterError(f"the prompt is not text: {error}") from error
    if size > ARGUMENT_BYTES:
        what = f"a prompt of {size} bytes does not fit a command line, which takes {ARGUMENT_BYTES}"
        raise AdapterError(what, remedy=remedy or "Put the long part into a file of the workspace.")
    if not prompt.strip() or "\0" in prompt:
        raise AdapterError("an empty prompt, or one with a NUL character, cannot be an argument", remedy=remedy)


class CommandConversation(TurnConversation):
    """What becomes of a turn; how the program is asked is for the subclasses."""

    def __init__(self, about: Description, ctx: TrialContext, start: Start, state: State) -> None:
        super().__init__(about.name, state)
        self._about, self._ctx, self._start, self._state = about, ctx, start, state

    @abstractmethod
    async def ask(self, prompt: str, deadline: float) -> Captured | None:
        """Say the prompt and wait for the end of the turn; standard output, or None for a terminal.

        Raises:
            ClawError: the turn has failed.
        """

    async def turn(self, prompt: str, deadline: float, turn: OpenTurn) -> None:
        """See `TurnConversation.turn`."""
        began = time.monotonic()
        try:
            stdout = await self.ask(prompt, deadline)
        except ClawError as error:
            error.remedy = error.remedy or self._about.remedy
            raise
        finally:
            turn.inside = time.monotonic() - began
        output = Output(stdout, self._file)
        if self._about.usage is not None:
            turn.usage = self._about.usage.read(output)
        added = self._state.added()
        turn.events = _events(added, turn.inside)
        turn.text = self._answer(output, added)
        self._state.said(prompt, turn.text)

    def _answer(self, output: Output, added: Sequence[Message]) -> str:
        about = self._about
        if about.reported is not None and (said := about.reported.read(output)) is not None:
            raise table.reported(*said, about.failures)
        if isinstance(about.answer, Stored):
            last = added[-1] if added else None
            text = last.text if last is not None and last.role == "assistant" else ""
        else:
            text = about.answer.read(output)
        if (refused := table.refused(text, about.no_answers)) is not None:
            raise refused
        if not text.strip():
            raise EmptyAnswer("it ended without an answer", where=about.name, remedy="Look at the transcript.")
        return text

    def _file(self, path: str) -> str:
        return read_file(Path(fill(path, {**self._start.places, **folders_of(self._ctx)})), self._ctx.state_dir)


class ProcessConversation(CommandConversation):
    """A process per turn: between turns there are only files."""

    async def ask(self, prompt: str, deadline: float) -> Captured:
        """One run of the program."""
        start, stdin = self._start, prompt.encode("utf-8", "replace")
        argv = list(start.argv)
        if not self._about.stdin:
            refuse_argument(prompt)
            argv, stdin = [fill(part, {PROMPT: prompt}) for part in argv], b""
        done = await self._ctx.run(argv, deadline, stdin=stdin, env=start.env, readable=start.readable)
        self._refuse(done, deadline)
        return done.stdout

    def _refuse(self, done: Completed, deadline: float) -> None:
        """Raise the error of a run that failed."""
        if done.timed_out:
            raise DeadlineExceeded(f"no answer within {deadline:g} s", where=self._about.name)
        if done.exit.ok:
            return
        if self._about.reported is not None:
            said = self._about.reported.read(Output(done.stdout, self._file))
            if said is not None:
                raise table.reported(*said, self._about.failures)
        words = done.stderr.text.strip() or done.stdout.text
        raise table.ended(done.exit, words, self._about.failures)


def _events(added: Sequence[Message], at: float) -> tuple[Event, ...]:
    """Tool calls and results among the messages of a turn; the store does not say when they were."""
    names = {call.id: call.name for message in added for call in message.tool_calls}
    events: list[Event] = []
    for message in added:
        events += [
            Event(kind="tool_call", at=at, id=call.id, name=call.name, arguments=call.arguments)
            for call in message.tool_calls
        ]
        if message.role == "tool":
            id_ = message.tool_call_id or ""
            events.append(Event(kind="tool_result", at=at, id=id_, name=names.get(id_, ""), text=message.text))
    return tuple(events)
