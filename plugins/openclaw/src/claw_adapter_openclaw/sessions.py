"""The sessions of a conversation: neutral, and in the store of the running OpenClaw, through our plugin in it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from claw_adapter.harness import Message, Session, SessionChange
from claw_adapter.merge import merged
from claw_adapter_openclaw.gateway import Gateway
from claw_adapter_openclaw.native import filler, message_of, natives
from claw_adapter_openclaw.steps import fresh, guessed, stopped
from claw_adapter_openclaw.store import refuse_collisions, session_id, session_key

__all__ = ["READ_SECONDS", "LiveSessions"]

EVERYTHING: Final = 2**53 - 1
PAUSE_SECONDS: Final = 0.02
READ_SECONDS: Final = 0.8
"""What reading the turn back may take after the deadline; send() has one second."""


class LiveSessions:
    """The sessions of a conversation.

    Args:
        alive: the gateway; raises HarnessCrash when it has ended.
        sessions: the main one first.
        model: named in replies that no model gave.
    """

    def __init__(self, alive: Callable[[], Gateway], sessions: Sequence[Session], model: str) -> None:
        self.waited = 0.0
        """Seconds of the last `read_news` that were not OpenClaw's reading."""
        self.used: Counter[str] = Counter()
        """Tokens of the turn that it has read, as OpenClaw counts them: ``input`` without what came from a cache."""
        self._alive = alive
        self._main = sessions[0].id
        self._sessions = {session.id: session for session in sessions}
        self._revisions: dict[str, int] = {}
        self._seen = 0
        self._model = model

    @property
    def all(self) -> tuple[Session, ...]:
        """The sessions with all finished turns, main first."""
        others = [session for name, session in self._sessions.items() if name != self._main]
        return (self._sessions[self._main], *others)

    @property
    def guessed(self) -> int:
        """Tokens that OpenClaw takes the main session for, or a few more."""
        return sum(
            guessed(message.text) + sum(guessed(f"{call.name}{call.arguments}") for call in message.tool_calls)
            for message in self._sessions[self._main].messages
        )

    async def seed(self) -> None:
        """Write all sessions into OpenClaw's store.

        Raises:
            HarnessProtocolError: OpenClaw refused one.
        """
        for session in self._sessions.values():
            await self._write(session)

    async def change(self, changes: Sequence[SessionChange]) -> None:
        """Bring changed sessions into OpenClaw's store; what is only longer is only appended to.

        Raises:
            AdapterError: two sessions would have one key.
        """
        refuse_collisions([*self._sessions, *(c.session for c in changes if c.session not in self._sessions)])
        for change in changes:
            await self._follow(change)

    async def read_news(self, deadline: float, *, answered: bool) -> list[Mapping[str, Any]]:
        """What OpenClaw added to the main session since the last look; a reply that it gave is waited for."""
        end = time.monotonic() + min(deadline, READ_SECONDS)
        self.waited, self.used = 0.0, Counter()
        while True:
            asked = time.monotonic()
            found = await self._alive().bridge("read", session_key(self._main), after=self._seen, deadline=deadline)
            self.waited += max(time.monotonic() - asked - float(found.get("milliseconds", 0.0)) / 1000, 0.0)
            events = list(found["events"])
            self.used.update(found["used"])
            if not answered or stopped(events) or time.monotonic() > end:
                self._seen = int(found["total"])
                return fresh(events, self._sessions[self._main].messages)
            await asyncio.sleep(PAUSE_SECONDS)

    def take(self, prompt: str, events: Sequence[Mapping[str, Any]]) -> None:
        """Add a finished turn to the main session; the prompt as we said it, for OpenClaw blackens what looks like a secret."""
        new = [message for event in events if (message := message_of(event)) is not None]
        first = next((index for index, message in enumerate(new) if message.role == "user"), None)
        if first is not None:
            new[first] = Message.model_validate({**dict(new[first]), "text": prompt})
        main = self._sessions[self._main]
        self._sessions[self._main] = main.with_messages([*main.messages, *new])

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
