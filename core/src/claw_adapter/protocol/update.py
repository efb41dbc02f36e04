"""Updates: what changes before a round, in the workspace and in the sessions."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from claw_adapter.protocol.base import Record
from claw_adapter.protocol.session import Session

__all__ = ["Action", "LineRange", "SessionChange", "Update", "UpdateAction", "UpdateTags", "WorkspacePath"]

Action = Literal["new", "append", "insert", "delete"]


def _relative(path: str) -> str:
    parts = path.split("/")
    if not path or path.startswith("/") or "\\" in path or "\0" in path or any(p in ("", ".", "..") for p in parts):
        raise ValueError(f"{path!r} is not a plain relative path (no '..', no leading '/', no empty part)")
    return path


WorkspacePath = Annotated[str, AfterValidator(_relative)]
"""A path relative to the workspace, with forward slashes and no way out of it."""

LineRange = tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]]
"""First and last position, 1-based and inclusive: lines of a workspace file, messages of a session."""


class UpdateAction(Record):
    """One change of one target.

    ``new``, ``append`` and ``insert`` take their content from `source`, a file beside ``update.yaml``; ``insert`` puts it
    behind position `after` (0 = before everything); ``delete`` removes the `ranges`, or a whole workspace file without them.
    """

    workspace: WorkspacePath | None = None
    session: str | None = None
    action: Action | None = None
    source: WorkspacePath | None = None
    after: Annotated[int, Field(ge=0)] | None = None
    ranges: tuple[LineRange, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.workspace is None) == (self.session is None):
            raise ValueError("an action names either a workspace file or a session")
        if self.action == "insert" and self.after is None:
            raise ValueError("action 'insert' needs 'after'")
        if self.action != "insert" and self.after is not None:
            raise ValueError("'after' goes with action 'insert' only")
        if self.action == "delete":
            if self.source is not None:
                raise ValueError("action 'delete' has no 'source'")
            if self.session is not None and not self.ranges:
                raise ValueError("action 'delete' on a session needs 'ranges'")
        else:
            if self.source is None:
                raise ValueError(f"action {self.action or 'new/append'!r} needs a 'source'")
            if self.ranges:
                raise ValueError("'ranges' goes with action 'delete' only")
        for first, last in self.ranges:
            if last < first:
                raise ValueError(f"range {first}..{last} is backwards")
        return self


class UpdateTags(Record):
    """How an update is designed; difficulty is said to follow this and not the number of updates."""

    nature: Literal["subjective", "objective"] | None = None
    effect: Literal["extends", "reinterprets"] | None = None
    spread: Literal["concentrated", "distributed"] | None = None


class Update(Record):
    """A named set of actions, applied all or nothing and once; `groups` are ids of updates that it contains."""

    id: str
    actions: tuple[UpdateAction, ...] = ()
    groups: tuple[str, ...] = ()
    tags: UpdateTags = UpdateTags()

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if not self.actions and not self.groups:
            raise ValueError("an update has actions or groups")
        return self


class SessionChange(Record):
    """What happened to one session: the action for stores that can do it, the outcome for those that rewrite."""

    session: str
    action: Action
    before: Session | None
    after: Session
