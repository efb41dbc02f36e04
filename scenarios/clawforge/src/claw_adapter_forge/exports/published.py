"""A user's own copy of specs in the published format, read and checked as a whole before anything is probed.

What a specification does not hold (base configurations, the static mails) is filled in as far as its reference needs it: mails
it reads by id, channels and targets it posts to. A reference that then fails is reported, not repaired.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_type_hints

from claw_adapter.errors import ScenarioError
from claw_adapter.reading import parse_json, read_text, why
from claw_adapter_forge.evaluation.paper import Check, check_holds, normalised_state
from claw_adapter_forge.exports.commands import fill_in, lines_of, plain_days, translated
from claw_adapter_forge.surfaces.oc_config import MODEL_KEY
from claw_adapter_forge.surfaces.shell import execute
from claw_adapter_forge.tasks.manifest import task_from_json
from claw_adapter_forge.tasks.slots import CITIES, CLOCK
from claw_adapter_forge.tasks.spec import ForgeTask
from claw_adapter_forge.world.records import (
    RECORD_TYPES,
    ConfigValue,
    File,
    Gateway,
    Place,
    Task,
    field_names,
)
from claw_adapter_forge.world.serial import record_from_json
from claw_adapter_forge.world.state import State, World

__all__ = ["Published", "load_published"]

_FILES = {
    "tasks.json": "tasks",
    "calendar_events.json": "events",
    "cron_jobs.json": "cron",
    "emails.json": "mails",
    "channels.json": "channels",
}
_WRONG_MODEL = "openai/gpt-4o"
_KEYS = {
    "state": ("field", "path", "key"),
    "effect": ("effect_type", "effect", "key"),
    "config": ("config_path", "path", "key"),
    "output": ("output_field", "field", "stream", "key"),
}
"""Where a check of a type says what it looks at; the first that is there counts."""
_OPERATORS = ("condition", "match_type", "operator", "op")
_OPERANDS = ("expected", "value")
_COUNTED = re.compile(r"_\d{4}\Z")
"""Ends an id that was counted out."""


@dataclass(frozen=True, slots=True)
class Published:
    """One published specification, as far as it can be run here."""

    id: str
    family: str
    instruction: str
    start: State
    reference: tuple[str, ...]
    written: tuple[str, ...]
    """The reference as the specification has it."""
    checks: tuple[Check, ...]
    skipped: int = 0
    """Checks of other types (a judging model), which are not run here."""
    own: ForgeTask | None = None
    """The whole task, where we exported it."""


def _check(data: Mapping[str, Any]) -> Check:
    op = next((str(data[k]) for k in _OPERATORS if data.get(k) is not None), None)
    if op is None:
        raise ValueError(f"a check names no operator ({' | '.join(_OPERATORS)}): {dict(data)!r}")
    nothing = "last_exit_code" if op == "exit_code_zero" else "last_stdout" if data["type"] == "output" else None
    key = next((str(data[k]) for k in _KEYS[data["type"]] if data.get(k) is not None), nothing)
    if key is None:
        raise ValueError(f"a check says not what it looks at ({' | '.join(_KEYS[data['type']])}): {dict(data)!r}")
    value: Any = next((data[k] for k in _OPERANDS if data.get(k) is not None), None)
    if op.startswith("field_") and not isinstance(value, Mapping):
        value = {"field": data.get("field", data.get("field_name")), "value": value}
    if op.startswith("field_") and not {"field", "value"} <= value.keys():
        raise ValueError(f"{op} needs a field and a value, and has {value!r}")
    if op.startswith("count") and not isinstance(value, int):
        raise ValueError(f"{op} needs a whole number, and has {value!r}")
    return Check(str(data["type"]), key, op, value, float(data.get("weight", 1.0)), bool(data.get("ignore_case")))


def _row(table: str, data: Mapping[str, Any], number: int) -> Any:
    known = {"id", *field_names(RECORD_TYPES[table])}
    values = {k: v for k, v in data.items() if k in known and v is not None}
    values.setdefault("id", f"{table}_{number:04d}")
    defaults: dict[str, dict[str, Any]] = {
        "cron": {"name": "check", "schedule": str(data.get("every", "")), "message": str(data.get("command", ""))},
        "mails": {"sender": "", "to": (), "subject": "", "body": "", "date": CLOCK[:10]},
        "events": {"title": "", "start": ""},
        "tasks": {"title": ""},
        "channels": {},
    }
    values = defaults[table] | values
    for name, value in values.items():
        if isinstance(value, Mapping) or (
            get_type_hints(RECORD_TYPES[table])[name] is str and not isinstance(value, str)
        ):
            raise ValueError(f"{table} {values['id']}: {name} is {value!r}")
    return record_from_json(table, values)


def _base(spec: Mapping[str, Any]) -> World:
    private = spec.get("data", {}).get("private", {})
    model = private.get("model") or (_WRONG_MODEL if "wrong_model" in str(spec.get("initial_state")) else "")
    world = World(State.empty(CLOCK))
    world.put("config", ConfigValue(MODEL_KEY, model or "anthropic/claude-sonnet-4-5-20250929"))
    world.put("config", ConfigValue("gateway.auth.token", "t0k"))
    world.put("gateway", Gateway("gateway"))
    if "forge" not in spec:
        # the published base state always has three tasks of its own
        world.put_all("tasks", [Task(f"task_seed_{i}", f"Seed task {i}") for i in (1, 2, 3)])
    if "forge" in spec:
        world.put_all("replies", [record_from_json("replies", row) for row in private.get("replies", ())])
    if private.get("weather"):
        world.put_all("weather", [record_from_json("weather", row) for row in private["weather"]])
    else:
        world.put_all("weather", [Place(c, lat, lon, plain_days()) for c, (_, lat, lon) in CITIES.items()])
    return world


def _counters(world: World) -> dict[str, int]:
    """Where ids made during a run begin: where the published ones do, or beyond those that are there."""
    first = {"tasks": 100, "events": 0, "cron": 0, "mails": 100, "outbox": 100, "messages": 0}
    counted = {table: any(_COUNTED.search(key) for key in world.tables()[table]) for table in first}
    return {table: 9000 if counted[table] else start for table, start in first.items()}


def _published(spec: Mapping[str, Any]) -> Published:
    world = _base(spec)
    private = spec.get("data", {}).get("private", {})
    overrides = private.get("initial_state_overrides", {})
    for name, content in overrides.items():
        if name in _FILES:
            rows = [_row(_FILES[name], row, i) for i, row in enumerate(content, start=1)]
            world.put_all(_FILES[name], rows)
        elif isinstance(content, str):
            world.put("files", File("/" + name.lstrip("/"), content))
    truth = spec["ground_truth"]
    written = tuple(map(str, truth["solution_commands"]))
    reference = tuple(map(translated, written))
    if "forge" not in spec:  # one that we exported is whole
        fill_in(world, list(lines_of(reference)), private)
    counters = dict(private["counters"]) if "counters" in private else _counters(world)
    start = State(world.state.now, world.state.tables, counters)
    public = spec.get("data", {}).get("public", {})
    family = str(public.get("hard_decision_scenario", spec.get("template_id", "")))
    checks = [c for c in truth["evaluation_checks"] if c["type"] in _KEYS]
    skipped = len(truth["evaluation_checks"]) - len(checks)
    own = task_from_json(spec["forge"]) if "forge" in spec else None
    instruction = str(spec.get("instruction", ""))
    evaluated = tuple(map(_check, checks))
    found = Published(str(spec["task_id"]), family, instruction, start, reference, written, evaluated, skipped, own)
    _try(found)
    return found


def _try(task: Published) -> None:
    """Evaluate each check once on the first and on the last state, so that one that cannot be is found while loading."""
    world = World(task.start)
    for lines in ((), task.reference):
        state = normalised_state(world.state, [execute(world, line) for line in lines])
        for check in task.checks:
            check_holds(check, state)


def _specs_below(folder: Path) -> Iterator[Path]:
    """Links are followed; a folder that was seen under another name is not read again."""
    seen: set[Path] = set()
    for place, folders, files in os.walk(folder, followlinks=True):
        real = Path(place).resolve()
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        if "specs.json" in files:
            yield Path(place, "specs.json")


def load_published(folder: Path) -> Iterator[Published]:
    """Every ``specs.json`` below `folder`.

    Raises:
        ScenarioError: there is none, or one lacks a field.
    """
    paths = sorted(_specs_below(folder))
    if not paths:
        raise ScenarioError(
            "no specs.json below this folder", where=str(folder), remedy="give the folder with one folder per task"
        )
    for path in paths:
        try:
            yield _published(parse_json(read_text(path)))
        except ScenarioError as error:  # our own part of it: the file is known here alone
            where = f"{path}, {error.where}" if error.where else str(path)
            remedy = error.remedy or "Correct the file, or leave its folder out."
            raise ScenarioError(error.what, where=where, remedy=remedy) from error
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, re.error) as error:
            what, remedy = f"not a published specification: {why(error)}", "Correct the file, or leave its folder out."
            raise ScenarioError(what, where=str(path), remedy=remedy) from error
