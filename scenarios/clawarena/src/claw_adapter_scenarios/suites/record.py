"""The file of a suite."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol.base import Record
from claw_adapter.scenario.yamlsource import check_record, read_yaml
from claw_adapter_scenarios.spec.load import LAYERS

__all__ = ["SUITES", "Member", "Suite", "Target", "find_suite", "packaged_suites", "present"]

SUITES: Final = Path(__file__).parent.parent / "data" / "suites"
"""Suites that come with this distribution."""
Share = Annotated[float, Field(ge=0, le=1)]


class Member(Record):
    """A spec of a suite. A heavy one is left out by ``--without-heavy``."""

    id: str
    heavy: bool = False


class Target(Record):
    """What a figure should be: `value` within ±`tolerance` of itself, or between `least` and `most`."""

    figure: str
    value: float | None = None
    tolerance: Share = 0.1
    least: float | None = None
    most: float | None = None
    each: bool = False
    explanation: str = ""

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if (self.value is None) == (self.least is None and self.most is None):
            raise ValueError("a target has either 'value', or 'least' and 'most'")
        return self

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and most."""
        if self.value is not None:
            return self.value * (1 - self.tolerance), self.value * (1 + self.tolerance)
        low = float("-inf") if self.least is None else self.least
        return low, float("inf") if self.most is None else self.most

    def met(self, figure: float) -> bool:
        """Whether a figure is where it should be."""
        low, high = self.bounds
        return low - 1e-9 <= figure <= high + 1e-9


class Suite(Record):
    """A suite as written; specs are looked for beside the suite file first, then among the packaged ones."""

    id: str
    title: str
    scenarios: tuple[Member, ...] = Field(min_length=1)
    targets: tuple[Target, ...] = ()
    elsewhere: dict[str, str] = Field(default_factory=dict)
    """Why a figure of ``claw scenarios stats`` is not where the paper's is."""
    shared_shingles: Share = 0.2
    shared_answers: Share = 0.1
    root: Path = Field(default=SUITES, exclude=True)
    """The folder of the suite file."""

    @model_validator(mode="after")
    def _ids(self) -> Self:
        if len({member.id for member in self.scenarios}) < len(self.scenarios):
            raise ValueError("a scenario is there twice")
        return self

    def folder(self, member: Member) -> Path:
        """Where a member's spec is, or should be."""
        from claw_adapter_scenarios.authoring import SPECS

        beside = self.root / member.id
        return beside if beside.is_dir() else SPECS / member.id

    @property
    def file(self) -> Path:
        """The suite file."""
        return self.root / f"{self.id}.yaml"


def packaged_suites() -> list[Suite]:
    """The suites that come with this distribution, by name."""
    return [find_suite(path.stem) for path in sorted(SUITES.glob("*.yaml"))]


def find_suite(name: str) -> Suite:
    """A suite by its name, or by its file (``….yaml``), whose specs lie beside it.

    Raises:
        ScenarioError: there is none, or it is wrong: file, line, field.
    """
    path = Path(name) if name.endswith((".yaml", ".yml")) else SUITES / f"{name}.yaml"
    if not path.is_file():
        known = ", ".join(one.stem for one in sorted(SUITES.glob("*.yaml")))
        raise ScenarioError("no suite here", where=name, remedy=f"Name a suite file, or one of: {known}.")
    found: Suite = check_record(read_yaml(path), Suite)
    return found.model_copy(update={"root": path.parent})


def present(suite: Suite, *, heavy: bool = True) -> tuple[list[Path], list[str]]:
    """The specs that are there, in the suite's order, and the ids of those that are missing (all six files make a spec).

    Args:
        suite: the suite.
        heavy: whether heavy members count.
    """
    folders, missing = list[Path](), list[str]()
    for member in suite.scenarios:
        if member.heavy and not heavy:
            continue
        folder = suite.folder(member)
        if all((folder / f"{layer}.yaml").is_file() for layer in LAYERS):
            folders.append(folder)
        else:
            missing.append(member.id)
    return folders, missing
