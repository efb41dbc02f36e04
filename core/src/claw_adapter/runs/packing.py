"""Trials and scenarios as tar archives, for machines that share no disk."""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from claw_adapter.errors import JournalError
from claw_adapter.protocol import TrialSpec, TrialStart
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_journal
from claw_adapter.runs.merging import take_trial
from claw_adapter.runs.named import trial_blobs
from claw_adapter.runs.store import Store

if TYPE_CHECKING or sys.version_info >= (3, 11, 4):
    import tarfile
else:  # without the filter by which nothing of an archive leads out of a folder
    from backports import tarfile

__all__ = ["pack_folder", "pack_trial", "take_packed", "unpack"]


def pack_folder(root: Path) -> bytes:
    """All files of a folder, rights and links included."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for path in sorted(root.iterdir()):
            archive.add(path, path.name)
    return buffer.getvalue()


def pack_trial(folder: RunFolder, trial: str) -> bytes | None:
    """A trial as far as it got, with what its journal needs; None where there is nothing of it."""
    if not folder.journal(trial).exists():
        return None
    store = Store(folder.store, sweep=False)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.add(folder.trial(trial), f"trials/{trial}")
        for digest in sorted(trial_blobs(folder, store, trial)):
            archive.add(store.path(digest), f"store/{digest[:2]}/{digest[2:]}")
    return buffer.getvalue()


def unpack(packed: bytes, root: Path) -> None:
    """Lay an archive out in a folder; nothing of it can lead out of there.

    Raises:
        JournalError: it is damaged, or tries to.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(root, filter="data")
    except (tarfile.TarError, OSError, EOFError) as error:
        raise JournalError(f"what was sent cannot be unpacked: {error}", where=str(root)) from error


def take_packed(packed: bytes, folder: RunFolder, trial: TrialSpec, scenario: str) -> None:
    """Bring what `pack_trial` packed elsewhere into a run folder.

    Raises:
        JournalError: it is of another trial or scenario, differs from what is here, or is damaged.
    """
    folder.live.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="taken-", dir=folder.live) as name:
        unpack(packed, Path(name))
        source = RunFolder(Path(name))
        if not source.journal(trial.id).exists():
            raise JournalError(f"what was sent has no results of trial {trial.id!r}", where=str(folder.root))
        start = next((r for r in read_journal(source.journal(trial.id)) if isinstance(r, TrialStart)), None)
        if start is not None and (start.trial, start.scenario_digest) != (trial.id, scenario):
            what = f"what was sent is of trial {start.trial!r} or of another scenario, not of {trial.id!r}"
            raise JournalError(what, where=str(folder.root))
        take_trial(source, folder, Store(folder.store), trial)
