"""What `claw check`, `claw tokens` and `claw score --from clawarena` ask of the published data and results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from claw_adapter.data_format import Checked, Counted, DataFormat, Entry, Facts, RoundProgress, ScoredAgain, TextLedger
from claw_adapter.errors import ScenarioError
from claw_adapter.finding import Finding
from claw_adapter_clawarena.facts import published_facts
from claw_adapter_clawarena.inventory import file_items, question_items
from claw_adapter_clawarena.manifest import read_places
from claw_adapter_clawarena.rules import RULES
from claw_adapter_clawarena.suite import is_published, open_suite

if TYPE_CHECKING:
    from rich.console import Console

    from claw_adapter.scoring import MetricSet
    from claw_adapter.scoring.observed import Observation
    from claw_adapter_clawarena.verdicts import Rescored

__all__ = ["ClawArenaFormat"]


class ClawArenaFormat(DataFormat):
    """A ``tests.json`` with the manifests of its layouts and their questions; results as the published runner writes them."""

    name: ClassVar[str] = "clawarena"
    layout: ClassVar[str] = "openclaw"

    def recognises(self, path: Path) -> bool:
        """Whether it is a ``tests.json``, or a folder with one."""
        return is_published(path)

    def check(self, path: Path, layout: str = "all") -> Checked:
        """Findings by layout."""
        from claw_adapter_clawarena.examine import examine

        suite = open_suite(path)
        return Checked(suite.name, {one: examine(suite, one).findings for one in suite.layouts(layout)}, RULES)

    def convert(self, path: Path, out: Path, *, layout: str, compat: bool = False) -> list[Path]:
        """A folder of ``scenario/1`` per test."""
        from claw_adapter_clawarena import convert_suite

        return convert_suite(path, out, layout=layout, mode="clawarena-1.0" if compat else "strict")

    def count(self, path: Path, layout: str, ledger: TextLedger) -> Counted:
        """The eight sources of the published table 8, by layout; questions are shared."""
        suite = open_suite(path)
        entries: dict[str, Sequence[Entry]] = {}
        facts: dict[str, Sequence[Facts]] = {}
        shared = ledger.add(question_items(suite))
        for one in suite.layouts(layout):
            found: list[Finding] = []
            places = read_places(suite, one, found)
            if found:  # what cannot be read would silently be missing from the counts
                raise ScenarioError(found[0].message, where=found[0].where, remedy="Call claw check on the data.")
            files = ledger.add(file_items(places))
            entries[one] = [*files, *shared]
            sizes = Counter(name for name, bucket, _ in files if bucket == "workspace")
            facts[one] = published_facts(suite, places, sizes)
        return Counted(suite.name, entries, facts)

    async def score(
        self, results: Path, data: Path, *, isolation: int, progress: RoundProgress | None = None
    ) -> ScoredAgain:
        """Workspaces are rebuilt by replaying the recorded tool calls."""
        from claw_adapter_clawarena.rescore import rescore_published

        return _Scored(await rescore_published(results, data, isolation=isolation, progress=progress), data)


@dataclass(frozen=True, slots=True)
class _Scored(ScoredAgain):
    found: Rescored
    data: Path

    @property
    def failed(self) -> bool:
        return bool(self.found.disagreements()) or any(scenario.log.missing for scenario in self.found.scenarios)

    def as_json(self) -> dict[str, Any]:
        return self.found.as_json()

    def show(self, metric_set: MetricSet, out: Console) -> None:
        from claw_adapter_clawarena.printing import show

        show(self.found, metric_set, out)

    def observations(self) -> Sequence[Observation]:
        from claw_adapter_clawarena.observations import published_observations

        return published_observations(self.found.results, self.data)
