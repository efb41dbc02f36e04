"""What the stores share: one file per session in one folder, JSON lines, calls and results."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ValidationError

from claw_adapter.errors import ScenarioError
from claw_adapter.harness import Message, Session, SessionStore, ToolCall
from claw_adapter.reading import parse_json, why
from claw_adapter_clawarena.jsontext import decode, read_bytes

__all__ = ["FileStore", "arguments_of", "json_line", "message", "plain_text", "read_text", "write_text"]


class FileStore(SessionStore):
    """A store that is a folder with one file per session."""

    ending: ClassVar[str]

    def read(self, path: Path) -> list[Session]:
        """The sessions of a folder by file name, or the one of a file.

        Raises:
            ScenarioError: a file is not of this format; with its line.
        """
        files = [path] if path.is_file() else sorted(path.glob(f"*{self.ending}"))
        return [self.read_file(file) for file in files]

    def read_file(self, path: Path) -> Session:
        """The session of one file.

        Raises:
            ScenarioError: it is not of this format; with its line where one line is at fault.
        """
        try:
            return self.parse_file(path)
        except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
            remedy = "Correct the record that is not as the others are."
            raise ScenarioError(
                f"not a session of this format: {why(error)}", where=f"{path}:1", remedy=remedy
            ) from error

    @abstractmethod
    def parse_file(self, path: Path) -> Session:
        """The session of one file; what is of another shape than the format says may raise what it does in Python."""

    @abstractmethod
    def render(self, session: Session, folder: Path) -> Mapping[str, str]:
        """The files, by name, that hold a session."""

    def write(self, sessions: Sequence[Session], path: Path) -> None:
        """Write every session into the folder `path`, and remove the files of sessions that are no longer there.

        Raises:
            ScenarioError: an id is no file name, or two sessions share a file.
        """
        path.mkdir(parents=True, exist_ok=True)
        files: dict[str, str] = {}
        for session in sessions:
            for name, text in self.render(session, path).items():
                if "/" in name or name.startswith(".") or name in files:
                    raise ScenarioError(f"session {session.id!r} cannot be stored as {name!r}", where=str(path))
                files[name] = text
        for stale in path.glob(f"*{self.ending}"):
            if stale.name not in files:
                stale.unlink()
        for name, text in files.items():
            write_text(path / name, text)


def read_text(path: Path) -> str:
    """The text of a UTF-8 file.

    Raises:
        ScenarioError: it cannot be read, or is not UTF-8.
    """
    return decode(read_bytes(path), path)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file as it is, line ends included."""
    path.write_bytes(text.encode("utf-8"))


def json_line(record: Mapping[str, Any]) -> str:
    """One record as a line."""
    return json.dumps(record, ensure_ascii=False) + "\n"


def message(where: str, **fields: Any) -> Message:
    """A neutral message.

    Raises:
        ScenarioError: the fields make none.
    """
    try:
        return Message(**fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        raise ScenarioError(f"no message: {name} {first['msg']}".strip(), where=where) from None


def plain_text(content: Any) -> str:
    """The text of a message's content: the text parts, one a line; other parts (thinking, images) are left out."""
    if isinstance(content, list):
        return "\n".join(filter(None, map(_part_text, content)))
    return content if isinstance(content, str) else ""


def _part_text(part: Any) -> str:
    if isinstance(part, dict):
        return str(part.get("text") or "") if part.get("type") == "text" else ""
    return part if isinstance(part, str) else ""


def arguments_of(value: Any) -> dict[str, Any]:
    """A call's arguments; a JSON text is read, and what is no object comes back as ``{"raw": …}``."""
    if isinstance(value, str):
        try:
            value = parse_json(value) if value else {}
        except ValueError:
            return {"raw": value}
    return value if isinstance(value, dict) else {"raw": value}


def openai_calls(calls: Iterable[Any] | None) -> tuple[ToolCall, ...]:
    """Calls in the OpenAI form: ``{"id", "function": {"name", "arguments": JSON text}}``."""
    found = []
    for position, call in enumerate(calls or (), start=1):
        function = call.get("function", {})
        name, given = str(function.get("name", "")), arguments_of(function.get("arguments"))
        found.append(ToolCall(id=str(call.get("id", f"call_{position}")), name=name, arguments=given))
    return tuple(found)


def openai_records(calls: Iterable[ToolCall]) -> list[dict[str, Any]]:
    """The same form, from neutral calls."""
    return [
        {"id": c.id, "function": {"name": c.name, "arguments": json.dumps(c.arguments, ensure_ascii=False)}}
        for c in calls
    ]
