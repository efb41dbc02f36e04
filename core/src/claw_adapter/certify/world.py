"""What a certification trial contains: files, a main session, histories; canaries by which all of it is found again."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from claw_adapter.protocol import Message, Session
from claw_adapter.runs.store import Store
from claw_adapter.workspace import Snapshotter, commit, history_path, plan_histories

__all__ = [
    "KitWorld",
    "canary",
    "marker_of",
    "message",
    "session",
]

_FIRST: Final = (
    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "islet", "juniper", "kelp", "linen", "maple",
    "north", "olive", "poplar",
)  # fmt: skip
_LAST: Final = (
    "anchor", "basket", "candle", "dipper", "easel", "feather", "gondola", "hammer", "inkwell", "jigsaw", "kettle", "lantern",
    "mortar", "needle", "otter", "pulley",
)  # fmt: skip
_CANARY: Final = re.compile(r"\b[a-z]{4,8}-[a-z]{5,8}-\d{6}\b")
START: Final = datetime(2025, 1, 6, 9, 0, tzinfo=UTC) + timedelta(minutes=secrets.randbelow(600_000))
"""When messages of the past begin: another day in each process."""


def canary(*names: str) -> str:
    """Words that stand nowhere else, the same for the same names: ``maple-otter-482113``.

    Plain words, since harnesses redact what looks like a key, and no run of digits that could be a time.
    """
    digest = hashlib.sha256("\0".join(names).encode()).digest()
    number = int.from_bytes(digest[2:6], "big") % 900_000 + 100_000
    return f"{_FIRST[digest[0] % 16]}-{_LAST[digest[1] % 16]}-{number}"


def marker_of(prompt: str) -> str:
    """The first canary of a prompt, else the prompt."""
    found = _CANARY.search(prompt)
    return found.group() if found else prompt


def message(id: str, role: str, text: str, *, number: int = 0, speaker: str | None = None) -> Message:  # noqa: A002
    """A message; `number` orders its time."""
    when = START + timedelta(minutes=number)
    return Message.model_validate({"id": id, "role": role, "text": text, "time": when, "speaker": speaker})


def session(id: str, *texts: str, **fields: object) -> Session:  # noqa: A002
    """A session of alternating user and assistant messages; `fields` are those of `Session`."""
    roles = ("user", "assistant")
    messages = [message(f"{id}-{n}", roles[n % 2], text, number=n) for n, text in enumerate(texts)]
    return Session.model_validate({"id": id, "messages": messages, **fields})


@dataclass(slots=True)
class KitWorld:
    """Workspace and sessions of one trial, written by the same code as in a run. `sources` is out of the harness's sight."""

    workspace: Path
    sources: Path
    route: str
    main: Session
    histories: dict[str, Session]
    snapshots: Snapshotter = field(init=False)

    def __post_init__(self) -> None:
        self.snapshots = Snapshotter(Store(self.sources / "store"))

    def lay_out(self, files: Mapping[str, str]) -> None:
        """Write the base tree, and the histories where core does that."""
        for name, text in files.items():
            path = self.workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        if self.route == "files":
            self._write_histories(self.histories.values())

    def history_file(self, session: str) -> str:
        """Where a history session stands as a file; empty where it does not."""
        return history_path(session) if self.route == "files" else ""

    @property
    def native(self) -> tuple[Session, ...]:
        """The histories that the harness keeps itself."""
        return tuple(self.histories.values()) if self.route == "native" else ()

    def _write_histories(self, sessions: Iterable[Session]) -> None:
        commit(plan_histories(sessions, self.workspace), self.workspace, self.snapshots)
