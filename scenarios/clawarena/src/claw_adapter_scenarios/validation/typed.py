"""Values that are typed into marks, which then claim what is not so in other seeds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, time
from fractions import Fraction
from typing import Final

from claw_adapter import values
from claw_adapter.errors import ScenarioError
from claw_adapter.finding import Finding
from claw_adapter_scenarios.compiler.canon import draw_canon
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.language.templates import typed_in
from claw_adapter_scenarios.language.values import Value
from claw_adapter_scenarios.validation.rules import spec_finding
from claw_adapter_scenarios.validation.texts import spec_texts

__all__ = ["typed_values"]

_MORE: Final = "A-Za-z0-9零一二三四五六七八九十百千万"
"""What makes a value that stands beside it another one."""


def typed_values(variants: Sequence[Compiled]) -> Iterator[Finding]:
    """Marks with a typed value that other variants of the same words change; the first variant is that of seed 0."""
    spec = variants[0].spec
    claimed: dict[tuple[str, str], set[str]] = {}
    typed: dict[tuple[str, str], tuple[str, str]] = {}
    for made in variants:
        try:
            as_written = draw_canon(made.spec, 0)
        except ScenarioError:  # what is required of draws does not hold of the numbers as written in this world
            as_written = made.canon
        for text in spec_texts(made.spec):
            for head, words, written in () if text.expression else typed_in(text.text):
                for name in {said for _, said in head.claims if said in spec.truth.facts}:
                    if re.search(rf"\{{[^{{}}]*\b{name}\b", written):
                        continue  # a reference says it, and what else is typed says something else
                    claimed.setdefault((written, name), set()).add(_said(made.canon.value(name)))
                    if found := _find(words, as_written.value(name), spec.truth.language):
                        typed.setdefault((written, name), (found, made.spec.where(text.layer, *text.path)))
    for (written, name), (found, where) in typed.items():
        if len(claimed[written, name]) > 1:
            said = f"{found!r} is typed into a mark, and in other seeds {name!r} is another: write {{{name}}}"
            yield spec_finding("SPEC-048", said, spec.find(written, where))


def _said(value: Value) -> str:
    """A value as far as texts tell it: of a moment the time of day, since days are others in each seed."""
    return value.strftime("%H:%M") if isinstance(value, datetime | time) else str(value)


def _find(words: str, value: Value, language: str) -> str:
    """How words say a value: a number or a time of day in any notation, a text as it is; empty where they do not."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        ways = [*values.renderings({"type": "number"}, Fraction(str(value)), language).values()]
    elif isinstance(value, datetime | time):
        ways = [*values.renderings({"type": "time"}, _said(value), language).values()]
    else:
        ways = [value] if isinstance(value, str) else []
    for way in ways:
        if len(way.encode()) > 3 or way.isdigit():  # "two" and 二 say many things
            found = re.search(rf"(?<![{_MORE}.,:]){re.escape(way)}(?![{_MORE}]|[.,:]\d)", words, re.IGNORECASE)
            if found:
                return found[0]
    return ""
