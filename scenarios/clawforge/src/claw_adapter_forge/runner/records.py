"""What is kept of an episode, one line of JSON each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from claw_adapter.errors import EndpointAuthError, EndpointQuotaError

__all__ = [
    "RUN_FORMAT",
    "RunRecord",
    "Step",
    "append_record",
    "mend_end",
    "record_from_line",
    "record_line",
]

RUN_FORMAT = "forge-run/1"
_HOPELESS = frozenset({EndpointAuthError.__name__, EndpointQuotaError.__name__})
"""Failures that every further trial would meet too."""


@dataclass(frozen=True, slots=True)
class Step:
    """One executed command; `changes` are lines for people, one per changed row."""

    command: str
    exit: int
    changes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One trial of one agent on one task.

    `ended` is ``stopped`` (by the agent), ``budget``, ``repeats``, ``unparsable``, ``provider`` or ``harness`` (it failed;
    `failure` says how: its owner, its kind, what happened). `progress` is normalised (first state 0, oracle 1); `partial` and
    `null_partial` are Eq. 3 of this run and of doing nothing. `harness` is what stood between the agent and the world:
    ``bare`` (the loop), ``shell``, or an adapter's name; `bypasses` are the tools it used that do not work in the world.
    `reasons` say, line by line, what came nearest to each want that is missing, and what of it does not fit.
    """

    agent: str
    mode: str
    task: str
    family: str
    ability: str
    style: str
    length: int
    trial: int
    ended: str
    strict: bool
    progress: float
    partial: float
    null_partial: float
    steps: tuple[Step, ...]
    missing: tuple[str, ...]
    violations: tuple[str, ...]
    forbidden: tuple[str, ...]
    pattern: str
    excess: bool
    first_wrong: int
    unread: tuple[str, ...]
    redundant_reads: float
    instruction: str = ""
    provider_failure: bool = False
    provider_impacted: bool = False
    retries: int = 0
    compact_fallbacks: int = 0
    harness: str = "bare"
    failure: str = ""
    bypasses: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def identity(self) -> tuple[str, str, str, str, int]:
        """What no two records of a run share."""
        return self.mode, self.harness, self.agent, self.task, self.trial

    @property
    def scored(self) -> bool:
        """Whether the agent had its chance: neither provider nor harness failed."""
        return not self.provider_failure and self.ended != "harness"

    @property
    def passed(self) -> bool:
        """Whether it counts as a pass."""
        return self.strict and self.scored

    @property
    def hopeless(self) -> bool:
        """Whether the provider refused the key, or its budget is used up: no use in going on."""
        return self.provider_failure and any(part in _HOPELESS for part in self.failure.split(": ")[:2])

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {"format": RUN_FORMAT, **asdict(self)}


def record_from_line(line: str) -> RunRecord:
    """The record of one line.

    Raises:
        ValueError, KeyError, TypeError: it is none of this version.
    """
    data: Mapping[str, Any] = json.loads(line)
    if data["format"] != RUN_FORMAT:
        raise KeyError("format")
    values = {k: v for k, v in data.items() if k != "format"}
    values["steps"] = tuple(Step(s["command"], s["exit"], tuple(s["changes"])) for s in data["steps"])
    for name in ("missing", "violations", "forbidden", "unread", "bypasses", "reasons"):
        values[name] = tuple(data.get(name, ()))
    return RunRecord(**values)


def record_line(record: RunRecord) -> str:
    """The record as one line of JSON, with the end of the line."""
    return json.dumps(record.to_json(), ensure_ascii=False) + "\n"


def append_record(path: Path, record: RunRecord) -> None:
    """Add one record to a file; a torn last line is cut before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    mend_end(path)
    with path.open("a", encoding="utf-8") as out:
        out.write(record_line(record))


def mend_end(path: Path) -> None:
    """Make a file end with a whole line: a record that only lacks the line's end gets it, anything less is cut."""
    if not path.is_file() or not path.stat().st_size:
        return
    with path.open("r+b") as file:
        file.seek(-1, 2)
        if file.read(1) == b"\n":
            return
        file.seek(0)
        content = file.read()
        start = content.rfind(b"\n") + 1
        try:
            record_from_line(content[start:].decode("utf-8"))
        except (ValueError, KeyError, TypeError):
            file.truncate(start)
        else:
            file.write(b"\n")
