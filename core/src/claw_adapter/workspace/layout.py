"""The workspace at the start of a trial, and sessions as files for harnesses that know only one session."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Final

from claw_adapter import folders
from claw_adapter.errors import JournalError, ScenarioError
from claw_adapter.protocol import Message, Session, ToolCall
from claw_adapter.workspace.files import FileChange, current

__all__ = ["HISTORY_FOLDER", "history_path", "lay_out", "plan_histories", "render_history"]

HISTORY_FOLDER: Final = "message_logs"
SAFE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
FENCE: Final = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)


def lay_out(base: Path, workspace: Path) -> None:
    """Copy the scenario's base tree into `workspace`, which must be new or empty. Links inside the tree stay links.

    Everything becomes writable for the owner, also when the scenario was installed read-only. No base tree is an empty one.

    Raises:
        ScenarioError: a link leads out of the tree, or something is neither file, folder nor link.
        JournalError: the workspace has something in it.
    """
    workspace.mkdir(parents=True, exist_ok=True)
    if next(workspace.iterdir(), None) is not None:
        raise JournalError(
            "the workspace is not empty", where=str(workspace), remedy="Use another run folder, or restore a snapshot."
        )
    if not base.is_dir():
        return
    _check_base(base)
    shutil.copytree(base, workspace, symlinks=True, dirs_exist_ok=True)
    for folder, _, files in os.walk(workspace):
        for path in (Path(folder), *(Path(folder, name) for name in files)):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode & 0o777 | (0o700 if path.is_dir() else 0o600))


def _check_base(base: Path) -> None:
    root = base.resolve()
    for folder, names, files in os.walk(base):
        for path in (Path(folder, name) for name in (*names, *files)):
            if path.is_symlink():
                target = path.readlink()
                if target.is_absolute() or not path.resolve().is_relative_to(root):
                    raise ScenarioError(
                        f"the link leads out of the workspace, to {target}", where=str(path), remedy="Link inside it."
                    )
            elif not (path.is_file() or path.is_dir()):
                raise ScenarioError("neither a file, a folder nor a link", where=str(path))


def history_path(session_id: str) -> str:
    """Where a session stands as a file, relative to the workspace.

    Raises:
        ScenarioError: the id cannot be a file name.
    """
    if not SAFE_NAME.fullmatch(session_id):
        raise ScenarioError(
            f"session id {session_id!r} cannot be a file name", remedy="Use letters, digits, '_', '.', '-'."
        )
    return f"{HISTORY_FOLDER}/{session_id}.md"


def plan_histories(sessions: Iterable[Session], workspace: Path) -> list[FileChange]:
    """Changes that bring the message logs of these sessions up to date; `update.commit` writes them.

    Links are not followed: a log is always a file of its own.
    """
    with folders.opened(workspace) as root:
        return [
            FileChange(path, current(root, path), render_history(session).encode("utf-8", "replace"))
            for session in sessions
            for path in (history_path(session.id),)
        ]


def render_history(session: Session) -> str:
    """A session as readable Markdown, the same text for the same session.

    Every line of a message's text stands unchanged on a line of its own, so that what is quoted literally is found again.
    Tool calls and results are fenced. Ends in a line feed.
    """
    head = [f"# Message log: {session.title or session.id}", "", f"- Session: {session.id}"]
    head.append(f"- Channel: {session.channel} ({session.kind})")
    if session.participants:
        head.append(f"- Participants: {', '.join(session.participants)}")
    tools = {call.id: call.name for message in session.messages for call in message.tool_calls}
    parts = ["\n".join(head), *(_render_message(message, tools) for message in session.messages)]
    return "\n\n---\n\n".join(parts) + "\n"


def _render_message(message: Message, tools: dict[str, str]) -> str:
    time = f" · {_iso(message.time)}" if message.time is not None else ""
    if message.role == "tool":
        name = tools.get(message.tool_call_id or "", "")
        title = f"**Tool result**{f' of `{name}`' if name else ''} ({message.tool_call_id}){time}"
        return f"{title}\n\n{_fenced(message.text, 'text')}"
    title = f"**{message.speaker or message.role.capitalize()}**"
    if message.speaker:
        title += f" ({message.role})"
    body = [title + time]
    if message.text:
        body.append(message.text)
    body.extend(_render_call(call) for call in message.tool_calls)
    return "\n\n".join(body)


def _render_call(call: ToolCall) -> str:
    arguments = json.dumps(call.arguments, ensure_ascii=False, indent=2)
    return f"Calls `{call.name}` ({call.id}):\n\n{_fenced(arguments, 'json')}"


def _fenced(text: str, language: str) -> str:
    """A code block whose fence is longer than any in the text."""
    longest = max((len(fence) for fence in FENCE.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _iso(time: datetime) -> str:
    return time.isoformat(timespec="seconds" if time.microsecond == 0 else "milliseconds")
