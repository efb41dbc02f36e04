"""Tools that may write a file although nothing says so: known by a path and a text, in whatever way the text has to be given.

Whether they do is known by reading the file back. Only what the reader itself is to write is ever touched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.errands import Attempt, Habits, Result
from claw_adapter.endpoint.reader.refusals import identifier
from claw_adapter.toolbox.box import Toolbox, harms, named, shows, single, twins, unknown
from claw_adapter.toolbox.calls import variants
from claw_adapter.toolbox.candidates import Candidate, filled
from claw_adapter.toolbox.patches import notations_for
from claw_adapter.toolbox.purposes import FOLDERS, HARM, MAKES, PATH, REMOVAL, fixed
from claw_adapter.toolbox.schema import WRITE_VERBS, At, Param, Params, means, words
from claw_adapter.toolbox.uses import replacer

__all__ = ["folder_makers", "makers", "opened", "removers", "strange_writers"]

MOST_NOTATIONS: Final = 5
Shown = Callable[[], Generator[Attempt, Result, bool]]
"""Looks whether the file reads as it should."""

_LINES: Final = ((0, 0), (1, 1), (1, 0))
"""Where a text may go in an empty file, as one number or as first and last."""


def strange_writers(box: Toolbox, habits: Habits) -> Iterator[Candidate]:
    """Candidates for writing, the likeliest first: of a path with one text or two, of texts by path, of a patch alone."""
    for one in box.write:
        notation = notations_for(one.content.description if one.content else "", path_given=True)[0]
        if notation != one.notation == "whole":
            yield replace(one, notation=notation)
    known = {id(one.known) for one in (*box.read, *box.write, *box.run)}
    forms = [(tool, form) for tool, form in box.every if id(form) not in known and not harms(form)]
    forms += [(tool, one) for tool, form in box.every for one in _choices(form)]
    named = habits.fields
    shared = Counter((item.key, item.description) for _, form in box.every for item in form.items)
    made = [one for tool, form in forms for one in _with_path(tool, form, box, shared, named)]
    by_name = [one for one in box.read if not one.listed_by]
    keys = {one.target.key for one in by_name}
    likely = [one for one in made if one.target.key in keys or one.target.key in PATH or one.target.name in named]
    yield from sorted(likely, key=lambda one: one.by_lines)
    for tool, form in forms:
        needed = [item for item in form.items if item.required]
        for item in needed if len(needed) == 1 else ():
            if item.mapped:
                yield Candidate(tool, item, content=item, known=form)
    patchers = {id(one.known) for one in box.patch}
    for tool, form in sorted(forms, key=lambda one: id(one[1]) not in patchers):
        if len(form.texts) == 1 and form.texts[0].accepts("string"):
            for name in (
                notations_for(_said(tool, form), path_given=False)[:MOST_NOTATIONS] if _patches(tool, form) else ()
            ):
                item = form.texts[0]
                yield Candidate(tool, item, fixed(form, (item,)), item, known=form, notation=name)
    yield from (one for one in made if one not in likely)


def _modes(item: Param) -> Sequence[JsonValue]:
    """The choices under which something may be stored: those that say that they write, and all only where none does."""
    return [one for one in item.enum if any(means(str(one), verb) for verb in WRITE_VERBS)] or item.enum[::-1]


def _choices(form: Params) -> Iterator[Params]:
    """A form for each choice of an operation, with what a description says to belong to it."""
    for item in form.items:
        for choice in item.enum if item.required and len(item.enum) > 1 else ():
            if isinstance(choice, str) and not {*words(choice)} & HARM:
                belong = [replace(one, required=True) if choice in one.description else one for one in form.items]
                chosen = (replace(item, enum=(choice,)) if one.at == item.at else one for one in belong)
                yield replace(form, items=tuple(chosen))


def _patches(tool: str, form: Params) -> bool:
    said = _said(tool, form).lower()
    return "patch" in said or "diff" in said or "search" in said


def _said(tool: str, form: Params) -> str:
    return "\n".join((tool, form.description, *(f"{item.name} {item.description}" for item in form.items)))


def _with_path(
    tool: str, form: Params, box: Toolbox, shared: Counter[tuple[str, str]], listed: Mapping[str, str]
) -> Iterator[Candidate]:
    if (made := replacer(tool, form)) is not None:
        yield made
        return
    texts = [item for item in form.items if item.required and item.text_only]
    target = next((item for item in texts if listed.get(item.name) in ("path", "name")), None)
    target = target or _target(form, texts, box, shared)
    others = [item for item in texts if item is not target]
    numbers = [item for item in form.items if item.required and item.types == {"integer"}]
    if target is None or not 1 <= len(others) <= 2 or len(numbers) > 2:
        return
    values = fixed(form, (target, *others))
    folders = {one.folder.key for one in box.read if one.folder}
    folder = next((item for item in others if listed.get(item.name) == "folder" or item.key in folders), None)
    others = [item for item in others if item is not folder]
    if not others:
        return
    old = others[0] if others[1:] and folder is None else None
    made = Candidate(tool, target, values, others[-1], folder=folder, old=old, known=form)
    placed = (
        [filled(values, dict(zip([n.at for n in numbers], at, strict=False))) for at in _LINES] if numbers else [values]
    )
    if numbers:
        yield from (replace(made, fixed=one) for one in placed)
        return
    names = notations_for(_said(tool, form), path_given=True)
    for name in names[:MOST_NOTATIONS]:
        yield replace(made, notation=name)
    if old is None:
        yield replace(made, by_lines=True)


def _target(form: Params, texts: Sequence[Param], box: Toolbox, shared: Counter[tuple[str, str]]) -> Param | None:
    """What takes the path: as in a tool that reads, by its name, or what other tools take too."""
    by_name = [one for one in box.read if not one.listed_by]
    keys = {one.target.key for one in by_name}
    twin = next((item for item in texts if twins(item, by_name)), None) or form.one_of(PATH, "string")
    twin = twin or next((item for item in texts if item.key in keys), None)
    return twin or next((item for item in texts if shared[item.key, item.description] > 1), None)


def makers(box: Toolbox, habits: Habits, writer: Candidate) -> list[Candidate]:
    """Tools that take nothing but a path as one that writes does, and show nothing: they may have to make the file before."""
    reading = [(one.tool, one.known, one.target) for one in box.read if len(one.known.texts) == 1]
    return [
        Candidate(tool, item, fixed(form, (item,)), known=form)
        for tool, form, item in (*reading, *single(box))
        if tool not in habits.tools_known and item.key == writer.target.key
        if shows(tool, form) or {*named(tool, form), *words(form.description)[:3]} & MAKES
    ][:1]


def folder_makers(box: Toolbox) -> list[Candidate]:
    """Tools that say that they make a folder and take nothing but where."""
    found = [(tool, form) for tool, form in box.every if len(form.texts) == 1 and not harms(form)]
    said = [({*named(tool, form), *words(form.description)[:8]}, tool, form) for tool, form in found]
    return [
        Candidate(tool, form.texts[0], fixed(form, form.texts), known=form)
        for heard, tool, form in said
        if "mkdir" in heard or (heard & FOLDERS and heard & MAKES)
    ][:1]


def removers(box: Toolbox, writer: Candidate) -> list[Candidate]:
    """Tools that take away a file, for what is about to be written anew by one that only adds."""
    forms = [(tool.name, form) for tool in box.tools for form in variants(tool)]
    return [
        Candidate(tool, form.texts[0], known=form)
        for tool, form in forms
        if {*words(tool), *words(form.name)} & REMOVAL
        and len(form.texts) == 1
        and [item.key for item in form.items if item.required] == [writer.target.key]
    ][:1]


def opened(
    path: str, content: str, workspace: str, box: Toolbox, habits: Habits, shown: Shown
) -> Iterator[Generator[Attempt, Result, bool]]:
    """Ways to open a file with one tool and to give the text to another, with what the first has brought."""
    reading = [one.target for one in box.read if not one.listed_by]
    known = [(one.tool, one.known, one.target) for one in box.read if not one.listed_by]
    openers = [*known, *single(box)]
    for tool, form, item in sorted(openers, key=lambda one: one[0] != habits.stored[0]):
        choices = [one for one in form.items if one.enum]
        for values in [{one.at: value} for one in choices for value in _modes(one)] or [{}]:
            opener = Candidate(tool, item, filled(fixed(form, (item,)), values), known=form)
            for other, store in sorted(box.every, key=lambda one: one[0] != habits.stored[1]):
                if other != tool and not harms(store) and _stores(store, reading):
                    at = habits.forms("write", opener.forms(path, workspace, habits.styles))[0]
                    yield _through(opener, at, (other, store), content, box, habits, shown)


def _stores(form: Params, reading: Sequence[Param]) -> bool:
    """Whether a tool takes a text and perhaps an id, but no path."""
    texts = [item for item in form.items if item.required and item.text_only]
    return 1 <= len(texts) <= 2 and not any(item.key == one.key for item in texts for one in reading)


def _through(
    opener: Candidate,
    at: tuple[str, str],
    store: tuple[str, Params],
    content: str,
    box: Toolbox,
    habits: Habits,
    shown: Shown,
) -> Generator[Attempt, Result, bool]:
    """Open, and give the text: with the id that was brought, or else only where another file is seen to be open now.

    What takes the same id and nothing else may have to end it.
    """
    sequels = [one for one in habits.sequels.values() if not any(item.required for item in one[1].items)]
    before = (yield Attempt("ask", sequels[0][0], {})).text if sequels else ""
    result = yield Attempt("open", opener.tool, opener.arguments(at[1]), at[0])
    values, texts = _filled_by(store[1], result.text, habits)
    if len(texts) != 1 or any(
        item.required and not item.text_only and item.at not in values for item in store[1].items
    ):
        return False
    if not values and (not sequels or (yield Attempt("ask", sequels[0][0], {})).text == before):
        return False
    yield Attempt("told", store[0], filled({}, {**values, texts[0].at: texts[0].shaped(content)}))
    habits.stored = opener.tool, store[0]
    if (yield from shown()):
        return True
    ended = {tool for tool, _ in habits.sequels.values()} | {store[0], opener.tool}
    for tool, form in unknown(box):
        given, left = _filled_by(form, result.text, habits)
        if tool not in ended and given and not left and values:
            yield Attempt("told", tool, filled({}, given))
            if (yield from shown()):
                return True
    habits.stored = "", ""
    return False


def _filled_by(form: Params, said: str, habits: Habits) -> tuple[dict[At, JsonValue], list[Param]]:
    """What a result gives of what a form of call requires, by ids that no listing has; and the texts that are left."""
    values: dict[At, JsonValue] = {}
    for item in form.items:
        value = identifier(item, said) if item.required else None
        if value is not None and not any(str(value) in listed for listed in habits.listings.values()):
            values[item.at] = value
    return values, [item for item in form.items if item.required and item.text_only and item.at not in values]
