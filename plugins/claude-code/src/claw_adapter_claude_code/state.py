"""What Claude Code finds when it starts: its settings, the key, the session, its own memory; and what a checkpoint keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from claw_adapter.command.data import refuse_links
from claw_adapter.errors import HarnessProtocolError
from claw_adapter.harness import Checkpoint, Session, SessionChange
from claw_adapter_claude_code.configuration import KEY, MCP
from claw_adapter_claude_code.memory import Memory
from claw_adapter_claude_code.native import session_uuid
from claw_adapter_claude_code.store import ClaudeSessions, Essential, project_folder

__all__ = ["State"]

FOLDER: Final = "claude"
NATIVE: Final = "session.jsonl"
"""Name of the session's file in a checkpoint, whichever workspace it is put back for."""


class State:
    """Files in `folder`, for a conversation whose session is `main`, in the folder that Claude Code knows as `workspace`."""

    def __init__(self, folder: Path, workspace: Path, main: Session) -> None:
        self.folder = folder
        self.main = main
        self.uuid = session_uuid(main.id)
        self.store = ClaudeSessions()
        self._essential = Essential()
        self.sessions = folder / FOLDER / "projects" / project_folder(workspace)
        self._begun = self.uuid
        self.memory = Memory(folder)

    @property
    def config(self) -> Path:
        """The folder that Claude Code takes for its own."""
        return self.folder / FOLDER

    def lay_out(
        self,
        settings: Mapping[str, Any],
        key: str,
        checkpoint: Checkpoint | None,
        servers: Mapping[str, Any] | None = None,
    ) -> None:
        """Write everything that Claude Code finds; only into an empty state directory."""
        for folder in (self.sessions, self.memory.folder, self.folder / "tmp"):
            folder.mkdir(parents=True, mode=0o700)
        secret = self.folder / KEY
        secret.touch(mode=0o600)
        secret.write_text(key, "utf-8")
        (self.config / "settings.json").write_text(json.dumps(settings, indent=1, ensure_ascii=False), "utf-8")
        if servers:
            (self.folder / MCP).write_text(json.dumps(servers, ensure_ascii=False), "utf-8")
        self.store.write([self.main], self.sessions)
        if checkpoint is not None:
            self._restore(checkpoint)

    @property
    def file(self) -> Path:
        """The session's file."""
        return self._file()

    @property
    def exists(self) -> bool:
        """Whether there is a session to be resumed; one without a message cannot be."""
        return self._file().is_file()

    @property
    def size(self) -> int:
        """Bytes of the session's file; 0 where there is none."""
        return self._file().stat().st_size if self.exists else 0

    def forget(self, content: str | list[dict[str, str]], size: int) -> None:
        """Take the last prompt, written behind the first `size` bytes, out of the file; Claude Code must not be running."""
        file = self._file()
        lines = (file.read_bytes() if file.is_file() else b"")[size:].splitlines(keepends=True)
        for number, line in enumerate(lines):
            record = json.loads(line) if line.strip() else {}
            if record.get("type") == "user" and record.get("message", {}).get("content") == content:
                kept = file.read_bytes()[:size] + b"".join(lines[:number])
                file.write_bytes(kept)
                if not self.store.read(file)[0].messages:
                    file.unlink()
                return

    def begun(self, uuid: str) -> None:
        """Take note that Claude Code has begun the session under an id of its own.

        Raises:
            HarnessProtocolError: that is no id of a session.
        """
        if session_uuid(uuid) != uuid:
            raise HarnessProtocolError(f"{uuid!r} is no id of a session", where="Claude Code")
        self._begun = uuid

    def change(self, changes: Sequence[SessionChange]) -> None:
        """Bring a changed main session into its file; Claude Code must not be running."""
        self._adopt()
        self._begun = self.uuid
        self.store.append([change for change in changes if change.session == self.main.id], self.sessions)

    def checkpoint(self) -> Checkpoint:
        """The session, its file without bookkeeping, and what Claude Code remembers by itself.

        Raises:
            HarnessProtocolError: the session is not readable, or the agent has put something else in its place.
        """
        self._adopt()
        file = self._file()
        files = self.memory.files()
        if file.is_file():
            files[NATIVE] = self._essential.of(file.read_bytes())
        (session,) = self.store.read(file)
        if session.id != self.main.id:
            raise HarnessProtocolError("the session has got another id", where=str(file))
        return Checkpoint(sessions=(session,), files=files)

    def _file(self, uuid: str = "") -> Path:
        """The session's file.

        Raises:
            HarnessProtocolError: a link on the way, which Claude Code never makes.
        """
        file = self.sessions / f"{uuid or self.uuid}.jsonl"
        for path in (file, file.with_suffix(".claw")):
            refuse_links(path, self.folder)
        return file

    def _adopt(self) -> None:
        """Copy a session that was begun under another id to our own name for it."""
        theirs = self._file(self._begun)
        if self._begun != self.uuid and theirs.is_file():
            self._file().write_bytes(theirs.read_bytes().replace(self._begun.encode(), self.uuid.encode()))

    def _restore(self, checkpoint: Checkpoint) -> None:
        """Put back memory, and the session's own file if it says what the checkpoint's session says; it knows more."""
        self.memory.put_back(checkpoint.files)
        file = self._file()
        native = checkpoint.files.get(NATIVE)
        if native is None:
            return
        file.write_bytes(native)
        if self.store.read(file) != [self.main]:
            self.store.write([self.main], self.sessions)
