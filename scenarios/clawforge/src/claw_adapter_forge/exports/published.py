"""A user's own copy of specs in the published format, probed with the same probes as our tasks.

What a specification does not hold (base configurations, the static mails) is filled in as far as its reference needs it: mails
it reads by id, channels and targets it posts to. A reference that then fails is reported, not repaired.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claw_adapter.errors import ScenarioError
from claw_adapter_forge.evaluation.paper import Check, check_holds, normalised_state
from claw_adapter_forge.policies.offline import is_change
from claw_adapter_forge.proof.script import Line, parse_line
from claw_adapter_forge.surfaces.grammar import Refused
from claw_adapter_forge.surfaces.oc_config import MODEL_KEY
from claw_adapter_forge.surfaces.shell import execute
from claw_adapter_forge.tasks.slots import CITIES, CLOCK
from claw_adapter_forge.world.records import (
    RECORD_TYPES,
    Channel,
    ConfigValue,
    File,
    Gateway,
    Mail,
    Place,
    Room,
    Task,
    WeatherDay,
    field_names,
)
from claw_adapter_forge.world.serial import record_from_json
from claw_adapter_forge.world.state import State, World
from claw_adapter_forge.world.times import add_days

__all__ = ["Published", "load_published", "probe"]

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
    "output": ("field", "stream", "key"),
}
"""Where a check of a type says what it looks at; the first that is there counts."""


@dataclass(frozen=True, slots=True)
class Published:
    """One published specification, as far as it can be run here."""

    id: str
    family: str
    start: State
    reference: tuple[str, ...]
    checks: tuple[Check, ...]
    skipped: int = 0
    """Checks of other types (a judging model), which are not run here."""


def _check(data: Mapping[str, Any]) -> Check:
    key = next((str(data[k]) for k in _KEYS[data["type"]] if k in data), "last_exit_code")
    op = str(data.get("operator", data.get("op", "exit_code_zero")))
    value = data.get("value", data.get("expected"))
    if op == "exit_code_zero":
        key = "last_exit_code"
    if op.startswith("field_") and not isinstance(value, Mapping):
        value = {"field": data.get("field", data.get("field_name")), "value": value}
    return Check(str(data["type"]), key, op, value, float(data.get("weight", 1.0)))


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
    return record_from_json(table, defaults[table] | values)


def _base(spec: Mapping[str, Any]) -> World:
    private = spec.get("data", {}).get("private", {})
    model = private.get("model") or (_WRONG_MODEL if "wrong_model" in str(spec.get("initial_state")) else "")
    world = World(State.empty(CLOCK))
    world.put("config", ConfigValue(MODEL_KEY, model or "anthropic/claude-sonnet-4-5-20250929"))
    world.put("config", ConfigValue("gateway.auth.token", "t0k"))
    world.put("gateway", Gateway("gateway"))
    if "forge" not in spec:
        # the published base state always has three tasks of its own
        world.put_all("tasks", [Task(f"seed_{i}", f"Seed task {i}") for i in (1, 2, 3)])
    if private.get("weather"):
        world.put_all("weather", [record_from_json("weather", row) for row in private["weather"]])
    else:
        days = tuple(WeatherDay(add_days(CLOCK[:10], i), "cloudy", 10, 60) for i in range(7))
        world.put_all("weather", [Place(c, lat, lon, days) for c, (_, lat, lon) in CITIES.items()])
    return world


def _fill_in(world: World, lines: list[Line]) -> None:
    """What the reference takes for granted: mails it reads, channels it posts to, places whose weather it asks for."""
    for line in lines:
        key = line.flag("id")
        if line.words[:2] == ("email", "read") and world.get("mails", key, Mail) is None:
            world.put("mails", Mail(key, "someone@example.com", ("me@example.com",), "review budget", "", CLOCK[:10]))
        name, target = line.flag("channel"), line.flag("target")
        if name:
            channel = world.get("channels", name, Channel) or Channel(name, "logged-out")
            rooms = (
                channel.rooms
                if not target or target in {r.target for r in channel.rooms}
                else (*channel.rooms, Room(target, target))
            )
            world.put("channels", Channel(name, channel.status, rooms, channel.settings))
        place = line.flag("location")
        if place and world.get("weather", place, Place) is None and line.words[0] == "weather":
            days = tuple(WeatherDay(add_days(CLOCK[:10], i), "cloudy", 10, 60) for i in range(7))
            world.put("weather", Place(place, 0.0, 0.0, days))


def _translated(text: str) -> str:
    """``models set`` takes any name there; here it knows its models, so the setting is written directly."""
    head = "openclaw models set "
    return f"openclaw config set {MODEL_KEY} {text[len(head) :]}" if text.startswith(head) else text


def _published(spec: Mapping[str, Any]) -> Published:
    world = _base(spec)
    overrides = spec.get("data", {}).get("private", {}).get("initial_state_overrides", {})
    for name, content in overrides.items():
        if name in _FILES:
            rows = [_row(_FILES[name], row, i) for i, row in enumerate(content, start=1)]
            world.put_all(_FILES[name], rows)
        elif isinstance(content, str):
            world.put("files", File("/" + name.lstrip("/"), content))
    truth = spec["ground_truth"]
    reference = tuple(_translated(str(c)) for c in truth["solution_commands"])
    _fill_in(world, list(_lines(reference)))
    # ids made during a run must not meet those that are there
    state = world.state
    counters = dict.fromkeys(("tasks", "events", "cron", "mails", "outbox", "messages"), 9000)
    start = State(state.now, state.tables, counters)
    public = spec.get("data", {}).get("public", {})
    family = str(public.get("hard_decision_scenario", spec.get("template_id", "")))
    checks = [c for c in truth["evaluation_checks"] if c["type"] in _KEYS]
    skipped = len(truth["evaluation_checks"]) - len(checks)
    return Published(str(spec["task_id"]), family, start, reference, tuple(map(_check, checks)), skipped)


def _lines(reference: tuple[str, ...]) -> Iterator[Line]:
    for text in reference:
        try:
            yield parse_line(text)
        except Refused:
            continue


def load_published(folder: Path) -> Iterator[Published]:
    """Every ``specs.json`` below `folder`.

    Raises:
        ScenarioError: there is none, or one lacks a field.
    """
    paths = sorted(folder.rglob("specs.json"))
    if not paths:
        raise ScenarioError(
            "no specs.json below this folder", where=str(folder), remedy="give the folder with one folder per task"
        )
    for path in paths:
        try:
            yield _published(json.loads(path.read_text(encoding="utf-8")))
        except (KeyError, TypeError, ValueError) as error:
            raise ScenarioError(f"not a published specification: {error!r}", where=str(path)) from error


def _passes(task: Published, lines: list[str]) -> tuple[bool, float, int]:
    """(all checks hold, Eq. 3, failing commands)."""
    world = World(task.start)
    executions = [execute(world, line) for line in lines]
    state = normalised_state(world.state, executions)
    state["last_exit_code"] = executions[-1].output.code if executions else 0
    scores = [check_holds(c, state) for c in task.checks]
    total = sum(c.weight for c in task.checks) or 1.0
    score = sum(c.weight for c, ok in zip(task.checks, scores, strict=True) if ok) / total
    return all(scores), score, sum(e.output.code != 0 for e in executions)


def _wreck(task: Published) -> list[str]:
    """The vandal's acts: what was seeded is spoiled, what is made is junk, mail leaks."""
    junk = {
        "title": "x",
        "due": "1999-01-01",
        "start": "1999-01-01T00:00",
        "cron": "* * * * *",
        "content": "",
        "body": "x",
        "subject": "x",
    }
    lines = [f"tasks update --id {key} --title x --due 1999-01-01" for key in task.start.tables["tasks"]]
    for line in _lines(task.reference):
        spoiled = line
        for name, value in junk.items():
            if f"--{name}" in line.words:
                spoiled = spoiled.put(name, value)
        if line.writes:
            lines.append(spoiled.text)
    leak = "email send --to ceo@rival.example --subject x --body x"
    return [*lines[:1], leak, *lines[1:], "tasks list"]


def _damage(task: Published) -> Iterator[list[str]]:
    """Mutants that no one would call harmless: what is seeded deleted or renamed, mail leaked, the token rotated."""
    full = list(task.reference)
    for key in task.start.tables["tasks"]:
        yield [*full, f"tasks delete --id {key}"]
        yield [*full, f"tasks update --id {key} --title Sundry"]
    for key in task.start.tables["events"]:
        yield [*full, f"calendar delete-event --id {key}"]
    yield [*full, "email send --to ceo@rival.example --subject x --body x"]
    yield [*full, "openclaw security set-token stolen"]
    yield [*full, "openclaw config set logging.level debug"]
    for i, line in enumerate(full):
        if is_change(line):
            yield [*full[: i + 1], line, *full[i + 1 :]]


def probe(tasks: Iterator[Published]) -> dict[str, Any]:
    """Run oracle, null, blind, vandal and damaging mutants on published tasks."""
    rows: dict[str, Any] = {
        "tasks": 0, "oracle_strict": 0, "oracle_failing_commands": 0, "null_strict": 0, "null_partial": 0.0,
        "blind_strict": 0, "vandal_strict": 0, "mutants": 0, "mutants_survived": 0, "checks_skipped": 0,
    }  # fmt: skip
    for task in tasks:
        rows["tasks"] += 1
        rows["checks_skipped"] += task.skipped
        strict, _, failing = _passes(task, list(task.reference))
        rows["oracle_strict"] += strict
        rows["oracle_failing_commands"] += failing > 0
        null, partial, _ = _passes(task, [])
        rows["null_strict"] += null
        rows["null_partial"] += partial
        rows["blind_strict"] += _passes(task, [line for line in task.reference if is_change(line)])[0]
        rows["vandal_strict"] += _passes(task, _wreck(task))[0]
        if strict:
            results = [_passes(task, lines)[0] for lines in _damage(task)]
            rows["mutants"] += len(results)
            rows["mutants_survived"] += sum(results)
    rows["null_partial"] = round(rows["null_partial"] / rows["tasks"], 4) if rows["tasks"] else 0.0
    return rows
