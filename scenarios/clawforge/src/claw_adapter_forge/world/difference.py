"""The difference of two states: the only source of effects.

``apply_changes(a, difference(a, b))`` has the tables of ``b``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from claw_adapter_forge.world.records import RECORD_TYPES, Record, field_names
from claw_adapter_forge.world.state import State

__all__ = ["Change", "Kind", "apply_changes", "difference", "table_changes"]

Kind = Literal["created", "updated", "deleted"]
Tables = Mapping[str, Mapping[str, Record]]


@dataclass(frozen=True, slots=True)
class Change:
    """One row that differs between two states."""

    table: str
    key: str
    kind: Kind
    before: Record | None
    after: Record | None

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that differ (all of them for a created or deleted row)."""
        row = self.after if self.after is not None else self.before
        if row is None:
            return ()
        names = field_names(type(row))
        if self.before is None or self.after is None:
            return names
        return tuple(n for n in names if getattr(self.before, n) != getattr(self.after, n))

    def line(self) -> str:
        """One line for people: ``~ tasks task_0001 due: 2026-03-01 → 2026-03-02``."""
        mark = {"created": "+", "updated": "~", "deleted": "-"}[self.kind]
        if self.kind == "updated":
            parts = [f"{n}: {getattr(self.before, n)!r} → {getattr(self.after, n)!r}" for n in self.fields]
        else:
            row = self.after if self.after is not None else self.before
            parts = [f"{n}={getattr(row, n)!r}" for n in self.fields if getattr(row, n)]
        return f"{mark} {self.table} {self.key} " + "; ".join(parts)


def table_changes(before: Tables, after: Tables) -> tuple[Change, ...]:
    """`difference` on the tables of two states; tables that are the same object cost one comparison."""
    changes: list[Change] = []
    for table in RECORD_TYPES:
        old, new = before[table], after[table]
        if old is not new:
            changes.extend(_rows(table, old, new))
    return tuple(changes)


def difference(before: State, after: State) -> tuple[Change, ...]:
    """Every row that was created, updated or deleted from `before` to `after`, by table, then by age."""
    return table_changes(before.tables, after.tables)


def _rows(table: str, old: Mapping[str, Record], new: Mapping[str, Record]) -> Iterable[Change]:
    for key, row in old.items():
        now = new.get(key)
        if now is None:
            yield Change(table, key, "deleted", row, None)
        elif now is not row and now != row:
            yield Change(table, key, "updated", row, now)
    for key, row in new.items():
        if key not in old:
            yield Change(table, key, "created", None, row)


def apply_changes(state: State, changes: Iterable[Change]) -> State:
    """The state after `changes`."""
    tables = {name: dict(rows) for name, rows in state.tables.items()}
    for change in changes:
        if change.after is None:
            del tables[change.table][change.key]
        else:
            tables[change.table][change.key] = change.after
    return State(state.now, dict(tables), state.counters)
