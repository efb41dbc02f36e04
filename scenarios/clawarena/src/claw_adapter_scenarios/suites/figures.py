"""What targets of a suite are about, counted on compiled variants: no tokens, so that it takes no time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import mean
from types import MappingProxyType

from claw_adapter_scenarios.compiler.compiled import Compiled

__all__ = ["FIGURES", "TOTALS", "each", "figures"]

FIGURES: Mapping[str, str] = MappingProxyType({
    "scenarios": "scenarios",
    "rounds": "rounds",
    "multi_choice_share": "part of the rounds that are multi_choice",
    "options_least": "fewest options of a set selection, a revision included",
    "options_most": "most options",
    "options_mean": "mean of options",
    "gold_least": "fewest true options",
    "gold_most": "most true options",
    "gold_mean": "mean of true options",
    "update_rounds": "rounds that apply an update",
    "silent_rounds": "rounds of a silent exam",
    "silent_dimensions": "preference dimensions that silent exams look at",
    "categories": "different category tags",
    "channels": "conversations beside the main session",
    "messages": "messages in these conversations, updates included",
})  # fmt: skip
"""Meaning by name."""
TOTALS = frozenset({"scenarios", "rounds", "update_rounds", "silent_rounds", "silent_dimensions", "categories"})
"""Figures that say something about the whole suite only when all of it is there."""


def figures(variants: Sequence[Compiled]) -> dict[str, float]:
    """The figures of several variants together; those without a denominator are left out."""
    rounds = [one for made in variants for one in made.rounds]
    options = [len(one.options) for one in rounds if one.options]
    gold = [len(one.answer.answer) for one in rounds if one.options]
    found: dict[str, float] = {
        "scenarios": len(variants),
        "rounds": len(rounds),
        "update_rounds": sum(bool(one.spec.updates) for one in rounds),
        "silent_rounds": sum(bool(one.spec.exam) for one in rounds),
        "silent_dimensions": len(_examined(variants)),
        "categories": len({one.round.tags.category for one in rounds if one.round.tags.category}),
        "channels": sum(len(made.material.entries) for made in variants),
        "messages": sum(len(loop.messages) for made in variants for loop in made.material.loops),
    }
    if rounds:
        found["multi_choice_share"] = sum(one.spec.type == "multi_choice" for one in rounds) / len(rounds)
    bounds: tuple[tuple[str, Callable[[list[int]], float]], ...] = (("least", min), ("most", max), ("mean", mean))
    for name, counts in (("options", options), ("gold", gold)):
        found |= {f"{name}_{which}": float(of(counts)) for which, of in bounds if counts}
    return found


def each(variants: Sequence[Compiled], figure: str) -> dict[str, float]:
    """One figure by scenario."""
    return {made.id: found[figure] for made in variants if figure in (found := figures([made]))}


def _examined(variants: Sequence[Compiled]) -> set[str]:
    return {
        made.preferences[name].dimension
        for made in variants
        for one in made.rounds
        for name in one.spec.exam
        if name in made.preferences
    }
