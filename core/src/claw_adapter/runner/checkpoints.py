"""Checkpoints in the run's store: sessions and state files apart, so that what did not change is kept once."""

from __future__ import annotations

from claw_adapter.protocol import Checkpoint, Session
from claw_adapter.workspace import Store

__all__ = ["load_checkpoint", "save_checkpoint"]


def save_checkpoint(store: Store, checkpoint: Checkpoint) -> str:
    """Write a checkpoint; returns its digest."""
    return store.put_json(
        {
            "sessions": [store.put(session.model_dump_json().encode()) for session in checkpoint.sessions],
            "files": {name: store.put(data) for name, data in sorted(checkpoint.files.items())},
        }
    )


def load_checkpoint(store: Store, digest: str) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        JournalError: a part of it is missing or damaged.
    """
    record = store.get_json(digest)
    return Checkpoint(
        sessions=tuple(Session.model_validate_json(store.get(name)) for name in record["sessions"]),
        files={name: store.get(blob) for name, blob in record["files"].items()},
    )
