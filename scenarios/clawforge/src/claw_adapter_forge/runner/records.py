"""What is kept of an episode, one line of JSON each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from claw_adapter.errors import JournalError

__all__ = ["RUN_FORMAT", "RunRecord", "Step", "append_record", "read_records", "write_records"]

RUN_FORMAT = "forge-run/1"


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
    `failure` says how). `progress` is normalised (first state 0, oracle 1); `partial` and `null_partial` are Eq. 3 of this
    run and of doing nothing. `harness` is what stood between the agent and the world: ``bare`` (the loop), ``shell``, or an
    adapter's name; `bypasses` are the tools it used that do not work in the world.
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

    @property
    def identity(self) -> tuple[str, str, str, str, int]:
        """What no two records of a run share."""
        return self.mode, self.harness, self.agent, self.task, self.trial

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {"format": RUN_FORMAT, **asdict(self)}


def _record(data: Mapping[str, Any]) -> RunRecord:
    if data["format"] != RUN_FORMAT:
        raise KeyError("format")
    values = {k: v for k, v in data.items() if k != "format"}
    values["steps"] = tuple(Step(s["command"], s["exit"], tuple(s["changes"])) for s in data["steps"])
    for name in ("missing", "violations", "forbidden", "unread", "bypasses"):
        values[name] = tuple(data.get(name, ()))
    return RunRecord(**values)


def write_records(path: Path, records: Iterable[RunRecord]) -> int:
    """Write records to a file, a line each; returns how many."""
    count = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as out:
        for record in records:
            out.write(json.dumps(record.to_json(), ensure_ascii=False) + "\n")
            count += 1
    return count


def append_record(path: Path, record: RunRecord) -> None:
    """Add one record to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as out:
        out.write(json.dumps(record.to_json(), ensure_ascii=False) + "\n")


def read_records(path: Path) -> Iterator[RunRecord]:
    """The records of a file.

    Raises:
        JournalError: a line is not a record of this version.
    """
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield _record(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise JournalError(
                    f"not a {RUN_FORMAT} record: {error}", where=f"{path}:{number}", remedy="run `claw forge run` again"
                ) from error
