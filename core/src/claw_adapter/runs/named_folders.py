"""Folders of a machine told by name in what a run records of failures and checks, so that journals can be passed on."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Final

from claw_adapter.frameworks import claw_home
from claw_adapter.protocol import (
    CheckDetail,
    CheckRun,
    Failure,
    JournalRecord,
    PreferenceDetail,
    RoundRecord,
    Score,
    TrialEnd,
)

__all__ = ["NamedFolders"]

_BEFORE: Final = r"(?:(?<![\w.~/-])|(?<=\\[nrt]))"
"""A path begins here, or after an escaped end of line: ``/root`` is not in ``/mnt/root``."""
_AFTER: Final = r"(?![\w-])"
"""A name ends here: ``/root`` is not in ``/rootless``."""


class NamedFolders:
    """Folders that say who ran it and where: the run folder, the home of programs, Python's, the user's, temporary ones.

    Args:
        root: the run folder.
    """

    def __init__(self, root: Path) -> None:
        named = {
            "$RUN": [root],
            "$CLAW_HOME": [claw_home(), *map(Path, filter(None, [os.environ.get("CLAW_HOME")]))],
            "$PYTHON": [Path(sys.prefix)] if sys.prefix != sys.base_prefix else [],
            "~": [Path.home()],
            "$TMPDIR": [Path(tempfile.gettempdir())],
        }
        self._names: Final = {
            str(form): name
            for name, paths in named.items()
            for path in paths
            for form in (path.absolute(), path.resolve())
            if form != Path(form.anchor)
        }
        longest = sorted(self._names, key=len, reverse=True)
        self._pattern: Final = re.compile(f"{_BEFORE}(?:{'|'.join(map(re.escape, longest))}){_AFTER}")

    @property
    def telling(self) -> frozenset[str]:
        """The folders whose path says something: all but those for temporary files."""
        return frozenset(folder for folder, name in self._names.items() if name != "$TMPDIR")

    def text(self, text: str) -> str:
        """A text with names in the place of folders."""
        return self._pattern.sub(lambda match: self._names[match[0]], text)

    def record(self, record: JournalRecord) -> JournalRecord:
        """A record whose failures and checks name no folder; the same object where there is none of either."""
        if isinstance(record, TrialEnd) and record.error:
            return record.model_copy(update={"error": self._failure(record.error)})
        if not isinstance(record, RoundRecord):
            return record
        return record.model_copy(
            update={
                "error": record.error and self._failure(record.error),
                "earlier_failures": tuple(map(self._failure, record.earlier_failures)),
                "score": self._score(record.score),
            }
        )

    def _failure(self, failure: Failure) -> Failure:
        told = {name: self.text(getattr(failure, name)) for name in ("what", "where", "remedy")}
        return failure.model_copy(update=told)

    def _score(self, score: Score) -> Score:
        changes: dict[str, object] = {}
        if score.cause:
            changes["cause"] = self._failure(score.cause)
        if isinstance(score.detail, CheckDetail | PreferenceDetail) and score.detail.check:
            changes["detail"] = score.detail.model_copy(update={"check": self._check(score.detail.check)})
        return score.model_copy(update=changes)

    def _check(self, check: CheckRun) -> CheckRun:
        told = {name: self.text(getattr(check, name)) for name in ("why", "stdout", "stderr")}
        faults = tuple(
            fault.model_copy(update={name: self.text(getattr(fault, name)) for name in ("file", "field", "why")})
            for fault in check.faults
        )
        return check.model_copy(update={**told, "faults": faults})
