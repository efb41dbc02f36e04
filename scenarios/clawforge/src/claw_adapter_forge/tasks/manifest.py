"""Tasks as canonical JSON: written, hashed and read back. The same seed gives the same bytes on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from claw_adapter.errors import ScenarioError
from claw_adapter_forge import GENERATOR_VERSION
from claw_adapter_forge.tasks.spec import Allowed, Cond, Derived, Evidence, ForgeTask, Goal, Meta, Want
from claw_adapter_forge.world.serial import state_from_json, state_to_json

__all__ = ["canonical", "manifest_lines", "public_json", "task_from_json", "task_hash", "task_to_json"]


def canonical(data: object) -> str:
    """One line of JSON with sorted keys and nothing left to chance."""
    return json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def task_to_json(task: ForgeTask) -> dict[str, Any]:
    """A task as plain data."""
    return {
        "format": GENERATOR_VERSION,
        "id": task.id,
        "number": task.number,
        "instruction": task.instruction,
        "phrasings": list(task.phrasings),
        "start": state_to_json(task.start),
        "reference": list(task.reference),
        "goals": [asdict(g) for g in task.goals],
        "allowed": [asdict(a) for a in task.allowed],
        # only what is computed has texts that it is computed from
        "meta": {name: value for name, value in asdict(task.meta).items() if value or name != "derived"},
    }


def public_json(task: ForgeTask) -> dict[str, Any]:
    """The task as an agent may see it: without goals, reference, evidence and what its number and variant would tell."""
    keep = ("format", "id", "instruction", "start")
    meta = {name: getattr(task.meta, name) for name in ("ability", "family", "style")}
    shown = {k: v for k, v in task_to_json(task).items() if k in keep} | {"meta": meta}
    shown["start"]["tables"].pop("replies", None)
    return shown


def _want(data: Mapping[str, Any]) -> Want:
    conds = tuple(Cond(c["field"], c["op"], tuple(c["values"])) for c in data["conds"])
    return Want(data["name"], data["table"], data["kind"], conds, data["key"], tuple(data["free"]), data["weight"])


def _meta(data: Mapping[str, Any]) -> Meta:
    values = dict(data)
    values["evidence"] = tuple(Evidence(**e) for e in data["evidence"])
    values["derived"] = tuple(Derived(d["of"], d["value"], tuple(d["texts"])) for d in data.get("derived", ()))
    values["preserved"] = tuple((table, key) for table, key in data["preserved"])
    values["knobs"] = tuple((name, setting) for name, setting in data["knobs"])
    for name in ("tags", "conflict", "alternatives"):
        values[name] = tuple(data[name])
    return Meta(**values)


def task_from_json(data: Mapping[str, Any]) -> ForgeTask:
    """The task that `task_to_json` wrote.

    Raises:
        ScenarioError: the data is of another format or lacks a field.
    """
    if data.get("format") != GENERATOR_VERSION:
        raise ScenarioError(
            f"not a {GENERATOR_VERSION} task: format is {data.get('format')!r}",
            where=str(data.get("id", "")),
            remedy="generate the tasks again with this version",
        )
    try:
        return ForgeTask(
            data["id"],
            data["number"],
            data["instruction"],
            tuple(data["phrasings"]),
            state_from_json(data["start"]),
            tuple(data["reference"]),
            tuple(Goal(g["name"], tuple(map(_want, g["wants"]))) for g in data["goals"]),
            tuple(Allowed(a["table"], a["kind"], tuple(a["fields"])) for a in data["allowed"]),
            _meta(data["meta"]),
        )
    except (KeyError, TypeError) as error:
        raise ScenarioError(f"a field is missing or wrong: {error}", where=str(data.get("id", ""))) from error


def task_hash(task: ForgeTask) -> str:
    """SHA-256 of the canonical JSON."""
    return hashlib.sha256(canonical(task_to_json(task)).encode()).hexdigest()


def manifest_lines(tasks: Iterable[ForgeTask]) -> Iterable[str]:
    """One canonical line per task, ended by a line feed."""
    return (canonical(task_to_json(task)) + "\n" for task in tasks)
