"""Errands that read: a workspace file, a session."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.errands import MOST_BUSY, NOTICE, Attempt, Habits, Result, Steps, as_trials
from claw_adapter.endpoint.reader.inner import discover, unlock
from claw_adapter.endpoint.reader.paging import Paging, as_told, further, gone_on, named, pointed
from claw_adapter.endpoint.reader.refusals import asked_for, carried_out, follow, one_by_one
from claw_adapter.endpoint.reader.shells import LANGUAGES, SH, Language
from claw_adapter.endpoint.reader.strangers import strange_reading, strange_searches, strange_sessions, targets
from claw_adapter.toolbox.box import Toolbox
from claw_adapter.toolbox.candidates import Candidate
from claw_adapter.toolbox.purposes import FORCE, PLAIN, TAKES_AWAY
from claw_adapter.toolbox.schema import PAGE_END, PAGE_SIZE, PAGE_START, At, words

__all__ = ["cat", "command_forms", "keywords", "look", "read_file", "read_session"]

SHELL_PAGE: Final = 8000
KEYWORD: Final = 11
"""Longest search word: shorter than any fragment, so that a search can never contain one."""
LONG: Final = 1000
"""Characters of what a command shows from which on it may be cut, where the command is not known to show anything."""
MOST_VARIED: Final = 4


def read_file(path: str, workspace: str, box: Toolbox, habits: Habits) -> Steps:
    """Read a workspace file with the tools for reading, then with a command, then with whatever may turn out to do it.

    Whoever makes the calls ends this as soon as all that is looked for has been seen. So what comes back here was something
    else, or the file in part: then the path is written in another way, and another tool is taken. A tool that is known to show
    files may refuse single ones, or show them in part.
    """
    box = habits.box(box)
    yield from _known_ways(path, workspace, box, habits)
    if habits.ways or habits.puzzled:
        return False
    if (yield from as_trials(discover(box, habits))):
        box = habits.box(box)
        yield from _known_ways(path, workspace, box, habits)
    if habits.ways:
        return False
    yield from as_trials(unlock(box, habits))
    if (made := (yield from as_trials(strange_reading(path, workspace, box, habits)))) is not None:
        own = replace(box, read=(made,), run=()) if habits.language is None else replace(box, read=(), run=(made,))
        yield from _known_ways(path, workspace, own, habits)
    return False


def _known_ways(path: str, workspace: str, box: Toolbox, habits: Habits) -> Generator[Attempt, Result, None]:
    reading = habits.tools("read", box.read, box.run[:1])
    for tool in reading:
        found = Result("")
        tried: set[str] = set()
        while not found.part:
            forms = habits.forms("read", (yield from targets(tool, path, workspace, habits)))
            form, target = next((one for one in forms if one[0] not in tried), ("", ""))
            if not form:
                break
            tried.add(form)
            known = habits.known(tool.tool, form)
            result = yield from look(tool, "read", form, target, box, habits, path, workspace)
            if known or result.part:
                found = replace(result, part=True)
                break
            habits.learn_styles(path, result.text, (target, path))
            habits.refusals[tool.tool] += 1
    for shell in box.run[:1]:
        yield from cat(shell, "cat", path, workspace, box, habits)


def look(
    tool: Candidate, kind: str, form: str, target: str, box: Toolbox, habits: Habits, path: str, workspace: str
) -> Generator[Attempt, Result, Result]:
    """Read a file with a tool: to its end, with what it asks for, and anew where it may say only that it said it before."""
    attempt = Attempt(kind, tool.tool, tool.arguments(target, habits.extra.get(tool.tool)), form)
    first = result = yield from carried_out(attempt, habits)
    if first.part and kind == "read":
        habits.worked(attempt)
    result = result + (yield from as_told(attempt, tool, first))
    result = result + (yield from pointed(attempt, first, box.every))
    if not result.shows:
        asked = asked_for(tool.known, attempt.arguments, first.text)
        ways: list[Mapping[At, JsonValue]] = [asked] if asked else []
        for more in (*ways, *_varied(tool, not first.notice, habits)):
            turned = attempt.with_more(more)
            again = yield from carried_out(turned, habits)
            result = result + again
            if not again.shows:
                continue
            if kind == "read" and _turns_pages(tool, more):
                result = result + (yield from as_told(turned, tool, again))
                result = result + (yield from further(turned, tool, again, habits))
            else:
                habits.learn(tool.tool, more)
            break
    if not result.shows:
        result = result + (yield from follow(attempt, first, tool, box, habits, path, workspace))
    known = habits.known(tool.tool, form)
    fresh = kind == "read" and (known or not habits.refusals[tool.tool])
    for _ in range(MOST_BUSY if known else 1):
        if result.shows or not fresh or not first.notice:
            break
        first = again = yield from carried_out(attempt, habits)
        result = result + again + (yield from as_told(attempt, tool, again))
    if kind == "read" and (first.part or len(first.text) >= 2 * NOTICE or (not result.shows and known)):
        result = result + (yield from further(attempt, tool, first, habits))
        for place in named(first.text, target):
            result = result + (yield attempt.with_more({tool.target.at: place}))
    return result


def _turns_pages(tool: Candidate, more: Mapping[At, JsonValue]) -> bool:
    """Whether arguments say which part is to be shown."""
    return any(item.at in more and item.key in (*PAGE_START, *PAGE_SIZE, *PAGE_END) for item in tool.known.items)


def _varied(tool: Candidate, long: bool, habits: Habits) -> Iterator[Mapping[At, JsonValue]]:  # what it showed
    """Choices of a tool that may make it show a file anew, after a notice, or in another form, after something else."""
    for item in tool.known.items:
        if item.accepts("boolean") and item.types:
            if (item.required if long else item.key in FORCE) and not {*words(item.name)} & TAKES_AWAY:
                yield {item.at: True}
        elif item.enum and (long or not habits.ways) and not item.operates:
            safe = (value for value in item.enum if {*words(str(value))} <= PLAIN)
            yield from ({item.at: value} for value in islice(safe, MOST_VARIED))


def command_forms(shell: Candidate, path: str, workspace: str, habits: Habits) -> list[tuple[str, Language, str]]:
    """The ways to name a file to a tool for commands: name of the form, language, place; once one works, only that."""
    named = shell.forms(path, workspace)
    languages = (habits.language,) if habits.language is not None else LANGUAGES
    forms = [(f"{language.name} {form}", language, target) for language in languages for form, target in named]
    known = [form for form in forms if habits.known(shell.tool, form[0])]
    return known or [form for form in forms if form[1] is SH or (form[0].endswith("relative") and not habits.ways)]


def cat(
    shell: Candidate, kind: str, path: str, workspace: str, box: Toolbox, habits: Habits
) -> Generator[Attempt, Result, Result]:
    """Read a file with a command; returns all that was read."""
    read = Result("")
    for form, language, place in command_forms(shell, path, workspace, habits):
        attempt = Attempt(kind, shell.tool, shell.arguments(language.read(place)), form)
        result = yield from carried_out(attempt, habits)
        if not result.shows:
            result = result + (yield from follow(attempt, result, shell, box, habits, path, workspace))
            if result.shows:
                habits.worked(attempt)
        read = read + result
        size = min(SHELL_PAGE, len(result.text) * 2 // 3)
        done = kind == "look" and result.shows
        if (
            not done
            and language.part(place, 0, size)
            and len(result.text) >= (NOTICE if habits.known(shell.tool, form) else LONG)
        ):
            part = partial(_part, shell, language, place, size, Attempt(kind, shell.tool, {}, form), habits)
            read = read + (yield from gone_on(Paging(part, 0, partial(_next_part, size)), set()))
        if read.shows or habits.known(shell.tool, form):
            break
    return read


def _part(
    shell: Candidate, language: Language, place: str, size: int, attempt: Attempt, habits: Habits, start: int
) -> Generator[Attempt, Result, Result]:
    command = language.part(place, start, size + size // 8)
    return (yield from carried_out(replace(attempt, arguments=shell.arguments(command)), habits))


def _next_part(size: int, start: int, _shown: str, _new: int, _every: int) -> int:
    return start + size


def read_session(names: Sequence[str], box: Toolbox, habits: Habits, missing: Callable[[], Sequence[str]]) -> Steps:
    """Read a session with the harness's session tools, under the names that it may be known by, page by page.

    Where the tool shows only the latest messages but can search, or does nothing else, search for single words of what is still
    missing. Where no tool says that it shows sessions, those that take one text may, or may search in all of them.
    """
    box = habits.box(box)
    for tool in habits.tools("session", box.history):
        shown = yield from _shows_session(box, tool, names, habits, missing)
        if shown:
            return False  # it shows this session; what it has not shown is not there
    for tool in strange_sessions(box) if not box.history else ():
        if (yield from as_trials(_shows_session(box, tool, names, habits, missing))):
            habits.adopted["history"] = tool
            return False
    for tool in strange_searches(box):
        if (yield from as_trials(_searched(tool, names[0], "", habits, missing))).shows:
            break
    return False


def _shows_session(
    box: Toolbox, tool: Candidate, names: Sequence[str], habits: Habits, missing: Callable[[], Sequence[str]]
) -> Generator[Attempt, Result, bool]:
    for form, name in habits.forms("session", [(str(i), name) for i, name in enumerate(names)]):
        if tool.searches:
            if (yield from _searched(tool, name, form, habits, missing)).shows:
                return True
            continue
        attempt = Attempt("session", tool.tool, tool.arguments(name), form)
        first = found = yield attempt
        for _ in range(MOST_BUSY if habits.working.get("session") == (tool.tool, form) else 0):
            if first.notice:
                first = found = yield attempt
        if not first.notice:
            found = found + (yield from as_told(attempt, tool, first))
            found = found + (yield from further(attempt, tool, found, habits))
        if tool.query is not None:
            found = found + (yield from _searched(tool, name, form, habits, missing))
        if missing():
            found = found + (yield from one_by_one(attempt, found, box, habits, missing()))
        if found.shows or habits.working.get("session") == (tool.tool, form):
            if found.shows:
                habits.worked(attempt)
            return True
    return False


def _searched(
    tool: Candidate, name: str, form: str, habits: Habits, missing: Callable[[], Sequence[str]]
) -> Generator[Attempt, Result, Result]:
    """Search for words of what is missing, one after the other, until it is there.

    What is found is gone through to its end where the tool does nothing but search.
    """
    found = Result("")
    for text in missing():
        for word in keywords(text):
            if text not in missing() or tool.query is None:
                break
            attempt = Attempt(
                "session", tool.tool, tool.arguments(name, {tool.query.at: tool.query.shaped(word)}), form
            )
            first = yield attempt
            found = found + first
            if tool.query.required and text in missing() and not first.notice:
                found = found + (yield from as_told(attempt, tool, first))
                if text in missing():
                    found = found + (yield from further(attempt, tool, first, habits))
        if found.shows and tool.searches:
            habits.worked(Attempt("session", tool.tool, {}, form))
    return found


def keywords(text: str, most: int = 4) -> list[str]:
    """The longest words of a text, of at most `KEYWORD` characters; then longer ones, cut.

    More than one or two, since the longest may stand in many later messages, of which a search shows the last.
    """
    found = sorted(set(re.findall(r"\w{3,}", text)), key=lambda word: (len(word) > KEYWORD, -len(word), word))
    return [word[:KEYWORD] for word in found[:most]]
