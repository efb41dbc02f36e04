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
import secrets
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from claw_adapter.errors import HarnessProtocolError
from claw_adapter.harness import Session, SessionChange, SessionStore
from claw_adapter.merge import merged
from claw_adapter.reading import parse_json, read_text, why
from claw_adapter_claude_code.native import OURS, messages_of, native_lines, session_uuid

__all__ = ["TITLE", "ClaudeSessions", "project_folder"]

LAST: Final = 1_000_000
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


class ClaudeSessions(SessionStore):
    """A folder of sessions, or one session's file."""

    def read(self, path: Path) -> list[Session]:
        """All sessions, in the order in which they were written; those that Claude Code began itself come last.

        Raises:
            HarnessProtocolError: a file is no session of Claude Code.
        """
        if path.is_dir():
            files = sorted(
                {file.with_suffix(".jsonl") for ending in ("jsonl", OURS) for file in path.glob(f"*.{ending}")}
            )
        else:
            files = [path]
        found = [_read(file) for file in files]
        return [session for _, session in sorted(found, key=lambda item: (item[0], item[1].id))]

    def write(self, sessions: Sequence[Session], path: Path) -> None:
        """Write every session anew, and remove those that an earlier `write` put there; other files stay."""
        path.mkdir(parents=True, exist_ok=True)
        for mark in path.glob(f"*.{OURS}"):
            mark.unlink()
            mark.with_suffix(".jsonl").unlink(missing_ok=True)
        for position, session in enumerate(sessions):
            _write(session, position, path)

    def append(self, changes: Sequence[SessionChange], path: Path) -> None:
        """Apply changes of the neutral sessions, keeping the turns that Claude Code has added since.

        What is only longer is only appended to, so that what Claude Code itself keeps of its turns stays.
        """
        for change in changes:
            file = path / f"{session_uuid(change.session)}.jsonl"
            position, there = _read(file) if file.is_file() else (len(list(path.glob(f"*.{OURS}"))), None)
            session = merged(change.before, change.after, there)
            old = there.messages if there else ()
            if old and session.messages[: len(old)] == old:
                _mark(session, position, path)
                new = native_lines(session.id, session.messages[len(old) :], parent=_leaf(file))
                _put(file, file.read_text("utf-8") + "".join(_json(line) + "\n" for line in new))
            else:
                _write(session, position, path)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _put(target: Path, text: str) -> None:
    """Replace a file; never write into what lies there."""
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    temporary.write_text(text, "utf-8")
    temporary.replace(target)


def _mark(session: Session, position: int, folder: Path) -> None:
    fields = {"id", "kind", "channel", "title", "participants"}
    ours = {"position": position, **session.model_dump(mode="json", include=fields)}
    _put(folder / f"{session_uuid(session.id)}.{OURS}", _json(ours) + "\n")


def _write(session: Session, position: int, folder: Path) -> None:
    """An empty session has no file of Claude Code's: it refuses to resume one without a message."""
    _mark(session, position, folder)
    file = folder / f"{session_uuid(session.id)}.jsonl"
    if session.messages:
        # One without a title is given one by the model where the ACP server is used, with a request of its own.
        title = {"type": TITLE, "customTitle": session.title or session.id, "sessionId": session_uuid(session.id)}
        _put(file, "".join(_json(line) + "\n" for line in (title, *native_lines(session.id, session.messages))))
    else:
        file.unlink(missing_ok=True)


def _read(file: Path) -> tuple[int, Session]:
    """A session and its position."""
    ours = _ours(file.with_suffix(f".{OURS}"))
    try:
        position = int(ours.get("position", LAST))
        session = Session(
            id=ours.get("id") or file.stem,
            kind=ours.get("kind", "direct"),
            channel=ours.get("channel", "main"),
            title=ours.get("title", ""),
            participants=tuple(ours.get("participants", ())),
            messages=tuple(messages_of(_lines(file))) if file.is_file() else (),
        )
    except (ArithmeticError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise HarnessProtocolError(f"not a session as Claude Code writes it: {why(error)}", where=str(file)) from error
    return position, session


def _ours(mark: Path) -> dict[str, Any]:
    try:
        value = parse_json(read_text(mark)) if mark.is_file() else {}
    except (OSError, ValueError) as error:
        raise HarnessProtocolError(f"not readable: {why(error)}", where=str(mark)) from error
    if not isinstance(value, dict):
        raise HarnessProtocolError("not a JSON object", where=str(mark))
    return value


def _lines(file: Path) -> list[dict[str, Any]]:
    try:
        lines = [parse_json(line) for line in read_text(file).split("\n") if line.strip()]
    except (OSError, ValueError) as error:
        raise HarnessProtocolError(f"not a session of Claude Code: {why(error)}", where=str(file)) from error
    if not all(isinstance(line, dict) and "type" in line for line in lines):
        raise HarnessProtocolError("not a session of Claude Code: a line has no type", where=str(file))
    return lines


def _leaf(file: Path) -> str | None:
    """The line that the next one follows."""
    return next((str(line["uuid"]) for line in reversed(_lines(file)) if line.get("uuid")), None)
