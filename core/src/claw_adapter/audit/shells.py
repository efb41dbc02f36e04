"""Where a shell is after a command that has gone to a folder: it stays there or goes back, in whatever way that ended."""

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
    _turns: int = 0
    """How many turns have begun since."""
    _stayed: bool = False
    """Whether it was still there in a later one."""
    _again: bool = False
    """Whether the session was closed and opened again since."""

    def turned(self, *, again: bool) -> None:
        """A turn begins, behind a restart or not."""
        self._turns, self._again = self._turns + 1, self._again or again

    def judge(self, arguments: dict[str, JsonValue], result: str, failed: Failed, request: int) -> bool:
        """Whether a call is one of these.

        A shell that goes back is not to stay where a command has failed; one that stays over turns stays over restarts.
        """
        if (went := went_by(arguments)) is not None:
            self._went, self._turns, self._stayed, self._again = went, 0, False, False
            return True
        folder, worked = self._went
        if not folder or not asks_where(arguments):
            return False
        places = {
            place_in(f"{line.strip()}/", self.workspace).rstrip("/")
            for line in flat_of(result).splitlines()
            if "/" in line
        }
        if self._turns and self._again:
            if self._stayed and places and folder not in places:
                what = f"in a turn behind a restart commands do not run in {folder} any more, and in the one before it they did"
                failed.note("M24", "shell-forgotten", folder, what, request)
        elif self._turns:
            self._stayed = folder in places
        elif worked:
            self._back = "" in places
        elif folder in places and self._back:
            what = f"behind a command that failed in {folder} the next one runs there, and behind one that worked it did not"
            failed.note("M17", "shell-left", folder, what, request)
        return True
