"""Templates: names, formats, inline expressions, choices, and marks that say what a span is evidence of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.language.expressions import evaluate
from claw_adapter_scenarios.language.values import Value, render_value

__all__ = [
    "Mark",
    "MarkHead",
    "Rendered",
    "Scope",
    "expressions_in",
    "heads_in",
    "names_used",
    "open_mark",
    "parse_head",
    "render",
    "typed_in",
]

_MARK = re.compile(r"\[\[([^\[\]:]{1,200}):[ ]?([^\n]*?)\]\]")
_FIELD = re.compile(r"\{\{|\}\}|\{([^{}\n]*)\}")
_NAME = re.compile(r"([A-Za-z]\w*)((?:\.[a-z_]+)?)(?:\|(\w+))?\Z")
_OPEN = re.compile(r"\[\[(?=[^\n]*:|.*\]\])[^\n]*", re.DOTALL)
_HEAD = re.compile(r"(?:#([\w-]+)\s*)?(.*)\Z", re.DOTALL)
_CLAIM = re.compile(r"([A-Za-z]\w*)(?:=([A-Za-z]\w*))?\Z")


class Scope(Protocol):
    """What names mean."""

    @property
    def language(self) -> str:
        """The language in which values are written."""
        ...

    def value(self, name: str) -> Value:
        """The value of a fact; raises ScenarioError when there is none."""
        ...

    def text(self, name: str, attribute: str) -> str | None:
        """The text of an actor, bias or phrase (or of an attribute); None when the name is a fact."""
        ...

    def choose(self, choices: Sequence[str]) -> str:
        """One of the choices of ``{any:a|b}``."""
        ...


@dataclass(frozen=True, slots=True)
class MarkHead:
    """What a mark claims: facts with the value claimed (a fact's name; the fact itself, or ``unknown``)."""

    id: str
    claims: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked span of a rendered text."""

    head: MarkHead
    text: str
    written: str
    """The mark as it stands in the template."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text with its marks."""

    text: str
    marks: tuple[Mark, ...]


def parse_head(text: str) -> MarkHead:
    """``#id fact, fact=other`` as a record.

    Raises:
        ScenarioError: it is not of that form.
    """
    found = _HEAD.match(text.strip())
    claims: list[tuple[str, str]] = []
    for part in (found[2] if found else "").split(","):
        claim = _CLAIM.match(part.strip())
        if claim is None:
            raise ScenarioError(
                f"not a mark: [[{text}: …]]", remedy="Write [[fact: span]] or [[#id fact=other: span]]."
            )
        claims.append((claim[1], claim[2] or claim[1]))
    return MarkHead(found[1] or "" if found else "", tuple(claims))


def heads_in(template: str) -> Iterator[MarkHead]:
    """The marks of a template."""
    for found in _MARK.finditer(template):
        yield parse_head(found[1])


def typed_in(template: str) -> Iterator[tuple[MarkHead, str, str]]:
    """The marks of a template: what each claims, the words of its span that are no fields, and the mark as written."""
    for found in _MARK.finditer(template):
        yield parse_head(found[1]), _FIELD.sub("\0", found[2]), found[0]


def open_mark(template: str) -> str:
    """The first line of a mark that is not closed on it; empty where there is none."""
    found = _OPEN.search(_MARK.sub("", template))
    return found[0] if found else ""


def expressions_in(template: str) -> Iterator[str]:
    """The inline expressions of a template."""
    for found in _FIELD.finditer(template):
        if (found[1] or "").startswith("="):
            yield found[1][1:].rpartition("|")[0] or found[1][1:]


def names_used(template: str) -> Iterator[tuple[str, str]]:
    """Name and attribute of each plain field of a template."""
    for found in _FIELD.finditer(template):
        if found[1] and not found[1].startswith(("=", "any:")) and (name := _NAME.match(found[1])):
            yield name[1], name[2].removeprefix(".")


def render(template: str, scope: Scope, *, extra: dict[str, Value] | None = None) -> Rendered:
    """Render a template, its marks taken out of the text.

    Args:
        template: the text as written.
        scope: what names mean.
        extra: further names (``at`` and ``value`` in rows of a series).

    Raises:
        ScenarioError: an unknown name or format, or a mark that is none.
    """
    marks: list[Mark] = []

    def mark(found: re.Match[str]) -> str:
        span = _fields(found[2], scope, extra or {})
        marks.append(Mark(parse_head(found[1]), span, found[0]))
        return span.replace("{", "{{").replace("}", "}}")

    unmarked = _MARK.sub(mark, template)
    if cut := open_mark(template):
        raise ScenarioError(f"a mark that is not closed on its line: {cut[:80]!r}", remedy="Write ]] on the same line.")
    return Rendered(_fields(unmarked, scope, extra or {}), tuple(marks))


def _fields(text: str, scope: Scope, extra: dict[str, Value]) -> str:
    return _FIELD.sub(_one(scope, extra), text)


def _one(scope: Scope, extra: dict[str, Value]) -> Callable[[re.Match[str]], str]:
    def field(found: re.Match[str]) -> str:
        inner = found[1]
        if inner is None:
            return found[0][0]
        if inner.startswith("any:"):
            return _fields(scope.choose(inner[4:].split("|")), scope, extra)
        if inner.startswith("="):
            body, bar, form = inner[1:].rpartition("|")
            expression, form = (body, form) if bar else (form, "")
            value = evaluate(expression, lambda name: _value(name, scope, extra))
            return render_value(value, form.strip(), scope.language)
        name = _NAME.match(inner)
        if name is None:
            raise ScenarioError(f"not a field: {{{inner}}}", remedy="Write {name}, {name|format} or {{ for a brace.")
        return _named(name[1], name[2].removeprefix("."), name[3] or "", scope, extra)

    return field


def _named(name: str, attribute: str, form: str, scope: Scope, extra: dict[str, Value]) -> str:
    if name not in extra and (text := scope.text(name, attribute)) is not None:
        return render_value(text, form, scope.language)
    if attribute:
        raise ScenarioError(f"{name!r} has no attribute {attribute!r}")
    return render_value(_value(name, scope, extra), form, scope.language)


def _value(name: str, scope: Scope, extra: dict[str, Value]) -> Value:
    return extra[name] if name in extra else scope.value(name)
