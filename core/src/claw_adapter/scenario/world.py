"""The visible world of a scenario at each of its rounds: files and sessions, in memory, updates applied."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Scenario, Session, Update, UpdateAction
from claw_adapter.scenario.apply import apply_lines, effective_action, session_change, source_path
from claw_adapter.scenario.tree import regular_files

__all__ = ["World", "apply_action", "apply_update", "first_world", "worlds"]


@dataclass(frozen=True, slots=True)
class World:
    """What an agent could look at: file contents by path relative to the workspace, sessions by id."""

    files: Mapping[str, bytes]
    sessions: Mapping[str, Session]

    def text(self, path: str) -> str:
        """A file as text; bytes that are not UTF-8 are replaced, a missing file is empty."""
        return self.files.get(path, b"").decode("utf-8", "replace")


def first_world(scenario: Scenario) -> World:
    """The world before any update; links of the workspace are left out, as their targets are there."""
    files = {name: path.read_bytes() for name, path in regular_files(scenario.workspace).items()}
    return World(files, {session.id: session for session in scenario.sessions})


def apply_action(scenario: Scenario, world: World, update: Update, action: UpdateAction) -> World:
    """The world after one action.

    Raises:
        ScenarioError: the action does not fit the world.
    """
    if action.session is not None:
        change = session_change(scenario, world.sessions, update, action)
        return World(world.files, {**world.sessions, change.session: change.after})
    return World(_changed_files(scenario, world, update, action), world.sessions)


def _changed_files(scenario: Scenario, world: World, update: Update, action: UpdateAction) -> dict[str, bytes]:
    path = action.workspace or ""
    files = dict(world.files)
    kind = effective_action(action, exists=path in files)
    content = source_path(scenario, update, action).read_bytes() if action.source else b""
    if kind == "new":
        _check_place(files, path)
        files[path] = content
        return files
    if path not in files:
        raise ScenarioError(f"there is no file {path!r} to {kind}", remedy="Create it with an earlier 'new'.")
    if kind == "delete" and not action.ranges:
        del files[path]
        return files
    try:
        text, more = files[path].decode("utf-8"), content.decode("utf-8")
    except UnicodeDecodeError:
        raise ScenarioError(f"{path!r} is not UTF-8 text, it has no lines", remedy="Replace it with 'new'.") from None
    files[path] = apply_lines(text, kind, more, after=action.after or 0, ranges=action.ranges).encode("utf-8")
    return files


def _check_place(files: Mapping[str, bytes], path: str) -> None:
    """A file cannot take the place of a folder, nor lie below a file."""
    parts = path.split("/")
    above = {"/".join(parts[:depth]) for depth in range(1, len(parts))}
    for other in files:
        if other in above or other.startswith(f"{path}/"):
            raise ScenarioError(f"{path!r} and {other!r} cannot both be there", remedy="Rename one of them.")


def apply_update(scenario: Scenario, world: World, update: Update) -> World:
    """The world after one update (without its groups).

    Raises:
        ScenarioError: an action does not fit the world.
    """
    for action in update.actions:
        world = apply_action(scenario, world, update, action)
    return world


def worlds(scenario: Scenario, *, without: AbstractSet[str] = frozenset()) -> list[World]:
    """The world at each round, its own updates applied; the updates `without` are withheld.

    Raises:
        ScenarioError: an update does not fit; withholding one can make a later one unfit.
    """
    world = first_world(scenario)
    found: list[World] = []
    for item in scenario.rounds:
        for update in scenario.expand(tuple(name for name in item.updates if name not in without)):
            if update.id not in without:
                world = apply_update(scenario, world, update)
        found.append(world)
    return found
