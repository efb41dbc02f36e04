"""NanoBot's state directory: configuration, vocabulary, session files; laid out by us before it starts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from claw_adapter.command.data import refuse_links
from claw_adapter.harness import Checkpoint, Session, SessionChange
from claw_adapter_nanobot.store import CHANNEL, NanoBotSessions, file_name

__all__ = ["ISOLATED", "VOCABULARY", "WORKSPACE_ID", "State"]

WORKSPACE_ID: Final = "c1a30000000000000000000000000001"
"""NanoBot names a workspace's session folder by a random id. Every trial has a state directory of its own, so a fixed one
is as good, and keeps checkpoints and requests equal between trials."""
ISOLATED: Final = ("-I", "-B", "-X", "utf8")
"""For NanoBot's interpreter: its own environment only, no writing beside modules, UTF-8 whatever the locale says."""
VOCABULARY: Final = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
"""tiktoken's name for cl100k_base in a cache folder: sha1 of the address it would otherwise fetch it from."""


class State:
    """What lies in `folder`, for the agent of `workspace`, which NanoBot knows as `told`, if that is another path."""

    def __init__(self, folder: Path, workspace: Path, channel: str = CHANNEL, told: Path | None = None) -> None:
        self.folder = folder
        self.workspace = workspace
        self.told = told or workspace
        self.store = NanoBotSessions(channel)

    @property
    def config(self) -> Path:
        """NanoBot keeps its sessions beside this file."""
        return self.folder / "config.json"

    @property
    def sessions(self) -> Path:
        """Where the session files of the workspace are."""
        return self.folder / "sessions" / WORKSPACE_ID

    @property
    def vocabulary(self) -> Path:
        """Cache folder for tiktoken. Without it, offline, NanoBot counts a token per byte and compacts far too early."""
        return self.folder / "tiktoken"

    def lay_out(
        self, configuration: Mapping[str, Any], sessions: Sequence[Session], checkpoint: Checkpoint | None
    ) -> None:
        """Write everything that NanoBot finds when it starts; only into an empty state directory and its workspace marker."""
        self.config.write_text(json.dumps(configuration, indent=1, ensure_ascii=False), "utf-8")
        self.config.chmod(0o600)
        self._write_vocabulary()
        self.sessions.mkdir(parents=True, mode=0o700)
        self._mark_workspace()
        (self.sessions / ".workspace").write_text(f"{self.told.resolve()}\n", "utf-8")
        if checkpoint is None or not self._restored(checkpoint):
            self.store.write(sessions, self.sessions)

    def change(self, changes: Sequence[SessionChange]) -> None:
        """Bring changed sessions into the files; NanoBot must not be in a turn."""
        self.store.append(changes, self._trusted())

    def checkpoint(self, main: str) -> Checkpoint:
        """Sessions, main first, and their files. Nothing of an unfinished turn is in them."""
        folder = self._trusted()
        sessions = self.store.read(folder)
        sessions.sort(key=lambda session: session.id != main)
        found = sorted(folder.glob("*.jsonl"))
        native = {file.name: file.read_bytes() for file in found if self.store.finished(file)}
        return Checkpoint(sessions=tuple(sessions), files=native)

    def _restored(self, checkpoint: Checkpoint) -> bool:
        """Put back the native files if they say what the checkpoint's sessions say; they know more, such as titles.

        Those of a mode with another channel are of no use: their names are other keys.
        """
        if checkpoint.sessions and file_name(checkpoint.sessions[0].id, self.store.channel) not in checkpoint.files:
            return False
        for name, content in checkpoint.files.items():
            (self.sessions / Path(name).name).write_bytes(content)
        found = {session.id: session for session in self.store.read(self.sessions)}
        return found == {session.id: session for session in checkpoint.sessions} and bool(found)

    def _mark_workspace(self) -> None:
        """Name the workspace's session folder; what an agent left in the place of ours is not followed anywhere."""
        folder = self.workspace / ".nanobot"
        if folder.is_symlink():
            folder.unlink()
        folder.mkdir(exist_ok=True)
        marker = folder / "workspace-id"
        marker.unlink(missing_ok=True)
        marker.write_text(WORKSPACE_ID + "\n", "ascii")

    def _trusted(self) -> Path:
        """The session folder, which the agent can write to and we read and write outside its confinement.

        Raises:
            HarnessProtocolError: there are links in it, which NanoBot never makes.
        """
        for path in (self.sessions, *self.sessions.glob("*.jsonl")):
            refuse_links(path, self.folder)
        return self.sessions

    def _write_vocabulary(self) -> None:
        import gzip

        packed = files("claw_adapter.tokens").joinpath("cl100k_base.tiktoken.gz").read_bytes()
        self.vocabulary.mkdir()
        (self.vocabulary / VOCABULARY).write_bytes(gzip.decompress(packed))
