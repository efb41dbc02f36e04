"""What a published data set says, before it is given the meaning of ``scenario/1``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from claw_adapter.protocol import Answer, Round

__all__ = [
    "FileAction",
    "Place",
    "PublishedRound",
    "PublishedScenario",
    "PublishedUpdate",
    "Teaching",
    "UpdateFile",
    "UpdateKind",
]

_SHORTHAND = re.compile(r"(?:upd|[uU])?(\d+)")

UpdateKind = Literal["session", "workspace", "group"]
FileAction = Literal["new", "append", "insert", "delete"]


@dataclass(frozen=True, slots=True)
class UpdateFile:
    """One file of an update.

    Attributes:
        source: where its content lies.
        target: the path it goes to, as the manifest says: below the workspace, or a file name among the sessions.
        action: what the manifest says; None when it gives a bare name, or a target without an action.
        param: further fields of the manifest (``after``, ``lines``).
        channel: for a new session, when given.
        entry: the way to the entry in the manifest.
    """

    source: Path
    target: str
    action: FileAction | None = None
    param: dict[str, Any] = field(default_factory=dict)
    channel: str = ""
    entry: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True)
class PublishedUpdate:
    """An entry of ``manifest.updates``: files of one kind, or a group of other updates."""

    id: str
    kind: UpdateKind
    type: str
    files: tuple[UpdateFile, ...] = ()
    children: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Teaching:
    """The published ``pref``: a check that never scores and changes only the next feedback."""

    command: str
    correct: str = ""
    incorrect: str = ""


@dataclass(frozen=True, slots=True)
class PublishedRound:
    """A round with its key.

    Attributes:
        item: the visible part; `item.updates` are ids of updates, shorthands resolved.
        answer: the key; its `check` is None where a script it needs is not part of the data.
        command: the check command as published, empty for other types.
        missing: scripts that the command needs and the data does not have, relative to the folder of checks.
        teaching: the teaching check, if there is one.
    """

    item: Round
    answer: Answer
    command: str = ""
    timeout: float = 30.0
    missing: tuple[str, ...] = ()
    teaching: Teaching | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where the files of one scenario lie in one harness layout. Nothing but the manifest has been read.

    Attributes:
        main: file of the main session; None when the manifest's pointer is empty.
        histories: files of the history sessions as they stand before any update.
        session_folders: top-level folders of `workspace` that hold sessions and are no part of the workspace proper.
        scripts: the folder of check scripts, whether it exists or not.
    """

    id: str
    title: str
    layout: str
    manifest: Path
    main: Path | None
    histories: tuple[Path, ...]
    workspace: Path
    session_folders: frozenset[str]
    updates: dict[str, PublishedUpdate]
    scripts: Path

    def resolve(self, reference: object) -> tuple[str, ...]:
        """The ids of updates that a round's reference means.

        An id means itself; N, ``UN`` or ``updN`` means the update ``updN`` and every ``updN_…``; an unknown one nothing.
        """
        name = str(reference)
        if name in self.updates:
            return (name,)
        match = _SHORTHAND.fullmatch(name)
        if match is None:
            return ()
        stem = f"upd{match[1]}"
        return tuple(key for key in self.updates if key == stem or key.startswith(f"{stem}_"))

    def expand(self, update_id: str, seen: frozenset[str] = frozenset()) -> tuple[PublishedUpdate, ...]:
        """The updates that an id means, groups replaced by what they contain; cycles and unknown ids end the way."""
        update = self.updates.get(update_id)
        if update is None or update_id in seen:
            return ()
        if update.kind != "group":
            return (update,)
        return tuple(inner for child in update.children for inner in self.expand(child, seen | {update_id}))


@dataclass(frozen=True, slots=True)
class PublishedScenario:
    """One scenario in one harness layout, with its rounds."""

    place: Place
    rounds: tuple[PublishedRound, ...]

    @property
    def id(self) -> str:
        """The scenario's id."""
        return self.place.id

    def applied(self) -> tuple[tuple[int, PublishedUpdate], ...]:
        """Updates in the order in which they are applied, each with the index of its round."""
        return tuple(
            (index, update)
            for index, one in enumerate(self.rounds)
            for update_id in one.item.updates
            for update in self.place.expand(update_id)
        )

    def unreferenced(self) -> tuple[PublishedUpdate, ...]:
        """Updates, groups included, that no round applies."""
        used = {update.id for _, update in self.applied()}
        named = {update_id for one in self.rounds for update_id in one.item.updates}
        return tuple(update for update in self.place.updates.values() if update.id not in used | named)
