"""Everything that is wrong with a published data set, in one or all of its layouts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from claw_adapter.finding import Finding
from claw_adapter_clawarena.jsontext import JsonSource
from claw_adapter_clawarena.layouts import LAYOUTS
from claw_adapter_clawarena.manifest import read_places
from claw_adapter_clawarena.questions import read_scenario
from claw_adapter_clawarena.records import Place, PublishedScenario
from claw_adapter_clawarena.rules import finding
from claw_adapter_clawarena.steps import plan
from claw_adapter_clawarena.stores.base import read_text
from claw_adapter_clawarena.suite import Suite
from claw_adapter_clawarena.times import is_iso

__all__ = ["Examined", "examine"]


@dataclass(frozen=True, slots=True)
class Examined:
    """A layout with what was found in it, errors first."""

    layout: str
    scenarios: tuple[PublishedScenario, ...]
    findings: tuple[Finding, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Findings by rule, in the order of their ids."""
        return dict(sorted(Counter(one.id for one in self.findings).items()))

    @property
    def errors(self) -> int:
        """Findings that keep the data from being run."""
        return sum(one.severity == "error" for one in self.findings)


def examine(suite: Suite, layout: str) -> Examined:
    """Read a whole layout and note everything that is wrong with it; raises nothing on account of the data."""
    found: list[Finding] = []
    places = read_places(suite, layout, found)
    manifest = suite.manifest(layout) if places else None
    scenarios = []
    for place in places:
        scenario = read_scenario(suite, place, found)
        scenarios.append(scenario)
        if manifest is not None:
            found.extend(_of_place(place, manifest))
            found.extend(_of_updates(scenario, manifest))
            plan(scenario, "strict", found, manifest.where)
            found.extend(_times(place))
    if manifest is not None:
        found.extend(_shared_workspaces(places, manifest))
    unique = dict.fromkeys(found)
    ordered = sorted(unique, key=lambda one: (one.severity, one.id, one.where, one.message))
    return Examined(layout, tuple(scenarios), tuple(ordered))


def _of_place(place: Place, manifest: JsonSource) -> Iterator[Finding]:
    if not place.workspace.is_dir():
        where = manifest.where("agents", place.id, "workspace")
        yield finding("PUB-005", f"{place.id}: there is no folder {place.workspace.name!r}", where)
    if place.main is None:
        field = "session_key" if LAYOUTS[place.layout].main_format in ("nanobot", "picoclaw") else "session"
        where = manifest.where("agents", place.id, field)
        yield finding("PUB-106", f"{place.id}: the pointer to the main session is empty", where)
    used = {file.source for update in place.updates.values() for file in update.files}
    for path in sorted((manifest.path.parent / "updates" / place.id).rglob("*")):
        if path.is_file() and path not in used:
            yield finding("PUB-111", f"{place.id}: no update uses {path.name!r}", f"{path}:1")


def _shared_workspaces(places: Iterable[Place], manifest: JsonSource) -> Iterator[Finding]:
    owners: dict[Path, list[str]] = {}
    for place in places:
        owners.setdefault(place.workspace, []).append(place.id)
    for folder, ids in owners.items():
        if len(ids) > 1:
            what = f"{len(ids)} tests, {ids[0]} to {ids[-1]}, share the workspace {folder.name!r}: each is given a copy of it"
            yield finding("PUB-112", what, manifest.where("agents", ids[0], "workspace"))


def _of_updates(scenario: PublishedScenario, manifest: JsonSource) -> Iterator[Finding]:
    place = scenario.place
    for update in place.updates.values():
        for child in update.children:
            if child not in place.updates or _reaches(place, child, update.id):
                why = "leads back to it" if child in place.updates else "does not exist"
                what = f"{place.id}: group {update.id!r} names {child!r}, which {why}"
                yield finding("PUB-012", what, manifest.where("updates", place.id, update.id, "children"))
        for file in update.files:
            if file.action != "delete" and not file.source.is_file():
                what = f"{place.id}: update {update.id!r} needs {file.source.name!r}, which is not there"
                yield finding("PUB-008", what, manifest.where(*file.entry))
    applied = Counter(update.id for _, update in scenario.applied())
    for name, times in applied.items():
        if times > 1:
            where = manifest.where("updates", place.id, name)
            yield finding("PUB-011", f"{place.id}: update {name!r} is applied {times} times", where)
    for update in scenario.unreferenced():
        where = manifest.where("updates", place.id, update.id)
        kind = "group" if update.kind == "group" else "update"
        yield finding("PUB-105", f"{place.id}: no round applies {kind} {update.id!r}", where)


def _reaches(place: Place, start: str, goal: str) -> bool:
    """Whether a group contains an update, through whatever groups."""
    pending, seen = [start], set[str]()
    while pending:
        name = pending.pop()
        if name == goal:
            return True
        if name not in seen and name in place.updates:
            seen.add(name)
            pending.extend(place.updates[name].children)
    return False


def _times(place: Place) -> Iterator[Finding]:
    """One finding per session file with times that are not ISO 8601."""
    files = [place.main, *place.histories]
    files += [file.source for update in place.updates.values() if update.kind == "session" for file in update.files]
    for path in files:
        if path is None or not path.is_file():
            continue
        bad = [line for line, time in _stamps(path) if time and not is_iso(time)]
        if bad:
            yield finding("PUB-109", f"{place.id}: {len(bad)} times are not ISO 8601", f"{path}:{bad[0]}")


def _stamps(path: Path) -> Iterator[tuple[int, str]]:
    """Times in a session file with their lines, found by their looks in whatever format."""
    import re

    pattern = re.compile(
        r'"timestamp"\s*:\s*"([^"]*)"' if path.suffix == ".jsonl" else r"\A\*\*[A-Z]\w+\*\*[^(]*\(([^()]*)\):\Z"
    )
    try:
        text = read_text(path)
    except ValueError:
        return
    for number, line in enumerate(text.split("\n"), start=1):
        yield from ((number, match[1]) for match in pattern.finditer(line))
