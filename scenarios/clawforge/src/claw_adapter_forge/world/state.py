"""`State`, an immutable picture of the world, and `World`, which moves from one state to the next.

Tables are copied when written (they are small), so a snapshot costs nothing and a difference looks only at tables that
were replaced. Nothing is read from the host: the clock is frozen and ids come from counters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from claw_adapter_forge.world.records import RECORD_TYPES, Record

__all__ = ["MAX_ROWS", "MAX_TEXT", "State", "TableFull", "World"]

MAX_ROWS = 500
"""Rows per table: an episode's memory is bounded."""

MAX_TEXT = 16_000
"""Characters per text field and per output."""

Row = TypeVar("Row", bound=Record)

_PREFIX = {
    "tasks": "task",
    "events": "evt",
    "mails": "mail",
    "outbox": "sent",
    "messages": "msg",
    "cron": "cron",
}


class TableFull(Exception):  # a state of the world, told to the agent; not a fault of ours
    """A table reached `MAX_ROWS`."""


@dataclass(frozen=True, slots=True)
class State:
    """All tables at one moment. Mappings are never written after they are put in."""

    now: str
    tables: Mapping[str, Mapping[str, Record]]
    counters: Mapping[str, int] = field(default_factory=dict)

    @staticmethod
    def empty(now: str) -> State:
        """A state with every table, all empty, at the moment `now`."""
        return State(now, {name: {} for name in RECORD_TYPES})

    def rows(self, table: str) -> list[Record]:
        """The rows of a table in the order they were made."""
        return list(self.tables[table].values())


class World:
    """A state that commands act on. `state` is replaced, never changed."""

    __slots__ = ("_counters", "_tables", "now")

    def __init__(self, state: State) -> None:
        self.now = state.now
        self._tables: dict[str, Mapping[str, Record]] = dict(state.tables)
        self._counters: dict[str, int] = dict(state.counters)

    @property
    def state(self) -> State:
        """The present state."""
        return State(self.now, dict(self._tables), dict(self._counters))

    def tables(self) -> dict[str, Mapping[str, Record]]:
        """A cheap snapshot: a new mapping of the same (immutable) tables."""
        return dict(self._tables)

    def rows(self, table: str, kind: type[Row]) -> list[Row]:
        """The rows of `table`, which are of type `kind`."""
        return [row for row in self._tables[table].values() if isinstance(row, kind)]

    def get(self, table: str, key: str, kind: type[Row]) -> Row | None:
        """One row, or None."""
        row = self._tables[table].get(key)
        return row if isinstance(row, kind) else None

    def new_id(self, table: str) -> str:
        """The next id of a table: ``task_0001``, ``task_0002``, … never used twice."""
        number = self._counters.get(table, 0) + 1
        self._counters[table] = number
        return f"{_PREFIX[table]}_{number:04d}"

    def put(self, table: str, row: Record) -> None:
        """Insert or replace a row.

        Raises:
            TableFull: the table has `MAX_ROWS` rows already.
        """
        copy = dict(self._tables[table])
        if row.id not in copy and len(copy) >= MAX_ROWS:
            raise TableFull(table)
        copy[row.id] = row
        self._tables[table] = copy

    def put_all(self, table: str, rows: Iterable[Record]) -> None:
        """Insert several rows."""
        for row in rows:
            self.put(table, row)

    def remove(self, table: str, key: str) -> None:
        """Delete a row that is there."""
        copy = dict(self._tables[table])
        del copy[key]
        self._tables[table] = copy

    def edit(self, table: str, row: Record, **changes: object) -> None:
        """Replace some fields of a row."""
        self.put(table, replace(row, **changes))  # type: ignore[arg-type]  # fields are checked by the row's type
