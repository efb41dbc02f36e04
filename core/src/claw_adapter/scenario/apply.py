"""What an update does to text and to sessions: pure functions, the one place where the four actions have their meaning.

Positions are 1-based and ranges inclusive; they count lines in a workspace file and messages in a session. Several ranges of
one action all count from the state before the action.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Message, Scenario, Session, SessionChange, Update, UpdateAction
from claw_adapter.protocol.update import Action, LineRange
from claw_adapter.scenario.jsonl import read_messages

__all__ = [
    "apply_lines",
    "apply_session",
    "effective_action",
    "session_change",
    "session_changes",
    "source_messages",
    "source_path",
]


def effective_action(action: UpdateAction, *, exists: bool) -> Action:
    """The action meant: a bare one is ``new`` in the workspace; on a session ``append`` when it exists, else ``new``."""
    if action.action is not None:
        return action.action
    return "append" if action.session is not None and exists else "new"


def apply_lines(
    text: str, action: Action, content: str = "", *, after: int = 0, ranges: Sequence[LineRange] = ()
) -> str:
    """A text file's content after an action; lines end in a line feed.

    ``append`` starts on a line of its own and keeps the content as it is. ``insert`` puts whole lines behind line `after`.
    ``insert`` and ``delete`` leave it as it was whether the last line is ended, except that an empty one always is.

    Raises:
        ScenarioError: a position or range lies outside the file.
    """
    if action == "new":
        return content
    if action == "append":
        return text + content if not text or text.endswith("\n") else f"{text}\n{content}"
    lines, closed = _lines(text)
    if action == "insert":
        _check_position(after, len(lines), "lines")
        lines[after:after] = _lines(content)[0]
    else:
        gone = _positions(ranges, len(lines), "lines")
        lines = [line for number, line in enumerate(lines, start=1) if number not in gone]
    if lines and not lines[-1]:
        closed = True  # an empty last line is only there if it is ended
    return "\n".join(lines) + ("\n" if closed and lines else "")


def _lines(text: str) -> tuple[list[str], bool]:
    """The lines, and whether the last one is ended; an empty text counts as ended."""
    if not text:
        return [], True
    closed = text.endswith("\n")
    return (text[:-1] if closed else text).split("\n"), closed


def _check_position(after: int, count: int, unit: str) -> None:
    if after > count:
        raise ScenarioError(f"insert after position {after}, but there are {count} {unit}", remedy="Correct 'after'.")


def _positions(ranges: Sequence[LineRange], count: int, unit: str) -> set[int]:
    gone: set[int] = set()
    for first, last in ranges:
        if last > count:
            raise ScenarioError(f"delete {first}..{last}, but there are {count} {unit}", remedy="Correct 'ranges'.")
        gone.update(range(first, last + 1))
    return gone


def apply_session(
    session: Session,
    action: Action,
    messages: Sequence[Message] = (),
    *,
    after: int | None = None,
    ranges: Sequence[LineRange] = (),
) -> Session:
    """A session after an action. New messages are merged: one that is there already, with the same content, is skipped.

    Args:
        session: the session; for ``new`` one without messages, which gives channel, title and participants.
        action: what to do.
        messages: what ``new``, ``append`` and ``insert`` bring.
        after: for ``insert``, the message to insert behind; 0 is before everything.
        ranges: for ``delete``, the messages to remove.

    Raises:
        ScenarioError: a message has a known id and other content; a position lies outside; ``new`` onto existing messages.
    """
    kept = list(session.messages)
    if action == "delete":
        gone = _positions(ranges, len(kept), "messages")
        return session.with_messages([m for number, m in enumerate(kept, start=1) if number not in gone])
    if action == "new" and kept:
        raise ScenarioError(f"session {session.id!r} exists already", remedy="Use 'append', or name another session.")
    fresh = _fresh(session, messages)
    position = len(kept)
    if action == "insert":
        position = after or 0
        _check_position(position, len(kept), "messages")
    return session.with_messages([*kept[:position], *fresh, *kept[position:]])


def _fresh(session: Session, messages: Sequence[Message]) -> list[Message]:
    known = {message.id: message for message in session.messages}
    fresh: list[Message] = []
    for message in messages:
        if message.id not in known:
            known[message.id] = message
            fresh.append(message)
        elif known[message.id] != message:
            raise ScenarioError(
                f"message {message.id!r} is in session {session.id!r} already, with other content",
                remedy="Give the new message an id of its own.",
            )
    return fresh


def source_path(scenario: Scenario, update: Update, action: UpdateAction) -> Path:
    """The file that an action takes its content from."""
    return scenario.root / "updates" / update.id / (action.source or "")


def source_messages(path: Path, update_id: str) -> tuple[Message, ...]:
    """The messages of an update's source; without ids they get ``<update>-m1`` …, as ``m1`` is taken by the base session."""
    return read_messages(path, f"{update_id}-m")


def session_change(
    scenario: Scenario, sessions: Mapping[str, Session], update: Update, action: UpdateAction
) -> SessionChange:
    """What one session action does, given the sessions as they stand.

    Raises:
        ScenarioError: the action does not fit the sessions.
    """
    name = action.session or ""
    before = sessions.get(name)
    kind = effective_action(action, exists=before is not None)
    if kind == "new" and before is not None:
        raise ScenarioError(f"session {name!r} exists already", remedy="Use 'append', or name another session.")
    if kind != "new" and before is None:
        raise ScenarioError(f"there is no session {name!r} to {kind}", remedy="Create it with an earlier 'new'.")
    messages = source_messages(source_path(scenario, update, action), update.id) if action.source else ()
    base = before or _empty(scenario, name)
    after = apply_session(base, kind, messages, after=action.after, ranges=action.ranges)
    return SessionChange(session=name, action=kind, before=before, after=after)


def _empty(scenario: Scenario, name: str) -> Session:
    """A session without messages, described by its entry of the manifest."""
    for entry in scenario.manifest.histories:
        if entry.id == name:
            return Session(**dict(entry))
    return Session(id=name)


def session_changes(scenario: Scenario, sessions: Mapping[str, Session], update: Update) -> list[SessionChange]:
    """What an update does to sessions, one entry per action that changes something, in order; `update.groups` are not followed.

    Args:
        scenario: for the sources of the update.
        sessions: the sessions as they stand, by id.
        update: one update, as `Scenario.expand` yields it.

    Raises:
        ScenarioError: an action does not fit the sessions; nothing was changed, `sessions` is never written to.
    """
    state = dict(sessions)
    changes: list[SessionChange] = []
    for index, action in enumerate(update.actions):
        if action.session is None:
            continue
        try:
            change = session_change(scenario, state, update, action)
        except ScenarioError as error:
            file = scenario.root / "updates" / update.id / "update.yaml"
            where = error.where or f"{file}: actions[{index}]"
            raise ScenarioError(error.what, where=where, remedy=error.remedy) from None
        state[change.session] = change.after
        if change.before != change.after:
            changes.append(change)
    return changes
