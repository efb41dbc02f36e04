"""The page of a large run: the tables that are read first, and beside it files with the trials, loaded when they are opened.

A page that was opened from a disk may load scripts from beside it, and nothing else. So the records of trials are strings of
JSON in scripts. Our own script parses them and puts what they say into text nodes only; the page's policy allows it and what
it loads, no other script and no connection.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

from pydantic import TypeAdapter

from claw_adapter.errors import JournalError
from claw_adapter.protocol import RoundRecord
from claw_adapter.report import words
from claw_adapter.report.changes import Changes, Workspace
from claw_adapter.report.html import asset, digest_of, environment, tables
from claw_adapter.report.pictures import run_pictures
from claw_adapter.report.records import Row, Summary
from claw_adapter.report.view import STATES, Fragments
from claw_adapter.runs.figures import RoundFigures
from claw_adapter.runs.folder import write_atomic
from claw_adapter.runs.load import RunData, TrialData
from claw_adapter.runs.store import Store

__all__ = ["LARGE", "clear", "is_large", "write_large"]

LARGE: Final = 2_000
"""Rounds of trials from which on they are not in the page itself."""
CHUNK: Final = 1_000_000
"""Characters after which the next file is begun."""
FILES: Final = 20
LINES: Final = 1_500
"""Changed files of a round, and characters of each one's difference."""
UNSCORED: Final = 100
"""Unscored rounds that the page names; all of them are with their trials."""


Shown: TypeAlias = tuple[str, str, str]
"""Record, events and changes of a round, each as JSON."""


_CHANGES: Final = TypeAdapter(Changes)


def is_large(summary: Summary) -> bool:
    """Whether a page of its own would be slow to open."""
    return sum(len(row.cells) for row in summary.rounds) > LARGE


def clear(path: Path) -> Path:
    """Remove the files that belong to the page at `path`; returns their folder, which is gone if it is empty."""
    folder = path.with_name(f"{path.stem}-data")
    if folder.is_symlink():
        folder.unlink()
    for pattern in ("index.js", "trials-*.js"):
        for file in folder.glob(pattern):
            file.unlink()
    with suppress(OSError):
        folder.rmdir()
    return folder


def write_large(run: RunData, summary: Summary, path: Path, fragments: Fragments) -> None:
    """Write the page to `path`, all or nothing, after the files that it loads."""
    folder = clear(path)
    folder.mkdir(parents=True, exist_ok=True)
    places = list(_chunks(run, folder))
    marks = [""] * len(summary.trials)
    for row in summary.rounds:
        for cell in row.cells:
            marks[cell.trial] += words.symbol((cell,))
    scenarios = {info.id: number for number, info in enumerate(summary.scenarios)}
    trials = [
        [one.id, one.row, scenarios[one.scenario], one.seed, one.repeat, one.status, mark, place]
        for one, mark, place in zip(summary.trials, marks, places, strict=True)
    ]
    _write(folder, "index", {"states": STATES, "trials": trials, "evidence": [fragments.get(n, {}) for n in scenarios]})
    write_atomic(path, _page(run, summary, folder.name))


def _chunks(run: RunData, folder: Path) -> Iterator[int]:
    """Write the files; gives the number of each trial's."""
    store = Store(run.store, sweep=False)
    workspace = Workspace(store)
    number, held, size = 0, list[tuple[str, str, list[Shown]]](), 0
    for place, trial in enumerate(run.trials):
        failure = trial.failure
        bodies = zip(trial.figures, trial.bodies(), strict=True)
        rounds = [(body, *_shown(trial, one, store, workspace)) for one, body in bodies]
        held.append((trial.spec.id, failure.model_dump_json() if failure else "null", rounds))
        size += sum(len(text) for one in rounds for text in one)
        yield number
        if size >= CHUNK or place == len(run.trials) - 1:
            _write(folder, f"trials-{number}", held)
            number, held, size = number + 1, [], 0


def _shown(trial: TrialData, record: RoundFigures | RoundRecord, store: Store, workspace: Workspace) -> tuple[str, str]:
    """A round's events and changes; the page draws them, so that this costs no more than to copy them."""
    try:
        events = store.get(record.events).decode("utf-8", "replace")
    except JournalError as error:
        events = json.dumps(f"The events cannot be read: {error.what}.")
    changes = workspace.changes(trial, record.index, most=FILES, characters=LINES)
    return events, _CHANGES.dump_json(changes).decode()


def _write(folder: Path, name: str, value: object) -> None:
    """A script that hands a value to the page."""
    text = f"claw({json.dumps(name)},{json.dumps(value, ensure_ascii=False)});\n"
    (folder / f"{name}.js").write_bytes(text.encode("utf-8", "replace"))


def _page(run: RunData, summary: Summary, folder: str) -> str:
    script = asset("large.js")
    lines = words.unscored_lines(summary)
    more = [f"and {len(lines) - UNSCORED} more, which are with their trials"] if len(lines) > UNSCORED else []
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            **tables(summary, script, f"'{digest_of(script)}' 'strict-dynamic'"),
            pictures=list(run_pictures(run, summary)),
            unscored=[*lines[:UNSCORED], *more],
            shares=list(_shares(summary)),
            names=[_name(summary, row) for row in summary.rows],
            folder=folder,
        )
    )


def _name(summary: Summary, row: Row) -> str:
    return row.label if len(summary.models) == 1 else f"{row.label} · {row.model}"


def _shares(summary: Summary) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Of each scenario, the rounds that each row has right, and those of it that are over."""
    found = {info.id: [[0, 0] for _ in summary.rows] for info in summary.scenarios}
    for item in summary.rounds:
        for cell in item.cells:
            if cell.state != "pending":
                count = found[item.scenario][cell.row]
                count[0] += cell.score == 1
                count[1] += 1
    for name, counts in found.items():
        yield name, [(right, over) for right, over in counts]
