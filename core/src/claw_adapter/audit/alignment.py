"""What must be in a request beside what is in it: what matches, what is missing, what is there besides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from claw_adapter.audit.rendering import Renderer
from claw_adapter.audit.units import CALL, RESULT, RequestUnit, Said, without_defaults

__all__ = ["Alignment", "align"]

Token = tuple[str, str]


@dataclass(slots=True)
class Alignment:
    """Positions in both lists."""

    missing: list[int] = field(default_factory=list)
    """Of what must be there."""
    extra: list[int] = field(default_factory=list)
    """Of what is there besides."""
    pairs: dict[int, int] = field(default_factory=dict)
    """Of what must be there, to where it is."""


def align(expected: Sequence[Said], actual: Sequence[RequestUnit], renderer: Renderer) -> Alignment:
    """Find every expected unit in order, each once, under the declared renderings."""
    must, have = _tokens(expected, actual, renderer)
    found = _in_turn(must, have)
    if len(found.pairs) == len(must):
        return found
    matcher = SequenceMatcher(None, must, have, autojunk=False)
    equal = [(start + n, there + n) for start, there, size in matcher.get_matching_blocks() for n in range(size)]
    found = _between(expected, actual, renderer, equal)
    if (
        found.missing and renderer.loose
    ):  # of what was said twice the wrong one may stand there, and the other one be joined
        times = Counter(must)
        once = [(at, place) for at, place in equal if times[must[at]] == 1]
        found = min(found, _between(expected, actual, renderer, once), key=lambda one: len(one.missing))
    if renderer.has("told"):
        _told(expected, actual, renderer, found)
    return found


def _between(
    expected: Sequence[Said], actual: Sequence[RequestUnit], renderer: Renderer, equal: Sequence[tuple[int, int]]
) -> Alignment:
    """What is equal in both, and what is found between."""
    found = Alignment(pairs=dict(equal))
    before = (0, 0)
    for at, place in (*equal, (len(expected), len(actual))):
        _gap(expected, actual, renderer, (before[0], at), (before[1], place), found)
        before = (at + 1, place + 1)
    found.missing = [at for at in range(len(expected)) if at not in found.pairs]
    used = set(found.pairs.values())
    found.extra = [at for at in range(len(actual)) if at not in used]
    return found


def _tokens(
    expected: Sequence[Said], actual: Sequence[RequestUnit], renderer: Renderer
) -> tuple[list[Token], list[Token]]:
    known: dict[Token, str] = {}
    must = []
    for said in expected:
        kind = renderer.kind(said.kind)
        first, *others = renderer.forms(said)
        token = known.setdefault((kind, first), first)
        for form in others:
            known.setdefault((kind, form), token)
        must.append((kind, token))
    have = []
    for unit in actual:
        kind, text = renderer.kind(unit.kind), renderer.unit(unit)
        if unit.kind == CALL and (kind, text) not in known and (kind, bare := without_defaults(text)) in known:
            text = bare
        text = text if unit.kind in (CALL, RESULT) and (kind, text) in known else renderer.plain(text)
        have.append((kind, known.get((kind, text), text)))
    return must, have


def _in_turn(must: Sequence[Token], have: Sequence[Token]) -> Alignment:
    """The plain case: all of it is there in order."""
    found, at = Alignment(), 0
    for number, token in enumerate(have):
        if at < len(must) and must[at] == token:
            found.pairs[at] = number
            at += 1
        else:
            found.extra.append(number)
    return found


def _gap(
    expected: Sequence[Said],
    actual: Sequence[RequestUnit],
    renderer: Renderer,
    must: tuple[int, int],
    have: tuple[int, int],
    found: Alignment,
) -> None:
    """Between two places that match: texts may stand joined, or with something around them, where that is declared."""
    if not renderer.loose:
        return
    at, offset = have[0], 0
    for number in range(*must):
        said = expected[number]
        for place in range(at, have[1]):
            unit = actual[place]
            if renderer.kind(unit.kind) != renderer.kind(said.kind):
                continue
            text = renderer.bare(unit.text)
            start = offset if place == at else 0
            end = _inside(text, said, start, renderer)
            if end:
                found.pairs[number] = place
                at, offset = place, end
                break


def _inside(text: str, said: Said, start: int, renderer: Renderer) -> int:
    """Where a text ends inside another one, if what stands before it may stand there; 0 if it is not in it."""
    for form in sorted(renderer.forms(said), key=len, reverse=True):
        place = text.find(form, start)
        if place >= 0 and form and renderer.between(text[start:place]):
            return place + len(form)
    return 0


def _told(expected: Sequence[Said], actual: Sequence[RequestUnit], renderer: Renderer, found: Alignment) -> None:
    """Where the past is told as text, whatever it was stands somewhere in what the user says."""
    texts = [(at, renderer.bare(unit.text)) for at, unit in enumerate(actual) if unit.kind == "user"]
    kept = []
    for number in found.missing:
        said = expected[number]
        forms = renderer.forms(said) if said.kind != CALL else (said.text.partition(" ")[0],)
        place = next((at for at, text in texts if any(form in text for form in forms)), None)
        if place is None:
            kept.append(number)
        else:
            found.pairs[number] = place
    found.missing = kept
    used = set(found.pairs.values())
    found.extra = [at for at in found.extra if at not in used]
