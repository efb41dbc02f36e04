"""Understanding a harness's tools: the candidates for each purpose, best first.

Of two tools that write, that one comes first whose path is what the path of one that reads is: its twin. What neither names
nor descriptions give away is a stranger, see `strangers`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from claw_adapter.endpoint.reader import purposes
from claw_adapter.endpoint.reader.calls import variants
from claw_adapter.endpoint.reader.candidates import COMMAND, Candidate
from claw_adapter.endpoint.reader.schema import Param, Params, words
from claw_adapter.model import Tool

__all__ = ["Toolbox", "forced", "harms", "named", "single", "toolbox", "twins", "unknown"]


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
    read = _distinct(_ranked(safe, purposes.reader))
    write = _ranked(safe, purposes.writer)
    return Toolbox(
        read=read,
        write=tuple(sorted(write, key=lambda one: (_to_people(one), not twins(one.target, read)))),
        run=_ranked(safe, purposes.runner),
        history=_ranked(safe, purposes.historian),
        patch=_ranked(safe, purposes.patcher),
        names=frozenset(tool.name for tool in tools),
        tools=tuple(tools),
        every=tuple((name, form) for name, form in forms if not (named(name, form) | forced(form)) & purposes.HARM),
    )


def unknown(box: Toolbox) -> list[tuple[str, Params]]:
    """Forms of calls of unknown purpose that do not say that they harm."""
    known = {id(one.known) for one in (*box.read, *box.write, *box.run, *box.history, *box.patch)}
    return [
        (tool, form)
        for tool, form in box.every
        if id(form) not in known and not harms(form) and not named(tool, form) & (purposes.VETO | purposes.NOT_TEXT)
    ]


def single(box: Toolbox) -> list[tuple[str, Params, Param]]:
    """Tools of unknown purpose that take one text, with it: none of several that look alike, for one of them may harm."""
    forms = [(tool, form, form.texts[0]) for tool, form in unknown(box) if len(form.texts) == 1]
    alike = Counter((item.key, item.description) for _, _, item in forms)
    return [
        (tool, form, item)
        for tool, form, item in forms
        if alike[item.key, item.description] == 1 or named(tool, form) & {*purposes.READ_VERBS}
    ]


def commands(form: Params) -> bool:
    """Whether a form of call takes a command by its name, and no person: what its tool is called says nothing then."""
    return any(item.required and item.key in COMMAND for item in form.items) and not form.has(purposes.TO_PEOPLE)


def _distinct(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Candidates without those that take just what another one takes, which says that it reads: one of them may harm."""
    groups: dict[frozenset[tuple[str, str]], list[Candidate]] = {}
    for one in candidates:
        needed = frozenset((i.key, i.description) for i in one.known.items if i.required and len(i.enum) != 1)
        groups.setdefault(needed, []).append(one)
    left = []
    for alike in groups.values():
        reading = [
            one
            for one in alike
            if {*words(one.tool), *words(one.known.name), *forced(one.known)} & {*purposes.READ_VERBS}
        ]
        operations = len({one.tool for one in alike}) < len(alike)
        left += reading or ([] if operations else alike)
    return tuple(one for one in candidates if one in left)


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
