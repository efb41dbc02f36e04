"""Reading a scenario's folder (``scenario/1``) into records. Every problem names its file and line, all are shown at once.

scenario.yaml   rounds.yaml   workspace/   sessions/<id>.jsonl   updates/<ID>/update.yaml + sources
gold/answers.yaml   gold/evidence.yaml   gold/oracle/<round>/…   gold/hasty/<round>/…   gold/checks/*
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Answers, Evidence, Gold, Manifest, RoundFile, Scenario, Session, SessionEntry, Update
from claw_adapter.protocol.update import UpdateAction
from claw_adapter.reading import read_text, why
from claw_adapter.scenario.apply import source_messages
from claw_adapter.scenario.jsonl import read_messages
from claw_adapter.scenario.problems import Problems
from claw_adapter.scenario.tree import check_tree, digest
from claw_adapter.scenario.yamlsource import YamlSource, check_record, read_yaml

__all__ = ["load_gold", "load_scenario"]

R = TypeVar("R", bound=BaseModel)


def load_scenario(path: Path) -> Scenario:
    """The visible part of the scenario in a folder.

    Args:
        path: the folder, or its ``scenario.yaml``.

    Raises:
        ScenarioError: the folder is no sound scenario; up to 20 problems with file, line, field and remedy.
    """
    root = Path(path).absolute()
    root = root.parent if root.name == "scenario.yaml" else root
    if not (root / "scenario.yaml").is_file():
        raise ScenarioError("no scenario here", where=str(root), remedy="Name a folder that holds a scenario.yaml.")
    check_tree(root)
    problems = Problems()
    if not (root / "workspace").is_dir():
        problems.add("the folder workspace/ is missing", where=str(root), remedy="Add it, empty if need be.")
    manifest = _record(root / "scenario.yaml", Manifest, problems)
    rounds = _record(root / "rounds.yaml", RoundFile, problems)
    updates = _updates(root, problems)
    sessions = _sessions(root, manifest, updates, problems) if manifest else ()
    problems.raise_any()
    assert manifest is not None  # noqa: S101 - None always comes with a problem
    assert rounds is not None  # noqa: S101 - as above
    spoken = {"language": manifest.language}
    asked = tuple(item if item.language else item.model_copy(update=spoken) for item in rounds.rounds)
    return Scenario(root=root, manifest=manifest, sessions=sessions, rounds=asked, updates=updates, digest=digest(root))


def load_gold(source: Scenario | Path) -> Gold:
    """The hidden part of a scenario; without ``gold/evidence.yaml`` there is no evidence layer.

    Args:
        source: the scenario, or its folder.

    Raises:
        ScenarioError: as `load_scenario`.
    """
    root = (source.root if isinstance(source, Scenario) else Path(source).absolute()) / "gold"
    problems = Problems()
    answers = _record(root / "answers.yaml", Answers, problems)
    evidence: Evidence | None = None
    if (root / "evidence.yaml").exists():
        evidence = _record(root / "evidence.yaml", Evidence, problems)
    _artefacts_are_text(root, problems)
    problems.raise_any()
    assert answers is not None  # noqa: S101 - None always comes with a problem
    return Gold(root=root, answers=answers, evidence=evidence)


def _record(path: Path, model: type[R], problems: Problems) -> R | None:
    try:
        return check_record(read_yaml(path), model)
    except ScenarioError as error:
        problems.absorb(error)
        return None


def _artefacts_are_text(root: Path, problems: Problems) -> None:
    for kind in ("oracle", "hasty"):
        for path in sorted((root / kind).rglob("*")):
            if path.is_file():
                _text(path, problems)


def _text(path: Path, problems: Problems) -> None:
    try:
        read_text(path)
    except UnicodeDecodeError:
        problems.add("not UTF-8 text", where=f"{path}:1", remedy="save the file as UTF-8")
    except OSError as error:
        problems.add(f"cannot be read: {why(error)}", where=f"{path}:1")


def _sessions(root: Path, manifest: Manifest, updates: dict[str, Update], problems: Problems) -> tuple[Session, ...]:
    """Main session first. A history without a file is one that an update brings."""
    brought = {action.session for update in updates.values() for action in update.actions if action.session}
    found: list[Session] = []
    for entry in (manifest.main, *manifest.histories):
        path = root / "sessions" / f"{entry.id}.jsonl"
        if not path.exists() and entry is not manifest.main and entry.id in brought:
            continue
        try:
            found.append(_session(path, entry))
        except ScenarioError as error:
            problems.absorb(error)
    listed = {f"{entry.id}.jsonl" for entry in (manifest.main, *manifest.histories)}
    for path in sorted((root / "sessions").glob("*")):
        if path.name not in listed:
            problems.add("no session of scenario.yaml", where=f"{path}:1", remedy="list it there, or remove the file")
    return tuple(found)


def _session(path: Path, entry: SessionEntry) -> Session:
    return Session(**dict(entry), messages=read_messages(path))


def _updates(root: Path, problems: Problems) -> dict[str, Update]:
    updates: dict[str, Update] = {}
    folder = root / "updates"
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if not path.is_dir():
            problems.add("not a folder of an update", where=f"{path}:1", remedy="Move it into updates/<ID>/.")
            continue
        try:
            updates[path.name] = _update(path)
        except ScenarioError as error:
            problems.absorb(error)
    return updates


def _update(folder: Path) -> Update:
    source = read_yaml(folder / "update.yaml")
    if isinstance(source.data, dict):
        source.data.setdefault("id", folder.name)  # the folder's name is the id; writing it down is optional
    update = check_record(source, Update)
    problems = Problems()
    if update.id != folder.name:
        problems.add(
            f"id: {update.id!r} in a folder named {folder.name!r}", where=source.where("id"), remedy="rename one"
        )
    for index, action in enumerate(update.actions):
        _check_source(folder, source, index, action, problems)
    problems.raise_any()
    return update


def _check_source(folder: Path, source: YamlSource, index: int, action: UpdateAction, problems: Problems) -> None:
    if action.source is None:
        return
    path = folder / action.source
    if not path.is_file():
        what = f"actions[{index}].source: there is no file {action.source!r} next to update.yaml"
        problems.add(what, where=source.where("actions", index, "source"), remedy="add the file, or correct the name")
    elif action.session is not None:
        try:
            source_messages(path, folder.name)
        except ScenarioError as error:
            problems.absorb(error)
    elif action.action in ("append", "insert"):
        _text(path, problems)
