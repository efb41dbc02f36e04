"""The papers' numbers, and how far a suite is from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final, Literal

import yaml
from pydantic import TypeAdapter

from claw_adapter.protocol.base import Record
from claw_adapter_scenarios.stats.figures import SuiteFigures, figures

__all__ = ["NEAR", "Deviation", "Paper", "PaperName", "deviations", "paper", "suits"]

NEAR: Final = 0.1
PaperName = Literal["v1", "v2"]


class Figure(Record):
    """A number of a paper and where it stands."""

    key: str
    value: float
    place: str


class Paper(Record):
    """What a paper states of its suite."""

    title: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Deviation:
    """A figure of the paper beside the suite's; `relative` is ours / theirs − 1, None where theirs is 0 or ours unknown."""

    key: str
    paper: float
    place: str
    ours: float | None
    relative: float | None

    @property
    def near(self) -> bool:
        """Whether ours is within a tenth of theirs; a figure that nothing can be said of is not far."""
        return self.relative is None or abs(self.relative) <= NEAR + 1e-9


@cache
def _papers() -> dict[str, Paper]:
    text = resources.files(__package__).joinpath("data/papers.yaml").read_text("utf-8")
    return TypeAdapter(dict[str, Paper]).validate_python(yaml.safe_load(text))


def paper(name: PaperName) -> Paper:
    """The numbers of one paper."""
    return _papers()[name]


def suits(suite: SuiteFigures) -> PaperName:
    """The paper whose suite is nearer in size."""
    return "v1" if len(suite.scenarios) > (12 + 64) / 2 else "v2"


def deviations(suite: SuiteFigures, name: PaperName) -> list[Deviation]:
    """Every figure of a paper beside the suite's, in the paper's order."""
    ours = figures(suite)
    return [
        Deviation(
            key=one.key,
            paper=one.value,
            place=one.place,
            ours=ours.get(one.key),
            relative=ours[one.key] / one.value - 1 if one.key in ours and one.value else None,
        )
        for one in paper(name).figures
    ]
