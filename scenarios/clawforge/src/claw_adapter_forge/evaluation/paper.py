"""The paper's check vocabulary: state, effect, config and output checks over a normalised state, and Eq. 3 as published.

Checks are derived from a task's goal and frame in the form of the published suite, so that scores can be set beside it.
They are looser than our verdict (an artefact counts by its kind, a guard by "none created"): that is what the do-nothing
baseline shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from claw_adapter_forge.surfaces.oc_config import MODEL_KEY
from claw_adapter_forge.surfaces.shell import Execution
from claw_adapter_forge.tasks.spec import ForgeTask, Want
from claw_adapter_forge.world.incoming import came_in
from claw_adapter_forge.world.records import Record, Task
from claw_adapter_forge.world.serial import record_to_json
from claw_adapter_forge.world.state import State

__all__ = ["Check", "check_holds", "normalised_state", "paper_checks", "paper_score"]

_ALIASES = {"agent.model": MODEL_KEY}
_STATE_NAMES = {"tasks": "tasks", "events": "calendar_events", "cron": "cron_jobs", "mails": "emails"}
_BY_NAME = ("agents", "channels", "plugins")
"""Tables that the published state has as objects, by name."""
_NAMES = {
    "files": {"path": "id"},
    "messages": {"message": "text"},
    "plugins": {"name": "id"},
    "agents": {"name": "id", "emoji": "identity"},
}
"""Fields that the published records have under another name."""
_EFFECTS = {
    ("tasks", "created"): "tasks_created",
    ("tasks", "updated"): "tasks_updated",
    ("tasks", "deleted"): "tasks_deleted",
    ("events", "created"): "calendar_events_created",
    ("events", "updated"): "calendar_events_updated",
    ("events", "deleted"): "calendar_events_deleted",
    ("outbox", "created"): "emails_sent",
    ("mails", "updated"): "emails_moved",
    ("messages", "created"): "messages_sent",
    ("channels", "updated"): "channels_configured",
    ("channels", "created"): "channels_configured",
    ("files", "created"): "files_created",
    ("files", "updated"): "files_updated",
    ("files", "deleted"): "files_deleted",
    ("config", "created"): "config_changes",
    ("config", "updated"): "config_changes",
    ("cron", "created"): "cron_jobs_created",
    ("cron", "updated"): "cron_jobs_updated",
    ("cron", "deleted"): "cron_jobs_deleted",
    ("agents", "created"): "agents_created",
    ("agents", "deleted"): "agents_deleted",
    ("plugins", "created"): "plugins_installed",
}


class Check(NamedTuple):
    """One executable check: its type, what it looks at, operator, operand and weight."""

    type: str
    key: str
    op: str
    value: Any = None
    weight: float = 1.0
    fold: bool = False
    """An output is compared without regard to case."""

    def to_json(self) -> dict[str, Any]:
        """The check in the published format."""
        names = {"state": "field", "effect": "effect_type", "config": "config_path", "output": "output_field"}
        key = {} if self.op == "exit_code_zero" else {names[self.type]: self.key}
        told = {"condition": self.op, "expected": self.value, "name": f"{self.key} {self.op}", "weight": self.weight}
        return {"type": self.type, **key, **told}


def _want_checks(want: Want) -> Iterable[Check]:
    effect = _EFFECTS.get((want.table, want.kind), f"{want.table}_{want.kind}")
    values = {c.field: c.values for c in want.conds}
    if want.table == "config":
        yield Check("config", "agent.model", "equals", values["value"][0], want.weight)
        return
    if want.table == "outbox":
        yield Check("effect", effect, "field_equals", {"field": "to", "value": list(values["to"])}, want.weight)
        return
    if want.table == "messages":
        yield Check("effect", effect, "field_equals", {"field": "target", "value": values["target"][0]}, want.weight)
        return
    if want.table == "tasks" and want.kind == "updated" and values.get("status") == ("done",):
        effect = "tasks_completed"
    yield Check("effect", effect, "count_gte", 1, want.weight)
    if want.table == "files":
        yield Check("effect", effect, "field_contains", {"field": "path", "value": want.key}, want.weight)


def paper_checks(task: ForgeTask) -> tuple[Check, ...]:
    """The checks of the first goal and the frame."""
    wants = task.goals[0].wants
    checks = [Check("output", "last_exit_code", "exit_code_zero")]
    for want in wants:
        checks.extend(_want_checks(want))
    created = {w.table for w in wants if w.kind == "created"}
    for table, effect in (
        ("tasks", "tasks_created"),
        ("events", "calendar_events_created"),
        ("cron", "cron_jobs_created"),
    ):
        if any(t == table for t, _ in task.meta.preserved):
            checks.append(Check("state", _STATE_NAMES[table], "count_gte", 1))
        if table not in created:
            checks.append(Check("effect", effect, "not_exists"))
    return tuple(checks)


def _row(row: Record | None, table: str) -> dict[str, Any]:
    if row is None:
        return {}
    data = {k: list(v) if isinstance(v, tuple) else v for k, v in record_to_json(row).items()}
    return data | {theirs: data[ours] for theirs, ours in _NAMES.get(table, {}).items()}


def normalised_state(final: State, executions: Sequence[Execution]) -> dict[str, Any]:
    """Ŝ: configuration, gateway, effects, bounded history, last output, and every table."""
    effects: dict[str, list[dict[str, Any]]] = {}
    others = {(table, row.id) for table, row in came_in(final)}
    for change in (c for e in executions for c in e.changes):
        if change.kind == "created" and (change.table, change.key) in others:
            continue  # no command made it
        name = _EFFECTS.get((change.table, change.kind))
        if name is not None:
            effects.setdefault(name, []).append(_row(change.after or change.before, change.table))
        done = isinstance(change.after, Task) and change.after.status == "done" and "status" in change.fields
        if done and change.kind == "updated":
            effects.setdefault("tasks_completed", []).append(_row(change.after, "tasks"))
    last = executions[-1].output if executions else None
    gateway = final.tables["gateway"].get("gateway")
    state: dict[str, Any] = {
        "config": {key: getattr(row, "value", None) for key, row in final.tables["config"].items()},
        "effects": effects,
        "gateway_status": {"running": getattr(gateway, "status", "") == "running"},
        "step_count": len(executions),
        "command_history": [
            {
                "command": e.line,
                "stdout": e.output.stdout[:500],
                "stderr": e.output.stderr[:200],
                "exit_code": e.output.code,
            }
            for e in executions[-50:]
        ],
        "last_stdout": last.stdout if last else "",
        "last_stderr": last.stderr if last else "",
        "last_exit_code": last.code if last else 0,
    }
    for table, name in _STATE_NAMES.items():
        state[name] = [_row(r, table) for r in final.tables[table].values()]
    for table in _BY_NAME:
        state[table] = {key: _row(row, table) for key, row in final.tables[table].items()}
    return state


def _field(state: Mapping[str, Any], path: str) -> Any:
    value: Any = state
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, list) or isinstance(right, list):
        as_list = [sorted(map(str, v)) if isinstance(v, list) else [str(v)] for v in (left, right)]
        return as_list[0] == as_list[1]
    try:
        return float(left) == float(right)
    except (TypeError, ValueError):
        return _text(left) == _text(right)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _compare(op: str, value: Any, wanted: Any) -> bool:
    count = len(value) if isinstance(value, (list, str, dict)) else 0
    plain: dict[str, Callable[[], bool]] = {
        "exists": lambda: bool(value),
        "not_exists": lambda: not value,
        "equals": lambda: _same(value, wanted),
        "exact": lambda: bool(value == wanted),
        "contains": lambda: str(wanted).lower() in str(value).lower(),
        "not_contains": lambda: str(wanted).lower() not in str(value).lower(),
        "regex": lambda: re.search(str(wanted), str(value)) is not None,
        "count": lambda: bool(count == wanted),
        "count_equals": lambda: bool(count == wanted),
        "count_gte": lambda: bool(count >= wanted),
        "count_lte": lambda: bool(count <= wanted),
        "exit_code_zero": lambda: bool(value == 0),
        "type_is": lambda: bool(type(value).__name__ == wanted),
    }
    if op in plain:
        return plain[op]()
    if op not in {"field_equals", "field_contains"}:
        raise ValueError(f"no operator {op!r}")
    rows = value if isinstance(value, list) else []
    values = [row.get(wanted["field"]) for row in rows if isinstance(row, Mapping)]
    if op == "field_equals":
        return any(_same(v, wanted["value"]) for v in values)
    return any(str(wanted["value"]).lower() in str(v).lower() for v in values)


def check_holds(check: Check, state: Mapping[str, Any]) -> bool:
    """Whether a check holds of Ŝ.

    Raises:
        ValueError: the check has an unknown type or operator.
    """
    if check.type in {"state", "output"}:
        value = _field(state, check.key)
    elif check.type == "effect":
        value = state["effects"].get(check.key, [])
    elif check.type == "config":
        config = state["config"]
        value = config.get(check.key, config.get(_ALIASES.get(check.key, ""), None))
    else:
        raise ValueError(f"no check type {check.type!r}")
    if check.fold and isinstance(value, str) and isinstance(check.value, str):
        wanted = f"(?i){check.value}" if check.op == "regex" else check.value.lower()
        return _compare(check.op, value if check.op == "regex" else value.lower(), wanted)
    return _compare(check.op, value, check.value)


def paper_score(
    checks: Sequence[Check], task: ForgeTask, executions: Sequence[Execution], final: State | None = None
) -> float:
    """Eq. 3: Σ wᵢ sᵢ / Σ wᵢ."""
    state = normalised_state(final or task.start, executions)
    return sum(c.weight for c in checks if check_holds(c, state)) / sum(c.weight for c in checks)
