"""Rules on updates and their groups."""

from __future__ import annotations

from collections.abc import Iterator

from claw_adapter.errors import ScenarioError
from claw_adapter.finding import Finding, finding
from claw_adapter.protocol import Scenario, Update
from claw_adapter.scenario.places import Places
from claw_adapter.scenario.rules.subject import Subject
from claw_adapter.scenario.world import World, apply_action, first_world

__all__ = ["build_worlds", "references", "sources"]


def references(subject: Subject) -> Iterator[Finding]:
    """References to updates resolve, without cycles, and reach every update once (SCN-001 to SCN-004, SCN-006, SCN-101)."""
    scenario, places = subject.scenario, subject.places
    reached: dict[str, str] = {}
    for index, item in enumerate(scenario.rounds):
        for position, name in enumerate(item.updates):
            where = places.round(index, "updates", position)
            if name not in scenario.updates:
                yield finding("SCN-001", f"round {item.id!r}: there is no update {name!r}", where)
            for update in _closure(scenario, name):
                if update in reached:
                    yield finding("SCN-004", f"update {update!r} is applied by {reached[update]!r} already", where)
                reached.setdefault(update, item.id)
    yield from _groups(subject)
    for name in scenario.updates.keys() - reached.keys():
        yield finding("SCN-101", f"no round applies update {name!r}", places.update(name))


def _closure(scenario: Scenario, name: str, above: tuple[str, ...] = ()) -> Iterator[str]:
    """An update and all that it contains; a cycle ends where it closes."""
    if name not in scenario.updates or name in above:
        return
    yield name
    for inner in scenario.updates[name].groups:
        yield from _closure(scenario, inner, (*above, name))


def _groups(subject: Subject) -> Iterator[Finding]:
    scenario, places = subject.scenario, subject.places
    listed = {session.id for session in scenario.sessions} | {entry.id for entry in scenario.manifest.histories}
    for update in scenario.updates.values():
        for position, name in enumerate(update.groups):
            where = places.update(update.id, "groups", position)
            if name not in scenario.updates:
                yield finding("SCN-002", f"update {update.id!r}: there is no update {name!r}", where)
            elif update.id in _inner(scenario, name):
                yield finding("SCN-003", f"update {update.id!r} contains itself through {name!r}", where)
        for position, action in enumerate(update.actions):
            if action.session is not None and action.session not in listed:
                where = places.update(update.id, "actions", position, "session")
                yield finding("SCN-006", f"session {action.session!r} is not listed in scenario.yaml", where)


def _inner(scenario: Scenario, name: str) -> set[str]:
    """The ids that can be reached from an update, itself included."""
    todo, found = [name], set[str]()
    while todo:
        current = todo.pop()
        if current not in found and current in scenario.updates:
            found.add(current)
            todo.extend(scenario.updates[current].groups)
    return found


def sources(subject: Subject) -> Iterator[Finding]:
    """Files beside an update.yaml that no action uses (SCN-102)."""
    for update in subject.scenario.updates.values():
        folder = subject.scenario.root / "updates" / update.id
        used = {"update.yaml", *(action.source for action in update.actions)}
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if path.is_file() and name not in used:
                yield finding("SCN-102", f"no action uses {name!r}", f"{path}:1")


def build_worlds(scenario: Scenario, places: Places) -> tuple[list[Finding], tuple[World, ...] | None]:
    """Apply all updates in order: the worlds, or what does not fit (SCN-005). Broken references end it without a finding."""
    names = {name for item in scenario.rounds for name in item.updates} | {
        name for update in scenario.updates.values() for name in update.groups
    }
    cyclic = any(update.id in _inner(scenario, name) for update in scenario.updates.values() for name in update.groups)
    if cyclic or not names <= scenario.updates.keys():
        return [], None
    found: list[Finding] = []
    worlds: list[World] = []
    world = first_world(scenario)
    for item in scenario.rounds:
        for update in scenario.expand(item.updates):
            world = _step(scenario, world, update, places, found)
        worlds.append(world)
    return found, None if found else tuple(worlds)


def _step(scenario: Scenario, world: World, update: Update, places: Places, found: list[Finding]) -> World:
    for position, action in enumerate(update.actions):
        try:
            world = apply_action(scenario, world, update, action)
        except ScenarioError as error:
            where = error.where or places.update(update.id, "actions", position)
            found.append(finding("SCN-005", f"update {update.id!r}: {error.what}", where))
    return world
