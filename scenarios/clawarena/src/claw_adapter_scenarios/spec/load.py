"""Reading a spec: six files into records, every problem with file, line and field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from claw_adapter.errors import ScenarioError
from claw_adapter.scenario.problems import Problems
from claw_adapter.scenario.yamlsource import YamlSource, check_record, read_yaml
from claw_adapter_scenarios.spec.controls import Controls
from claw_adapter_scenarios.spec.rounds import Rounds
from claw_adapter_scenarios.spec.sessions import Sessions
from claw_adapter_scenarios.spec.truth import Truth
from claw_adapter_scenarios.spec.updates import Updates
from claw_adapter_scenarios.spec.workspace import Workspace

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
    """A spec as written. `where` finds the line of a field."""

    root: Path
    truth: Truth
    workspace: Workspace
    sessions: Sessions
    rounds: Rounds
    updates: Updates
    controls: Controls
    sources: Mapping[str, YamlSource]

    def where(self, layer: str, *path: str | int) -> str:
        """``file:line`` of a field, or of the nearest enclosing one that the file has; `layer` as in `LAYERS`."""
        return self.sources[layer].where(*path)


def load_spec(root: Path) -> Spec:
    """The spec in a folder.

    Raises:
        ScenarioError: files are missing or wrong; all problems with file, line and field.
    """
    root = Path(root)
    if not (root / "0-truth.yaml").is_file():
        raise ScenarioError("no spec here", where=str(root), remedy="Name a folder that holds a 0-truth.yaml.")
    problems, records, sources = Problems(), dict[str, Any](), dict[str, YamlSource]()
    for name, model in LAYERS.items():
        try:
            sources[name] = read_yaml(root / f"{name}.yaml")
            records[name] = check_record(sources[name], model)
        except ScenarioError as error:
            problems.absorb(error)
    problems.raise_any()
    layers = {name.partition("-")[2]: records[name] for name in LAYERS}
    return Spec(root=root, **layers, sources=MappingProxyType(sources))
