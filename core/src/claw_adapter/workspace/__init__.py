"""The agent's working folder: laid out, photographed into a content-addressed store, restored, and updated all or nothing."""

from claw_adapter.workspace.files import FileChange
from claw_adapter.workspace.layout import history_path, lay_out, plan_histories, render_history
from claw_adapter.workspace.snapshot import Snapshotter
from claw_adapter.workspace.tree import Diff, Entry
from claw_adapter.workspace.update import WorkspaceChanged, apply_update, commit, is_applied, plan_update

__all__ = [
    "Diff",
    "Entry",
    "FileChange",
    "Snapshotter",
    "WorkspaceChanged",
    "apply_update",
    "commit",
    "history_path",
    "is_applied",
    "lay_out",
    "plan_histories",
    "plan_update",
    "render_history",
]
