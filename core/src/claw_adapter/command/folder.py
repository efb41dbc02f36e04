"""Session stores that are a folder with a file of JSON lines for each session, in a format of the harness's own.

What such a format has no place for (a session's kind, channel, title, participants and position; ids, exact times and speakers
of messages) travels under our own key ``claw``, in the file or in one beside it.
"""

from __future__ import annotations

import json
import secrets
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from claw_adapter.errors import HarnessProtocolError
from claw_adapter.harness import Message, Session, SessionChange, SessionStore
from claw_adapter.made import Made
from claw_adapter.merge import merged
from claw_adapter.reading import parse_json, read_text, why

__all__ = ["OURS", "Once", "SessionFolder", "json_lines", "named", "ours_of", "read_object", "replace", "session_of"]

OURS: Final = "claw"
LAST: Final = 1_000_000
"""The position of sessions that the harness has begun itself."""
Once = Callable[[Sequence[Any], Callable[[Any], Any]], list[Any]]
"""Makes of each value what the function makes of it, or has made of it before."""
FIELDS: Final = ("kind", "channel", "title", "participants")


class SessionFolder(SessionStore):
    """A folder of sessions, or one session's file in it; a subclass says what stands in a file."""

    title: ClassVar[str]
    """Whose sessions they are, for messages."""

    def __init__(self) -> None:
        self._read: dict[Path, dict[str, Any]] = {}
        """What each line of a file said that was read before: a file grows by a few lines a turn."""
        self._made: dict[Path, Made[Any]] = {}

    def once(self, file: Path) -> Once:
        """What makes messages of the records of a file, each once."""
        return self._made.setdefault(file, Made()).of

    @abstractmethod
    def file(self, session_id: str, folder: Path) -> Path:
        """Where a session lies."""

    @abstractmethod
    def load(self, file: Path) -> tuple[int, Session]:
        """A session and its position.

        Raises:
            HarnessProtocolError, ArithmeticError, ValueError, KeyError, TypeError, AttributeError: it is none.
        """

    @abstractmethod
    def save(self, session: Session, position: int, folder: Path, there: Session | None = None) -> None:
        """Write a session; `there` is what its file holds until now."""

    @abstractmethod
    def clear(self, folder: Path) -> None:
        """Remove the sessions that an earlier `write` put there."""

    def files(self, folder: Path) -> list[Path]:
        """The files of all sessions."""
        return sorted(folder.glob("*.jsonl"))

    def read(self, path: Path) -> list[Session]:
        """All sessions, in the order in which they were written; those that the harness began itself come last.

        Raises:
            HarnessProtocolError: a file is no session of this harness.
        """
        found = [self._load(file) for file in (self.files(path) if path.is_dir() else [path])]
        return [session for _, session in sorted(found, key=lambda item: (item[0], item[1].id))]

    def write(self, sessions: Sequence[Session], path: Path) -> None:
        """Write every session anew, and remove what an earlier `write` put there."""
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.clear(path)
        for position, session in enumerate(sessions):
            self.save(session, position, path)

    def append(self, changes: Sequence[SessionChange], path: Path) -> None:
        """Apply changes of the neutral sessions, keeping the turns that the harness has added since."""
        for change in changes:
            file = self.file(change.session, path)
            position, there = self._load(file) if file.is_file() else (len(self.files(path)), None)
            self.save(merged(change.before, change.after, there), position, path, there)

    def lines(self, file: Path) -> list[dict[str, Any]]:
        """The records of a file, which nobody changes: those of lines that were there before are the same objects.

        Raises:
            HarnessProtocolError: it cannot be read, or has something else in it.
        """
        before = self._read.get(file, {})
        try:
            lines = [line for line in read_text(file).split("\n") if line.strip()]
            known = {line: before[line] if line in before else parse_json(line) for line in lines}
        except (OSError, ValueError) as error:
            raise HarnessProtocolError(f"not a session of {self.title}: {why(error)}", where=str(file)) from error
        if not all(isinstance(record, dict) for record in known.values()):
            raise HarnessProtocolError(f"not a session of {self.title}: a line is no object", where=str(file))
        self._read[file] = known
        return [known[line] for line in lines]

    def _load(self, file: Path) -> tuple[int, Session]:
        try:
            return self.load(file)
        except (ArithmeticError, ValueError, KeyError, TypeError, AttributeError) as error:
            what = f"not a session as {self.title} writes it: {why(error)}"
            raise HarnessProtocolError(what, where=str(file)) from error


def ours_of(session: Session, position: int) -> dict[str, Any]:
    """What is kept of a session beside its messages."""
    return {"id": session.id, "position": position, **session.model_dump(mode="json", include=set(FIELDS))}


def session_of(ours: Mapping[str, Any], session_id: str, messages: Iterable[Message]) -> tuple[int, Session]:
    """Position and session out of what `ours_of` kept, which is nothing of one that the harness has begun: `session_id`."""
    known = {name: ours[name] for name in FIELDS if name in ours}
    made = Session.model_validate({"id": ours.get("id") or session_id, **known, "messages": tuple(messages)})
    return int(ours.get("position", LAST)), made


def named(
    said: Sequence[tuple[Mapping[str, Any], str]], once: Once, make: Callable[[Mapping[str, Any], str], Message]
) -> list[Message]:
    """The messages that `make` makes of records and the names that they have now, each once."""
    names = {id(record): name for record, name in said}
    found = once([record for record, _ in said], lambda record: make(record, names[id(record)]))
    return [
        message if message.id == name else message.model_copy(update={"id": name})
        for message, (_, name) in zip(found, said, strict=True)
    ]


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file; empty where there is none.

    Raises:
        HarnessProtocolError: there is something else in it.
    """
    try:
        value = parse_json(read_text(path)) if path.is_file() else {}
    except (OSError, ValueError) as error:
        raise HarnessProtocolError(f"not readable: {why(error)}", where=str(path)) from error
    if not isinstance(value, dict):
        raise HarnessProtocolError("not a JSON object", where=str(path))
    return value


def json_lines(records: Iterable[Mapping[str, Any]]) -> str:
    """The text of a file with these records."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def replace(target: Path, text: str) -> None:
    """Replace a file; never write into what lies there."""
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    temporary.write_text(text, "utf-8")
    temporary.replace(target)
