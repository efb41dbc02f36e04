"""Making a run folder small again: what no record names is removed from its store, and what a killed runner left."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from claw_adapter.errors import JournalError
from claw_adapter.folders import remove_tree
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.named import blobs, digests, needed
from claw_adapter.runs.store import Store

__all__ = ["Pruned", "prune"]


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was removed, or would be."""

    blobs: int
    """Blobs that nothing names."""
    live: bool
    """Whether workspaces of a runner that was killed lay there."""
    size: int
    """Bytes of both."""


def prune(root: Path, *, dry_run: bool = False) -> Pruned:
    """Remove what no journal of a run needs; what was voided is needed, for nothing is ever taken out of a journal.

    Args:
        root: the run folder.
        dry_run: only look.

    Raises:
        JournalError: no run folder, a process is at work on it, or something in it is damaged.
    """
    folder = RunFolder(root)
    folder.plan()
    if folder.in_use:
        raise JournalError("a process is at work on this run", where=str(root), remedy="Wait for it, or end it.")
    live = folder.live.is_dir()
    size = sum(path.lstat().st_size for path in folder.live.rglob("*") if not path.is_dir()) if live else 0
    if dry_run:
        found = _unnamed(folder)
        return Pruned(len(found), live, size + sum(path.stat().st_size for path in found))
    with folder:  # which removes live/
        found = _unnamed(folder)
        size += sum(path.stat().st_size for path in found)
        for path in found:
            path.unlink()
        if (folder.store / "tmp").is_dir():
            remove_tree(folder.store / "tmp")
    return Pruned(len(found), live, size)


def _unnamed(folder: RunFolder) -> list[Path]:
    if not folder.store.is_dir():
        return []
    store = Store(folder.store, sweep=False)
    named = needed(store, (name for path in folder.root.glob("trials/*/journal.jsonl") for name in digests(path)))
    return [store.path(digest) for digest in blobs(store) if digest not in named]
