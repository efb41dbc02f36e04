"""Lists of what is to do, as tools keep them: which tools take one, and how it is given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.candidates import JsonObject, filled
from claw_adapter.endpoint.reader.errands import Attempt, Steps
from claw_adapter.endpoint.reader.purposes import fixed
from claw_adapter.endpoint.reader.schema import At, Param, Params, words
from claw_adapter.endpoint.reader.tools import Toolbox

__all__ = ["note_todos", "planners"]

TODOS: Final = frozenset({"todo", "todos", "todolist", "tasks", "tasklist", "checklist"})
"""Keys of a text that is such a list."""
DONE: Final = frozenset({"done", "complete", "completed", "finished", "closed"})
"""Words of a state in which an entry may be, or keys of what says whether it is."""
STATES: Final = frozenset({"status", "state"})
"""Keys of a state whose choices only a description names."""
OPEN: Final = "pending"


def note_todos(entries: Sequence[str], box: Toolbox) -> Steps:
    """Give a list, every entry of which is open, to the first tool that takes one; with none, nothing is done."""
    for tool, form in planners(box):
        yield Attempt("todo", tool, _given(form, entries))
        return True
    return False


def planners(box: Toolbox) -> Iterator[tuple[str, Params]]:
    """Tools that take a list of texts with their states, each state one of some choices, or such a list as one text."""
    for tool, form in box.every:
        others = [item for item in form.items if item.required and item not in _entry(form)]
        if (_state(form) and _texts(form) and not any(item.needs_text for item in others)) or _whole(form) is not None:
            yield tool, form


def _state(form: Params) -> Param | None:
    """What says of an object in a list whether it is done."""
    return next((item for item in form.items if 0 in item.at and _tells(item)), None)


def _tells(item: Param) -> bool:
    if item.types == {"boolean"}:
        return item.key in DONE
    said = {*words(" ".join(map(str, item.enum)))} if item.enum else {*words(item.description)}
    return bool(said & DONE) and (bool(item.enum) or (item.key in STATES and OPEN in said))


def _entry(form: Params) -> list[Param]:
    """All that is said of one entry: what stands in the same object as its state."""
    state = _state(form)
    return [item for item in form.items if state is not None and item.at[:-1] == state.at[:-1]]


def _texts(form: Params) -> list[Param]:
    return [item for item in _entry(form) if item.needs_text and item.key not in ("id", *STATES)]


def _whole(form: Params) -> Param | None:
    needed = [item for item in form.items if item.required]
    return needed[0] if len(needed) == 1 and needed[0].text_only and needed[0].key in TODOS else None


def _given(form: Params, entries: Sequence[str]) -> JsonObject:
    if (text := _whole(form)) is not None:
        return filled({}, {text.at: "\n".join(f"- [ ] {entry}" for entry in entries)})
    every = _entry(form)
    pairs = chain.from_iterable(
        ((_placed(item.at, at), _value(item, entry, at)) for item in every if item.required or item.enum)
        for at, entry in enumerate(entries)
    )
    return filled(fixed(form, every), dict(pairs))


def _placed(at: At, number: int) -> At:
    """The same place in another object of the list."""
    last = len(at) - 1 - at[::-1].index(0)
    return (*at[:last], number, *at[last + 1 :])


def _value(item: Param, entry: str, at: int) -> JsonValue:
    if item.key == "id":
        return item.shaped(str(at + 1))
    if item.text_only:
        return OPEN if item.key in STATES else entry
    return next((one for one in item.enum if not {*words(str(one))} & DONE), item.filler())
