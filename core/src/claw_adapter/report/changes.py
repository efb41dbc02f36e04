"""What a round changed in the workspace, from two snapshots in the store."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final, Literal

from claw_adapter.errors import JournalError
from claw_adapter.protocol import RoundRecord
from claw_adapter.report.clean import Clipped, clip
from claw_adapter.runs.load import TrialData
from claw_adapter.runs.store import Store
from claw_adapter.workspace.tree import Entry, Tree, difference, excluder, read_tree

__all__ = ["ChangedFile", "Changes", "Workspace"]

MAX_BYTES: Final = 64 * 1024
MAX_LINES: Final = 1_000
"""Files beyond either are listed without a difference of lines: it would take long to find and longer to read."""


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One path that differs. `lines` is a unified difference, empty where there is none to show and `note` says why."""

    kind: Literal["added", "removed", "changed"]
    path: str
    size: int
    lines: Clipped
    note: str = ""


@dataclass(frozen=True, slots=True)
class Changes:
    """What a round changed; `note` says what the comparison includes, or why there is none (then it is not `known`)."""

    files: tuple[ChangedFile, ...] = ()
    left_out: int = 0
    note: str = ""
    known: bool = True


class Workspace:
    """Reads snapshots of one run."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tree: Callable[[str], Tree] = lru_cache(maxsize=64)(lambda digest: read_tree(store, digest))

    def changes(self, trial: TrialData, index: int, *, most: int, characters: int) -> Changes:
        """What the round at `index` changed: at most `most` files, each with at most `characters` of its difference."""
        record = trial.figure(index)
        if record is None:
            return Changes()
        before, note = self._before(trial, index)
        if not before:
            return Changes(note=note, known=False)
        if before == record.snapshot:
            return Changes(note=note)
        try:
            old, new = self._tree(before), self._tree(record.snapshot)
            diff = difference(old, new)
            own = self._own(trial, index)
            paths = [path for path in (*diff.added, *diff.changed, *diff.removed) if not own(path)]
            files = tuple(self._change(path, old.get(path), new.get(path), characters) for path in paths[:most])
        except JournalError as error:
            return Changes(note=f"The snapshots cannot be compared: {error.what}.", known=False)
        return Changes(files, max(len(paths) - most, 0), note)

    def _own(self, trial: TrialData, index: int) -> Callable[[str], bool]:
        """Tells the files that the harness keeps for itself: no scenario brought them, and no prompt so far named them."""
        matches = excluder(trial.start.memory_files if trial.start else ())
        if matches is None:
            return lambda _path: False
        records = [record for record in trial.rounds if record.index <= index]
        brought = self._brought(trial, records)
        prompts = "\n".join(record.prompt for record in records)
        return lambda path: matches(path) and path not in brought and not _named(path, prompts)

    def _brought(self, trial: TrialData, records: Sequence[RoundRecord]) -> frozenset[str]:
        """Paths of the base tree, and those that updates made before these rounds."""
        last = trial.start.snapshot if trial.start else ""
        found = set(self._tree(last)) if last else set[str]()
        for record in records:
            if record.updates and record.before and last:
                found |= difference(self._tree(last), self._tree(record.before)).made
            last = record.snapshot
        return frozenset(found)

    @staticmethod
    def _before(trial: TrialData, index: int) -> tuple[str, str]:
        """The snapshot to compare with and what that includes; records may name the state the agent was given."""
        record, earlier = trial.figure(index), trial.figure(index - 1)
        if given := str(getattr(record, "before", "") or ""):
            return given, ""
        updates = record.updates if record else ()
        with_updates = f"Includes what the updates changed: {', '.join(updates)}." if updates else ""
        if earlier is not None:
            return earlier.snapshot, with_updates
        base = str(getattr(trial.start, "snapshot", "") or "")
        return base, with_updates if base else "There is no snapshot from before this round to compare with."

    def _change(self, path: str, old: Entry | None, new: Entry | None, characters: int) -> ChangedFile:
        kind: Literal["added", "removed", "changed"] = (
            "added" if old is None else "removed" if new is None else "changed"
        )
        before, after = self._text(old), self._text(new)
        shown = new or old
        size = shown.size if shown else 0
        if before is None or after is None:
            return ChangedFile(kind, path, size, Clipped(""), _what(shown))
        lines = islice(difflib.unified_diff(before, after, lineterm="", n=2), 2, None)
        return ChangedFile(kind, path, size, clip("\n".join(lines), characters))

    def _text(self, entry: Entry | None) -> list[str] | None:
        """Lines of a file that is worth comparing; none for a file that is not there; None where lines make no sense."""
        if entry is None:
            return []
        if entry.kind != "file" or entry.size > MAX_BYTES:
            return None
        data = self._store.get(entry.sha)
        if b"\0" in data:
            return None
        lines = data.decode("utf-8", "replace").splitlines()
        return lines if len(lines) <= MAX_LINES else None


def _named(path: str, text: str) -> bool:
    """Whether a text says this path, alone or at the end of a longer one."""
    return re.search(rf"(?<!\w){re.escape(path)}(?![\w-])", text) is not None


def _what(entry: Entry | None) -> str:
    """Why there is no difference of lines."""
    if entry is None or entry.kind == "file":
        return "not compared line by line: binary or long"
    return f"link to {entry.target}" if entry.kind == "link" else f"{entry.kind} {entry.reason}".strip()
