"""An episode's whole state as bytes: compact JSON, the same bytes for the same state."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from claw_adapter_forge.episodes.episode import Episode
from claw_adapter_forge.surfaces.grammar import Output, Verb
from claw_adapter_forge.surfaces.registry import find
from claw_adapter_forge.surfaces.shell import Execution
from claw_adapter_forge.world.serial import change_from_json, change_to_json, state_from_json, state_to_json
from claw_adapter_forge.world.state import MAX_TEXT, State

__all__ = ["Snapshot", "restore_episode", "snapshot_of", "take_snapshot"]

LONGEST = 2 * MAX_TEXT
"""Characters kept of what one command printed: more than the world prints, a bound for the real program."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What an episode's bytes hold."""

    state: State
    executions: tuple[Execution, ...]
    used: int
    """Commands that were executed."""
    horizon: int

    @property
    def exhausted(self) -> bool:
        """Whether the budget is used up."""
        return self.used >= self.horizon


def take_snapshot(episode: Episode) -> bytes:
    """The state of an episode."""
    data = {
        "state": state_to_json(episode.world.state),
        "executions": [_execution_to_json(e) for e in episode.executions],
        "used": episode.used,
        "horizon": episode.horizon,
    }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def snapshot_of(content: bytes) -> Snapshot:
    """What `take_snapshot` has written."""
    data = json.loads(content)
    executions = tuple(_execution_from_json(e) for e in data["executions"])
    return Snapshot(state_from_json(data["state"]), executions, data["used"], data["horizon"])


def restore_episode(episode: Episode, content: bytes) -> None:
    """Bring an episode of the same task into the state of `take_snapshot`."""
    found = snapshot_of(content)
    episode.go_back(found.state, found.executions, found.used)


def _execution_to_json(execution: Execution) -> dict[str, Any]:
    output = execution.output
    return {
        "line": execution.line,
        "verb": list(execution.verb.path) if execution.verb else None,
        "stdout": output.stdout[:LONGEST],
        "stderr": output.stderr[:LONGEST],
        "exit": output.code,
        "changes": [change_to_json(c) for c in execution.changes],
    }


def _execution_from_json(data: Mapping[str, Any]) -> Execution:
    verb, _ = find(data["verb"]) if data["verb"] else (None, 0)
    output = Output(data["stdout"], data["stderr"], data["exit"])
    known = verb if isinstance(verb, Verb) else None
    return Execution(data["line"], known, output, tuple(map(change_from_json, data["changes"])))
