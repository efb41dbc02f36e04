"""What a drafted text must keep: marks, what stands in them, references, and no fact typed out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.compiler.canon import Canon
from claw_adapter_scenarios.language.templates import render
from claw_adapter_scenarios.language.values import SeriesValue, render_value

__all__ = ["faults"]

_MARK: Final = re.compile(r"\[\[([^\[\]:]{1,200}):[ ]?([^\n]*?)\]\]")
_FIELD: Final = re.compile(r"\{[^{}\n]*\}")
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
LONGER: Final = 3
"""A draft may be at most that many times as long as its original (and 400 characters)."""


def faults(before: str, after: str, canon: Canon) -> list[str]:
    """Why a draft `after` may not replace the text `before`; empty when it may.

    Args:
        before: the text as the author wrote it; empty for a text that is new (a line of small talk).
        after: the draft.
        canon: the variant as written, for the values of facts and the names of people.
    """
    found = list(_kept(before, after))
    if len(after) > LONGER * len(before) + 400:
        found.append(f"it has {len(after)} characters, the original {len(before)}")
    try:
        render(after, canon)
    except ScenarioError as error:
        return [*found, f"it cannot be read as a template: {error.what}"]
    return [*found, *_typed(before, after, canon)]


def _kept(before: str, after: str) -> Iterator[str]:
    for what, pick in (("mark", _marks), ("reference", _references)):
        ours, theirs = pick(before), pick(after)
        for lost in sorted((ours - theirs).elements()):
            yield f"the {what} {lost} is gone or changed"
        for new in sorted((theirs - ours).elements()):
            yield f"the {what} {new} is not in the original"


def _marks(text: str) -> Counter[str]:
    """Whole marks: what is evidence stays as it was, to the letter."""
    return Counter(found[0] for found in _MARK.finditer(text))


def _references(text: str) -> Counter[str]:
    """Fields outside marks; choices and slots are the writer's own."""
    plain = _MARK.sub("", text)
    fields = (found[0] for found in _FIELD.finditer(plain))
    return Counter(field for field in fields if not field.startswith(("{any:", "{slot.")))


def _typed(before: str, after: str, canon: Canon) -> Iterator[str]:
    """Names of people, values of facts and numbers that the draft has typed out."""
    plain, known = _plain(after), _plain(before)
    for name in canon.people.values():
        for part in {name, *name.split()}:
            if re.search(rf"(?<!\w){re.escape(part)}(?!\w)", plain) and part not in known:
                yield f"the name {part!r} is typed out"
    for number in sorted(set(_NUMBER.findall(plain)) - set(_NUMBER.findall(known))):
        yield f"the number {number} is typed out"
    for fact in canon.spec.truth.facts:
        value = canon.value(fact)
        text = "" if isinstance(value, SeriesValue | bool) else render_value(value)
        if len(text) > 3 and not text.isdigit() and text in plain and text not in known:
            yield f"the value {text!r} of {fact} is typed out"


def _plain(text: str) -> str:
    return _FIELD.sub(" ", _MARK.sub(" ", text))
