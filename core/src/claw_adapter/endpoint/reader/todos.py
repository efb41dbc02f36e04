"""Lists of what is to do, as tools keep them: which tools take one, and how it is given."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from pydantic import JsonValue

from claw_adapter.endpoint.reader.errands import Attempt, Steps
from claw_adapter.toolbox.box import Toolbox
from claw_adapter.toolbox.candidates import JsonObject, filled
from claw_adapter.toolbox.purposes import fixed
from claw_adapter.toolbox.schema import At, Param, Params, words
from claw_adapter.toolbox.todos import DONE, OPEN, STATES, entry_of, planners, whole_of

__all__ = ["note_todos"]


def note_todos(entries: Sequence[str], box: Toolbox) -> Steps:
    """Give a list, every entry of which is open, to the first tool that takes one; with none, nothing is done."""
    for tool, form in planners(box):
        yield Attempt("todo", tool, _given(form, entries))
        return True
    return False


def _given(form: Params, entries: Sequence[str]) -> JsonObject:
    if (text := whole_of(form)) is not None:
        return filled({}, {text.at: "\n".join(f"- [ ] {entry}" for entry in entries)})
    every = entry_of(form)
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
