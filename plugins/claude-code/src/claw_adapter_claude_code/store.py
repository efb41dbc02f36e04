"""Claude Code's session files, translated to and from neutral sessions.

A session is one file ``<uuid>.jsonl``. Lines of type ``user`` and ``assistant`` are the conversation; each names the line
before it (`parentUuid`), and one that breaks this chain cuts off all that came before. Many other lines are bookkeeping.
A reply of the model comes as several lines with one message id, a block each.

Beside it we put ``<uuid>.claw``: a session's id, kind, channel, title, participants and position, for which the format has
no place. It keeps every key of a line that it does not know, so message ids, exact times, speakers and roles travel in the
lines under the key ``claw``. A speaker is also written in front of the text (``Ann: hello``), because the model sees nothing
else, and messages of role ``system`` are written as the user's, marked ``[system]``.

Not kept: what the model thought, pictures (the word ``[image]`` stands for them), and lines that the program wrote in the
model's or the user's name (notices of failures, reminders, summaries).
"""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import ClassVar, Final

from claw_adapter.command.folder import OURS, SessionFolder, json_lines, ours_of, read_object, replace, session_of
from claw_adapter.harness import Session
from claw_adapter_claude_code.native import Told, native_lines, session_uuid

__all__ = ["TITLE", "ClaudeSessions", "Essential", "project_folder"]

LONGEST: Final = 200
BASE36: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
TITLE: Final = "custom-title"


def project_folder(workspace: Path) -> str:
    """The folder in which Claude Code looks for the sessions of a workspace, found by trying it out.

    It is the path with ``-`` for all but letters and digits; of a long one the beginning, and a hash of the whole in base 36.
    """
    path = str(workspace.resolve())
    name = re.sub(r"[^a-zA-Z0-9]", "-", path)
    if len(name) <= LONGEST:
        return name
    number = 0
    units = path.encode("utf-16-le", "surrogatepass")
    for unit in struct.unpack(f"<{len(units) // 2}H", units):
        number = (number * 31 + unit) & 0xFFFFFFFF
    number = abs(number - (1 << 32) if number >= 1 << 31 else number)
    digits = ""
    while number or not digits:
        number, rest = divmod(number, 36)
        digits = BASE36[rest] + digits
    return f"{name[:LONGEST]}-{digits}"


class Essential:
    """What of a session's file is kept; a line that was there before is not read again."""

    def __init__(self) -> None:
        self._content = self._kept = b""

    def of(self, content: bytes) -> bytes:
        """The title and the lines that are links of the chain; the rest is bookkeeping, most of it copies of requests."""
        if not (self._content.endswith(b"\n") and content.startswith(self._content)):
            self._content = self._kept = b""
        lines = content[len(self._content) :].split(b"\n")
        self._kept += b"".join(line + b"\n" for line in lines if line.strip() and _is_essential(line))
        self._content = content
        return self._kept


def _is_essential(line: bytes) -> bool:
    record = json.loads(line)
    return bool(record.get("uuid") or record.get("type") == TITLE)


class ClaudeSessions(SessionFolder):
    """A folder of sessions, or one session's file; files that we did not put there stay."""

    title: ClassVar[str] = "Claude Code"

    def files(self, folder: Path) -> list[Path]:
        """Those of empty sessions, too, of which there is only our part."""
        found = (file for ending in ("jsonl", OURS) for file in folder.glob(f"*.{ending}"))
        return sorted({file.with_suffix(".jsonl") for file in found})

    def file(self, session_id: str, folder: Path) -> Path:
        """Where a session lies."""
        return folder / f"{session_uuid(session_id)}.jsonl"

    def load(self, file: Path) -> tuple[int, Session]:
        """See `SessionFolder.load`."""
        lines = self.lines(file) if file.is_file() else []
        return session_of(read_object(file.with_suffix(f".{OURS}")), file.stem, self.told(file, lines, Told))

    def save(self, session: Session, position: int, folder: Path, there: Session | None = None) -> None:
        """Write a session. What is only longer is only appended to, so that what Claude Code itself keeps of its turns stays.

        An empty session has no file of Claude Code's: it refuses to resume one without a message.
        """
        file, old = self.file(session.id, folder), there.messages if there else ()
        replace(file.with_suffix(f".{OURS}"), json_lines([ours_of(session, position)]))
        if old and session.messages[: len(old)] == old:
            new = native_lines(session.id, session.messages[len(old) :], parent=self._leaf(file))
            replace(file, file.read_text("utf-8") + json_lines(new))
        elif session.messages:
            # One without a title is given one by the model where the ACP server is used, with a request of its own.
            title = {"type": TITLE, "customTitle": session.title or session.id, "sessionId": session_uuid(session.id)}
            replace(file, json_lines([title, *native_lines(session.id, session.messages)]))
        else:
            file.unlink(missing_ok=True)

    def clear(self, folder: Path) -> None:
        """Remove the sessions that we put there."""
        for mark in folder.glob(f"*.{OURS}"):
            mark.unlink()
            mark.with_suffix(".jsonl").unlink(missing_ok=True)

    def _leaf(self, file: Path) -> str | None:
        """The line that the next one follows."""
        return next((str(line["uuid"]) for line in reversed(self.lines(file)) if line.get("uuid")), None)
