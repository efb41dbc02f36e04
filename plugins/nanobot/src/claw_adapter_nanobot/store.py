"""NanoBot 0.3.5's session files, translated to and from neutral sessions.

One file per session, ``<base64url(key)>.jsonl``: a metadata line, then one message a line. NanoBot keeps every key of a
message and of the metadata that it does not know, so what its format has no place for travels under our own key
``claw``: message ids and speakers, and a session's kind, channel, title, participants and position. A speaker is also
written in front of the text (``Ann: hello``), because the model sees nothing but the text.

Not kept: a tool result's parts other than text (images), tool arguments that are no JSON object (they come back as
``{"raw": "..."}``), and messages that NanoBot hides (compaction marks, slash commands).
"""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Any, ClassVar, Final

from claw_adapter.command.folder import OURS, SessionFolder, json_lines, replace, session_of
from claw_adapter.command.messages import text_of
from claw_adapter.errors import HarnessProtocolError
from claw_adapter.harness import Session
from claw_adapter_nanobot.native import UNFINISHED, Told, head, hidden, native_lines

__all__ = ["CHANNEL", "NanoBotSessions", "file_name", "read_lines", "session_key"]

CHANNEL: Final = "cli"


def session_key(session_id: str, channel: str = CHANNEL) -> str:
    """The key by which NanoBot's own tools know a session; its server puts the channel ``api`` in front."""
    return f"{channel}:{session_id}"


def file_name(session_id: str, channel: str = CHANNEL) -> str:
    """Name of a session's file in the store."""
    return _stem(session_key(session_id, channel)) + ".jsonl"


def _stem(key: str) -> str:
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def read_lines(file: Path) -> list[dict[str, Any]]:
    """All lines of a session file, the metadata first.

    Raises:
        HarnessProtocolError: it is no session of NanoBot.
    """
    return NanoBotSessions().lines(file)


class NanoBotSessions(SessionFolder):
    """The folder ``sessions/<workspace id>`` of a NanoBot instance, or one file of it; keys begin with `channel`."""

    title: ClassVar[str] = "NanoBot"

    def __init__(self, channel: str = CHANNEL) -> None:
        super().__init__()
        self.channel = channel

    def files(self, folder: Path) -> list[Path]:
        """Those that are named by a key."""
        return [file for file in super().files(folder) if _is_session(file)]

    def file(self, session_id: str, folder: Path) -> Path:
        """Where a session lies."""
        return folder / file_name(session_id, self.channel)

    def lines(self, file: Path) -> list[dict[str, Any]]:
        """See `SessionFolder.lines`."""
        lines = super().lines(file)
        if not lines or lines[0].get("_type") != "metadata":
            raise HarnessProtocolError("not a session of NanoBot: no metadata line", where=str(file))
        return lines

    def load(self, file: Path) -> tuple[int, Session]:
        """See `SessionFolder.load`."""
        first, *records = self.lines(file)
        key = str(first.get("key", "")).removeprefix(f"{self.channel}:")
        return session_of(first.get("metadata", {}).get(OURS, {}), key, self.told(file, records, Told))

    def finished(self, file: Path) -> bool:
        """Whether no turn was under way when a session's file was written."""
        return not any(self.lines(file)[0].get("metadata", {}).get(mark) for mark in UNFINISHED)

    def last_turn(self, folder: Path, session_id: str) -> tuple[str, dict[str, Any] | None]:
        """Last message of a session if it is the assistant's, else an empty text; and the usage of the last turn."""
        first, *records = self.lines(self.file(session_id, folder))
        last: dict[str, Any] = next((record for record in reversed(records) if not hidden(record)), {})
        said = text_of(last.get("content")) if last.get("role") == "assistant" else ""
        return said, first.get("metadata", {}).get("_last_usage")

    def save(self, session: Session, position: int, folder: Path, there: Session | None = None) -> None:
        """Write a session; what else NanoBot has put into the metadata of its file stays."""
        file = self.file(session.id, folder)
        kept = self.lines(file)[0].get("metadata", {}) if there else {}
        first = head(session, session_key(session.id, self.channel), position, kept)
        replace(file, json_lines([first, *native_lines(session.messages)]))

    def clear(self, folder: Path) -> None:
        """Remove all sessions."""
        for file in self.files(folder):
            file.unlink()


def _is_session(file: Path) -> bool:
    """Whether a file's name is a session's key."""
    try:
        key = base64.urlsafe_b64decode(file.stem + "=" * (-len(file.stem) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeError, ValueError):
        return False
    return bool(key) and _stem(key) == file.stem
