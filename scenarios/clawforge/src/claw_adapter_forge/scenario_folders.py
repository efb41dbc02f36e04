"""A task as the folder of a scenario, in the cache below CLAW_HOME; safe for several processes at a time.

The folder's name says what is in it, so a folder that is there is the right one unless somebody has changed it.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from pydantic import JsonValue

from claw_adapter.errors import ScenarioError
from claw_adapter.frameworks.home import claw_home
from claw_adapter.protocol import Manifest, RoundFile, Scenario, Session
from claw_adapter.scenario.tree import digest, regular_files
from claw_adapter_forge.tasks.manifest import canonical, task_to_json
from claw_adapter_forge.tasks.observation import first_observation
from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["cache_home", "scenario_of"]

ROUND = "task"


def cache_home() -> Path:
    """The folder of the cache; not created here. It may be removed at any time when no run goes on."""
    return claw_home() / "cache" / "forge"


def scenario_of(task: ForgeTask, played: Mapping[str, JsonValue]) -> Scenario:
    """The scenario of a task, its folder written unless it is there.

    It is what `claw_adapter.scenario.load_scenario` would read, without the time that reading takes.

    Args:
        task: the task.
        played: options of the environment.

    Raises:
        ScenarioError: the cache cannot be written.
    """
    manifest, rounds = _manifest(task, played), _rounds(task)
    files = {
        "scenario.yaml": _text(manifest),
        "rounds.yaml": _text(rounds),
        "sessions/main.jsonl": "",
        "gold/answers.yaml": _text({"rounds": {ROUND: {}}}),
        "gold/task.json": canonical(task_to_json(task)) + "\n",
    }
    root = _placed(task.id, {name: text.encode() for name, text in files.items()})
    known = Manifest.model_validate(manifest)
    asked = RoundFile.model_validate(rounds).rounds
    return Scenario(
        root=root,
        manifest=known,
        sessions=(Session(**dict(known.main)),),
        rounds=tuple(item.model_copy(update={"language": known.language}) for item in asked),
        updates={},
        digest=digest(root),
    )


def _manifest(task: ForgeTask, played: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    meta = task.meta
    return {
        "schema": "scenario/1",
        "id": task.id,
        "title": f"{task.id}: {meta.family.replace('_', ' ')}",
        "domain": "operations",
        "tags": {
            "task-set": meta.profile,
            "family": meta.family,
            "ability": meta.ability,
            "style": meta.style,
            "length": meta.length,
            "necessary": meta.necessary,
            **{f"knob-{name}": setting for name, setting in meta.knobs},
            "mode": played["mode"],
        },
        "clock": f"{task.start.now}:00+00:00",
        "main": {"id": "main"},
        "environment": {"name": "forge", "options": dict(played)},
    }


def _rounds(task: ForgeTask) -> dict[str, JsonValue]:
    question = first_observation(task.instruction, task.start)
    return {"rounds": [{"id": ROUND, "type": "forge", "question": question}]}


def _text(data: JsonValue) -> str:
    """JSON, which is YAML as well."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _placed(name: str, files: Mapping[str, bytes]) -> Path:
    key = sha256(b"\0".join(part for path, content in files.items() for part in (path.encode(), content)))
    root = cache_home() / key.hexdigest()[:24] / name
    try:
        if not _holds(root, files):
            _make(root, files)
    except OSError as error:
        raise ScenarioError(
            f"the cache cannot be written: {error}", where=str(root), remedy="Point CLAW_HOME to another folder."
        ) from error
    return root


def _holds(root: Path, files: Mapping[str, bytes]) -> bool:
    """Whether exactly these files are there."""
    there = regular_files(root)
    whole = there.keys() == files.keys() and (root / "workspace").is_dir()
    return whole and all(path.read_bytes() == files[name] for name, path in there.items())


def _make(root: Path, files: Mapping[str, bytes]) -> None:
    """Build beside the entry and rename into place; who comes second takes what the first one made."""
    entry = root.parent
    entry.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=entry.parent, prefix=".making-") as folder:
        made = Path(folder) / "entry"
        for name, content in files.items():
            path = made / root.name / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        (made / root.name / "workspace").mkdir()
        if entry.exists() and not _holds(root, files):
            with contextlib.suppress(FileNotFoundError):  # another process may be putting it right as well
                entry.rename(Path(folder) / "damaged")
        try:
            made.rename(entry)
        except OSError:
            if not _holds(root, files):
                raise
