"""Conversations with agents behind the Agent Client Protocol: those that take a past, and those that must be told it."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Self

from claw_adapter.drivers.acp import AcpChild, AcpTurn
from claw_adapter.errors import ClawError, DeadlineExceeded, HarnessCrash, HarnessProtocolError
from claw_adapter.harness import (
    Checkpoint,
    Conversation,
    Event,
    Failure,
    Message,
    Session,
    SessionChange,
    Timing,
    ToolCall,
    TrialContext,
    TurnResult,
)
from claw_adapter.merge import merged
from claw_adapter.workspace import render_history

__all__ = ["AcpConversation", "SeededConversation", "ToldConversation"]

UNUSABLE: Final = (DeadlineExceeded, HarnessCrash, HarnessProtocolError)
"""After these the agent is gone, or nobody knows what it does: it is ended."""


class AcpConversation(Conversation):
    """One session of one agent; what it takes to keep a past is in the subclasses."""

    def __init__(self, child: AcpChild, session: str) -> None:
        self._child = child
        self._session = session
        self._closed = False

    @property
    def versions(self) -> Mapping[str, str]:
        """The agent's name and version, as it said them when the connection was made."""
        agent = self._child.agent
        return {agent.name: agent.version or "unknown"} if agent.name else {}

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        """One turn. An agent that missed the deadline is ended."""
        started = time.monotonic()
        turn = await self._child.prompt(self._session, self._words(prompt), deadline)
        inside = time.monotonic() - started
        error = self._reason(turn.error) if turn.error else None
        if error is None:
            self._take(prompt, turn)
        elif isinstance(error, UNUSABLE):
            await self.close()
        total = time.monotonic() - started
        return TurnResult(
            text="" if error else turn.text,
            error=Failure.of(error) if error else None,
            events=turn.events,
            usage=turn.usage,
            timing=Timing(total=total, own=max(total - self._worked(turn, inside), 0.0)),
        )

    async def cancel(self) -> None:
        """The agent ends its turn; `send` returns with an error."""
        await self._child.cancel(self._session)

    async def close(self) -> None:
        """End the agent and everything it started."""
        if not self._closed:
            self._closed = True
            await self._child.close(0)

    def _words(self, prompt: str) -> str:
        """What is really said."""
        return prompt

    def _reason(self, error: ClawError) -> ClawError:
        """The error as the adapter understands it."""
        return error

    def _worked(self, turn: AcpTurn, inside: float) -> float:
        """Seconds of the turn that were the agent's."""
        del turn
        return inside

    @abstractmethod
    def _take(self, prompt: str, turn: AcpTurn) -> None:
        """Remember a turn that went well."""


class SeededConversation(AcpConversation):
    """An agent with the extension of `claw_adapter.reference.serve`: it is given sessions and gives them back."""

    @classmethod
    async def begin(cls, child: AcpChild, ctx: TrialContext, sessions: Sequence[Session]) -> Self:
        """Give it the sessions, main first, and begin."""
        await child.extension("claw/sessions", {"sessions": _plain(sessions)}, ctx.deadline)
        await child.resume_session(sessions[0].id, ctx.inside(ctx.workspace), ctx.deadline, ctx.mcp)
        return cls(child, sessions[0].id)

    async def sync(self, changes: Sequence[SessionChange]) -> None:
        """Put the changed sessions in the place of the old."""
        await self._child.extension("claw/sessions", {"sessions": _plain(c.after for c in changes if c.after)})

    async def checkpoint(self) -> Checkpoint:
        """The sessions as the agent has them."""
        said = await self._child.extension("claw/export", {})
        with self._child.reading("_claw/export"):
            return Checkpoint(sessions=tuple(Session.model_validate(session) for session in said["sessions"]))

    def _take(self, prompt: str, turn: AcpTurn) -> None:
        """The agent remembers itself."""


class ToldConversation(AcpConversation):
    """An agent that begins with nothing: the past stands, as text, in front of the first prompt; news in front of the next.

    What is changed, put in between or taken away cannot be told as news. Then the agent begins another session, in which
    the past is told as it is now.

    Args:
        child: the agent.
        session: the session that it has begun.
        sessions: the past, main first.
        begin: begins another session of the agent and returns its id.
    """

    def __init__(
        self, child: AcpChild, session: str, sessions: Sequence[Session], begin: Callable[[], Awaitable[str]]
    ) -> None:
        super().__init__(child, session)
        self._main, *self._others = sessions
        self._begin = begin
        self._untold = _past(self._main)
        self._spoken = False
        """Whether the agent's session has heard anything."""
        self._number = 0

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        """See `AcpConversation.send`; a turn that fails may have told the agent all the same."""
        self._spoken = True
        return await super().send(prompt, deadline)

    async def sync(self, changes: Sequence[SessionChange]) -> None:
        """Bring the changes into the main session, and see to it that the agent hears of them with the next prompt."""
        known, main = self._main.messages, self._main
        for change in changes:
            if change.session == main.id:
                main = merged(change.before, change.after, main)
        now = main.messages
        if self._spoken and now[: len(known)] != known:
            self._session = await self._begin()
            self._spoken = False
        self._main = main
        if not self._spoken:
            self._untold = _past(main)
        elif news := now[len(known) :]:
            self._untold += f"New in this conversation:\n\n{render_history(main.with_messages(news))}\n"

    async def checkpoint(self) -> Checkpoint:
        """The past it was told, and the turns since."""
        return Checkpoint(sessions=(self._main, *self._others))

    def _words(self, prompt: str) -> str:
        return self._untold + prompt

    def _take(self, prompt: str, turn: AcpTurn) -> None:
        self._untold = ""
        said = [{"role": "user", "text": prompt}, *_steps(turn.events), {"role": "assistant", "text": turn.text}]
        new = [Message.model_validate({"id": self._new_id(), **fields}) for fields in said]
        self._main = self._main.with_messages([*self._main.messages, *new])

    def _new_id(self) -> str:
        """An id that no message has: of a session that was resumed or shortened, its length does not tell which are free."""
        taken = {message.id for message in self._main.messages}
        while (name := f"acp-{self._number}") in taken:
            self._number += 1
        self._number += 1
        return name


def _past(main: Session) -> str:
    return f"This is what was said before:\n\n{render_history(main)}\nNow:\n\n" if main.messages else ""


def _steps(events: Iterable[Event]) -> Iterable[dict[str, Any]]:
    """The messages before the final reply; a call without a result is left out, no model takes it back."""
    known = list(events)
    results = {event.id: event for event in known if event.kind == "tool_result"}
    text = ""
    for event in known:
        if event.kind == "text":
            text += event.text
        elif event.kind == "tool_call" and event.id in results:
            call = ToolCall(id=event.id, name=event.name, arguments=event.arguments)
            yield {"role": "assistant", "text": text, "tool_calls": (call,)}
            yield {"role": "tool", "tool_call_id": event.id, "text": results[event.id].text}
            text = ""
    if text:
        yield {"role": "assistant", "text": text}


def _plain(sessions: Iterable[Session]) -> list[dict[str, Any]]:
    return [session.model_dump(mode="json") for session in sessions]
