"""What a tool's answer says about how it wants to be called, and which other tool it wants first, or afterwards.

Whether a call has worked is never read out of its words: what was read is known by the evidence in it, what was written by
reading it back, and what has shown neither is followed by the next way, a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.errands import NOTICE, Attempt, Habits, Result
from claw_adapter.endpoint.reader.matching import normalise
from claw_adapter.endpoint.reader.paging import Paging, gone_on
from claw_adapter.toolbox.box import Toolbox, harms, lists, named, shows
from claw_adapter.toolbox.candidates import Candidate, filled
from claw_adapter.toolbox.places import called, loose
from claw_adapter.toolbox.purposes import FOLDERS, PATH, TAKES_AWAY
from claw_adapter.toolbox.schema import At, Param, Params, words

__all__ = ["asked_for", "carried_out", "filling", "follow", "identifier", "says", "told_first"]

MOST_TOLD: Final = 2
MOST_ITEMS: Final = 24
NEXT: Final = frozenset({"next", "more", "continue", "further", "rest", "down"})
MOST_POLLS: Final = 8
_WAITS: Final = re.compile(
    r"\b(?:running|runs|pending|queued|progress|wait(?:ing)?|again|busy|later|started|starting|processing|working|"
    r"not (?:yet|done|ready|finished))\b",
    re.IGNORECASE,
)
"""How a tool says that what it was asked to do is not done; once more is asked whatever it says."""
HEAD: Final = 12
"""Characters that are enough to know a text by its beginning."""


def asked_for(known: Params, given: dict[str, JsonValue], result: str) -> dict[At, JsonValue]:
    """Arguments that a result asks for: other parameters that it names with a value or in quotes, or another choice."""
    found: dict[At, JsonValue] = {}
    for item in known.items:
        name = re.escape(item.name)
        if item.name in given:
            chosen = [value for value in item.enum if _chosen(name, str(value), result)]
            if len(chosen) == 1 and chosen[0] != given[item.name]:
                found[item.at] = chosen[0]
            continue
        if {*words(item.name)} & TAKES_AWAY:
            continue
        if with_value := re.search(rf"\b{name}[\"'`]?\s*[=:]\s*([\"']?[\w-]+)", result):
            value = _value(item, with_value[1])
        elif re.search(rf"[\"'`]{name}[\"'`]", result):
            value = item.filler()
        else:
            continue
        if value is not None:
            found[item.at] = value
    return found


def _chosen(name: str, value: str, result: str) -> bool:
    """Whether a result names a choice right behind what it is of: ``mode rewrite``, ``mode='rewrite'``."""
    return re.search(rf"\b{name}[\"'`]?(?:\s*[=:]\s*|\s)[\"'`]?{re.escape(value)}\b", result) is not None


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

    A tool takes identifiers and choices from the result, what the call had under the same name unless it is about folders,
    else the folder of the `place` that the errand is about.
    """
    brought, where = Result(""), ""
    for tool, form in _named_in(attempt, result.text, box, habits):
        values: dict[At, JsonValue] = {}
        for item in form.items:
            if not item.required:
                continue
            same = attempt.arguments.get(item.name)
            if item.enum:
                values[item.at] = next((v for v in item.enum if says(result.text, str(v))), item.filler())
            elif (value := identifier(item, result.text)) is not None:
                values[item.at] = value
            elif item.text_only and isinstance(same, str) and not _about_folders(tool, form, item):
                values[item.at] = same
            elif item.text_only and not where:
                where = str(PurePosixPath(place).parent)
                values[item.at] = item.shaped(where)
            else:
                values[item.at] = item.filler()
        before = habits.sequels.get(attempt.tool)
        habits.sequels[attempt.tool] = (tool, form)  # an errand ends with the call that shows all it wants
        brought = brought + (yield Attempt("told", tool, filled({}, values)))
        if brought.shows:
            break
        habits.unlearn(attempt.tool, before)
    return brought, where


def _about_folders(tool: str, form: Params, item: Param) -> bool:
    """Whether a tool that is told `item` is told a folder."""
    return lists(tool, form) or bool({*named(tool, form), *words(f"{item.name} {item.description}")} & FOLDERS)


def carried_out(attempt: Attempt, habits: Habits) -> Generator[Attempt, Result, Result]:
    """Make a call, with what its tool has asked for before, and the one that is known to bring what it begins."""
    result = yield attempt.with_more(habits.extra.get(attempt.tool, {}))
    sequel = habits.sequels.get(attempt.tool)
    goes_on = attempt.kind != "look" and not result.notice
    if sequel is not None and (not result.shows or (goes_on and (_said(sequel[1], result.text) or _pages(*sequel)))):
        result = result + (yield from _brought(sequel, result))
        if result.shows:
            habits.worked(attempt)
    return result


def _brought(sequel: tuple[str, Params], result: Result) -> Generator[Attempt, Result, Result]:
    """What a tool brings of what a result has begun, as long as there is more of it.

    What a later result does not say stays as it was.
    """
    tool, form = sequel
    values = filling(form, result.text)
    if values is None:
        return Result("")

    def call(given: dict[At, JsonValue]) -> Generator[Attempt, Result, Result]:
        attempt = Attempt("told", tool, filled({}, given))
        result = yield attempt
        for number in range(MOST_POLLS):
            waits = not number or _WAITS.search(result.text)
            if result.part or not result.notice or not waits:
                break
            result = yield replace(attempt, page=True)
        return result

    def then(given: dict[At, JsonValue], shown: str, _new: int, _every: int) -> dict[At, JsonValue] | None:
        return {**given, **_said(form, shown)} if len(shown) >= NOTICE else None

    return (yield from gone_on(Paging(call, values, then, told=True), set()))


def _said(form: Params, text: str) -> dict[At, JsonValue]:
    """Values that a result gives of what a form of call requires, under their names."""
    given = {item.at: identifier(item, text) for item in form.items if item.required and item.default is None}
    return {at: value for at, value in given.items() if value is not None}


def filling(form: Params, text: str) -> dict[At, JsonValue] | None:
    """Values from a result for all that a form of call requires, under their names, or the only one wanted; else None."""
    values = _said(form, text)
    wanted = [item for item in form.items if item.required and item.default is None]
    if len(wanted) == 1 and not values and wanted[0].key not in PATH and not wanted[0].enum:
        said = [one for one in loose(text) if wanted[0].accepts("string") or one.isdecimal()]
        values = dict.fromkeys([wanted[0].at], wanted[0].shaped(said[0])) if said else {}
    return values if len(values) == len(wanted) else None


def follow(
    attempt: Attempt,
    result: Result,
    tool: Candidate,
    box: Toolbox,
    habits: Habits,
    path: str,
    workspace: str,
    *,
    strange: bool = False,
) -> Generator[Attempt, Result, Result]:
    """Do what the result of a call that reads names, and make the call again: as it was, by a name in the folder, by an id.

    Where nothing is named and nothing else is known to show files, a tool that the result has all values for may show what the
    call has begun; of a `strange` tool also one that needs none, or the only one in the result.
    """
    place = str(PurePosixPath(workspace) / path) if workspace else path
    if result.part:
        begun = yield from _by_others(attempt, result, box, habits, strange=False)
        if begun.part:
            return begun
    brought, where = yield from told_first(attempt, result, box, habits, place)
    if brought.text and not brought.shows:
        targets = [PurePosixPath(path).name] if where else called(path, brought.text)
        more = {
            item.at: value
            for item in tool.known.items
            if item.required and item is not tool.target and (value := identifier(item, brought.text)) is not None
        }
        known = [attempt.with_more({tool.target.at: tool.target.shaped(one)}) for one in targets]
        for again in [*known, attempt.with_more(more)][:MOST_TOLD]:
            brought = brought + (yield replace(again, form="told"))
            if brought.shows:
                if more and again.arguments == attempt.with_more(more).arguments:
                    habits.learn(attempt.tool, more)
                return brought
    if brought.shows or not result.text or result.part:
        return brought
    return brought + (yield from _by_others(attempt, result, box, habits, strange=strange and not habits.ways))


def _by_others(
    attempt: Attempt, result: Result, box: Toolbox, habits: Habits, *, strange: bool
) -> Generator[Attempt, Result, Result]:
    """Bring what a call has begun with a tool that the result has all values for; once files can be shown, with a sure one."""
    brought = Result("")
    for other, form in _sequels(attempt, result, box, habits, strange=strange):
        if (habits.ways or result.part) and not shows(other, form):
            continue
        before = habits.sequels.get(attempt.tool)
        habits.sequels[attempt.tool] = (other, form)  # an errand ends with the call that shows all it wants
        brought = brought + (yield from _brought((other, form), result))
        if brought.part:
            habits.worked(attempt)
            break
        habits.unlearn(attempt.tool, before)
    return brought


def one_by_one(
    attempt: Attempt, shown: Result, box: Toolbox, habits: Habits, missing: Sequence[str]
) -> Generator[Attempt, Result, Result]:
    """Ask for the items of a list one by one, where a tool takes what the list was asked for with and an id besides.

    What begins as something `missing` does comes first, then what is longest, for it may be cut.
    """
    heads = [normalise(text)[:HEAD] for text in missing]
    cut = sorted(shown.text.splitlines(), key=len, reverse=True)
    rows = sorted(cut, key=lambda row: not any(head in normalise(row) for head in heads))
    ids = list(dict.fromkeys(found[0] for row in rows if (found := loose(row))))
    numbers = [number[0] for row in rows if (number := re.search(r"\d+", row))]
    brought = Result("")
    for tool, form in box.every:
        wanted = [item for item in form.items if item.required]
        rest = [item for item in wanted if item.name not in attempt.arguments]
        if tool in habits.tools_known or not len(rest) == 1 < len(wanted) or harms(form):
            continue
        named = ids if rest[0].text_only else list(dict.fromkeys(numbers)) if rest[0].types == {"integer"} else []
        if named:
            given = {item.at: attempt.arguments[item.name] for item in wanted if item is not rest[0]}
            for one in named[:MOST_ITEMS]:
                more = filled({}, {**given, rest[0].at: rest[0].shaped(one)})
                brought = brought + (yield Attempt("told", tool, more, page=True))
    return brought


def _sequels(
    attempt: Attempt, result: Result, box: Toolbox, habits: Habits, *, strange: bool
) -> list[tuple[str, Params]]:
    """Tools of no known purpose which a result has all values for, those first that it has most for."""
    known = {one.tool for one in (*box.write, *box.run, *box.patch)} | habits.tools_known | {attempt.tool}
    found = [
        (tool, form)
        for tool, form in box.every
        if tool not in known
        and not harms(form)
        and (values := filling(form, result.text)) is not None
        and (
            strange
            or _pages(tool, form)
            or any(identifier(i, result.text) is not None for i in form.items if i.required)
        )
        and (
            shows(tool, form)
            or (
                values
                and not result.part
                and (_said(form, result.text) or attempt.kind == "cat")
                and not _listed(values, habits)
            )
        )
    ]
    return sorted(found, key=lambda one: -sum(item.required for item in one[1].items))[:MOST_TOLD]


def _pages(tool: str, form: Params) -> bool:
    """Whether a tool that is told nothing says that it shows what comes next."""
    return not any(item.required for item in form.items) and bool(named(tool, form) & NEXT) and shows(tool, form)


def _listed(values: Mapping[At, JsonValue], habits: Habits) -> bool:
    """Whether a value may name a file: what a call has begun has a name of its own."""
    return any(str(value) in listed for value in values.values() for listed in habits.listings.values())


def _named_in(attempt: Attempt, result: str, box: Toolbox, habits: Habits) -> list[tuple[str, Params]]:
    """Tools that a result names, but for those whose purpose is known and those that harm."""
    own = habits.tools_known | {attempt.tool}
    found = [(tool, form) for tool, form in box.every if tool not in own and says(result, tool) and not harms(form)]
    return found[:MOST_TOLD]


def says(result: str, name: str) -> bool:
    """Whether a result has a name, as a word of its own."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", result) is not None


def identifier(item: Param, result: str) -> JsonValue:
    """What a result gives under a parameter's name, however its words are written, or under the first, if that is a number."""
    if not item.text_only and item.types != {"integer"}:
        return None
    parts = [re.escape(word) for word in words(item.name)]
    if not parts:
        return None
    value = r"[\w.:-]*\w" if item.text_only else r"\d+"
    named = r"[\W_]?".join(parts)
    found = re.search(rf"(?<![A-Za-z]){named}[\"'`]?\s*[=:]\s*[\"'`]?({value})", result, re.IGNORECASE)
    found = found or re.search(rf"(?<![A-Za-z]){named}\W{{1,3}}([\w-]*\d[\w-]*)", result, re.IGNORECASE)
    if found is None and item.text_only:
        found = re.search(rf"\b{parts[0]}\W{{1,3}}([\w-]*\d[\w-]*)", result, re.IGNORECASE)
    if found is None:
        return None
    return found[1] if item.text_only else int(found[1]) if found[1].isdecimal() else None
