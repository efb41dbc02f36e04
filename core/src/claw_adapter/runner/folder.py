"""A run folder: self-contained, one runner at a time.

Layout::

    run.json                       what was asked, and the versions of everything
    trials/<trial>/journal.jsonl   finished rounds
    trials/<trial>/transcript.jsonl  every model request
    store/                         snapshots, checkpoints, events by content
    live/                          what a trial under way uses; empty when no runner is at work
    report.html, summary.json
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import stat
import sys
import time
from pathlib import Path
from typing import Any, Self

from claw_adapter import __version__
from claw_adapter.crashpoints import crashpoint
from claw_adapter.errors import JournalError
from claw_adapter.runner.plan import Plan, difference

__all__ = ["FORMAT", "RunFolder", "remove_tree", "write_atomic"]

FORMAT = "run/1"


def write_atomic(path: Path, text: str) -> None:
    """Write a file so that at any instant either the old or the new text is there."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    crashpoint(f"write-{path.name}")
    temporary.replace(path)


def remove_tree(path: Path) -> None:
    """Remove a folder that an agent may have filled, with whatever permissions it left; links are not followed."""

    def allow(_function: object, name: str, _error: object) -> None:
        for folder in (Path(name).parent, Path(name)):
            if folder.is_dir() and not folder.is_symlink():
                folder.chmod(stat.S_IRWXU)
        if Path(name).is_dir() and not Path(name).is_symlink():
            shutil.rmtree(name)
        else:
            Path(name).unlink(missing_ok=True)

    for _ in range(20):  # something that is just being killed may still write here
        if not path.exists():
            return
        with contextlib.suppress(OSError):
            if sys.version_info >= (3, 12):
                shutil.rmtree(path, onexc=allow)
            else:
                shutil.rmtree(path, onerror=allow)
            return
        time.sleep(0.1)
    raise JournalError("this folder cannot be removed", where=str(path), remedy="Look what still uses it.")


class RunFolder:
    """The folder of one run; use as a context manager to hold its lock."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._lock = -1

    @property
    def store(self) -> Path:
        """Content-addressed blobs."""
        return self.root / "store"

    @property
    def live(self) -> Path:
        """What trials under way use."""
        return self.root / "live"

    def trial(self, trial: str) -> Path:
        """The folder that stays of a trial."""
        return self.root / "trials" / trial

    def journal(self, trial: str) -> Path:
        """The journal of a trial."""
        return self.trial(trial) / "journal.jsonl"

    def transcript(self, trial: str) -> Path:
        """The transcript of a trial's model requests."""
        return self.trial(trial) / "transcript.jsonl"

    def plan(self) -> Plan:
        """What the run was asked to do.

        Raises:
            JournalError: there is no run here, or it was written by another version.
        """
        path = self.root / "run.json"
        if not path.is_file():
            raise JournalError("this is not a run folder (no run.json)", where=str(self.root))
        data = json.loads(path.read_text("utf-8"))
        if data.get("format") != FORMAT:
            raise JournalError(f"format {data.get('format')!r} is not {FORMAT!r}", where=str(path))
        return Plan.model_validate(data["plan"])

    def about(self) -> dict[str, Any]:
        """The whole of run.json."""
        data: dict[str, Any] = json.loads((self.root / "run.json").read_text("utf-8"))
        return data

    def begin(self, plan: Plan) -> bool:
        """Write run.json, or check that this run goes on with the same configuration; True if it goes on.

        Raises:
            JournalError: the folder holds a run of another configuration, or something else.
        """
        if (self.root / "run.json").exists():
            before = self.plan()
            if before.digest != plan.digest:
                lines = difference(before.configuration, plan.configuration)
                raise JournalError(
                    "this folder holds a run of another configuration:\n    " + "\n    ".join(lines[:20]),
                    where=str(self.root),
                    remedy="Choose another folder with --out, or ask for what the run was started with.",
                )
            return True
        about = {
            "format": FORMAT,
            "digest": plan.digest,
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "claw_adapter": __version__,
            "plan": plan.model_dump(mode="json"),
        }
        write_atomic(self.root / "run.json", json.dumps(about, indent=1, ensure_ascii=False) + "\n")
        return False

    def __enter__(self) -> Self:
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.root / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise JournalError(f"the run folder cannot be written: {error}", where=str(self.root)) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            raise JournalError(
                "another process is working on this run", where=str(self.root), remedy="Wait for it, or end it."
            ) from error
        remove_tree(self.live)
        for unfinished in self.root.glob(".*.*.[0-9]*"):
            unfinished.unlink(missing_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        remove_tree(self.live)
        os.close(self._lock)
