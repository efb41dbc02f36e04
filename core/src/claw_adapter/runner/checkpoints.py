"""Checkpoints in the run's store: histories and state files apart, so that what did not change is kept once."""

from __future__ import annotations

from claw_adapter.protocol import Checkpoint, Session
from claw_adapter.workspace import Store

__all__ = ["load_checkpoint", "save_checkpoint"]


def save_checkpoint(store: Store, checkpoint: Checkpoint) -> str:
    """Write a checkpoint; returns its digest. The main session, which changes every round, stands in the record itself."""
    main, *others = checkpoint.sessions
    return store.put_json(
        {
            "main": main.model_dump(mode="json"),
            "sessions": [store.put(session.model_dump_json().encode()) for session in others],
            "files": {name: store.put(data) for name, data in sorted(checkpoint.files.items())},
        }
    )


def load_checkpoint(store: Store, digest: str) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        JournalError: a part of it is missing or damaged.
    """
    record = store.get_json(digest)
    main = Session.model_validate(record["main"])
    return Checkpoint(
        sessions=(main, *(Session.model_validate_json(store.get(name)) for name in record["sessions"])),
        files={name: store.get(blob) for name, blob in record["files"].items()},
    )
