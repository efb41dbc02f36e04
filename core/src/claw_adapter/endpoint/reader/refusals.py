"""What a tool's answer says about how it wants to be called, and which other tool it wants first, or afterwards.

Whether a call has worked is never read out of its words: what was read is known by the evidence in it, what was written by
reading it back, and what has shown neither is followed by the next way, a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.calls import objects
from claw_adapter.endpoint.reader.candidates import Candidate, filled
from claw_adapter.endpoint.reader.errands import Attempt, Habits, Result
from claw_adapter.endpoint.reader.schema import At, Param, Params, words
from claw_adapter.endpoint.reader.tools import HARM, Toolbox

__all__ = ["asked_for", "follow", "told_first"]

MOST_TOLD: Final = 2


def asked_for(known: Params, given: dict[str, JsonValue], result: str) -> dict[At, JsonValue]:
    """Further arguments that a result asks for: parameters of the tool that it names with a value, or in quotes."""
    found: dict[At, JsonValue] = {}
    for item in known.items:
        if item.name in given:
            continue
        name = re.escape(item.name)
        if with_value := re.search(rf"\b{name}[\"'`]?\s*[=:]\s*([\"']?[\w-]+)", result):
            value = _value(item, with_value[1])
        elif re.search(rf"[\"'`]{name}[\"'`]", result):
            value = item.filler()
        else:
            continue
        if value is not None:
            found[item.at] = value
    return found


def _value(item: Param, text: str) -> JsonValue:
    word = text.strip("\"'")
    if item.accepts("boolean") and word.lower() in ("true", "false"):
        return word.lower() == "true"
    if item.accepts("integer") and re.fullmatch(r"-?\d+", word):
        return int(word)
    return word if item.accepts("string") and (not item.enum or word in item.enum) else None


def told_first(
    attempt: Attempt, result: Result, box: Toolbox, habits: Habits, place: str
) -> Generator[Attempt, Result, tuple[Result, str]]:
    """Call the tools that a result names, one after the other: what they brought, and the folder if one was given it.

    A tool takes identifiers and choices from the result, else the folder of the `place` that the errand is about.
    """
    brought, where = Result(""), ""
    for tool, form in _named_in(attempt, result.text, box, habits):
        values: dict[At, JsonValue] = {}
        for item in form.items:
            if not item.required:
                continue
            if item.enum:
                values[item.at] = next((v for v in item.enum if _says(result.text, str(v))), item.filler())
            elif (value := _identifier(item, result.text)) is not None:
                values[item.at] = value
            elif item.text_only and not where:
                where = str(PurePosixPath(place).parent)
                values[item.at] = item.shaped(where)
            else:
                values[item.at] = item.filler()
        brought = brought + (yield Attempt("told", tool, filled({}, values)))
        if brought.shows:
            break
    return brought, where


def follow(
    attempt: Attempt, result: Result, tool: Candidate, box: Toolbox, habits: Habits, path: str, workspace: str
) -> Generator[Attempt, Result, Result]:
    """Do what the result of a call that reads names, and make the call again: as it was, by a name in the folder, by an id."""
    place = str(PurePosixPath(workspace) / path) if workspace else path
    brought, where = yield from told_first(attempt, result, box, habits, place)
    if brought.shows or not brought.text:
        return brought
    targets = [PurePosixPath(path).name] if where else _called(path, brought.text)
    for again in [*[attempt.with_more({tool.target.at: tool.target.shaped(one)}) for one in targets], attempt][
        :MOST_TOLD
    ]:
        brought = brought + (yield replace(again, form="told"))
        if brought.shows:
            break
    return brought


def _named_in(attempt: Attempt, result: str, box: Toolbox, habits: Habits) -> list[tuple[str, Params]]:
    """Tools that a result names, but for those whose purpose is known and those that harm."""
    own = habits.tools_known | {attempt.tool}
    found = [
        (tool, form)
        for tool, form in box.every
        if tool not in own and _says(result, tool) and not {*words(form.description)[:3]} & HARM
    ]
    return found[:MOST_TOLD]


def _says(result: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", result) is not None


def _identifier(item: Param, result: str) -> JsonValue:
    """What a result gives under a parameter's name; under the first word of it where that has a number."""
    if not item.text_only:
        return None
    if found := re.search(rf"\b{re.escape(item.name)}[\"'`]?\s*[=:]\s*[\"'`]?([\w.:-]*\w)", result):
        return found[1]
    first = words(item.name)[0] if words(item.name) else ""
    found = re.search(rf"\b{re.escape(first)}\W{{1,3}}([\w-]*\d[\w-]*)", result, re.IGNORECASE) if first else None
    return found[1] if found else None


def _called(path: str, text: str) -> list[str]:
    """What a listing in JSON calls a file: the other texts of the object that names it."""
    return [value for entry in objects(text) for value in _beside(path, entry, 0)]


def _beside(path: str, value: JsonValue, depth: int) -> Iterator[str]:
    if depth > MOST_TOLD * 3:
        return
    if isinstance(value, dict) and any(
        isinstance(v, str) and v.removeprefix("./").endswith(path) for v in value.values()
    ):
        yield from (v for v in value.values() if isinstance(v, str) and not v.endswith(path))
    for inside in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _beside(path, inside, depth + 1)
