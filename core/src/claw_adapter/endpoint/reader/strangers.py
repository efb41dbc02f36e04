"""Tools that no name and no description gives away: what they take says what they may do, and a trial what they do.

They are tried when nothing else has worked: such that take one text, with a path, then as commands of some language; such
that search in a file, for anything. A tool writes, possibly, if it takes a path under the name that is known from reading.
Nothing is tried that says that it harms, nor one of several that look alike, for one of them may.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from pathlib import PurePosixPath
from typing import Final

from claw_adapter.endpoint.reader.calls import tools_in
from claw_adapter.endpoint.reader.candidates import Candidate, filled
from claw_adapter.endpoint.reader.errands import Attempt, Habits, Result
from claw_adapter.endpoint.reader.refusals import follow
from claw_adapter.endpoint.reader.schema import Param, Params, words
from claw_adapter.endpoint.reader.shells import LANGUAGES, WINDOWS
from claw_adapter.endpoint.reader.tools import (
    HARM,
    NOT_TEXT,
    PATH,
    READ_VERBS,
    VETO,
    Toolbox,
    fixed,
    harms,
    twins,
)
from claw_adapter.model import Tool

__all__ = ["discover", "makers", "strange_reading", "strange_writers"]

MOST_STRANGERS: Final = 4
MOST_DESCRIBED: Final = 4
_SEARCHED: Final = ("pattern", "regex", "query", "search", "searchterm", "text", "q")
ANYTHING: Final = "."
"""What a search finds in every line, as a regular expression or as a part of a sentence."""


def _single(box: Toolbox) -> list[Candidate]:
    """Tools of unknown purpose that take one text, none of several that are alike."""
    known = {one.tool for one in (*box.read, *box.write, *box.run, *box.history, *box.patch)}
    forms = [
        (tool, form)
        for tool, form in box.every
        if tool not in known
        and len(form.texts) == 1
        and not harms(form)
        and not {*words(tool), *words(form.name)} & (VETO | NOT_TEXT)
    ]
    alike = Counter((form.texts[0].key, form.texts[0].description) for _, form in forms)
    made = []
    for tool, form in forms:
        target = form.texts[0]
        if alike[target.key, target.description] == 1 or {*words(tool), *words(form.name)} & {*READ_VERBS}:
            made.append(Candidate(tool, target, fixed(form, (target,)), listed=True, known=form))
    return made


def _searchers(box: Toolbox) -> list[Candidate]:
    """Tools that search in a file that can be named."""
    made = []
    for tool, form in box.every:
        target = form.one_of(PATH, "string")
        other = [item for item in form.items if item.required and item.text_only and item is not target]
        if target is not None and len(other) == 1 and other[0].key in _SEARCHED[: None if not target.required else -2]:
            made.append(Candidate(tool, target, filled(fixed(form, (target,)), {other[0].at: ANYTHING}), known=form))
    return made


def strange_reading(
    path: str, workspace: str, box: Toolbox, habits: Habits
) -> Generator[Attempt, Result, Candidate | None]:
    """Find a tool that shows a file; it is adopted for its purpose, and returned."""
    singles = _single(box)[:MOST_STRANGERS]
    for tool in (*singles, *_searchers(box)):
        for form, target in tool.forms(path, workspace):
            attempt = Attempt("read", tool.tool, tool.arguments(target), form)
            result = yield attempt
            if not result.shows:
                result = result + (yield from follow(attempt, result, tool, box, habits, path, workspace))
            if result.shows:
                habits.worked(attempt)
                habits.adopted["read"] = tool
                return tool
    whole = str(PurePosixPath(workspace) / path) if workspace else path
    for language in LANGUAGES:
        for tool in singles:
            command = language.read(path if language is WINDOWS else whole)
            form = f"{language.name} {'relative' if language is WINDOWS or not workspace else 'absolute'}"
            attempt = Attempt("cat", tool.tool, tool.arguments(command), form)
            result = yield attempt
            if not result.shows:
                result = result + (yield from follow(attempt, result, tool, box, habits, path, workspace))
            if result.shows:
                habits.worked(attempt)
                habits.adopted["run"] = tool
                return tool
    habits.puzzled = True
    return None


def strange_writers(box: Toolbox) -> list[Candidate]:
    """Tools that may write a file: they take a path as those that read do, and one more text; of two, the first is replaced."""
    known = {one.tool for one in (*box.read, *box.write, *box.run, *box.patch)}
    made = []
    for tool, form in box.every:
        if tool in known or harms(form):
            continue
        target = next((item for item in form.texts if twins(item, box.read)), None) or form.one_of(PATH, "string")
        others = [item for item in form.items if item.required and item.text_only and item is not target]
        if target is None or not 1 <= len(others) <= 2:
            continue
        values = fixed(form, (target, *others))
        if others[1:]:
            values = filled(values, {others[0].at: ""})
        made.append(Candidate(tool, target, values, others[-1], known=form))
    return sorted(made, key=lambda one: not twins(one.target, box.read))[:MOST_STRANGERS]


def makers(box: Toolbox, habits: Habits, writer: Candidate) -> list[Candidate]:
    """Tools that take nothing but a path as one that writes does: they may have to make the file before."""
    return [
        Candidate(tool, form.texts[0], fixed(form, form.texts), known=form)
        for tool, form in box.every
        if tool not in habits.tools_known
        and len(form.texts) == 1
        and twins(form.texts[0], [writer])
        and not harms(form)
    ][:1]


def discover(box: Toolbox, habits: Habits) -> Generator[Attempt, Result, bool]:
    """Ask for the tools that a tool calls, where it does not say them: by those that it names, and for each by name."""
    for tool, form in box.every:
        if (pair := form.dispatches) is None or tool in habits.inside:
            continue
        name = pair[0]
        singles = [
            (other, known, known.texts[0]) for other, known in box.every if other != tool and len(known.texts) == 1
        ]
        found: list[Tool] = []
        for other, known, item in singles:
            if item.key != name.key:
                result = yield _asks(other, known, item, "")
                found += tools_in(result.text)
        for other, known, item in singles:
            if item.key == name.key:
                found = yield from _described(found, other, known, item)
        habits.inside[tool] = [one for one in found if one.schema]
        return bool(habits.inside[tool])
    return False


def _described(found: Sequence[Tool], other: str, known: Params, item: Param) -> Generator[Attempt, Result, list[Tool]]:
    safe = [one for one in found if not {*words(one.name)} & HARM]
    whole = [one for one in safe if one.schema]
    for one in [one for one in safe if not one.schema][:MOST_DESCRIBED]:
        whole += tools_in((yield _asks(other, known, item, one.name)).text)
    return whole


def _asks(tool: str, known: Params, item: Param, text: str) -> Attempt:
    return Attempt("ask", tool, filled(fixed(known, (item,)), {item.at: item.shaped(text)}))
