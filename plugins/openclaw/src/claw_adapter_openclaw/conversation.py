"""One conversation with OpenClaw behind its gateway: turns, session changes, checkpoints."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from logging import Logger
from typing import Any, Final

from claw_adapter.errors import ClawError, HarnessCrash
from claw_adapter.harness import (
    Checkpoint,
    Conversation,
    Event,
    Failure,
    Message,
    Session,
    SessionChange,
    Timing,
    TurnResult,
)
from claw_adapter.merge import merged
from claw_adapter_openclaw.failures import failure
from claw_adapter_openclaw.gateway import Answer, Gateway
from claw_adapter_openclaw.native import counted, filler, message_of, natives, replies, stopped
from claw_adapter_openclaw.store import refuse_collisions, session_id, session_key

__all__ = ["GatewayConversation"]

SHOWN: Final = 20_000
"""Characters of a tool's result that go into an event."""
EVERYTHING: Final = 2**53 - 1
COMPACTION: Final = "compaction"
"""OpenClaw put a summary in the place of what was said: an event of its round."""
PAUSE_SECONDS: Final = 0.02
READ_SECONDS: Final = 0.8
"""What reading the turn back may take after the deadline; send() has one second."""


class GatewayConversation(Conversation):
    """A gateway that lives as long as the conversation. The neutral sessions are kept here, turns added as they come."""

    def __init__(self, gateway: Gateway, sessions: Sequence[Session], model: str, log: Logger) -> None:
        self._gateway: Gateway | None = gateway
        self._main = sessions[0].id
        self._sessions = {session.id: session for session in sessions}
        self._revisions: dict[str, int] = {}
        self._seen = 0
        self._waited = 0.0
        self._model = model
        self._log = log

    async def seed(self) -> None:
        """Write all sessions into OpenClaw's store.

        Raises:
            HarnessProtocolError: OpenClaw refused one.
        """
        for session in self._sessions.values():
            await self._write(session)

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        """One turn. After any failure the conversation is over; the way on is `Harness.open`."""
        started, begun = time.monotonic(), time.time()
        answer = Answer()
        events: list[Mapping[str, Any]] = []
        inside = 0.0
        error: ClawError | None
        try:
            answer = await self._alive().chat(prompt, deadline)
            inside = time.monotonic() - started
            events = await self._news(max(deadline - inside, 0.0) + READ_SECONDS, answered=bool(answer.text))
            inside += self._waited
            error = failure(answer.status, answer.text, answer.error, events)
        except ClawError as fault:
            error = fault
        if error is None:
            self._take(prompt, events)
        else:
            # A prompt that failed would come back in the next turn, and a refused key stays refused: nothing goes on here.
            await self.close()
        total = time.monotonic() - started
        return TurnResult(
            text="" if error else _text(answer, events),
            error=Failure.of(error) if error else None,
            events=tuple(event for record in events for event in _steps(record, begun)),
            usage=answer.usage or counted(events),
            timing=Timing(total=total, own=max(total - (inside or total), 0.0)),
        )

    async def sync(self, changes: Sequence[SessionChange]) -> None:
        """Bring changed sessions into OpenClaw's store between two turns; what is only longer is only appended to."""
        refuse_collisions([*self._sessions, *(c.session for c in changes if c.session not in self._sessions)])
        for change in changes:
            await self._follow(change)

    async def checkpoint(self) -> Checkpoint:
        """The sessions with all finished turns, main first. OpenClaw remembers nothing else that is not in the workspace."""
        self._alive()
        others = [session for name, session in self._sessions.items() if name != self._main]
        return Checkpoint(sessions=(self._sessions[self._main], *others))

    async def cancel(self) -> None:
        """Stop the turn under way by ending OpenClaw: a cancelled prompt would come back in the next turn."""
        await self.close()

    async def close(self) -> None:
        """End the gateway and everything it started."""
        gateway, self._gateway = self._gateway, None
        if gateway is not None and (left := await gateway.close()):
            self._log.warning("%s: processes still there after being killed: %d", "OpenClaw", left)

    async def _follow(self, change: SessionChange) -> None:
        name = change.session
        there = self._sessions.get(name)
        session = merged(change.before, change.after, there)
        self._sessions[name] = session
        old = there.messages if there else ()
        if there is not None and session.messages[: len(old)] == old:
            await self._append(session, len(old))
        else:
            self._revisions[name] = self._revisions.get(name, 0) + 1
            await self._write(session)

    async def _write(self, session: Session) -> None:
        entry = {"displayName": f"{session.channel}: {session.title or session.id}"}
        await self._alive().bridge(
            "write",
            session_key(session.id),
            sessionId=session_id(session.id, self._revisions.get(session.id, 0)),
            entry=entry,
            messages=self._natives(session, 0),
        )
        await self._look(session.id)

    async def _append(self, session: Session, start: int) -> None:
        await self._alive().bridge("append", session_key(session.id), messages=self._natives(session, start))
        await self._look(session.id)

    def _natives(self, session: Session, start: int) -> list[dict[str, Any]]:
        found = natives(session.messages, self._model, marked=False)[start:]
        if session.id == self._main and found and found[-1]["message"]["role"] != "assistant":
            found.append(filler(found[-1], self._model))
        return found

    async def _look(self, name: str) -> None:
        """Take what stands in the main session now for known."""
        if name == self._main:
            found = await self._alive().bridge("read", session_key(name), after=EVERYTHING)
            self._seen = int(found["total"])

    async def _news(self, deadline: float, *, answered: bool) -> list[Mapping[str, Any]]:
        """What OpenClaw added to the main session since the last look; a reply that it gave is waited for."""
        end = time.monotonic() + min(deadline, READ_SECONDS)
        self._waited = 0.0
        while True:
            asked = time.monotonic()
            found = await self._alive().bridge("read", session_key(self._main), after=self._seen, deadline=deadline)
            self._waited += max(time.monotonic() - asked - float(found.get("milliseconds", 0.0)) / 1000, 0.0)
            events = list(found["events"])
            if not answered or stopped(events) or time.monotonic() > end:
                self._seen = int(found["total"])
                return events
            await asyncio.sleep(PAUSE_SECONDS)

    def _take(self, prompt: str, events: Sequence[Mapping[str, Any]]) -> None:
        """Add a finished turn to the main session; the prompt as we said it, for OpenClaw blackens what looks like a secret."""
        new = [message for event in events if (message := message_of(event)) is not None]
        first = next((index for index, message in enumerate(new) if message.role == "user"), None)
        if first is not None:
            new[first] = Message.model_validate({**dict(new[first]), "text": prompt})
        main = self._sessions[self._main]
        self._sessions[self._main] = main.with_messages([*main.messages, *new])

    def _alive(self) -> Gateway:
        if self._gateway is None:
            raise HarnessCrash("OpenClaw has ended", remedy="Open the conversation again from the last checkpoint.")
        return self._gateway


def _text(answer: Answer, events: Sequence[Mapping[str, Any]]) -> str:
    """The reply; from the session when it ran into the length limit, for then OpenClaw adds a sentence of its own."""
    last = replies(events)[-1:]
    if last and last[0]["message"].get("stopReason") == "length":
        said = message_of(last[0])
        return said.text if said is not None and said.text.strip() else answer.text
    return answer.text


def _steps(record: Mapping[str, Any], begun: float) -> list[Event]:
    """What a transcript event says of the turn's steps: tool calls, their results, texts that came before them."""
    message = message_of(record)
    if message is None and record.get("type") != COMPACTION:
        return []
    at = max(datetime.fromisoformat(record["timestamp"]).timestamp() - begun, 0.0)
    if message is None:
        return [Event(kind="note", at=at, name=COMPACTION, text=str(record.get("summary") or "")[:SHOWN])]
    if message.role == "tool":
        native = record["message"]
        name, failed = str(native.get("toolName", "")), bool(native.get("isError"))
        call = str(message.tool_call_id)
        return [Event(kind="tool_result", at=at, id=call, name=name, text=message.text[:SHOWN], is_error=failed)]
    steps = [
        Event(kind="tool_call", at=at, id=call.id, name=call.name, arguments=call.arguments)
        for call in message.tool_calls
    ]
    spoken = [Event(kind="text", at=at, text=message.text)] if steps and message.text.strip() else []
    return [*spoken, *steps]
