"""The world of a trial as core owns it: workspace, neutral sessions, updates; and how it is put back after a failure."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from claw_adapter.crashpoints import crashpoint
from claw_adapter.errors import HarnessError, JournalError
from claw_adapter.harness import Harness
from claw_adapter.protocol import Scenario, Session, SessionChange, Update
from claw_adapter.runner.prompt import fill_roster
from claw_adapter.scenario import session_changes
from claw_adapter.workspace import (
    Snapshotter,
    WorkspaceChanged,
    commit,
    history_path,
    lay_out,
    plan_histories,
    plan_update,
)

__all__ = ["TrialWorld"]

TRIES: Final = 8
AGAIN: Final = 0.05
"""Seconds between two of them."""


@dataclass(slots=True)
class TrialWorld:
    """Workspace and sessions. Histories are kept by the harness (native), rendered as files by us, or withheld (none)."""

    scenario: Scenario
    workspace: Path
    snapshots: Snapshotter
    route: str
    """``native``, ``files`` or ``none``: `Capabilities.seed_history`."""
    sessions: dict[str, Session] = field(init=False)
    files: dict[str, str] = field(init=False)
    """History id → path in the workspace, when histories are files."""

    def __post_init__(self) -> None:
        self.sessions = {session.id: session for session in self.scenario.sessions}
        names = [session.id for session in self.scenario.histories] if self.route == "files" else []
        self.files = {name: history_path(name) for name in names}

    def main(self, harness: Harness) -> Session:
        """The main session, its roster filled for this harness."""
        main = self.sessions[self.scenario.main.id]
        histories = [self.sessions[s.id] for s in self.scenario.histories] if self.route != "none" else []
        return fill_roster(main, histories, harness.session_key, self.files, self.scenario.manifest.language)

    def histories(self) -> tuple[Session, ...]:
        """The history sessions that the harness keeps itself."""
        if self.route != "native":
            return ()
        return tuple(s for s in self.sessions.values() if s.id != self.scenario.main.id)

    def lay_out(self) -> None:
        """Put the base tree (and histories as files) into the empty workspace."""
        lay_out(self.scenario.workspace, self.workspace)
        commit(plan_histories([self.sessions[n] for n in self.files], self.workspace), self.workspace, self.snapshots)

    def adopt(self, main: Session) -> None:
        """Take over the main session as the conversation has made it grow, from a checkpoint."""
        self.sessions[self.scenario.main.id] = main

    def replay(self, update_ids: Sequence[str]) -> list[SessionChange]:
        """Bring the neutral sessions forward over updates whose workspace part is already in a restored snapshot."""
        done: list[SessionChange] = []
        for update in self.scenario.expand(tuple(update_ids)):
            changes = session_changes(self.scenario, self.sessions, update)
            self._take(changes)
            done += changes
        return self._followed(done)

    def apply(self, update_ids: Sequence[str]) -> list[SessionChange]:
        """Apply updates, each all or nothing; returns the changes that the harness's own store must follow.

        Raises:
            ScenarioError: an action does not fit what is there now.
            HarnessError: what it has left running changes files all the time.
        """
        followed: list[SessionChange] = []
        for update in self.scenario.expand(tuple(update_ids)):
            changes = session_changes(self.scenario, self.sessions, update)
            self._write(update, [c.after for c in changes if c.after and self._is_file(c.session)])
            crashpoint("sessions-not-yet")
            self._take(changes)
            followed += changes
        return self._followed(followed)

    def _write(self, update: Update, histories: Sequence[Session]) -> None:
        """Plan and write; again where something that the harness has left running changes a file meanwhile."""
        changed: JournalError | None = None
        for _ in range(TRIES):
            try:
                plan = plan_update(update, scenario_root=self.scenario.root, workspace=self.workspace)
                plan += plan_histories(histories, self.workspace)
                return commit(plan, self.workspace, self.snapshots)
            except WorkspaceChanged as error:
                changed = error
                time.sleep(AGAIN)
        what = f"something that it has left running goes on changing files while an update is written: {changed}"
        raise HarnessError(what, where=str(self.workspace)) from changed

    def _followed(self, changes: Sequence[SessionChange]) -> list[SessionChange]:
        """Those that the harness keeps in its own store."""
        return [change for change in changes if self.route == "native" or change.session == self.scenario.main.id]

    def _is_file(self, session: str) -> bool:
        return self.route == "files" and session != self.scenario.main.id

    def _take(self, changes: Sequence[SessionChange]) -> None:
        for change in changes:
            if change.after is not None:
                self.sessions[change.session] = change.after
                if self._is_file(change.session):
                    self.files[change.session] = history_path(change.session)
