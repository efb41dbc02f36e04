"""`claw tokens` without its printing: a data set's tables in one or all of its layouts, every text counted once."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from claw_adapter.data_format.base import Counted
from claw_adapter.data_format.counting import Counts, Progress, TextLedger
from claw_adapter.data_format.tables import Tables, tables
from claw_adapter.datasets.find import find_format
from claw_adapter.tokens.fast import Backend, backend

__all__ = ["NEUTRAL", "Measured", "measure"]

NEUTRAL = "scenario/1"
"""What stands for the layout of data that has only one."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A data set, counted.

    Attributes:
        tables: by layout.
        counts: tokens by scenario and bucket, by layout.
        distinct: different texts counted.
        bytes: size of everything in all layouts asked for.
        tokenizer: what counted.
        notice: why it was not the faster one.
    """

    name: str
    tables: dict[str, Tables]
    counts: dict[str, Counts]
    distinct: int
    bytes: int
    tokenizer: str
    notice: str

    def as_json(self) -> dict[str, Any]:
        """Plain data, tables by their published numbers."""
        return {
            "data": self.name,
            "tokenizer": self.tokenizer,
            "notice": self.notice,
            "distinct_texts": self.distinct,
            "bytes": self.bytes,
            "totals": {layout: found.table8.total for layout, found in self.tables.items()},
            "layouts": {layout: _layout(found, self.counts[layout]) for layout, found in self.tables.items()},
        }


def _layout(found: Tables, counts: Counts) -> dict[str, Any]:
    table8 = {
        bucket: {"tokens": n, "percent": found.table8.percent(bucket)} for bucket, n in found.table8.tokens.items()
    }
    return {
        "table8": {"sources": table8, "total": found.table8.total},
        "table9": {
            "options_per_round": asdict(found.options),
            "correct_per_round": asdict(found.correct),
            "timeout_seconds": asdict(found.timeouts),
            "expect_exit_percent": found.exit_percent,
            "expect_stdout_percent": found.stdout_percent,
        },
        "table10": {
            "targets": dict(found.targets),
            "explicit_actions": dict(found.actions),
            "file_operations": found.operations,
            "applied_file_operations": found.applied_operations,
        },
        "table11": [asdict(row) for row in found.table11],
        "scenarios": {scenario: dict(of) for scenario, of in counts.items()},
    }


def measure(
    path: Path, layout: str = "all", *, progress: Progress | None = None, counter: Backend | None = None
) -> Measured:
    """Count a data set: folders of ``scenario/1``, or one in a format that a plugin reads.

    Args:
        path: a scenario's folder, a folder of scenarios, or the file or folder of a data set.
        layout: one of the data set's layouts, or all; ``scenario/1`` has only one form.
        progress: told about the counting.
        counter: what counts; default: the fastest exact tokenizer that is installed.

    Raises:
        ScenarioError: there is nothing to count, or a file cannot be read.
        PluginError: the plugin that reads the data is not installed.
    """
    used = counter or backend()
    with TextLedger(used.count, progress, overlap=used.overlaps) as ledger:
        form = find_format(path)
        found = form.count(path, layout, ledger) if form else _neutral(path, ledger)
        counts = {one: ledger.totals(entries) for one, entries in found.entries.items()}
    made = {one: tables(one, counts[one], found.facts[one]) for one in counts}
    return Measured(found.name, made, counts, ledger.distinct, ledger.size, used.name, used.notice)


def _neutral(path: Path, ledger: TextLedger) -> Counted:
    from claw_adapter.datasets.neutral import neutral_facts, neutral_items
    from claw_adapter.scenario import load_gold, load_scenario, resolve

    scenarios = [load_scenario(folder) for folder in resolve(path)]
    pairs = [(scenario, load_gold(scenario)) for scenario in scenarios]
    return Counted(path.name, {NEUTRAL: ledger.add(neutral_items(pairs))}, {NEUTRAL: neutral_facts(pairs)})
