"""Understanding a harness's tools: the candidates for each purpose, best first.

Of two tools that write, that one comes first whose path is what the path of one that reads is: its twin. What neither names
nor descriptions give away is a stranger, see `strangers`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from claw_adapter.model import Tool
from claw_adapter.toolbox import purposes
from claw_adapter.toolbox.calls import variants
from claw_adapter.toolbox.candidates import COMMAND, Candidate
from claw_adapter.toolbox.schema import OPERATION, Param, Params, means, words

__all__ = [
    "Toolbox",
    "alone",
    "forced",
    "forms_of",
    "harms",
    "lists",
    "named",
    "shows",
    "single",
    "toolbox",
    "twins",
    "unknown",
]


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The candidates for each purpose, best first."""

    read: tuple[Candidate, ...] = ()
    write: tuple[Candidate, ...] = ()
    run: tuple[Candidate, ...] = ()
    history: tuple[Candidate, ...] = ()
    patch: tuple[Candidate, ...] = ()
    names: frozenset[str] = frozenset()
    tools: tuple[Tool, ...] = ()
    doubtful: tuple[Candidate, ...] = ()
    """What may read, or take away what it is given."""
    every: tuple[tuple[str, Params], ...] = ()
    """Every form of every tool's call, with the tool's name, but for those that harm."""

    def with_first(self, kind: str, made: Candidate) -> Toolbox:
        """With a candidate before the others of its kind."""
        match kind:
            case "read":
                return replace(self, read=(made, *self.read))
            case "write":
                return replace(self, write=(made, *self.write))
            case "history":
                return replace(self, history=(made, *self.history))
        return replace(self, run=(made, *self.run))


def toolbox(tools: Sequence[Tool], inside: Mapping[str, Sequence[Tool]] | None = None) -> Toolbox:
    """Sort a request's tools by purpose; `inside` are those that tools which call others were found to know, by their names."""
    forms = [(tool.name, form) for tool in tools for form in variants(tool, (inside or {}).get(tool.name, ()))]
    safe = [
        (name, form)
        for name, form in forms
        if not ((named(name, form) | forced(form)) & (purposes.VETO | purposes.NOT_TEXT) or harms(form))
    ]
    read, doubtful = _sure(_ranked(safe, purposes.reader), forms)
    write = _ranked(safe, purposes.writer)
    return Toolbox(
        read=read,
        doubtful=doubtful,
        write=tuple(sorted(write, key=lambda one: (_to_people(one), not twins(one.target, read)))),
        run=_ranked(safe, purposes.runner),
        history=_only_sure(_ranked(safe, purposes.historian)),
        patch=_ranked(safe, purposes.patcher),
        names=frozenset(tool.name for tool in tools),
        tools=tuple(tools),
        every=tuple((name, form) for name, form in forms if not (named(name, form) | forced(form)) & purposes.HARM),
    )


def forms_of(box: Toolbox) -> list[tuple[str, Params]]:
    """Every form of every tool's call, also of those that harm."""
    return [(tool.name, form) for tool in box.tools for form in variants(tool)]


def unknown(box: Toolbox) -> list[tuple[str, Params]]:
    """Forms of calls of unknown purpose that do not say that they harm."""
    known = {id(one.known) for one in (*box.read, *box.write, *box.run, *box.history, *box.patch)}
    return [
        (tool, form)
        for tool, form in box.every
        if id(form) not in known and not harms(form) and not named(tool, form) & (purposes.VETO | purposes.NOT_TEXT)
    ]


def single(box: Toolbox, *, alike: bool = False) -> list[tuple[str, Params, Param]]:
    """Tools of unknown purpose that take one text, with it: of several that look alike only if asked for, for one may harm."""
    forms = [(tool, form, form.texts[0]) for tool, form in unknown(box) if len(form.texts) == 1]
    times = Counter((item.key, item.description) for _, _, item in forms)
    return [
        (tool, form, item)
        for tool, form, item in forms
        if alike or times[item.key, item.description] == 1 or shows(tool, form)
    ]


def commands(form: Params) -> bool:
    """Whether a form of call takes a command by its name, and no person: what its tool is called says nothing then."""
    return any(item.required and item.key in COMMAND for item in form.items) and not form.has(purposes.TO_PEOPLE)


def _sure(
    candidates: Sequence[Candidate], forms: Sequence[tuple[str, Params]]
) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
    """Candidates that say that they show something, and those that do not; the only one that takes a path is sure as well."""
    sure = [one for one in candidates if shows(one.tool, one.known)]
    sure.sort(key=lambda one: (not _shows_text(one.known), bool(_called(one.tool, one.known)[0] & purposes.PARTLY)))
    others = [one for one in candidates if one not in sure]
    if not sure and len(others) == 1 and not _takes_away(others[0].tool, others[0].known):
        by_path = others[0].target.key in purposes.PATH and not _acts(others[0].known)
        if alone(others[0].known, forms) or (by_path and not any(shows(*one) and _names_one(*one) for one in forms)):
            return tuple(others), ()
    return tuple(sure), tuple(others)


def _only_sure(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Those that say that they show something; where none does, the only one."""
    sure = tuple(one for one in candidates if shows(one.tool, one.known))
    return sure or (tuple(candidates) if len(candidates) == 1 else ())


def _shows_text(form: Params) -> bool:
    said = {*words(form.name), *words(form.description)[:12]}
    return bool(said & {"text", "content", "contents", "read", "reads"}) or not form.description


def alone(form: Params, forms: Sequence[tuple[str, Params]]) -> bool:
    """Whether this is the only one of these forms to which one thing is named: an agent has to have one that reads."""
    naming = [one for tool, one in forms if _names_one(tool, one)]
    return naming == [form] and not _takes_away("", form) and not _acts(form)


def _names_one(tool: str, form: Params) -> bool:
    """Whether one thing, by a text or a number, is named to a form of call, which is no content, no command and no query."""
    return len(form.texts or [item for item in form.items if item.needed]) == 1 and not (
        form.has((*purposes.CONTENT, *purposes.QUERY)) or purposes.makes(tool, form) or commands(form)
    )


def _acts(form: Params) -> bool:
    """Whether a choice has to be made, also by a number, of which none is known to show something."""
    needed = [item for item in form.items if item.required]
    by_number = any(item.types == {"integer"} and item.key in (*OPERATION, *purposes.KINDS) for item in needed)
    return by_number or any(len(item.enum) > 1 and not _harmless_choice(item) for item in needed)


def _called(tool: str, form: Params) -> tuple[set[str], Sequence[str]]:
    """Words of the last part of a name (``server__tool``) and of the choices that are made; words of the first sentence."""
    called = {*words(re.split(r"__|[.:/]", form.name or tool)[-1]), *forced(form)}
    return called, words(re.split(r"[.;\n]", form.description, maxsplit=1)[0])


def _takes_away(tool: str, form: Params) -> bool:
    called, first = _called(tool, form)
    done = {*words(form.description)} & purposes.TAKEN_AWAY
    return bool(done or _stems((*called, *first)) & purposes.TAKES_AWAY or _stems(called) & purposes.HARM)


def shows(tool: str, form: Params) -> bool:
    """Whether a form of call says that it shows something, and nothing that may take away: what it is given may be gone.

    By its name, by how its description begins, or by a choice that it leaves no choice about.
    """
    called, first = _called(tool, form)
    if _takes_away(tool, form) or _acts(form):
        return False
    if any(
        (item.required or item.key in OPERATION) and item.operates and _harmless_choice(item) for item in form.items
    ):
        return True  # it is called with that choice
    makes = _plain(called) & purposes.MAKES
    verbs = {*purposes.READ_VERBS, "fetch", "load", "print", "display", "retrieve"}
    return (
        bool(_plain(called) & (verbs if makes else purposes.SHOWS))
        or bool(not makes and not _stems(first[:1]) & purposes.MAKES and _plain(first[:4]) & purposes.SHOWS)
        or any(word.startswith(("read", "view", "fetch")) for word in called)
    )


def lists(tool: str, form: Params) -> bool:
    """Whether a form of call begins to say that it lists, by its name or its description, and nothing that takes away."""
    said = [word for word in words(form.description)[:8] if word not in ("the", "a", "an")]
    called = words(form.name or tool)
    if _stems((*called, *said)) & (purposes.HARM | {*purposes.WRITE_VERBS}):
        return False
    begins = _plain((*called[:1], *said[:1])) & (purposes.LISTING | purposes.SHOWS | {"name", "file"})
    return bool({*called} & {"list", "lists", "ls", "tree", "dir"} or begins)


def _harmless_choice(item: Param) -> bool:
    """Whether one of a parameter's choices is reading, or a way to show."""
    return any(means(str(one), verb) for one in item.enum for verb in purposes.READ_VERBS) or any(
        {*words(str(one))} <= purposes.PLAIN for one in item.enum
    )


def _stems(said: Iterable[str]) -> set[str]:
    """Words, with what they come from: ``reads``, ``archived``, ``emptying``."""
    return {stem for word in said for end in ("", "s", "es", "d", "ed", "ing") if (stem := word.removesuffix(end))}


def _plain(said: Iterable[str]) -> set[str]:
    """Words, with what they are the third person or the plural of."""
    return {form for word in said for form in (word, re.sub(r"(?<=[cs]h)es$|s$", "", word))}


def named(tool: str, form: Params) -> set[str]:
    """The words of the names that a form of call goes by; none where it takes a command."""
    return set() if commands(form) else {*words(tool), *words(form.name)}


def _to_people(one: Candidate) -> bool:
    """Whether the name of a tool says that what it writes goes to somebody."""
    return bool(named(one.tool, one.known) & {*purposes.TO_PEOPLE})


def forced(form: Params) -> set[str]:
    """The words of the choices that a form of a call leaves no choice about."""
    return {word for item in form.items if len(item.enum) == 1 for word in words(str(item.enum[0]))}


def harms(form: Params) -> bool:
    """Whether a description begins with what cannot be taken back (``Deletes``, ``Sends``)."""
    first = () if commands(form) else words(form.description)[:3]
    return any(
        word in purposes.HARM or word.removesuffix("s") in purposes.HARM or word.removesuffix("es") in purposes.HARM
        for word in first
    )


def twins(target: Param, others: Sequence[Candidate]) -> bool:
    """Whether a parameter is called, and described, like the target of one of these."""
    return any((target.key, target.description) == (one.target.key, one.target.description) for one in others)


def _ranked(
    forms: Sequence[tuple[str, Params]], make: Callable[[str, Params], tuple[float, Candidate] | None]
) -> tuple[Candidate, ...]:
    ranked = []
    for tool, form in forms:
        made = make(tool, form)
        if made is not None:
            name, said = named(tool, form), set(words(form.description)[:12])
            later = 4 * bool(name & purposes.LATER) + bool(said & purposes.LATER)
            ranked.append((made[0] + later, made[1]))
    return tuple(candidate for _, candidate in sorted(ranked, key=lambda item: item[0]))
