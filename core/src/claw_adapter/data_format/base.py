"""Formats of data sets other than ``scenario/1``: what a plugin brings so that the commands can read one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from claw_adapter.data_format.counting import Entry, TextLedger
from claw_adapter.data_format.findings import Checked
from claw_adapter.data_format.tables import Facts

if TYPE_CHECKING:
    from rich.console import Console

    from claw_adapter.scoring import MetricSet
    from claw_adapter.scoring.observed import Observation

__all__ = ["Counted", "DataFormat", "RoundProgress", "ScoredAgain"]

RoundProgress = Callable[[str, int, int], None]
"""Called with the scenario, rounds done, and rounds in all."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A data set taken into a ledger: its name, and per layout what `TextLedger.add` returned and one entry per scenario."""

    name: str
    entries: Mapping[str, Sequence[Entry]]
    facts: Mapping[str, Sequence[Facts]]


class ScoredAgain(ABC):
    """Recorded results of another tool, scored again."""

    @property
    @abstractmethod
    def failed(self) -> bool:
        """Whether something derived contradicts what was recorded."""

    @abstractmethod
    def as_json(self) -> dict[str, Any]:
        """Plain data."""

    @abstractmethod
    def show(self, metric_set: MetricSet, out: Console) -> None:
        """Print the scores, with the metrics of a metric set."""

    @abstractmethod
    def observations(self) -> Sequence[Observation]:
        """One per recorded round, for the breakdowns."""


class DataFormat(ABC):
    """One format of data sets. `layout` is the layout to use where one is needed and none was named."""

    name: ClassVar[str]
    api: ClassVar[str] = "claw/1"
    layout: ClassVar[str]

    @abstractmethod
    def recognises(self, path: Path) -> bool:
        """Whether a file or folder looks like a data set of this format; reads no content."""

    @abstractmethod
    def check(self, path: Path, layout: str = "all") -> Checked:
        """Everything that is wrong with a data set.

        Raises:
            ScenarioError: it cannot be read, or does not have this layout.
        """

    @abstractmethod
    def convert(self, path: Path, out: Path, *, layout: str, compat: bool = False) -> list[Path]:
        """Write every scenario as a folder of ``scenario/1`` below `out`; `compat` keeps what the original runner does.

        Raises:
            ScenarioError: the data has errors, or a folder is in use.
        """

    @abstractmethod
    def count(self, path: Path, layout: str, ledger: TextLedger) -> Counted:
        """Take everything that counts into the ledger.

        Raises:
            ScenarioError: a file cannot be read, or the data set does not have this layout.
        """

    @abstractmethod
    async def score(
        self, results: Path, data: Path, *, isolation: int, progress: RoundProgress | None = None
    ) -> ScoredAgain:
        """Score recorded results again; recorded commands and checks run at the isolation level.

        Raises:
            ScenarioError: results or data cannot be read, or do not belong together.
            SandboxError: the isolation level cannot be provided.
        """
