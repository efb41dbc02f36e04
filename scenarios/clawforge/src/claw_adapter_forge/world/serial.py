"""States and changes as plain JSON data, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from claw_adapter_forge.world.difference import Change
from claw_adapter_forge.world.records import (
    RECORD_TYPES,
    Channel,
    Incoming,
    Place,
    Record,
    Room,
    WeatherDay,
    field_names,
)
from claw_adapter_forge.world.state import State

__all__ = [
    "change_from_json",
    "change_to_json",
    "record_from_json",
    "record_to_json",
    "state_from_json",
    "state_to_json",
]


def record_to_json(row: Record) -> dict[str, Any]:
    """A row as a dictionary."""
    return {name: _plain(getattr(row, name)) for name in ("id", *field_names(type(row)))}


def _plain(value: Any) -> Any:
    """A field's value: text, a number, or several of these or of small records."""
    return tuple(map(_part, value)) if isinstance(value, tuple) else value


def _part(value: Any) -> Any:
    """A small record as a dictionary; its fields are plain, so nothing is copied deeply."""
    names = getattr(value, "__dataclass_fields__", None)
    return value if names is None else {name: getattr(value, name) for name in names}


def record_from_json(table: str, data: Mapping[str, Any]) -> Record:
    """The row of `table` that `record_to_json` wrote."""
    values = dict(data)
    kind = RECORD_TYPES[table]
    if kind is Channel:
        values["rooms"] = tuple(Room(**room) for room in values.get("rooms", ()))
        values["settings"] = tuple((k, v) for k, v in values.get("settings", ()))
    elif kind is Place:
        values["days"] = tuple(WeatherDay(**day) for day in values.get("days", ()))
    elif kind is Incoming:
        values["lines"] = tuple(tuple(line) for line in values.get("lines", ()))
    for name, value in values.items():
        if isinstance(value, list):
            values[name] = tuple(value)
    return kind(**values)


def state_to_json(state: State) -> dict[str, Any]:
    """A state as a dictionary; empty tables are left out."""
    tables = {name: [record_to_json(r) for r in rows.values()] for name, rows in state.tables.items() if rows}
    return {"now": state.now, "counters": dict(sorted(state.counters.items())), "tables": tables}


def state_from_json(data: Mapping[str, Any]) -> State:
    """The state that `state_to_json` wrote."""
    tables: dict[str, dict[str, Record]] = {name: {} for name in RECORD_TYPES}
    for name, rows in data["tables"].items():
        tables[name] = {row["id"]: record_from_json(name, row) for row in rows}
    return State(data["now"], dict(tables), dict(data["counters"]))


def change_to_json(change: Change) -> dict[str, Any]:
    """A change with its rows as dictionaries."""
    return {
        "table": change.table,
        "id": change.key,
        "kind": change.kind,
        "before": None if change.before is None else record_to_json(change.before),
        "after": None if change.after is None else record_to_json(change.after),
    }


def change_from_json(data: Mapping[str, Any]) -> Change:
    """The change that `change_to_json` wrote."""
    table = data["table"]
    before, after = (
        None if data[side] is None else record_from_json(table, data[side]) for side in ("before", "after")
    )
    return Change(table, data["id"], data["kind"], before, after)
