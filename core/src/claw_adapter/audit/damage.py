"""What happened to a text that must be there and is not: found, cut, changed, moved; and whether that is declared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from claw_adapter.audit.rendering import (
    ALIKE,
    MASKED,
    Renderer,
    blackened,
    felt,
)
from claw_adapter.audit.units import CALL, RESULT, RequestUnit, Said, adds_to
from claw_adapter.protocol.limits import Clip, Drop, Forget, Loss, Mask, Prune, WindowLimit
from claw_adapter.shared import shared

__all__ = ["DAMAGES", "Damage", "damage_of", "declared_for"]

LEAST: Final = 16
"""Characters that a piece must have to be taken for a text's beginning."""
SLACK: Final = 0.8
"""What a declared size may leave at least, as the mark of a cut counts, too."""
MARK: Final = 40
"""Characters that the mark of a cut may have; in a long text a quarter of it."""
PINNED: Final = 2
"""Messages of the user that may be kept from the beginning of a conversation of which the oldest part is dropped."""
SECRET: Final = 400
"""Characters that secrets of one text may have."""

DAMAGES: Final = {
    "missing": "is not there", "doubled": "is there twice", "order": "is not in its place",
    "stripped": "has lost blanks at its ends",
    "newlines": "has other line ends", "unicode": "has other characters (Unicode normal form)",
    "control": "has lost control characters", "directives": "has lost lines", "lines": "has lost lines",
    "long_numbers": "has other digits in a long number",
    "escapes": "has characters in the place of their escapes",
    "blanks": "has lost blanks or line ends",
    "line_blanks": "has lost blanks at the ends of lines",
    "cd_here": "has lost a `cd` before its command",
    "added": "has something added to it", "role": "comes in another role", "changed": "is changed",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Damage:
    """How a text is damaged: ``missing``, ``order``, ``cut``, ``added``, ``stripped``, ``role``, …; where its remains are."""

    how: str
    place: int | None = None
    kept: int = 0
    """Characters that are left of a text that was cut."""
    lost: str = ""
    """The first line that is gone, of a text of which lines are."""


@dataclass(frozen=True, slots=True)
class _Search:
    """What is looked for, and where it may be."""

    said: Said
    forms: tuple[str, ...]
    texts: dict[int, str]
    """Unexplained texts of a request by place."""
    same: tuple[int, ...]
    """Places of those that are of the same kind."""
    units: Sequence[RequestUnit]


def damage_of(said: Said, actual: Sequence[RequestUnit], free: Sequence[int], renderer: Renderer) -> Damage:
    """What became of `said`; `free` are the places of the request that nothing else explains."""
    texts = {at: renderer.unit(actual[at]) for at in free}
    same = tuple(at for at in free if renderer.kind(actual[at].kind) == renderer.kind(said.kind))
    if said.kind == RESULT:  # two results may be much alike; ids are at most written in another way
        same = tuple(at for at in same if _plain_id(actual[at].call) == _plain_id(said.call)) or same
    search = _Search(said, renderer.forms(said), texts, same, actual)
    for look in (_moved, _alike, _around, _cut, _without_lines, _marked, _changed, _in_another_role):
        if found := look(search):
            return found
    return Damage("missing")


def _plain_id(call: str) -> str:
    return re.sub(r"[\W_]", "", call)


def _moved(search: _Search) -> Damage | None:
    place = next((at for at in search.same if search.texts[at] in search.forms), None)
    return None if place is None else Damage("order", place)


def _alike(search: _Search) -> Damage | None:
    call = search.said.kind == CALL  # which may have further arguments there
    for how, alike in ALIKE:
        told = {alike(form) for form in search.forms}
        for at in search.same:
            text = alike(search.texts[at])
            if text in told or (call and any(adds_to(form, text) for form in told)):
                return Damage(how, at)
    return None


def _around(search: _Search) -> Damage | None:
    for at in search.same:
        text = search.texts[at]
        if inside := [form for form in search.forms if len(form) >= LEAST and form in text]:
            return Damage("doubled" if text.count(inside[0]) > 1 else "added", at)
    return None


def _cut(search: _Search) -> Damage | None:
    """The longest beginning (with the longest end behind it) of a text that is left somewhere."""
    best: Damage | None = None
    for at in search.same:
        text = search.texts[at]
        for form in search.forms:
            enough = min(LEAST, len(form) // 2 + 1)
            if form[: enough // 2] != text[: enough // 2]:
                continue
            first, last = shared(form, text)
            kept = first + last
            cut = first >= enough and len(form) - kept >= LEAST and len(text) - kept <= max(MARK, len(text) // 4)
            masked = MASKED.search(text) and kept * 2 >= len(text)
            if (cut or masked) and (best is None or kept > best.kept):
                best = Damage("cut" if cut else "changed", at, kept)
    return best


def _marked(search: _Search) -> Damage | None:
    """A text that is left with marks in several places."""
    for at in search.same:
        text = search.texts[at]
        if any(blackened(form, text) and len(text) * 2 >= len(form) for form in search.forms):
            return Damage("changed", at, len(text))
    return None


def _without_lines(search: _Search) -> Damage | None:
    """A text of which lines in several places are gone, and the others are left as they were."""
    for at in search.same:
        left = search.texts[at].split("\n")
        for form in search.forms:
            there, gone = iter(left), list[str]()
            wanted = next(there, None)
            for line in form.split("\n"):
                if line == wanted:
                    wanted = next(there, None)
                else:
                    gone.append(line)
            if wanted is None and len(left) > 1 and len(left) >= len(gone):
                return Damage("lines", at, len(search.texts[at]), gone[0])
    return None


def _changed(search: _Search) -> Damage | None:
    said = search.said
    if said.kind != RESULT or not said.call:
        return None
    place = next((at for at in search.same if search.units[at].call == said.call), None)
    return None if place is None else Damage("changed", place)


def _in_another_role(search: _Search) -> Damage | None:
    place = next((at for at, text in search.texts.items() if text in search.forms), None)
    return None if place is None else Damage("role", place)


@dataclass(frozen=True, slots=True)
class _Case:
    """What was damaged, what is left of it, and when."""

    said: Said
    damage: Damage
    left: str
    once: bool
    """Whether the text itself is in the request all the same."""
    age: int
    tokens: int
    results: int
    older: int


def declared_for(
    said: Said,
    damage: Damage,
    actual: Sequence[RequestUnit],
    renderer: Renderer,
    *,
    age: int,
    tokens: int,
    results: int = 0,
    older: int = 0,
) -> Loss | None:
    """The declared loss that explains it, if any.

    Args:
        said: what must be there.
        damage: what became of it.
        actual: the request.
        renderer: with the declared losses.
        age: how many turns ago it was said.
        tokens: the most that a request of the trial had so far.
        results: how many results of tools the conversation has had.
        older: how many messages of the user that are older are in the request.
    """
    left = renderer.unit(actual[damage.place]) if damage.place is not None else ""
    once = said.repeated and any(renderer.plain(said.text) in renderer.unit(unit) for unit in actual)
    case = _Case(said, damage, left, once, age, tokens, results, older)
    return next((loss for loss in renderer.losses if _explains(loss, case)), None)


def _explains(loss: Loss, case: _Case) -> bool:
    match loss:
        case Clip():
            found = _clipped(loss, case)
        case Prune():
            found = case.said.kind == RESULT and case.age >= loss.turns and len(case.said.text) > loss.characters
        case Forget():
            found = case.damage.how in ("missing", "order") and case.age > 0 and case.results >= loss.results
        case Mask():
            found = _masked(case)
        case Drop():
            found = _dropped(loss, case)
        case WindowLimit():
            newer = case.damage.how == "missing" and case.older > PINNED
            found = loss.then != "error" and felt(loss, case.tokens) and not (loss.then == "oldest" and newer)
        case _:
            found = False
    return found


def _masked(case: _Case) -> bool:
    """Whether hardly more than a secret is gone."""
    mark = MASKED.search(case.left) is not None and MASKED.search(case.said.text) is None
    mark = mark or blackened(case.said.text, case.left)
    return case.damage.how in ("cut", "changed") and mark and len(case.said.text) - len(case.left) <= SECRET


def _clipped(loss: Clip, case: _Case) -> bool:
    said = case.said
    past = loss.of == "seeded" and said.origin in ("seeded", "update")
    if not past and (loss.of == "seeded" or said.kind != RESULT):
        return False
    least = min(loss.left or loss.characters, loss.characters) * SLACK * SLACK
    long = len(said.text) > loss.characters * SLACK
    return case.damage.how in ("cut", "changed") and long and len(case.left) >= least


def _dropped(loss: Drop, case: _Case) -> bool:
    """Whether nothing but what is dropped has gone; of a text that is nothing else, nothing is left."""
    if loss.what == "text_before_calls":
        return case.said.before_calls and case.damage.how == "missing"
    if loss.what == "repeated_reply":
        return case.said.repeated and case.damage.how == "missing" and case.once
    if loss.what in ("long_numbers", "escapes", "line_blanks", "cd_here") and case.said.kind != CALL:
        return False
    way = dict(ALIKE).get(loss.what)
    return way is not None and (case.damage.how == loss.what or not way(case.said.text))
