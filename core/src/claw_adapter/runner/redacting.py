"""Checkpoints without keys: one after each round, of a conversation that grows, so that only what is new is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from operator import is_

from claw_adapter.made import Made
from claw_adapter.protocol import Checkpoint, Message, Session
from claw_adapter.redaction import Redactor

__all__ = ["CheckpointRedactor"]


class CheckpointRedactor:
    """Does what `Redactor.record` does, for the checkpoints of one trial."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._messages: dict[str, Made[Message]] = {}
        self._files: dict[tuple[str, str], tuple[bytes, bytes]] = {}
        """The lines of a file behind its first, as they came and without keys."""

    def record(self, checkpoint: Checkpoint) -> Checkpoint:
        """A checkpoint without keys; the same object where there is none."""
        if not self._redactor:
            return checkpoint
        if any("\n" in key for key in self._redactor.keys):  # then what a line holds is not known by itself
            return self._redactor.record(checkpoint)
        sessions = tuple(map(self._session, checkpoint.sessions))
        files = self._all("", checkpoint.files)
        overlays = {label: self._all(label, of) for label, of in checkpoint.overlays.items()}
        new = checkpoint.model_copy(update={"sessions": sessions, "files": files, "overlays": overlays})
        return checkpoint if new == checkpoint else new

    def _session(self, session: Session) -> Session:
        messages = self._messages.setdefault(session.id, Made()).of(session.messages, self._redactor.record)
        bare = session.model_copy(update={"messages": ()})
        if self._redactor.record(bare) is bare and all(map(is_, messages, session.messages)):
            return session
        return self._redactor.record(bare).with_messages(messages)

    def _all(self, label: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
        return {name: self._file((label, name), data) for name, data in files.items()}

    def _file(self, name: tuple[str, str], data: bytes) -> bytes:
        first = data.find(b"\n") + 1
        behind = data[first:]
        known, told = self._files.get(name, (b"", b""))
        if not behind.startswith(known):
            known = told = b""
        whole = behind.rfind(b"\n") + 1  # no key goes on behind the end of a line
        told += self._redactor.data(behind[len(known) : whole])
        self._files[name] = behind[:whole], told
        return self._redactor.data(data[:first]) + told + self._redactor.data(behind[whole:])
