"""A run folder: self-contained, one runner at a time.

Layout::

    run.json                         what was asked, and the versions of everything
    trials/<trial>/journal.jsonl     finished rounds
    trials/<trial>/transcript.jsonl  every model request
    trials/<trial>/artefacts/        what overlays leave
    store/                           snapshots, checkpoints, events by content
    servers.jsonl                    what served the models, where an upstream plugin did
    live/                            what a trial under way uses; absent when no runner is at work
    run.log, report.html             and report-data/ beside the page of a large run
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from claw_adapter import __version__
from claw_adapter.crashpoints import crashpoint
from claw_adapter.errors import JournalError
from claw_adapter.folders import remove_tree
from claw_adapter.reading import parse_json, read_text, why
from claw_adapter.runs.plan import Plan, difference, told_once

__all__ = ["FORMAT", "SERVERS", "RunFolder", "write_atomic"]

FORMAT = "run/1"
SERVERS = "servers.jsonl"
"""What served the run's models; see `claw_adapter.runs.servers`."""
OURS = frozenset({".lock", "live"})
"""What a run folder holds before its run.json is written."""
DAMAGED = "Restore the run folder from a copy, or choose another folder with --out."


def write_atomic(path: Path, text: str) -> None:
    """Write a file so that at any instant either the old or the new text is there."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        error.filename = str(path)  # nobody knows the temporary one, and a full disk names none
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    crashpoint(f"write-{path.name}")
    temporary.replace(path)


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

    def plan(self, about: Mapping[str, Any] | None = None) -> Plan:
        """What the run was asked to do; `about` is run.json, where it has been read already.

        Raises:
            JournalError: there is no run here, or it was written by another version.
        """
        data = self.about() if about is None else about
        try:
            return Plan.model_validate(data["plan"])
        except (KeyError, ValidationError) as error:
            what = "it has no plan" if isinstance(error, KeyError) else why(error)
            raise JournalError(f"run.json is damaged: {what}", where=str(self._about), remedy=DAMAGED) from None

    def about(self) -> dict[str, Any]:
        """The whole of run.json.

        Raises:
            JournalError: there is no run here, or it was written by another version, or is damaged.
        """
        if not self._about.is_file():
            remedy = "Name a folder that `claw run` has made."
            raise JournalError("not a run folder (no run.json)", where=str(self.root), remedy=remedy)
        try:
            data = parse_json(read_text(self._about))
        except (OSError, ValueError) as error:
            raise JournalError(f"run.json is damaged: {why(error)}", where=str(self._about), remedy=DAMAGED) from error
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            found = data.get("format") if isinstance(data, dict) else None
            remedy = "Name a folder that this version of `claw run` has made."
            raise JournalError(f"format {found!r} is not {FORMAT!r}", where=str(self._about), remedy=remedy)
        return data

    @property
    def _about(self) -> Path:
        return self.root / "run.json"

    def begin(self, plan: Plan, *, fresh: bool = False) -> bool:
        """Write run.json, or check that this run is resumed with the same configuration; True if it is.

        Args:
            plan: what is asked.
            fresh: remove what an earlier run has left and start anew.

        Raises:
            JournalError: the folder holds a run of another configuration.
        """
        if fresh:
            remove_tree(self.root / "trials")
            (self.root / SERVERS).unlink(missing_ok=True)
        elif self._about.exists():
            before = self.plan()
            if before.digest != plan.digest:
                lines = difference(before.configuration, plan.configuration)
                raise JournalError(
                    f"this folder holds a run of another configuration:{told_once(lines)}",
                    where=str(self.root),
                    remedy="Choose another folder with --out, or ask for what the run was started with.",
                )
            if before.shard != plan.shard:
                raise JournalError(
                    f"this folder holds {_part(before)} of this run, not {_part(plan)}",
                    where=str(self.root),
                    remedy="Choose another folder with --out.",
                )
            return True
        self.write_about(plan)
        return False

    def write_about(self, plan: Plan) -> None:
        """Write run.json anew."""
        about = {
            "format": FORMAT,
            "digest": plan.digest,
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "claw_adapter": __version__,
            "plan": plan.model_dump(mode="json"),
        }
        write_atomic(self._about, self.written(about))

    @staticmethod
    def written(about: Mapping[str, Any]) -> str:
        """The text of run.json that says this."""
        return json.dumps(about, indent=1, ensure_ascii=False) + "\n"

    @property
    def in_use(self) -> bool:
        """Whether a process is at work on this run just now."""
        try:
            lock = os.open(self.root / ".lock", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(lock)
        return False

    def _refuse_foreign(self) -> None:
        """A folder of somebody else is left as it is: beside run.json a run may remove what it finds."""
        if self._about.exists():
            self.about()
            return
        try:
            names = sorted(path.name for path in self.root.iterdir()) if self.root.exists() else []
        except OSError as error:
            raise JournalError(f"the run folder cannot be read: {error}", where=str(self.root)) from error
        if other := [name for name in names if name not in OURS and not name.startswith(".run.json.")]:
            raise JournalError(
                f"this folder holds something else: {', '.join(other[:5])}",
                where=str(self.root),
                remedy="Choose another with --out: an empty one, a new one, or that of a run.",
            )

    def __enter__(self) -> Self:
        self._refuse_foreign()
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
        try:
            remove_tree(self.live)
            for unfinished in self.root.glob(".*.*.[0-9]*"):
                unfinished.unlink(missing_ok=True)
        except BaseException:
            os.close(self._lock)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            remove_tree(self.live)
        finally:
            os.close(self._lock)


def _part(plan: Plan) -> str:
    return f"shard {plan.shard}" if plan.shard else "the whole"
