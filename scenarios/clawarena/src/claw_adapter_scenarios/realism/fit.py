"""How well built scenarios agree with the verified entries of the registry, entry by entry.

Every line names its entry, the test, the size of the deviation and its probability by chance. What the sampling functions
were fed with is tested here as well: such a line says that the drawing works, not that the source is right. The tests take
messages for independent, which those of one conversation are not: hence a small deviation never counts, however improbable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from claw_adapter.protocol import Scenario
from claw_adapter.scoring import holm
from claw_adapter.scoring.agreement import Fit
from claw_adapter_scenarios.realism.comparisons import JUDGED, TESTS
from claw_adapter_scenarios.realism.curves import curve as curve_named
from claw_adapter_scenarios.realism.curves import curve_for
from claw_adapter_scenarios.realism.observe import Shown, observe
from claw_adapter_scenarios.realism.registry import RealismEntry, entries

__all__ = ["FitLine", "FitReport", "fit"]

LEVEL = 0.01
"""A deviation less probable than this by chance, after Holm's correction, is called one …"""
SMALL_EFFECT = 0.2
"""… unless it is smaller than this (Cohen's w or h: small below 0.2): thousands of messages make anything significant."""
FEWEST = 20
"""Observations below which nothing is decided."""

Verdict = Literal["agrees", "deviates", "too few", "not shown"]


@dataclass(frozen=True, slots=True)
class FitLine:
    """One verified entry against what the scenarios show.

    Attributes:
        expected: the published value in words.
        observed: the scenarios' value in words; empty where they show none.
        n: observations, messages or scenarios.
        effect: see `claw_adapter.scoring.agreement.Fit`; for bands the share outside, for ratios the factor between.
        p: after Holm's correction over all lines; None where nothing is tested.
    """

    entry: RealismEntry
    expected: str
    observed: str
    n: int
    test: str
    effect: float | None
    p: float | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class FitReport:
    """All lines; `untested` are verified entries of which scenarios show nothing, `left_out` those from memory."""

    scenarios: int
    messages: int
    lines: tuple[FitLine, ...]
    untested: tuple[str, ...]
    left_out: tuple[str, ...]


def fit(
    scenarios: Iterable[Scenario], *, noise: Mapping[str, float] | None = None, curve: str | None = None
) -> FitReport:
    """Compare scenarios with every verified entry that they show something of.

    Args:
        scenarios: at least one.
        noise: share of noise by scenario id, as their builder knows it; scenario/1 itself does not tell noise.
        curve: the diurnal curve of all; default: by domain, see `curves.curve_for`.

    Raises:
        ScenarioError: an unknown curve, or an update's file that cannot be read.
    """
    given = noise or {}
    found = [observe(scenario, given.get(scenario.id)) for scenario in scenarios]
    if curve is not None:
        curve_named(curve)
    usable = [one for one in entries() if one.verified and one.test]
    lines = [_line(one, _subset(one, found, curve)) for one in usable]
    return FitReport(
        scenarios=len(found),
        messages=sum(len(one.times) for one in found),
        lines=tuple(_corrected(lines)),
        untested=tuple(one.id for one in entries() if one.verified and not one.test),
        left_out=tuple(one.id for one in entries() if not one.verified),
    )


def _subset(one: RealismEntry, found: Sequence[Shown], curve: str | None) -> list[Shown]:
    """The scenarios that an entry is about, restricted to the channels it is about."""
    what, _, name = one.applies.partition(":")
    if what == "curve":
        return [of for of in found if (curve or curve_for(of.domain)) == name]
    if what == "channel":
        return [_only(of, name) for of in found]
    return list(found)


def _only(one: Shown, word: str) -> Shown:
    return replace(
        one,
        times=tuple(pair for pair in one.times if word in pair[1].casefold()),
        replies=tuple(reply for reply in one.replies if word in reply.channel.casefold()),
    )


def _line(one: RealismEntry, found: Sequence[Shown]) -> FitLine:
    expected, observed, test, n = TESTS[one.test](one, found)
    if not observed:
        return FitLine(one, expected, "", n, "", None, None, "not shown")
    if test is None or (isinstance(test, Fit) and n < FEWEST):
        return FitLine(one, expected, observed, n, "", None, None, "too few")
    return FitLine(one, expected, observed, n, test.name, test.effect, test.p, "agrees")


def _corrected(lines: Sequence[FitLine]) -> list[FitLine]:
    """P-values corrected over all tests, and the verdicts that follow."""
    tested = [place for place, line in enumerate(lines) if line.p is not None]
    adjusted = dict(zip(tested, holm([lines[place].p or 0.0 for place in tested]), strict=True))
    made = []
    for place, line in enumerate(lines):
        if place in adjusted:
            effect = line.effect or 0.0
            wrong = adjusted[place] < LEVEL and effect >= SMALL_EFFECT
            made.append(replace(line, p=adjusted[place], verdict="deviates" if wrong else "agrees"))
        elif line.test in JUDGED:
            made.append(replace(line, verdict="agrees" if JUDGED[line.test](line.effect or 0.0) else "deviates"))
        else:
            made.append(line)
    return made
