"""Session stores that are a folder with a file of JSON lines for each session, in a format of the harness's own.

What such a format has no place for (a session's kind, channel, title, participants and position; ids, exact times and speakers
of messages) travels under our own key ``claw``, in the file or in one beside it.
"""

from __future__ import annotations

import json
import secrets
from abc import abstractmethod
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol

from claw_adapter.command.messages import unused
from claw_adapter.errors import HarnessProtocolError
from claw_adapter.harness import Message, Session, SessionChange, SessionStore
from claw_adapter.made import Made
from claw_adapter.merge import merged
from claw_adapter.reading import parse_json, read_bytes, read_text, why
from claw_adapter.shared import shared

__all__ = [
    "OURS", "NamedMessages", "Once", "SessionFolder", "Teller", "json_lines", "ours_of", "read_object", "replace",
    "session_of",
]  # fmt: skip

OURS: Final = "claw"
LAST: Final = 1_000_000
"""The position of sessions that the harness has begun itself."""
Once = Callable[[Sequence[Any], Callable[[Any], Any]], list[Any]]
"""Makes of each value what the function makes of it, or has made of it before."""
FIELDS: Final = ("kind", "channel", "title", "participants")


class Teller(Protocol):
    """Makes the messages of a session out of its records, which it is given in their order, some at a time."""

    @property
    def messages(self) -> list[Message]:
        """Those of all records that it was given."""

    def add(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Take in the next records."""


class SessionFolder(SessionStore):
    """A folder of sessions, or one session's file in it; a subclass says what stands in a file."""

    title: ClassVar[str]
    """Whose sessions they are, for messages."""

    def __init__(self) -> None:
        self._read: dict[Path, tuple[bytes, list[Any]]] = {}
        """A file that was read before, and what its lines say: it grows by a few lines a turn."""
        self._made: dict[Path, Made[Any]] = {}
        self._told: dict[Path, tuple[Sequence[Mapping[str, Any]], Teller]] = {}

    def once(self, file: Path) -> Once:
        """What makes messages of the records of a file, each once."""
        return self._made.setdefault(file, Made()).of

    def told(self, file: Path, records: Sequence[Mapping[str, Any]], begin: Callable[[], Teller]) -> list[Message]:
        """The messages that the records of a file tell. A teller that was given the first of them goes on; else one begins."""
        known, teller = self._told.pop(file, ((), None))
        if teller is None or records[: len(known)] != known:
            known, teller = (), begin()
        teller.add(records[len(known) :])
        self._told[file] = records, teller
        return teller.messages

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
        old, said = self._read.get(file, (b"", []))
        try:
            data = read_bytes(file).removeprefix(BOM_UTF8)
            found = _gone_on(old, said, data)
        except (OSError, ValueError) as error:
            raise HarnessProtocolError(f"not a session of {self.title}: {why(error)}", where=str(file)) from error
        if not set(map(type, found)) <= {dict}:
            raise HarnessProtocolError(f"not a session of {self.title}: a line is no object", where=str(file))
        self._read[file] = data, found
        return list(found)

    def _load(self, file: Path) -> tuple[int, Session]:
        try:
            return self.load(file)
        except (ArithmeticError, ValueError, KeyError, TypeError, AttributeError) as error:
            what = f"not a session as {self.title} writes it: {why(error)}"
            raise HarnessProtocolError(what, where=str(file)) from error


def _gone_on(old: bytes, said: Sequence[Any], data: bytes) -> list[Any]:
    """What the lines of a file say, of which `old` was known to say this.

    What has only been added to is read from there on; its first line may tell of the whole, and be another one every time.
    """
    if old.endswith(b"\n") and data.startswith(old):
        return [*said, *_parsed(data[len(old) :].split(b"\n"))]
    was, now = old.find(b"\n") + 1, data.find(b"\n") + 1
    if old[:was].strip() and data[:now].strip() and old.endswith(b"\n") and data.startswith(old[was:], now):
        head = said[:1] if old[:was] == data[:now] else _parsed([data[:now]])
        return [*head, *said[1:], *_parsed(data[now + len(old) - was :].split(b"\n"))]
    before, lines = (list(filter(bytes.strip, one.split(b"\n"))) for one in (old, data))
    first, last = shared(before, lines)
    return [*said[:first], *_parsed(lines[first : len(lines) - last]), *said[len(said) - last :]]


def _parsed(lines: Iterable[bytes]) -> list[Any]:
    return [parse_json(line.decode()) for line in lines if line.strip()]


def ours_of(session: Session, position: int) -> dict[str, Any]:
    """What is kept of a session beside its messages."""
    return {"id": session.id, "position": position, **session.model_dump(mode="json", include=set(FIELDS))}


def session_of(ours: Mapping[str, Any], session_id: str, messages: Iterable[Message]) -> tuple[int, Session]:
    """Position and session out of what `ours_of` kept, which is nothing of one that the harness has begun: `session_id`."""
    known = {name: ours[name] for name in FIELDS if name in ours}
    made = Session.model_validate({"id": ours.get("id") or session_id, **known})
    return int(ours.get("position", LAST)), made.with_messages(tuple(messages))


class NamedMessages:
    """A teller for records of a message each: with the name that we gave it, or else with one by its place.

    Args:
        harness: what such a name begins with.
        own: the name that we gave to a record's message; empty or None if the harness has made it.
        said: whether a record is a message.
        make: the message of a record, with its name.
    """

    def __init__(
        self,
        harness: str,
        own: Callable[[Mapping[str, Any]], str | None],
        said: Callable[[Mapping[str, Any]], bool],
        make: Callable[[Mapping[str, Any], str], Message],
    ) -> None:
        self._harness, self._own, self._said, self._make = harness, own, said, make
        self._used: set[str] = set()
        self._place = 0
        self.messages: list[Message] = []

    def add(self, records: Sequence[Mapping[str, Any]]) -> None:
        """See `Teller.add`."""
        self._used.update(name for record in records if (name := self._own(record)))
        for place, record in enumerate(records, start=self._place):
            if self._said(record):
                name = self._own(record) or unused(f"{self._harness}-{place}", self._used)
                self.messages.append(self._make(record, name))
        self._place += len(records)


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
