"""What is kept in memory of a run's rounds: the figures of all of them, and whole records of those that were read last.

A large run has more text than memory. Its journals are read once; from each record stays what tables need, and the prompts,
answers and the rest are read again where somebody looks at them.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar, overload

from pydantic import BaseModel

from claw_adapter.errors import JournalError
from claw_adapter.protocol import Failure, FirstRequest, JournalRecord, RoundRecord, RoundTraits, Score, Timing, Usage
from claw_adapter.protocol.answer_key import Seen
from claw_adapter.runs.journal import read_bodies, standing

__all__ = ["Figures", "Recent", "RoundFigures", "StoredRounds"]

_PLAIN: Final = frozenset((int, float, bool, type(None)))
KEPT: Final = 2_000
"""Records of rounds that stay in memory: those of a run of ordinary size."""
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class RoundFigures:
    """A `RoundRecord` without its texts; what is here has the same name and meaning there."""

    index: int
    round: str
    type: str
    attempts: int
    updates: tuple[str, ...]
    traits: RoundTraits | None
    error: Failure | None
    score: Score
    usage: Usage
    timing: Timing
    overhead: float
    evidence: Seen | None
    tool_calls: int
    first: FirstRequest | None
    events: str
    before: str
    snapshot: str


class Figures:
    """Makes figures of records; what many rounds of a run have alike is there once."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Any] = {}
        self._shapes: dict[frozenset[str], set[str]] = {}

    def of(self, record: RoundRecord) -> RoundFigures:
        """The figures of a record that nobody else holds."""
        usage = record.usage
        self.share(usage.metered)
        if usage.overlay is not None:
            self.share(usage.overlay)
        usage.__dict__["reported"] = self._once(usage.reported)
        self._shape(usage)
        self._shape(record.timing)
        return RoundFigures(
            index=record.index,
            round=self._once(record.round),
            type=self._once(record.type),
            attempts=record.attempts,
            updates=self._once(record.updates),
            traits=self._once(record.traits),
            error=record.error,
            score=self._once(record.score),
            usage=usage,
            timing=record.timing,
            overhead=record.overhead,
            evidence=self._once(record.evidence),
            tool_calls=record.tool_calls,
            first=self._once(record.first),
            events=self._once(record.events),
            before=self._once(record.before),
            snapshot=self._once(record.snapshot),
        )

    def share(self, model: BaseModel) -> None:
        """Let a model that nobody else holds have its parts in common with others."""
        for name, value in model.__dict__.items():
            if type(value) not in _PLAIN:
                model.__dict__[name] = self._once(value)
        self._shape(model)

    def _once(self, value: _T) -> _T:
        """The first value that was equal to this one."""
        key: Hashable = value
        if isinstance(value, BaseModel):
            key = type(value), value.model_dump_json()
        elif isinstance(value, dict | tuple):
            key = type(value), repr(value)
        same: _T = self._known.setdefault(key, value)
        return same

    def _shape(self, model: BaseModel) -> None:
        """Let models of one shape share the set of their fields' names, which is larger than most of them."""
        names = model.model_fields_set
        object.__setattr__(model, "__pydantic_fields_set__", self._shapes.setdefault(frozenset(names), names))


class Recent:
    """The records of the trials that were read last, at most `KEPT` rounds and always those of one trial."""

    def __init__(self) -> None:
        self._held: OrderedDict[Path, tuple[RoundRecord, ...]] = OrderedDict()
        self._rounds = 0
        self._lock = threading.Lock()

    def get(self, path: Path, read: Callable[[], tuple[RoundRecord, ...]]) -> tuple[RoundRecord, ...]:
        """The records of a journal: those at hand, else what `read` gives."""
        with self._lock:
            if path in self._held:
                self._held.move_to_end(path)
                return self._held[path]
        found = read()
        self.put(path, found)
        return found

    def put(self, path: Path, records: tuple[RoundRecord, ...]) -> None:
        """Keep these, and give up the longest unused ones where they get too many."""
        with self._lock:
            self._rounds += len(records) - len(self._held.pop(path, ()))
            self._held[path] = records
            while self._rounds > KEPT and len(self._held) > 1:
                self._rounds -= len(self._held.popitem(last=False)[1])


class StoredRounds(Sequence[RoundRecord]):
    """The finished rounds of a trial as they stood in its journal when that was read; whole records are read when needed.

    Attributes:
        figures: what is in memory of each, in order.

    Raises:
        JournalError: where records are looked at, when the journal has gone or is another one by then.
    """

    __slots__ = ("_lines", "_path", "_recent", "_sum", "figures")

    def __init__(self, path: Path, lines: Sequence[tuple[str, JournalRecord]], make: Figures, recent: Recent) -> None:
        places = {id(record): number for number, (_, record) in enumerate(lines)}
        found = (record for record in standing(record for _, record in lines) if isinstance(record, RoundRecord))
        records = tuple(sorted(found, key=lambda record: record.index))
        self._path, self._recent, self._sum = path, recent, lines[-1][0] if lines else ""
        self._lines = tuple(places[id(record)] for record in records)
        self.figures = tuple(make.of(record) for record in records)
        recent.put(path, records)

    def bodies(self) -> Iterator[str]:
        """Each record as the JSON that it is in the journal."""
        found = read_bodies(self._path)
        if self._sum and self._sum not in (checksum for checksum, _ in found):
            what = "the journal is not the one that was read before: it has gone, or the run was started anew"
            raise JournalError(what, where=str(self._path), remedy="Open the run again.")
        yield from (found[line][1].decode() for line in self._lines)

    def _records(self) -> tuple[RoundRecord, ...]:
        return self._recent.get(self._path, lambda: tuple(map(RoundRecord.model_validate_json, self.bodies())))

    def __len__(self) -> int:
        return len(self.figures)

    def __iter__(self) -> Iterator[RoundRecord]:
        return iter(self._records())

    @overload
    def __getitem__(self, place: int) -> RoundRecord: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[RoundRecord, ...]: ...
    def __getitem__(self, place: int | slice) -> RoundRecord | tuple[RoundRecord, ...]:
        return self._records()[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]
