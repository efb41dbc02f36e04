"""Everything of a data set that is counted, by scenario and bucket. Files are read here, and nothing else is done with them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from claw_adapter.data_format import Bucket, Item
from claw_adapter.errors import ScenarioError
from claw_adapter_clawarena.jsontext import read_bytes
from claw_adapter_clawarena.layouts import LAYOUTS
from claw_adapter_clawarena.records import Place
from claw_adapter_clawarena.render import SESSION_TEXT, feedback_text, preference_text, question_text
from claw_adapter_clawarena.suite import Suite

__all__ = ["file_items", "question_items", "workspace_files"]


def file_items(places: Iterable[Place]) -> Iterator[Item]:
    """Everything of a layout that is counted and lies in files of its own.

    Raises:
        ScenarioError: a file that the manifest names is missing.
    """
    for place in places:
        yield from _files(place)


def question_items(suite: Suite) -> Iterator[Item]:
    """Everything that is counted of the questions, which all layouts share.

    Raises:
        ScenarioError: questions cannot be read.
    """
    for test in suite.tests:
        try:
            found = [one for item in suite.rounds(test) for one in _round(test.id, item)]
        except (AttributeError, TypeError, KeyError) as error:
            where = suite.questions(test).where("rounds")
            raise ScenarioError(f"a round cannot be counted: {error}", where=where, remedy="Call claw check.") from None
        yield from found


def _files(place: Place) -> Iterator[Item]:
    layout = LAYOUTS[place.layout]
    history = SESSION_TEXT[layout.history_format]
    if place.main is not None:
        yield Item(place.id, "main", read_bytes(place.main), SESSION_TEXT[layout.main_format])
    for path in place.histories:
        yield Item(place.id, "histories", read_bytes(path), history)
    for name in workspace_files(str(place.workspace), place.session_folders):
        yield Item(place.id, "workspace", read_bytes(name))
    for update in place.updates.values():
        for file in update.files:
            raw = read_bytes(file.source)
            if update.kind == "session":
                yield Item(place.id, "session_updates", raw, history)
            else:
                yield Item(place.id, "workspace_updates", raw)


_TEXTS: tuple[tuple[Bucket, Callable[[dict[str, Any]], str]], ...] = (
    ("questions", question_text),
    ("feedback", feedback_text),
    ("preferences", preference_text),
)


def _round(scenario: str, item: dict[str, Any]) -> Iterator[Item]:
    for bucket, text_of in _TEXTS:
        if text := text_of(item):
            yield Item(scenario, bucket, text)


def workspace_files(folder: str, session_folders: frozenset[str] = frozenset()) -> Iterator[str]:
    """Paths of a workspace's files, hidden ones included, without its top-level session folders; links are not followed."""
    try:
        entries = os.scandir(folder)
    except (OSError, ValueError):
        raise ScenarioError("there is no such folder", where=folder, remedy="Add it, empty if need be.") from None
    with entries:
        for entry in entries:
            if entry.is_file(follow_symlinks=False):
                yield entry.path
            elif entry.is_dir(follow_symlinks=False) and entry.name not in session_folders:
                yield from workspace_files(entry.path)
