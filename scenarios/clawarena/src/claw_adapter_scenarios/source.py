"""Scenario sources by name: a packaged spec or a suite, compiled when it is asked for."""

from __future__ import annotations

import logging
from itertools import product
from pathlib import Path
from random import Random
from typing import ClassVar

from claw_adapter.errors import ScenarioError
from claw_adapter.source import Dataset, ScenarioSource

__all__ = ["ClinicFridge", "Lite", "SpecSource", "SuiteSource"]

_log = logging.getLogger(__name__)


class SpecSource(ScenarioSource):
    """One packaged spec. Options: ``seed=N``, the variant, or ``seeds=0-7``, several."""

    def __init__(self, seed: int | str = 0, seeds: str = "") -> None:
        self.seeds = _numbers(seed, seeds)

    def load(self, path: Path | None = None) -> Dataset:
        """Compile and load, from `path` (a spec's folder) when it is given.

        Raises:
            ScenarioError: with file, line and field.
        """
        from claw_adapter_scenarios.authoring import find_spec

        return _dataset(self.name, [find_spec(self.name if path is None else str(path))], self.seeds)


_WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


class SuiteSource(ScenarioSource):
    """A suite.

    Options: ``seed=N`` or ``seeds=0-7``, ``heavy=no`` leaves heavy ones out, ``only=ID+ID`` takes some, ``sample=N`` so many,
    drawn from the word ``draw``.
    """

    def __init__(
        self,
        seed: int | str = 0,
        heavy: bool | str = True,
        only: str = "",
        seeds: str = "",
        sample: int | str = 0,
        draw: str | int = "",
    ) -> None:
        self.seeds = _numbers(seed, seeds)
        said = str(heavy).lower()
        if said not in _WORDS:
            raise ScenarioError(
                f"{heavy!r} is neither yes nor no", where="option 'heavy'", remedy="Write heavy=yes or heavy=no."
            )
        self.heavy = _WORDS[said]
        self.only = tuple(filter(None, only.split("+")))
        self.sample, self.draw = _number(sample, "sample"), str(draw)
        if self.sample < 0:
            raise ScenarioError(f"sample={sample} is less than nothing", remedy="Write NAME:sample=3.")
        if self.only and self.sample:
            raise ScenarioError("sample and only exclude each other", remedy="Give one of the two.")

    def load(self, path: Path | None = None) -> Dataset:
        """Compile and load what is there of the suite, from `path` (a suite file) when it is given; missing specs are logged.

        Raises:
            ScenarioError: a spec is wrong (file, line and field), or nothing of the suite is there.
        """
        from claw_adapter_scenarios.suites.record import find_suite, present

        suite = find_suite(self.name if path is None else str(path))
        known = [member.id for member in suite.scenarios]
        if strange := [name for name in self.only if name not in known]:
            raise ScenarioError(f"{suite.id} has no {', '.join(strange)}", remedy=f"It has: {', '.join(known)}.")
        folders, missing = present(suite, heavy=self.heavy)
        if self.only:
            folders = [folder for folder in folders if folder.name in self.only]
            missing = [name for name in missing if name in self.only]
        if self.sample:
            chosen = Random(f"{suite.id}/{self.draw}").sample(folders, min(self.sample, len(folders)))
            folders = [folder for folder in folders if folder in chosen]
        if missing:
            _log.warning("suite %s: not there: %s", suite.id, ", ".join(missing))
        if not folders:
            raise ScenarioError("nothing of the suite is there", where=str(suite.file), remedy="Write its specs first.")
        return _dataset(suite.id, folders, self.seeds)


class ClinicFridge(SpecSource):
    """The worked example of the author's guide."""

    name: ClassVar[str] = "clinic-fridge"


class Lite(SuiteSource):
    """The suite `lite`."""

    name: ClassVar[str] = "lite"


def _number(value: int | str, name: str = "seed") -> int:
    try:
        return int(str(value))
    except ValueError:
        raise ScenarioError(f"{name}={value} is not a number", remedy=f"Write NAME:{name}=3.") from None


def _numbers(seed: int | str, seeds: str) -> tuple[int, ...]:
    """The variants asked for: one, or all from the first to the last of ``0-7``."""
    if not seeds:
        return (_number(seed),)
    first, dash, last = seeds.partition("-")
    if not (dash and first.isdecimal() and last.isdecimal() and int(first) <= int(last)):
        raise ScenarioError(f"seeds={seeds} is no range", where="option 'seeds'", remedy="Write NAME:seeds=0-7.")
    return tuple(range(int(first), int(last) + 1))


def _dataset(name: str, folders: list[Path], seeds: tuple[int, ...]) -> Dataset:
    from claw_adapter.scenario import load_gold, load_scenario, require_valid
    from claw_adapter_scenarios.suites.cache import compiled

    scenarios = []
    for folder, seed in product(folders, seeds):
        scenario = load_scenario(compiled(folder, seed))
        require_valid(scenario, load_gold(scenario))
        scenarios.append(scenario)
    return Dataset(name=name, scenarios=tuple(scenarios))
