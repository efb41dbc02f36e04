"""Errands for a part of a file, or a whole folder: reading from chosen lines on, replacing, listing, as tools allow it."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.errands import Attempt, Habits, Steps
from claw_adapter.endpoint.reader.matching import normalise
from claw_adapter.endpoint.reader.refusals import says, told_first
from claw_adapter.endpoint.reader.writing import holds
from claw_adapter.patterns import ANY_CASE, LINES_AROUND, Parameter, as_pattern, takes_patterns, takes_regular
from claw_adapter.toolbox.box import Toolbox, named
from claw_adapter.toolbox.candidates import Candidate, filled
from claw_adapter.toolbox.purposes import FOLDER
from claw_adapter.toolbox.schema import PAGE_END, PAGE_SIZE, PAGE_START, At, Param, Params
from claw_adapter.toolbox.uses import NAMED, inserters, listers, replacers, searchers

__all__ = [
    "SearchPlace",
    "append_to",
    "edit_at_once",
    "edit_file",
    "insert_behind",
    "list_folder",
    "read_pages",
    "search_files",
]

EVERY: Final = ("replaceall", "all", "allowmultiple", "everywhere")
"""Keys by which an edit is told to replace a text wherever it stands."""
AMONG: Final = (*NAMED, "include", "includes", "includepattern", "fileglob", "filefilter")
"""The same, where it says at which files a search looks."""


@dataclass(frozen=True, slots=True)
class SearchPlace:
    """Where a search looks: in the folder or file of a `path` ("" is the workspace).

    `alone`: it is a file's, which only those are told that take a path, and not only one of a folder. Of a folder, only files
    whose names end in one of the `suffixes`, with tools that can be told so; of more than one, if they say that they take
    braces, else the first. With so many lines `around` what is found, or in `any_case`, with tools that can be told so.
    """

    path: str
    alone: bool = False
    suffixes: tuple[str, ...] = ()
    around: int = 0
    any_case: bool = False

    def among(self, form: Params, item: Param) -> str:
        """The pattern of names for a tool's parameter."""
        first, *others = self.suffixes
        braces = others and "{" in f"{form.description} {item.description}"
        return f"*.{{{','.join(self.suffixes)}}}" if braces else f"*.{first}"


def read_pages(path: str, workspace: str, box: Toolbox, habits: Habits, starts: Sequence[int], size: int) -> Steps:
    """Read pages of so many lines with the first tool that reads and can be told where; with none, nothing is read."""
    for tool in habits.tools("read", box.read, box.run[:1]):
        start, end = _place(tool, PAGE_START), _place(tool, (*PAGE_SIZE, *PAGE_END))
        if start is None or end is None:
            continue
        form, target = habits.forms("read", tool.forms(path, workspace, habits.styles))[0]
        for at in starts:
            most = at + size - 1 if end.key in PAGE_END else size
            more = {start.at: _value(start, at), end.at: _value(end, most)}
            yield Attempt("read", tool.tool, tool.arguments(target, more), form)
        return True
    return False


def edit_file(
    path: str, old: str, new: str, workspace: str, box: Toolbox, habits: Habits, *, every: bool | None = None
) -> Steps:
    """Put a text in the place of another with the first tool that is given both; with none, nothing is done.

    With `every` it is one that can be told whether to do that wherever the text stands.

    Where the result is a notice that names another tool, that is called: one for reading with the file, any other with what it
    takes. Then the file is read, and if the text is still in it, and is no part of the new one there, the call is made again.
    """
    for tool in replacers(box):
        everywhere = tool.known.one_of(EVERY, "boolean")
        if every is not None and everywhere is None:
            continue
        form, target = habits.forms("edit", tool.forms(path, workspace, habits.styles))[0]
        attempt = Attempt("edit", tool.tool, tool.writes(target, new, old), form)
        if everywhere is not None and every is not None:
            attempt = attempt.with_more({everywhere.at: every})
        said = yield attempt
        if not said.notice:
            return True
        reader = next((one for one in box.read if says(said.text, one.tool)), None)
        if reader is None:
            brought, _ = yield from told_first(attempt, said, box, habits, posixpath.join(workspace, path))
            reader = next(iter(box.read), None) if brought.text else None
        if reader is not None:
            shape, place = habits.forms("read", reader.forms(path, workspace, habits.styles))[0]
            there = (yield Attempt("read", reader.tool, reader.arguments(place), shape)).text
            if _stands(old, new, there):
                yield attempt
        return True
    return False


def edit_at_once(path: str, changes: Sequence[tuple[str, str]], workspace: str, box: Toolbox, habits: Habits) -> Steps:
    """Put texts in the places of others, by one call of the first tool that takes a list of such; with none, do nothing."""
    for tool in replacers(box):
        form, target = habits.forms("edit", tool.forms(path, workspace, habits.styles))[0]
        if (arguments := tool.writes_each(target, changes)) is not None:
            yield Attempt("edit", tool.tool, arguments, form)
            return True
    return False


def insert_behind(path: str, line: int, content: str, workspace: str, box: Toolbox, habits: Habits) -> Steps:
    """Put a text behind a line, counted from 1, with the first tool that is for that; nothing if none takes the number."""
    for tool, number in inserters(box):
        if number.minimum is not None and line < number.minimum:
            return False
        form, target = habits.forms("edit", tool.forms(path, workspace, habits.styles))[0]
        yield Attempt("edit", tool.tool, filled(tool.writes(target, content), {number.at: line}), form)
        return True
    return False


def append_to(path: str, content: str, workspace: str, box: Toolbox, habits: Habits) -> Steps:
    """Put a text behind a file with the first tool that is for that, or can be told so; with none, nothing is done."""
    for tool in box.write:
        flag = tool.known.one_of(("append",), "boolean")
        mode = next((item for item in tool.known.items if "append" in item.enum), None)
        told = {flag.at: True} if flag else {mode.at: "append"} if mode else None
        if told is None and "append" not in named(tool.tool, tool.known):
            continue
        form, target = habits.forms("write", tool.forms(path, workspace, habits.styles))[0]
        yield Attempt("append", tool.tool, filled(tool.writes(target, content), told or {}), form)
        return True
    return False


def _stands(old: str, new: str, there: str) -> bool:
    """Whether a file that a result shows has a text yet that was to be replaced; it may be a part of the new one."""
    if not holds(old)(there):
        return False
    done = new in there or (normalise(old) != normalise(new) and holds(new)(there))
    return old not in new or not done


def list_folder(path: str, workspace: str, box: Toolbox, habits: Habits) -> Steps:
    """List a folder with the first tool that says that it lists and can be told which; with none, nothing is done."""
    for tool in listers(box):
        shape, target = habits.forms("list", tool.forms(path or ".", workspace, habits.styles))[0]
        yield Attempt("list", tool.tool, tool.arguments(target), shape)
        return True
    return False


def search_files(
    text: str,
    where: SearchPlace,
    workspace: str,
    box: Toolbox,
    habits: Habits,
    *,
    by_name: bool = False,
    regular: bool = False,
) -> Steps:
    """Look for a text, or for files by a pattern of their names, in a folder, with tools that say that they search.

    A `regular` one is a regular expression, which only those are told that say that they take such.

    Which of them looks at texts and which at names only shows: each is asked until one has found it.
    """
    kind = "find" if by_name else "search"
    for tool in habits.tools(kind, [*searchers(box, by_name=by_name)]):
        more: dict[At, JsonValue] = {}
        place, told = tool.folder, text if by_name else _told(text, tool.known, regular=regular)
        if told is None:
            continue
        among = tool.known.one_of(AMONG, "string") if where.suffixes else None
        if (where.alone and (place is None or place.key in FOLDER)) or (
            where.suffixes and among in (None, tool.target)
        ):
            continue
        around = tool.known.one_of(LINES_AROUND, "integer") if where.around else None
        cases = tool.known.one_of(ANY_CASE, "boolean") if where.any_case else None
        if (where.around and around is None) or (where.any_case and cases is None):
            continue
        if around is not None:
            more[around.at] = where.around
        if cases is not None:
            more[cases.at] = ANY_CASE[cases.key]
        if among is not None:
            more[among.at] = where.among(tool.known, among)
        if place is not None:
            folder = Candidate(tool.tool, place)
            more[place.at] = habits.forms(kind, folder.forms(where.path or ".", workspace, habits.styles))[0][1]
        yield Attempt(kind, tool.tool, filled(tool.fixed, {tool.target.at: tool.target.shaped(told), **more}))
    return False


def _told(text: str, form: Params, *, regular: bool) -> str | None:
    """What a tool is told to look for; None where it does not say that it takes such."""
    if as_pattern(text) == text:
        return text
    parameters = [
        Parameter(f"{item.name} {item.description}", "boolean" if "boolean" in item.types else "string", item.required)
        for item in form.items
    ]
    said = f"{form.name} {form.description}"
    if regular:
        return text if takes_regular(said, parameters) else None
    patterns = takes_patterns(said, parameters)
    return None if patterns is None else as_pattern(text) if patterns else text


def _place(tool: Candidate, keys: Sequence[str]) -> Param | None:
    found = [item for key in keys for item in tool.known.items if item.key == key and item is not tool.target]
    return next((item for item in found if item.accepts("integer") or item.accepts("string")), None)


def _value(item: Param, number: int) -> JsonValue:
    return number if item.accepts("integer") else str(number)
