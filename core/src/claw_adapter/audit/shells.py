"""Where a shell is behind a command that has gone to a folder: it stays there or goes back, whether that worked or failed."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from claw_adapter.audit.commands import asks_where, went_by
from claw_adapter.audit.places import place_in
from claw_adapter.audit.results import Failed, flat_of

__all__ = ["ShellPlace"]


@dataclass(slots=True)
class ShellPlace:
    """Follows the commands of a trial that go somewhere, and those that ask where they are."""

    workspace: str
    """The end of the workspace's path."""
    _went: tuple[str, bool] = ("", True)
    """The folder of the last command that went to one, and whether it worked."""
    _back: bool = False
    """Whether a shell was in the workspace behind one that worked."""

    def judge(self, arguments: dict[str, JsonValue], result: str, failed: Failed, request: int) -> bool:
        """Whether a call is one of these; a shell that goes back is not to stay where a command has failed."""
        if (went := went_by(arguments)) is not None:
            self._went = went
            return True
        folder, worked = self._went
        if not folder or not asks_where(arguments):
            return False
        places = {
            place_in(f"{line.strip()}/", self.workspace).rstrip("/")
            for line in flat_of(result).splitlines()
            if "/" in line
        }
        if worked:
            self._back = "" in places
        elif folder in places and self._back:
            what = f"behind a command that failed in {folder} the next one runs there, and behind one that worked it did not"
            failed.note("M17", "shell-left", folder, what, request)
        return True
