"""What the second edition demands of a variant: talk that is written, noise that is none, statements that have to be joined."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from claw_adapter.finding import Finding
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.compiler.questions import Decided
from claw_adapter_scenarios.validation.rules import spec_finding

__all__ = ["second_edition"]

TWO: Final = 1 / 2
THREE: Final = 1 / 4
"""Shares of the statements that rest on two places or more, and on three."""
CARD: Final = "card.md"
SECTIONS: Final = ("How it was made", "Worlds", "What makes it hard", "Solved blind", "Disagreements", "Limits")
"""What the quality card and data sheet of a spec has: headings of the second level."""
_NUMBER: Final = re.compile(r"(?<![\w-])\d+")
"""Not part of a name such as F2 or SC-40718."""
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}\b)")


def second_edition(made: Compiled) -> Iterator[Finding]:
    """All findings."""
    yield from _written(made)
    yield from _noise(made)
    yield from _joined(made)
    yield from _numbers(made)
    yield from _card(made)


def _written(made: Compiled) -> Iterator[Finding]:
    for number, channel in enumerate(made.spec.sessions.channels):
        if channel.noise or channel.context:
            where = made.spec.where("2-sessions", "channels", number, "noise" if channel.noise else "context")
            yield spec_finding("SPEC-083", f"{channel.id}: {channel.noise + channel.context} messages are drawn", where)


def _noise(made: Compiled) -> Iterator[Finding]:
    """Noise is what carries no evidence, whatever it is labelled."""
    told = {claim.where for claim in made.material.claims}
    loops = made.material.loops
    silent = sum(not any(f"session/{loop.session}#{m.id}" in told for m in loop.messages) for loop in loops)
    share = silent / len(loops) if loops else 0.0
    low, high = made.spec.controls.noise_share
    if not low <= share <= high:
        where = made.spec.where("5-controls", "noise_share")
        said = f"{share:.1%} of {len(loops)} exchanges carry no evidence; 'noise_share' allows {low:.0%} to {high:.0%}"
        yield spec_finding("SPEC-084", said, where)


def _joined(made: Compiled) -> Iterator[Finding]:
    """A statement rests on as many places as the smallest evidence that decides it stands in."""
    places = {claim.fragment: claim.place for claim in made.material.claims}
    found = [
        min((len({places.get(name, name) for name in group}) for group in option.verdict.sets), default=1)
        for one in made.rounds
        if one.spec.type != "revision" or one.spec.options
        for option in one.options
    ]
    for least, wanted, words in ((2, TWO, "two places"), (3, THREE, "three")):
        share = sum(count >= least for count in found) / max(1, len(found))
        if share < wanted:
            said = f"{share:.0%} of {len(found)} statements rest on {words} or more; {wanted:.0%} is asked for"
            yield spec_finding("SPEC-085", said, made.spec.where("3-rounds", "rounds"))


def _numbers(made: Compiled) -> Iterator[Finding]:
    for one in made.rounds:
        for option in one.options:
            if one.spec.options and (strange := sorted(_literal(made, option))):
                where = made.spec.where("3-rounds", "rounds", one.index, "options", option.number)
                said = f"round {one.spec.id!r}: {option.text!r} has {', '.join(map(str, strange))}"
                yield spec_finding("SPEC-086", f"{said}, and its predicate has not", where)


def _literal(made: Compiled, option: Decided) -> set[int]:
    """Numbers that are written out in a statement, and not in its predicate; names may have some of their own."""
    written = re.sub(r"\{[^{}]*\}", " ", option.spec.text)
    held = {int(number) for number in re.findall(r"\d+", made.canon.render(option.spec.condition).text)}
    return {int(number) for number in _NUMBER.findall(_THOUSANDS.sub("", written))} - held


def _card(made: Compiled) -> Iterator[Finding]:
    """A note only: a spec is validated long before anybody has solved it."""
    path = made.spec.root / CARD
    if not path.is_file():
        yield spec_finding("SPEC-087", f"there is no {CARD}", made.spec.where("0-truth"), "warning")
        return
    lines = path.read_text("utf-8").splitlines()
    for title in SECTIONS:
        if f"## {title}" not in lines:
            yield spec_finding("SPEC-087", f"{CARD} has no section {title!r}", f"{path}:1", "warning")
