"""Tools behind tools: those that another one calls by name, and those that are offered only once they were asked for."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from claw_adapter.endpoint.reader.errands import Attempt, Habits, Result
from claw_adapter.model import Tool
from claw_adapter.toolbox.box import Toolbox, harms, lists, shows
from claw_adapter.toolbox.candidates import Candidate, filled
from claw_adapter.toolbox.purposes import HARM, QUERY, fixed
from claw_adapter.toolbox.said import identifiers, objects, tools_in
from claw_adapter.toolbox.schema import Param, Params, words

__all__ = ["discover", "unlock"]

MOST_DESCRIBED: Final = 4
MOST_ASKED: Final = 8
OFFERS: Final = frozenset({
    "tool", "tools", "toolset", "enable", "load", "activate", "unlock", "connect", "function", "functions", "help", "describe",
    "schema", "capability", "capabilities", "server", "servers",
})  # fmt: skip
"""Words of what brings tools, or tells about them."""
WANTED: Final = ("read file", "write file", "read_file", "write_file")
"""What is asked for where tools are to be found by words."""


def discover(box: Toolbox, habits: Habits) -> Generator[Attempt, Result, bool]:
    """Ask for the tools that a tool calls, where it does not say them: by those that it names, and for each by name."""
    for tool, form in box.every:
        if (pair := form.dispatches) is None or tool in habits.inside:
            continue
        name = pair[0]
        askers = [
            (other, known, known.texts[0] if known.texts else None)
            for other, known in box.every
            if other != tool and len(known.texts) <= 1 and (_offers(known) if known.texts else _tells(other, known))
        ]
        found: list[Tool] = []
        for other, known, item in askers:
            if item is None or item.key != name.key:
                found += tools_in((yield _asks(other, known, item, WANTED[0])).text)
        for other, known, item in askers:
            if item is not None and any(not one.schema for one in found):
                found = yield from _described(found, other, known, item)
        habits.inside[tool] = [one for one in found if one.schema]
        return bool(habits.inside[tool])
    return False


def _described(found: Sequence[Tool], other: str, known: Params, item: Param) -> Generator[Attempt, Result, list[Tool]]:
    safe = [one for one in found if not {*words(one.name)} & HARM]
    whole = [one for one in safe if one.schema]
    for one in [one for one in safe if not one.schema][:MOST_DESCRIBED]:
        text = (yield _asks(other, known, item, one.name)).text
        schemas = [value for value in objects(text) if isinstance(value, dict) and "properties" in value]
        whole += [replace(one, schema=value) for value in schemas] or tools_in(text)
    return whole


def _asks(tool: str, known: Params, item: Param | None, text: str) -> Attempt:
    values = filled(fixed(known, (item,)), {item.at: item.shaped(text)} if item is not None else {})
    return Attempt("ask", tool, values)


def unlock(box: Toolbox, habits: Habits) -> Generator[Attempt, Result, None]:
    """Ask for tools that are not offered yet; once they are, whoever makes the calls begins anew."""
    known = {id(one.known) for one in (*box.read, *box.write, *box.run, *box.patch)}
    forms = [(tool, form) for tool, form in box.every if id(form) not in known and not harms(form)]
    for tool, form in forms:
        if (pair := _asked(form)) is None:
            continue
        for text in islice(_texts(pair), MOST_ASKED):
            if (tool, text) in habits.asked:
                continue
            result = yield Attempt("ask", tool, Candidate(tool, pair, fixed(form, (pair,))).arguments(text))
            habits.asked.add((tool, text))
            more = [one for one in identifiers(result.text) if one not in box.names and not {*words(one)} & HARM]
            if more and not pair.enum:
                yield Attempt("ask", tool, Candidate(tool, pair, fixed(form, (pair,))).arguments(more[0]))


def _asked(form: Params) -> Param | None:
    """What takes the name of a tool, or of some: a choice, a list of texts or a text, where nothing else is needed."""
    needed = [item for item in form.items if item.required and item.default is None]
    if len(needed) != 1:
        return None
    return needed[0] if needed[0].text_only or (needed[0].enum and _offers(form)) else None


def _tells(tool: str, form: Params) -> bool:
    """Whether a tool that is told nothing says that it lists or shows something."""
    return not any(item.required for item in form.items) and (lists(tool, form) or shows(tool, form))


def _offers(form: Params) -> bool:
    """Whether a tool says that it brings others."""
    return bool({*words(form.name), *words(form.description)[:8]} & OFFERS)


def _texts(item: Param) -> Iterator[str]:
    """Choices, or what is looked for; a name that only a description has may be an example, or mean something else."""
    if item.enum:
        yield from (one for one in item.enum if isinstance(one, str) and not {*words(one)} & HARM)
    elif item.key in QUERY:
        yield from WANTED[:2]
