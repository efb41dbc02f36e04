"""Tools that no name and no description gives away: what they take says what they may do, and a trial what they do.

Of several that may read, what does not say that it shows something is tried on a file of the reader's own first: what shows it
twice takes nothing away, empties nothing and files nothing away. The reader would rather find no way than do harm.

They are tried when nothing else has worked, what does least harm first: such that take nothing and may list files, then such
that take what a listing calls a file, then with a path, in one text or in two, at last as commands of some language. Nothing is
tried that says that it harms, nor one of several that look alike, for one of them may.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.errands import Attempt, Habits, Result
from claw_adapter.endpoint.reader.refusals import carried_out, follow
from claw_adapter.endpoint.reader.shells import LANGUAGES, SH, SQL_TABLES, Language, sql
from claw_adapter.endpoint.reader.storing import strange_writers
from claw_adapter.toolbox.box import Toolbox, alone, forms_of, lists, named, shows, single, unknown
from claw_adapter.toolbox.candidates import Candidate, filled
from claw_adapter.toolbox.places import called, fields, loose
from claw_adapter.toolbox.purposes import CONTENT, PATH, finds, fixed, makes
from claw_adapter.toolbox.schema import At, Param, Params, words

__all__ = ["strange_reading", "strange_searches", "strange_sessions", "targets"]

MOST_STRANGERS: Final = 4
MOST_IDS: Final = 2
MOST_WRITERS: Final = 2
SCRATCH: Final = "scratch-{}-of-the-reader.txt"
SCRATCH_MARK: Final = "nobody needs this line"
SCRATCH_TEXT: Final = f"A scratch file of the evidence reader.\n{SCRATCH_MARK}\n"
_SEARCHED: Final = ("pattern", "regex", "query", "search", "searchterm", "text", "q")
SPEAKS: Final = frozenset({
    "run", "runs", "exec", "execute", "executes", "eval", "evaluate", "evaluates", "code", "shell", "terminal", "command",
    "commands", "script", "cell", "console", "repl", "interpreter", "program", "source", "expression", "sql", "query",
    "statement",
    *(name for language in LANGUAGES for name in language.names),
})  # fmt: skip
"""Words of what takes commands or code."""
ANYTHING: Final = "."
"""What a search finds in every line, as a regular expression or as a part of a sentence."""


def _listers(box: Toolbox) -> list[Candidate]:
    """Tools that need to be told nothing and say that they show or list something, those first that say something of lists."""
    free = [(tool, form) for tool, form in unknown(box) if not any(item.required for item in form.items)]
    found = [(tool, form) for tool, form in free if lists(tool, form) or shows(tool, form)]
    ranked = sorted(found, key=lambda one: not lists(*one))
    return [Candidate(tool, Param("", frozenset(), required=False), known=form) for tool, form in ranked]


def _open(form: Params) -> list[Param]:
    """What has to be given and has no value of its own."""
    return [item for item in form.items if item.needed]


def _taking_ids(box: Toolbox) -> list[Candidate]:
    """Tools that take one text or one number, and nothing else."""
    found = []
    for tool, form in unknown(box):
        items = _open(form)
        if len(items) == 1 and not items[0].enum and (items[0].text_only or items[0].types == {"integer"}):
            found.append(Candidate(tool, items[0], fixed(form, items), known=form))
    return found


def _single(box: Toolbox, *, alike: bool = False) -> list[Candidate]:
    """Tools of unknown purpose that take one text which is no content."""
    return [
        Candidate(tool, item, fixed(form, (item,)), known=form)
        for tool, form, item in single(box, alike=alike)
        if item.key not in CONTENT
    ]


def strange_sessions(box: Toolbox) -> list[Candidate]:
    """Tools that may show a session that is named to them."""
    forms = forms_of(box)
    return [one for one in _single(box) if shows(one.tool, one.known) or alone(one.known, forms)][:MOST_STRANGERS]


def strange_searches(box: Toolbox) -> list[Candidate]:
    """Tools that search in what they are not told, for a text."""
    return [
        Candidate(tool, item, fixed(form, (item,)), query=item, known=form)
        for tool, form, item in single(box, alike=True)
        if finds(tool, form) and shows(tool, form)
    ]


def _with_path(path: str, box: Toolbox) -> Iterator[Candidate]:
    """Tools that may show a file that is named to them: by a choice, by a text, by two texts, and by one to search for."""
    for tool, form in unknown(box):
        choices = [item for item in form.items if any(str(one).endswith(path) for one in item.enum)]
        if len(choices) == 1:
            yield Candidate(tool, choices[0], fixed(form, choices), known=form)
    yield from [one for one in _single(box, alike=True) if not makes(one.tool, one.known)][:MOST_STRANGERS]
    for tool, form in unknown(box):
        texts = [item for item in _open(form) if item.text_only]
        if len(texts) == 2 and _within_more(texts, box) and not makes(tool, form):
            for folder, name in (texts, texts[::-1]):
                yield Candidate(tool, name, fixed(form, texts), folder=folder, known=form)


def _within_more(texts: Sequence[Param], box: Toolbox) -> bool:
    """Whether another tool takes all these texts and one more, so that they are a place and not a place with a content."""
    keys = {item.key for item in texts}
    return any(keys < {item.key for item in form.texts} for _, form in box.every)


def _searchers(box: Toolbox) -> Iterator[Candidate]:
    """Tools that search in a file that can be named."""
    for tool, form in box.every:
        target = form.one_of(PATH, "string")
        other = [item for item in form.items if item.required and item.text_only and item is not target]
        if target is not None and len(other) == 1 and other[0].key in _SEARCHED[: None if not target.required else -2]:
            yield Candidate(tool, target, filled(fixed(form, (target,)), {other[0].at: ANYTHING}), known=form)


def strange_reading(
    path: str, workspace: str, box: Toolbox, habits: Habits
) -> Generator[Attempt, Result, Candidate | None]:
    """Find a tool that shows a file; it is adopted for its purpose, and returned."""
    listers = _listers(box)
    hinted = [one for one in listers if lists(one.tool, one.known)]
    for group in (hinted, [one for one in listers if one not in hinted][:MOST_STRANGERS]):
        for one in group:
            result = yield Attempt("list", one.tool, {})
            habits.listings[one.tool] = result.text
            habits.learn_styles(path, result.text)
            habits.fields |= fields(path, result.text)
            taking = sorted(_taking_ids(box), key=lambda one: not shows(one.tool, one.known))
            for tool in taking if called(path, result.text) else ():
                listed = replace(tool, listed_by=one.tool)
                if (yield from _harmless(listed, workspace, box, habits)) and (
                    yield from _adopted(listed, path, workspace, box, habits)
                ):
                    return habits.adopted["read"]
        if group is hinted:
            every = [*box.read, *box.doubtful, *_with_path(path, box), *_searchers(box)]
            for tool in sorted(every, key=lambda one: not shows(one.tool, one.known)):
                if (yield from _harmless(tool, workspace, box, habits)) and (
                    yield from _adopted(tool, path, workspace, box, habits)
                ):
                    return habits.adopted["read"]
    return (yield from _speaking(path, workspace, box, habits))


def _adopted(
    tool: Candidate, path: str, workspace: str, box: Toolbox, habits: Habits
) -> Generator[Attempt, Result, bool]:
    """Whether a tool shows a file under one of its names; then it is adopted."""
    tried: set[str] = set()
    while True:
        forms = yield from targets(tool, path, workspace, habits)
        form, target = next(((form, target) for form, target in forms if form not in tried), ("", ""))
        if not form:
            return False
        tried.add(form)
        attempt = Attempt("read", tool.tool, tool.arguments(target), form)
        result = yield from carried_out(attempt, habits)
        if not result.part:
            habits.learn_styles(path, result.text, (target, path))
            result = result + (yield from follow(attempt, result, tool, box, habits, path, workspace, strange=True))
        if result.part:
            habits.worked(attempt)
            habits.adopted["read"] = tool
            return True


def _harmless(tool: Candidate, workspace: str, box: Toolbox, habits: Habits) -> Generator[Attempt, Result, bool]:
    """Whether a tool may be tried on a file that matters: it says that it shows, or it is seen to, twice, on a scratch file.

    Where nothing can write one, only what alone can be named a file is tried, for an agent has to have a tool that reads.
    """
    if tool in box.read or shows(tool.tool, tool.known):
        return True
    writers = _writers(box, habits)
    if not writers:
        return alone(tool.known, forms_of(box))
    call = f"{tool.tool} {tool.arguments(SCRATCH)}"
    if call not in habits.harmless:
        scratch = SCRATCH.format(len(habits.harmless))
        habits.harmless[call] = False
        for writer in writers:
            for number, (form, place) in enumerate(writer.forms(scratch, workspace, habits.styles)[:MOST_IDS]):
                yield Attempt("make", writer.tool, writer.writes(place, SCRATCH_TEXT), form)
                before = loose(habits.listings.pop(tool.listed_by, ""))  # a number that was listed is another file's
                names = [target for _, target in (yield from targets(tool, scratch, workspace, habits))]
                own = [one for one in names if one not in before][number : number + 1]
                for attempt in [Attempt("probe", tool.tool, tool.arguments(one)) for one in own]:
                    if SCRATCH_MARK in (yield attempt).text and SCRATCH_MARK in (yield attempt).text:
                        habits.harmless[call] = True
                        return True
    return habits.harmless[call]


def _writers(box: Toolbox, habits: Habits) -> list[Candidate]:
    """Tools that may write a scratch file, each once."""
    every = [
        one for one in (*box.write, *strange_writers(box, habits)) if one.replaces and one.content is not one.target
    ]
    return list({one.tool: one for one in every[::-1]}.values())[::-1][:MOST_WRITERS]


def targets(
    tool: Candidate, path: str, workspace: str, habits: Habits
) -> Generator[Attempt, Result, list[tuple[str, str]]]:
    """Forms and texts of what a tool takes for a file; what lists files is asked where it has not named this one yet."""
    if not tool.listed_by:
        return tool.forms(path, workspace, habits.styles)
    if not called(path, habits.listings.get(tool.listed_by, "")):
        habits.listings[tool.listed_by] = (yield Attempt("list", tool.listed_by, {})).text
    names = called(path, habits.listings[tool.listed_by])
    return [(f"listed {number}", name) for number, name in enumerate(names[:MOST_IDS])]


def _speaking(path: str, workspace: str, box: Toolbox, habits: Habits) -> Generator[Attempt, Result, Candidate | None]:
    """Find a tool that takes commands of some language."""
    whole = str(PurePosixPath(workspace) / path) if workspace else path
    for tool, language in (yield from _spoken(box)):
        absolute = bool(workspace) and language in LANGUAGES[:3]
        attempt = Attempt(
            "cat",
            tool.tool,
            tool.arguments(language.read(whole if absolute else path)),
            f"{language.name} {'absolute' if absolute else 'relative'}",
        )
        result = yield from carried_out(attempt, habits)
        if not result.shows:
            result = result + (yield from follow(attempt, result, tool, box, habits, path, workspace, strange=True))
        if result.shows:
            habits.worked(attempt)
            habits.adopted["run"], habits.language = tool, language
            return tool
    habits.puzzled = True
    return None


def _spoken(box: Toolbox) -> Generator[Attempt, Result, Iterable[tuple[Candidate, Language]]]:
    """Tools that may take commands, each with the languages to try."""
    found: list[tuple[int, Candidate, Language]] = []
    for tool in [*_coders(box)][: 2 * MOST_STRANGERS]:
        said = _said(tool)
        enums = [item for item in tool.known.items if item.enum]
        spoken = [(item, one, lang) for item in enums for one in item.enum for lang in LANGUAGES if one in lang.names]
        if "sql" in said:
            result = yield Attempt("ask", tool.tool, tool.arguments(SQL_TABLES))
            found += [(-1, tool, table)] if (table := sql(result.text)) else []
        for item, one, language in spoken:
            found.append((0, replace(tool, fixed=filled(tool.fixed, {item.at: one})), language))
        for language in LANGUAGES if not spoken else ():
            found.append(
                (1 + 2 * (not said & {*language.names}) + LANGUAGES.index(language) + bool(tool.after), tool, language)
            )
    return [(tool, language) for _, tool, language in sorted(found, key=lambda one: one[0])]


def _said(tool: Candidate) -> set[str]:
    """The words of what a tool says of itself and of what it takes."""
    named_ = {*named(tool.tool, tool.known), *words(tool.target.name)}
    return named_ | {*words(tool.known.description), *words(tool.target.description)}


def _coders(box: Toolbox) -> Iterator[Candidate]:
    """Tools that may take a command, whole or as a program with its arguments, and with a key to end it."""
    speaking = [one for one in _single(box) if _said(one) & SPEAKS]
    for tool in (*box.run, *speaking):
        lists = not tool.target.accepts("string")
        yield tool
        if lists:
            yield replace(tool, before=(SH.name, "-c"))
        yield replace(tool, after=("Enter",) if lists else ("\n",))
    for name, form in unknown(box):
        items = _open(form)
        programs = [item for item in items if item.types == {"string"} and not item.enum]
        lists_ = [item for item in items if item.texts]
        if len(programs) == len(lists_) == 1:
            given: Mapping[At, JsonValue] = {programs[0].at: SH.name}
            made = Candidate(name, lists_[0], filled(fixed(form, items), given), before=("-c",), known=form)
            yield made
