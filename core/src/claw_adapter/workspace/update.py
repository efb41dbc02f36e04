"""Updates of the workspace: planned in memory, checked, then written; all or nothing.

Contents are bytes throughout. Lines end in a line feed and nothing is translated: the lines of a CRLF file keep their
carriage returns, bytes that are no UTF-8 stay what they are, and whether a file ends in a line feed is kept by ``insert``
and ``delete``; ``append`` starts on a line of its own. What the agent did must not keep an update from being applied: a
missing file counts as empty, and a position or range behind the end of a shortened file is cut to its end.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from claw_adapter import folders
from claw_adapter.crashpoints import crashpoint
from claw_adapter.errors import JournalError, ScenarioError
from claw_adapter.protocol import Update, UpdateAction
from claw_adapter.scenario.apply import apply_lines, effective_action
from claw_adapter.workspace.files import NOTHING_THERE, FileChange, current, real_path, write_change
from claw_adapter.workspace.snapshot import Snapshotter

__all__ = ["WorkspaceChanged", "apply_update", "commit", "is_applied", "plan_update"]

BYTES = "latin-1"
"""Maps every byte to one character and back, so that `apply_lines` works on any file."""

SWAPPED: Final = NOTHING_THERE | {errno.EEXIST, errno.ENOTEMPTY}
"""What writing says when something else stands there than a moment ago."""


class WorkspaceChanged(JournalError):
    """Something wrote to the workspace while a plan of it was made and written; it is as it was before, but for that."""


def plan_update(update: Update, *, scenario_root: Path, workspace: Path) -> list[FileChange]:
    """What the workspace actions of one update (without its groups) do to files; reads only.

    Several actions on one file become one change. Sources are ``scenario_root/updates/<id>/<source>``.

    Raises:
        ScenarioError: a source is missing, or one target is a folder of another.
    """
    sources = scenario_root / "updates" / update.id
    plan: dict[str, FileChange] = {}
    with folders.opened(workspace) as root:
        for action in update.actions:
            if action.workspace is None:
                continue
            path = real_path(root, action.workspace)
            if path in plan:
                old = plan[path]
            else:
                before = current(root, path)
                old = FileChange(path, before, before)
            plan[path] = _changed(old, action, sources)
    _check_nesting(plan, str(sources / "update.yaml"))
    return list(plan.values())


def commit(plan: Sequence[FileChange], workspace: Path, snapshotter: Snapshotter) -> None:
    """Write a plan. If anything fails on the way, the workspace is restored to what it was, and the error raised.

    Raises:
        WorkspaceChanged: a file is not as the plan found it, for something wrote meanwhile; nothing is left of the plan.
        JournalError: the plan was applied before (nothing was touched); or writing failed (everything was undone).
    """
    pending = [change for change in plan if change.before != change.after]
    if not pending:
        return
    with folders.opened(workspace) as root:
        for change in pending:
            if current(root, change.path) != change.before:
                raise _not_as_planned(root, plan, change, workspace)
        before = snapshotter.take(workspace)
        try:
            for change in pending:
                write_change(root, change)
                crashpoint("update-half-applied")
        except BaseException as error:
            snapshotter.restore(before, workspace)
            if isinstance(error, OSError) and error.errno in SWAPPED:
                raise WorkspaceChanged(f"a file changed while it was written: {error}", where=str(workspace)) from error
            if isinstance(error, OSError):
                remedy = "The workspace was restored; see that the disk is writable and not full."
                raise JournalError(
                    f"an update could not be written: {error}", where=str(workspace), remedy=remedy
                ) from error
            raise


def apply_update(update: Update, *, scenario_root: Path, workspace: Path, snapshotter: Snapshotter) -> list[FileChange]:
    """Plan one update and write it; returns the plan. Raises like `plan_update` and `commit`."""
    plan = plan_update(update, scenario_root=scenario_root, workspace=workspace)
    commit(plan, workspace, snapshotter)
    return plan


def is_applied(plan: Sequence[FileChange], workspace: Path) -> bool:
    """Whether every file of the plan has its new content already."""
    with folders.opened(workspace) as root:
        return all(current(root, change.path) == change.after for change in plan)


def _changed(old: FileChange, action: UpdateAction, sources: Path) -> FileChange:
    kind = effective_action(action, exists=old.after is not None)
    content, executable = b"", False
    if action.source is not None:
        content, executable = _source(sources / action.source)
    if kind == "delete" and (not action.ranges or old.after is None):
        return FileChange(old.path, old.before, None)
    text = (old.after or b"").decode(BYTES)
    count = text.count("\n") + (not text.endswith("\n") and text != "")
    after = apply_lines(
        text,
        kind,
        content.decode(BYTES),
        after=min(action.after or 0, count),
        ranges=[(first, min(last, count)) for first, last in action.ranges if first <= count],
    )
    return FileChange(old.path, old.before, after.encode(BYTES), executable or old.executable)


def _source(path: Path) -> tuple[bytes, bool]:
    try:
        return path.read_bytes(), bool(path.stat().st_mode & 0o100)
    except OSError as error:
        raise ScenarioError(
            f"the source cannot be read: {error.strerror}", where=str(path), remedy="Put the file next to update.yaml."
        ) from None


def _check_nesting(plan: Mapping[str, FileChange], where: str) -> None:
    files = {path for path, change in plan.items() if change.after is not None}
    for path in files:
        parts = path.split("/")
        for length in range(1, len(parts)):
            if (parent := "/".join(parts[:length])) in files:
                raise ScenarioError(f"{parent!r} is both a file and a folder of {path!r}", where=where)


def _not_as_planned(root: int, plan: Sequence[FileChange], change: FileChange, workspace: Path) -> JournalError:
    if all(current(root, item.path) == item.after for item in plan):
        return JournalError(
            "the update is applied already",
            where=str(workspace),
            remedy="Restore the snapshot from before it, or leave it out.",
        )
    return WorkspaceChanged(
        f"{change.path!r} changed since the update was planned", where=str(workspace), remedy="Plan the update again."
    )
