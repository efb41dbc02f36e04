"""Reading a spec: six files into records, every problem with file, line and field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from claw_adapter.errors import ScenarioError
from claw_adapter.scenario.problems import Problems
from claw_adapter.scenario.yamlsource import YamlSource, check_record, read_yaml
from claw_adapter_scenarios.spec.controls import Controls
from claw_adapter_scenarios.spec.prose import FOLDER, prose_files
from claw_adapter_scenarios.spec.rounds import Rounds
from claw_adapter_scenarios.spec.sessions import Sessions
from claw_adapter_scenarios.spec.truth import Truth
from claw_adapter_scenarios.spec.updates import Updates
from claw_adapter_scenarios.spec.workspace import Workspace
from claw_adapter_scenarios.spec.worlds import Switches, World, resolve, world_of

__all__ = ["LAYERS", "SPEC_VERSION", "Spec", "load_spec"]

SPEC_VERSION = "spec/1"

LAYERS: Mapping[str, type[BaseModel]] = MappingProxyType({
    "0-truth": Truth,
    "1-workspace": Workspace,
    "2-sessions": Sessions,
    "3-rounds": Rounds,
    "4-updates": Updates,
    "5-controls": Controls,
})  # fmt: skip
"""Record by file name, without ``.yaml``."""


@dataclass(frozen=True, slots=True)
class Spec:
    """A spec as written, in one world. `where` finds the line of a field."""

    root: Path
    truth: Truth
    workspace: Workspace
    sessions: Sessions
    rounds: Rounds
    updates: Updates
    controls: Controls
    sources: Mapping[str, YamlSource]
    written: Mapping[str, YamlSource]
    """The files before a world is chosen; the same as `sources` where there are no switches."""
    world: World = field(default_factory=dict)

    def at(self, seed: int) -> Spec:
        """The spec in the world of a seed.

        Raises:
            ScenarioError: what is left in that world is no spec; with file and line.
        """
        switches = self.truth.sides
        world = world_of(seed, switches, self.truth.id)
        return self if world == self.world else _in_world(self.root, self.written, switches, world)

    def where(self, layer: str, *path: str | int) -> str:
        """``file:line`` of a field, or of the nearest enclosing one that the file has; `layer` as in `LAYERS`."""
        return self.sources[layer].where(*path)

    def find(self, written: str, default: str) -> str:
        """``file:line`` of the first place, in the six files or in prose, where a text stands as written; else `default`."""
        for path in (*prose_files(self.root), *(source.path for source in self.written.values())):
            lines = path.read_text("utf-8-sig", "replace").splitlines() if written else ()
            for number, line in enumerate(lines, start=1):
                if written in line:
                    return f"{path}:{number}"
        return default


def load_spec(root: Path) -> Spec:
    """The spec in a folder.

    Raises:
        ScenarioError: files are missing or wrong; all problems with file, line and field.
    """
    root = Path(root)
    if not (root / "0-truth.yaml").is_file():
        raise ScenarioError("no spec here", where=str(root), remedy="Name a folder that holds a 0-truth.yaml.")
    problems, sources = Problems(), dict[str, YamlSource]()
    for name in LAYERS:
        try:
            sources[name] = read_yaml(root / f"{name}.yaml")
        except ScenarioError as error:
            problems.absorb(error)
    problems.raise_any()
    switches = _switches(sources["0-truth"])
    return _in_world(root, sources, switches, {name: sides[0] for name, sides in switches.items()})


def _switches(truth: YamlSource) -> Switches:
    """The switches of a file that no record has been made of yet; what is wrong with them is said when it is."""
    found = truth.data.get("switches") if isinstance(truth.data, dict) else None
    if not isinstance(found, dict):
        return {}
    sides = {name: one.get("sides") for name, one in found.items() if isinstance(one, dict)}
    return {name: side for name, side in sides.items() if isinstance(side, list) and side}


def _in_world(root: Path, written: Mapping[str, YamlSource], switches: Switches, world: World) -> Spec:
    problems, records, sources = Problems(), dict[str, Any](), dict[str, YamlSource]()
    branches = switches or (root / FOLDER).is_dir()
    for name, model in LAYERS.items():
        try:
            sources[name] = resolve(written[name], switches, world) if branches else written[name]
            records[name] = check_record(sources[name], model)
        except ScenarioError as error:
            problems.absorb(error)
    problems.raise_any()
    layers = {name.partition("-")[2]: records[name] for name in LAYERS}
    return Spec(root, **layers, sources=MappingProxyType(sources), written=written, world=MappingProxyType(dict(world)))
