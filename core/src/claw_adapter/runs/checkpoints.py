"""Checkpoints in the run's store: histories and state files apart, so that what did not change is kept once."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field, ValidationError

from claw_adapter.errors import JournalError
from claw_adapter.protocol import Checkpoint, Session
from claw_adapter.protocol.base import Record
from claw_adapter.reading import why
from claw_adapter.runs.store import REMEDY, Store

__all__ = ["load_checkpoint", "save_checkpoint"]


class _Stored(Record):
    """A checkpoint as it lies in the store: digests for everything but the main session."""

    main: Session
    sessions: tuple[str, ...]
    files: dict[str, str]
    overlays: dict[str, dict[str, str]] = Field(default_factory=dict)


def save_checkpoint(store: Store, checkpoint: Checkpoint) -> str:
    """Write a checkpoint; returns its digest. The main session, which changes every round, stands in the record itself."""
    main, *others = checkpoint.sessions
    stored = _Stored(
        main=main,
        sessions=tuple(store.put(session.model_dump_json().encode()) for session in others),
        files=_put(store, checkpoint.files),
        overlays={label: _put(store, files) for label, files in sorted(checkpoint.overlays.items())},
    )
    return store.put(stored.model_dump_json().encode())


def load_checkpoint(store: Store, digest: str) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        JournalError: a part of it is missing or damaged.
    """
    try:
        stored = _Stored.model_validate_json(store.get(digest))
        others = [Session.model_validate_json(store.get(name)) for name in stored.sessions]
    except ValidationError as error:
        what = f"not a checkpoint of this version: {why(error)}"
        raise JournalError(what, where=str(store.path(digest)), remedy=REMEDY) from None
    return Checkpoint(
        sessions=(stored.main, *others),
        files=_get(store, stored.files),
        overlays={label: _get(store, files) for label, files in stored.overlays.items()},
    )


def _put(store: Store, files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: store.put(data) for name, data in sorted(files.items())}


def _get(store: Store, digests: Mapping[str, str]) -> dict[str, bytes]:
    return {name: store.get(digest) for name, digest in digests.items()}
