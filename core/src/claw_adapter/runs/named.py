"""Which blobs of a store a run needs: those that its records name, those that these name, and so on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from claw_adapter.errors import JournalError
from claw_adapter.protocol import RoundRecord
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.store import Store

__all__ = ["blobs", "digests", "needed", "needed_to_score", "trial_blobs"]

_DIGEST: Final = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


def blobs(store: Store) -> Iterator[str]:
    """Every blob that is in a store."""
    for folder in sorted(store.root.glob("[0-9a-f][0-9a-f]")):
        yield from sorted(folder.name + path.name for path in folder.iterdir() if path.is_file())


def needed(store: Store, roots: Iterable[str]) -> set[str]:
    """The blobs of `roots` and all that they name, as far as they are there.

    Whatever looks like a digest counts as one: a blob too many is kept rather than one too few.

    Raises:
        JournalError: one of them is damaged.
    """
    pending, found = list(roots), set[str]()
    while pending:
        digest = pending.pop()
        if digest in found or not store.has(digest):
            continue
        found.add(digest)
        pending += [name.decode() for name in _DIGEST.findall(store.get(digest))]
    return found


def trial_blobs(folder: RunFolder, store: Store, trial: str) -> set[str]:
    """What a trial's journal needs, records that were voided included."""
    path = folder.journal(trial)
    return needed(store, digests(path)) if path.exists() else set()


def digests(path: Path) -> set[str]:
    """All that a file names."""
    return {name.decode() for name in _DIGEST.findall(path.read_bytes())}


def needed_to_score(store: Store, records: Iterable[RoundRecord]) -> set[str]:
    """What scoring these rounds again needs: snapshots, events, states of environments; no checkpoints.

    Raises:
        JournalError: one of them is missing or damaged.
    """
    roots = {
        digest
        for record in records
        for digest in (
            record.events, record.before, record.snapshot, *record.left,
            *((record.environment.before, record.environment.after) if record.environment else ()),
        )
        if digest
    }  # fmt: skip
    if lost := sorted(digest for digest in roots if not store.has(digest)):
        raise JournalError(f"blob {lost[0]} is missing", where=str(store.root), remedy="Restore the run from a copy.")
    return needed(store, roots)
