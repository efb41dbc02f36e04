"""From a layout's manifest to the places of a scenario's files. What is wrong is noted, not raised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from claw_adapter.errors import ScenarioError
from claw_adapter.finding import Finding
from claw_adapter_clawarena.entries import AgentEntry, EntryError, UpdateEntry
from claw_adapter_clawarena.jsontext import JsonSource
from claw_adapter_clawarena.layouts import LAYOUTS, LOGS, Layout
from claw_adapter_clawarena.records import Place, PublishedUpdate, UpdateFile, UpdateKind
from claw_adapter_clawarena.rules import finding
from claw_adapter_clawarena.suite import Suite, Test

__all__ = ["log_target", "read_place", "read_places"]


def read_places(suite: Suite, layout: str, found: list[Finding]) -> tuple[Place, ...]:
    """The places of all tests of a data set in one layout, as far as they can be made out."""
    try:
        manifest = suite.manifest(layout)
    except ScenarioError as error:
        found.append(finding("PUB-002", error.what, error.where))
        return ()
    places = (read_place(suite, LAYOUTS[layout], manifest, test, found) for test in suite.tests)
    return tuple(place for place in places if place is not None)


def read_place(suite: Suite, layout: Layout, manifest: JsonSource, test: Test, found: list[Finding]) -> Place | None:
    """The place of one test; None when the manifest has nothing sound on it."""
    given = _mapping(manifest, "agents").get(test.id)
    try:
        agent = AgentEntry.read(given)
    except EntryError as error:
        what = f"no agent {test.id!r}" if given is None else f"agent {test.id!r}: {error}"
        found.append(finding("PUB-003", f"{layout.name}: {what}", manifest.where("agents", test.id, *error.where)))
        return None
    root = manifest.path.parent
    entries = _mapping(manifest, "updates").get(test.id, {})
    return Place(
        id=test.id,
        title=test.description,
        layout=layout.name,
        manifest=manifest.path,
        main=layout.main(root, agent),
        histories=layout.histories(root, agent),
        workspace=root / agent.workspace,
        session_folders=layout.session_folders,
        updates=_updates(layout, manifest, test.id, entries, found),
        scripts=suite.eval_dir / test.eval / "scripts",
    )


def _mapping(manifest: JsonSource, name: str) -> Mapping[str, Any]:
    given = manifest.data.get(name)
    return given if isinstance(given, dict) else {}


def _updates(
    layout: Layout, manifest: JsonSource, test: str, entries: Any, found: list[Finding]
) -> dict[str, PublishedUpdate]:
    kinds: dict[str, UpdateKind] = {layout.session_update: "session", "workspace": "workspace", "group": "group"}
    updates: dict[str, PublishedUpdate] = {}
    for name, given in entries.items() if isinstance(entries, dict) else ():
        where = ("updates", test, name)
        try:
            entry = UpdateEntry.read(given)
        except EntryError as error:
            found.append(finding("PUB-009", f"{test}: update {name!r}: {error}", manifest.where(*where, *error.where)))
            continue
        kind = kinds.get(entry.type)
        if kind is None:
            what = f"{test}: update {name!r} has type {entry.type!r}, which layout {layout.name} does not know"
            found.append(finding("PUB-009", what, manifest.where(*where, "type")))
            continue
        files = () if kind == "group" else tuple(_files(layout, kind, manifest, where, entry, found))
        updates[name] = PublishedUpdate(name, kind, entry.type, files, entry.children)
    return updates


def _files(
    layout: Layout,
    kind: UpdateKind,
    manifest: JsonSource,
    where: tuple[str, str, str],
    entry: UpdateEntry,
    found: list[Finding],
) -> Iterator[UpdateFile]:
    folder = manifest.path.parent / entry.dir
    for index, file in enumerate(entry.files):
        at, target = (*where, "files", index), file.target or file.name
        if not _inside(target, layout, kind):
            found.append(finding("PUB-013", f"{where[1]}: target {target!r} of {where[2]!r}", manifest.where(*at)))
            continue
        yield UpdateFile(folder / file.name, target, file.action, file.param or {}, file.channel, at)


def _inside(target: str, layout: Layout, kind: UpdateKind) -> bool:
    parts = target.split("/")
    if not target or "\\" in target or "\0" in target or any(part in ("", ".", "..") for part in parts):
        return False
    return not (kind == "session" and layout.name == "openclaw" and len(parts) > 1)


def log_target(file: UpdateFile, layout: str) -> Path | None:
    """The history file's name, if the target is where the harness keeps its histories; None for a misplaced one."""
    target = Path(file.target)
    if layout == "openclaw":
        return target
    return Path(target.name) if target.parent == Path(LOGS) else None
