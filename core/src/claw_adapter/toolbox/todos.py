"""Tools that take a list of what is to do, and what of it is which parameter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from claw_adapter.toolbox.box import Toolbox
from claw_adapter.toolbox.schema import Param, Params, words

__all__ = ["DONE", "OPEN", "STATES", "entry_of", "planners", "whole_of"]

TODOS: Final = frozenset({"todo", "todos", "todolist", "tasks", "tasklist", "checklist"})
"""Keys of a text that is such a list."""
DONE: Final = frozenset({"done", "complete", "completed", "finished", "closed"})
"""Words of a state in which an entry may be, or keys of what says whether it is."""
STATES: Final = frozenset({"status", "state"})
"""Keys of a state whose choices only a description names."""
OPEN: Final = "pending"


def planners(box: Toolbox) -> Iterator[tuple[str, Params]]:
    """Tools that take a list of texts with their states, each state one of some choices, or such a list as one text."""
    for tool, form in box.every:
        others = [item for item in form.items if item.required and item not in entry_of(form)]
        if (_state(form) and _texts(form) and not any(item.needs_text for item in others)) or whole_of(
            form
        ) is not None:
            yield tool, form


def _state(form: Params) -> Param | None:
    """What says of an object in a list whether it is done."""
    return next((item for item in form.items if 0 in item.at and _tells(item)), None)


def _tells(item: Param) -> bool:
    if item.types == {"boolean"}:
        return item.key in DONE
    said = {*words(" ".join(map(str, item.enum)))} if item.enum else {*words(item.description)}
    return bool(said & DONE) and (bool(item.enum) or (item.key in STATES and OPEN in said))


def entry_of(form: Params) -> list[Param]:
    """All that is said of one entry: what stands in the same object as its state."""
    state = _state(form)
    return [item for item in form.items if state is not None and item.at[:-1] == state.at[:-1]]


def _texts(form: Params) -> list[Param]:
    return [item for item in entry_of(form) if item.needs_text and item.key not in ("id", *STATES)]


def whole_of(form: Params) -> Param | None:
    """What takes the whole list as one text."""
    needed = [item for item in form.items if item.required]
    return needed[0] if len(needed) == 1 and needed[0].text_only and needed[0].key in TODOS else None
