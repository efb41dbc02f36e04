"""What is demanded of a suite as a whole. Ids are stable: a rule that goes is never given to another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType

from claw_adapter.errors import ScenarioError
from claw_adapter.finding import Finding, Severity
from claw_adapter_scenarios.compiler.compile import compile_spec
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.spec.load import load_spec
from claw_adapter_scenarios.suites.figures import FIGURES, TOTALS, each, figures
from claw_adapter_scenarios.suites.likeness import names, overlap, shared_answers, shingles
from claw_adapter_scenarios.suites.record import Suite, Target, present

__all__ = ["SUITE_RULES", "Measure", "compile_members", "measures", "suite_findings"]

SUITE_RULES: Mapping[str, str] = MappingProxyType({
    "SUITE-001": "every spec of the suite is there",
    "SUITE-002": "every spec of the suite compiles, and has the id under which the suite names it",
    "SUITE-003": "targets are about figures that exist",
    "SUITE-010": "a figure of the whole is within its target, or the suite file explains why not",
    "SUITE-011": "a figure of every scenario is within its target, or the suite file explains why not",
    "SUITE-020": "no two scenarios share more of their wording than the suite allows, names and numbers masked",
    "SUITE-030": "private variants (other seeds) compile and have the same figures",
    "SUITE-031": "a private variant shares no name of a person with the public one",
    "SUITE-032": "no more numbers in answers are the same in all private variants than the suite allows",
})  # fmt: skip
"""Demand by id."""

PRIVATE = 3
"""How many private variants are looked at: the seeds after the public one."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A target beside what is there; `scenario` is empty for the whole suite."""

    target: Target
    scenario: str
    found: float
    met: bool


def suite_findings(suite: Suite, variants: Sequence[Compiled], *, seed: int = 0) -> list[Finding]:
    """Everything that is wrong with a suite as a whole.

    Args:
        suite: the suite.
        variants: what `compile_members` made of it.
        seed: of these variants; the private ones are the next seeds.
    """
    found = list(_targets(suite, variants))
    found += _wording(suite, variants)
    for made in variants:
        found += _private(suite, made, range(seed + 1, seed + 1 + PRIVATE))
    return found


def _finding(rule: str, message: str, suite: Suite, severity: Severity = "error") -> Finding:
    assert rule in SUITE_RULES  # noqa: S101 - a misspelt id is a slip of ours
    return Finding(rule, severity, message, str(suite.file))


def compile_members(suite: Suite, seed: int, *, heavy: bool = True) -> tuple[list[Compiled], list[Finding]]:
    """The variants of the specs that are there and compile, and what is wrong with the others."""
    folders, missing = present(suite, heavy=heavy)
    found = [_finding("SUITE-001", f"{name} is not there", suite) for name in missing]
    variants: list[Compiled] = []
    for folder in folders:
        try:
            made = compile_spec(load_spec(folder), seed)
        except ScenarioError as error:
            found.append(_finding("SUITE-002", f"{folder.name}: {error}".splitlines()[0], suite))
            continue
        if made.spec.truth.id != folder.name:
            found.append(_finding("SUITE-002", f"{folder.name} calls itself {made.spec.truth.id}", suite))
        variants.append(made)
    return variants, found


def measures(suite: Suite, variants: Sequence[Compiled]) -> Iterator[Measure]:
    """Every target of a known figure beside what is there; totals count as met while members are missing."""
    whole, complete = figures(variants), len(variants) == len(suite.scenarios)
    for target in suite.targets:
        if target.each and target.figure in FIGURES:
            for name, value in each(variants, target.figure).items():
                yield Measure(target, name, value, target.met(value))
        elif target.figure in whole:
            waits = target.figure in TOTALS and not complete
            yield Measure(target, "", whole[target.figure], waits or target.met(whole[target.figure]))


def _targets(suite: Suite, variants: Sequence[Compiled]) -> Iterator[Finding]:
    for target in suite.targets:
        if target.figure not in FIGURES:
            yield _finding("SUITE-003", f"there is no figure {target.figure!r}", suite)
    for one in measures(suite, variants):
        if not one.met and not one.target.explanation:
            low, high = one.target.bounds
            place = f"{one.scenario}: " if one.scenario else ""
            rule = "SUITE-011" if one.scenario else "SUITE-010"
            message = f"{place}{one.target.figure} is {one.found:.4g}, and should be {low:.4g} to {high:.4g}"
            yield _finding(rule, message, suite)


def _wording(suite: Suite, variants: Sequence[Compiled]) -> Iterator[Finding]:
    said = [(made.id, shingles(made)) for made in variants]
    for (one, ours), (other, theirs) in combinations(said, 2):
        if (share := overlap(ours, theirs)) > suite.shared_shingles:
            message = f"{one} and {other} share {100 * share:.0f} % of their eight-word shingles"
            yield _finding("SUITE-020", message, suite)


def _private(suite: Suite, public: Compiled, seeds: Sequence[int]) -> Iterator[Finding]:
    variants: list[Compiled] = []
    for seed in seeds:
        try:
            variants.append(compile_spec(public.spec, seed))
        except ScenarioError as error:
            yield _finding("SUITE-030", f"{public.id}: seed {seed} does not compile: {error.what}", suite)
            return
    for private in variants:
        yield from _same_figures(suite, public, private)
        parts = [{part for name in names(made) for part in name.split()} for made in (public, private)]
        if both := sorted(parts[0] & parts[1]):
            yield _finding("SUITE-031", f"{private.id} has people called {', '.join(both)} as well", suite)
    share, same = shared_answers(public, variants)
    if share > suite.shared_answers:
        message = f"{public.id}: other seeds keep {100 * share:.0f} % of the numeric answers: {', '.join(same)}"
        yield _finding("SUITE-032", message, suite)


def _same_figures(suite: Suite, public: Compiled, private: Compiled) -> Iterator[Finding]:
    ours, theirs = figures([public]), figures([private])
    for name in sorted(ours.keys() | theirs.keys()):
        if ours.get(name) != theirs.get(name):
            message = f"{private.id}: {name} is {theirs.get(name)}, and {ours.get(name)} in the public one"
            yield _finding("SUITE-030", message, suite)
