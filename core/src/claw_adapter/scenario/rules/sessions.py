"""Rules on sessions and on the workspace as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from claw_adapter.finding import Finding, finding
from claw_adapter.protocol import Message, Session
from claw_adapter.scenario.places import Places
from claw_adapter.scenario.rules.subject import Subject
from claw_adapter.scenario.tree import twins

__all__ = ["turns", "workspace"]


def turns(subject: Subject) -> Iterator[Finding]:
    """Sessions read like conversations, before and after every update (SCN-060 to SCN-062, SCN-104)."""
    states = [{session.id: session for session in subject.scenario.sessions}]
    states += [dict(world.sessions) for world in subject.worlds or ()]
    done: dict[Finding, None] = {}
    seen: dict[str, Session] = {}
    for state in states:
        for session in state.values():
            if seen.get(session.id) != session:
                seen[session.id] = session
                done.update(dict.fromkeys(_session(session, subject.places)))
    yield from done


def _session(session: Session, places: Places) -> Iterator[Finding]:
    talk = [message for message in session.messages if message.role in ("user", "assistant")]
    yield from _order(session, talk, places)
    yield from _tools(session, places)
    timed = [message for message in session.messages if message.time is not None]
    for before, after in pairwise(timed):
        if _later(before, after):
            message = f"session {session.id!r}: {after.id!r} is earlier than {before.id!r}"
            yield finding("SCN-104", message, places.message(session.id, after.id))


def _later(before: Message, after: Message) -> bool:
    if before.time is None or after.time is None or (before.time.tzinfo is None) != (after.time.tzinfo is None):
        return False
    return before.time > after.time


def _order(session: Session, talk: Sequence[Message], places: Places) -> Iterator[Finding]:
    for before, after in pairwise(talk):
        where = places.message(session.id, after.id)
        if before.role == "user" and after.role == "user":
            message = f"session {session.id!r}: {before.id!r} is not answered before {after.id!r}"
            yield finding("SCN-061", message, where)
        elif before.role == after.role and not before.tool_calls:
            message = f"session {session.id!r}: {before.id!r} and {after.id!r} are both of the assistant"
            yield finding("SCN-060", message, where)
    if talk and talk[0].role == "assistant":
        where = places.message(session.id, talk[0].id)
        yield finding("SCN-060", f"session {session.id!r} begins with the assistant", where)
    if talk and talk[-1].role == "user":
        where = places.message(session.id, talk[-1].id)
        yield finding("SCN-061", f"session {session.id!r}: the last message {talk[-1].id!r} is not answered", where)


def _tools(session: Session, places: Places) -> Iterator[Finding]:
    waiting: dict[str, str] = {}
    for message in session.messages:
        if message.role == "tool":
            if waiting.pop(message.tool_call_id or "", None) is None:
                where = places.message(session.id, message.id)
                yield finding("SCN-062", f"session {session.id!r}: {message.id!r} answers no call", where)
            continue
        yield from _unanswered(session, waiting, places)
        waiting = {call.id: message.id for call in message.tool_calls}
    yield from _unanswered(session, waiting, places)


def _unanswered(session: Session, waiting: Mapping[str, str], places: Places) -> Iterator[Finding]:
    for call, owner in waiting.items():
        message = f"session {session.id!r}: call {call!r} of {owner!r} has no result"
        yield finding("SCN-062", message, places.message(session.id, owner))


def workspace(subject: Subject) -> Iterator[Finding]:
    """Names in the workspace (SCN-063, SCN-103), those that updates bring included."""
    paths: set[str] = set()
    for world in subject.worlds or ():
        paths.update(world.files)
    for group in twins(sorted(paths)):
        where = subject.places.file(f"workspace/{group[0]}")
        yield finding("SCN-103", f"{' and '.join(group)} are one path on some systems", where)
    if taken := sorted(path for path in paths if path.split("/")[0] == "message_logs"):
        yield finding(
            "SCN-063", f"{taken[0]!r} is where rendered histories go", subject.places.file(f"workspace/{taken[0]}")
        )
