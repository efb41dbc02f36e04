"""What two runs of one plan have in common: their journals, without times and what of the machine was used."""

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from claw_adapter.protocol import RoundRecord
from claw_adapter.runs.checkpoints import load_checkpoint
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_all
from claw_adapter.runs.store import Store

MEASURED: Final = frozenset({"at", "held", "openings", "overhead", "seconds", "time", "timing", "used"})
"""Fields of records, events and messages that hold times, or what of the machine was used."""


def without_times(value: Any) -> Any:
    """JSON data without the fields `MEASURED`."""
    if isinstance(value, dict):
        return {name: without_times(part) for name, part in value.items() if name not in MEASURED}
    return [without_times(part) for part in value] if isinstance(value, list) else value


def comparable(root: Path) -> dict[str, list[dict[str, Any]]]:
    """The records of each trial; events and the checkpoint's sessions stand in the place of their digests.

    What calls bring that a harness runs at once comes in any order, so it is sorted. Ids of messages are left out: some
    harnesses draw their own.
    """
    folder, store = RunFolder(root), Store(root / "store", sweep=False)
    found = {}
    for trial in folder.plan().trials:
        records = []
        for record in read_all(folder.journal(trial.id)):
            told = record.model_dump(mode="json")
            if isinstance(record, RoundRecord):
                told["events"] = _events(json.loads(store.get(record.events)))
                told["checkpoint"] = _sessions(store, record.checkpoint) if record.checkpoint else None
            records.append(without_times(told))
        found[trial.id] = records
    return found


def differences(one: Path, other: Path) -> list[str]:
    """Where the journals of two run folders differ: trial, number of the record, field."""
    left, right = comparable(one), comparable(other)
    told = [f"{trial}: in one run only" for trial in sorted(left.keys() ^ right.keys())]
    for trial in sorted(left.keys() & right.keys()):
        told += [f"{trial}{line}" for line in _differ(left[trial], right[trial], "")]
    return told


def _events(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of what follows each other without a word between: the calls as they came, then the results by their ids.

    Two calls of one reply that run at once may both begin before either ends, or one after the other.
    """
    return _ordered(
        events,
        lambda event: event["kind"] in ("tool_call", "tool_result"),
        lambda event: (event["kind"], event["id"] if event["kind"] == "tool_result" else ""),
    )


def _sessions(store: Store, digest: str) -> list[Any]:
    """Sessions with results that follow each other in the order of their calls' ids, which is equal in equal runs."""
    told = [session.model_dump(mode="json") for session in load_checkpoint(store, digest).sessions]
    for session in told:
        messages = _ordered(session["messages"], lambda one: one["role"] == "tool", lambda one: one["tool_call_id"])
        session["messages"] = [{**message, "id": ""} for message in messages]
    return told


def _ordered(
    items: list[dict[str, Any]], chosen: Callable[[dict[str, Any]], bool], key: Callable[[dict[str, Any]], Any]
) -> list[dict[str, Any]]:
    """The same with those of a kind that follow each other sorted."""
    found: list[dict[str, Any]] = []
    for is_chosen, some in itertools.groupby(items, chosen):
        group = list(some)
        found += sorted(group, key=key) if is_chosen else group
    return found


def _differ(one: Any, other: Any, where: str) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted(one.keys() | other.keys()):
            yield from _differ(one.get(name), other.get(name), f"{where}.{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from _differ(left, right, f"{where}[{number}]")
    elif one != other:
        yield f"{where}: {one!r:.120} | {other!r:.120}"
