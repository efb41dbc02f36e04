"""What PicoClaw finds when it starts: its state directory, and its sessions, which it keeps inside the workspace."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from claw_adapter.command.data import refuse_links
from claw_adapter.errors import HarnessProtocolError
from claw_adapter.harness import Checkpoint, Session, SessionChange
from claw_adapter_picoclaw.hook import VARIABLE
from claw_adapter_picoclaw.store import PicoClawSessions, names

__all__ = ["State"]


class State:
    """Files in `folder`, for the agent of `workspace`, whose conversation is the session `main`.

    PicoClaw knows the folder as `told`, if that is another path.
    """

    def __init__(self, folder: Path, workspace: Path, main: str, told: Path | None = None) -> None:
        self.folder = folder
        self.told = told or folder
        self.main = main
        self.sessions = workspace / "sessions"
        self.store = PicoClawSessions()
        self._turns = 0

    @property
    def config(self) -> Path:
        """Its configuration, with the trial's key in it."""
        return self.folder / "config.json"

    @property
    def log(self) -> Path:
        """Its log; without such a file it logs to standard output, before the answer."""
        return self.folder / "picoclaw.log"

    @property
    def trace(self) -> Path:
        """What the hook writes down in the current turn."""
        return self.folder / "turns" / f"{self._turns}.jsonl"

    def environment(self) -> dict[str, str]:
        """Variables of PicoClaw's process."""

        def inside(path: Path) -> str:
            return str(self.told / path.relative_to(self.folder))

        return {
            "PICOCLAW_HOME": str(self.told),
            "PICOCLAW_CONFIG": inside(self.config),
            "PICOCLAW_LOG_FILE": inside(self.log),
            "TMPDIR": inside(self.folder / "tmp"),
            "NO_COLOR": "1",
            "TERM": "dumb",
            VARIABLE: inside(self.trace),
        }

    def begin(self) -> None:
        """Begin a new trace."""
        self._turns += 1
        self.trace.parent.mkdir(exist_ok=True)

    def lay_out(
        self, configuration: Mapping[str, Any], sessions: Sequence[Session], checkpoint: Checkpoint | None
    ) -> None:
        """Write everything PicoClaw finds; sessions of an earlier attempt in the workspace are replaced."""
        self.config.touch(0o600)
        self.config.write_text(json.dumps(configuration, indent=1, ensure_ascii=False), "utf-8")
        (self.folder / "tmp").mkdir()
        self._clear()
        if checkpoint is None or not self._restored(checkpoint):
            self.store.write(sessions, self.sessions)

    def change(self, changes: Sequence[SessionChange]) -> None:
        """Bring changed sessions into the files; PicoClaw must not be in a turn."""
        self._trusted()
        self.store.append(changes, self.sessions)

    def checkpoint(self) -> Checkpoint:
        """The conversation's session and its files."""
        files = self.native()
        return Checkpoint(sessions=tuple(self.store.read(self._trusted())), files=files)

    def native(self) -> dict[str, bytes]:
        """The files of the conversation's session as they are now, by their place in the workspace.

        Raises:
            HarnessProtocolError: the session is gone, or the agent has put something else in its place.
        """
        self._trusted()
        found = [self.sessions / name for name in names(self.main)]
        return {f"sessions/{path.name}": path.read_bytes() for path in found if path.is_file()}

    def put_back(self, files: Mapping[str, bytes]) -> None:
        """Make the session be these files of `native` again, whatever there is now; PicoClaw must not be in a turn.

        Raises:
            HarnessProtocolError: the agent has left something that cannot be replaced.
        """
        try:
            self._clear()
            for name in names(self.main):
                if (content := files.get(f"sessions/{name}")) is not None:
                    (self.sessions / name).write_bytes(content)
        except OSError as error:
            raise HarnessProtocolError(f"the session cannot be put back: {error}", where=str(self.sessions)) from error

    def last_text(self) -> str:
        """The last message of the session if it is the assistant's, else an empty text."""
        (session,) = self.store.read(self._trusted())
        last = session.messages[-1] if session.messages else None
        return last.text if last is not None and last.role == "assistant" else ""

    def _clear(self) -> None:
        """A folder for sessions, without ours, whatever there is now."""
        if self.sessions.is_symlink() or (self.sessions.exists() and not self.sessions.is_dir()):
            self.sessions.unlink()
        self.sessions.mkdir(exist_ok=True)
        for name in names(self.main):
            path = self.sessions / name
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)

    def _restored(self, checkpoint: Checkpoint) -> bool:
        """Put back the native files if they say what the checkpoint's sessions say; they know more, such as a summary."""
        if f"sessions/{names(self.main)[0]}" not in checkpoint.files:
            return False
        self.put_back(checkpoint.files)
        if tuple(self.store.read(self.sessions / names(self.main)[0])) == checkpoint.sessions:
            return True
        self._clear()
        return False

    def _trusted(self) -> Path:
        """The session's file, which the agent can write to and we read and write outside its confinement.

        Raises:
            HarnessProtocolError: it is gone, or the agent has put something else in its place.
        """
        paths = [self.sessions / name for name in names(self.main)]
        for path in paths:
            refuse_links(path, self.sessions.parent)
        if not paths[0].is_file():
            raise HarnessProtocolError("the conversation's session is gone", where=str(paths[0]))
        return paths[0]
