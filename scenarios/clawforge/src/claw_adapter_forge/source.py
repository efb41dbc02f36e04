"""The scenario source ``forge``: the tasks of a set, one scenario each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from claw_adapter.errors import ScenarioError
from claw_adapter.options import FromOne, FromZero, checked
from claw_adapter.source import Dataset, ScenarioSource
from claw_adapter_forge.environment import WorldOptions

__all__ = ["ForgeSource", "SourceOptions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions(WorldOptions):
    """What a run may ask for, ``-`` in place of ``_``; the environment's options go to every scenario.

    Attributes:
        task_set: ``paper362`` has the published counts, ``scale`` and ``hard`` any number of tasks.
        seed: the same seed gives the same tasks.
        n: how many tasks `scale` and `hard` have.
        families: these families only, each with the number of its tasks: ``inbox_followthrough*5+my_family*3``.
        knobs: settings of difficulty that are not drawn, for `hard`: ``sites*12+decoys*1``.
        sample: only so many tasks, spread over abilities and families.
        only: only these tasks, by number or id, with ``+`` between them.
    """

    task_set: str = "paper362"
    seed: FromZero = 0
    n: FromOne = 362
    families: str = ""
    knobs: str = ""
    sample: FromZero = 0
    only: int | str = ""


class ForgeSource(ScenarioSource):
    """Tasks as scenarios; options: see `SourceOptions`.

    Raises:
        AdapterError: an unknown option, or a value it cannot have.
    """

    name: ClassVar[str] = "forge"

    def __init__(self, **options: Any) -> None:
        self._options = checked(SourceOptions, {k.replace("-", "_"): v for k, v in options.items()}, "scenarios forge")

    def load(self, path: Path | None = None) -> Dataset:
        """Generate the tasks; their folders are in the cache below CLAW_HOME.

        Raises:
            ScenarioError: no such task set or task, or the cache cannot be written.
        """
        from claw_adapter_forge.generator.choosing import counts_in, pick_tasks, sample_tasks
        from claw_adapter_forge.scenario_folders import scenario_of

        if path is not None:
            raise ScenarioError("tasks are generated, not read", where=str(path), remedy="Name them forge:seed=3.")
        asked = self._options
        names = tuple(filter(None, str(asked.only).split("+")))
        if names and asked.sample:
            raise ScenarioError("sample and only exclude each other", remedy="Give one of the two.")
        which = (asked.task_set, asked.seed, asked.n)
        special = (counts_in(asked.families), counts_in(asked.knobs))
        sampled = asked.sample
        tasks = sample_tasks(*which, sampled, *special) if sampled else pick_tasks(*which, names, *special)
        played = {"mode": asked.mode, "horizon": asked.horizon, "hide_output": asked.hide_output}
        return Dataset(name=self.name, scenarios=tuple(scenario_of(task, played) for task in tasks))
