"""`claw tokens` without its printing: a data set's tables in one or all of its layouts, every text counted once."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from claw_adapter.errors import ScenarioError
from claw_adapter.published.counting import Counts, Entry, Ledger, Progress
from claw_adapter.published.facts import published_facts
from claw_adapter.published.inventory import file_items, question_items
from claw_adapter.published.manifest import read_places
from claw_adapter.published.neutral import neutral_facts, neutral_items
from claw_adapter.published.suite import Suite, is_published, open_suite
from claw_adapter.published.tables import Facts, Tables, tables
from claw_adapter.scenario.finding import Finding
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
    """Count a data set: a published one (`layout` names one, or ``all``), or folders of ``scenario/1``.

    Args:
        path: ``tests.json``, a folder with one, a scenario's folder, or a folder of scenarios.
        layout: ignored for ``scenario/1``, which has one form only.
        progress: told about the counting.
        counter: what counts; default: the fastest exact tokenizer that is installed.

    Raises:
        ScenarioError: there is nothing to count, or a file cannot be read.
    """
    used = counter or backend()
    with Ledger(used.count, progress, overlap=used.overlaps) as ledger:
        if is_published(path):
            name, entries, facts = _published(open_suite(path), layout, ledger)
        else:
            pairs = _load(path)
            name, facts = path.name, {NEUTRAL: neutral_facts(pairs)}
            entries = {NEUTRAL: ledger.add(neutral_items(pairs))}
        counts = {one: ledger.totals(found) for one, found in entries.items()}
    made = {one: tables(one, counts[one], facts[one]) for one in counts}
    return Measured(name, made, counts, ledger.distinct, ledger.size, used.name, used.notice)


def _published(suite: Suite, layout: str, ledger: Ledger) -> tuple[str, dict[str, list[Entry]], dict[str, list[Facts]]]:
    """Take a published data set into the ledger; its name, entries and facts by layout."""
    entries: dict[str, list[Entry]] = {}
    facts: dict[str, list[Facts]] = {}
    shared = ledger.add(question_items(suite))
    for one in suite.layouts(layout):
        found: list[Finding] = []
        places = read_places(suite, one, found)
        if found:  # what cannot be read would silently be missing from the counts
            raise ScenarioError(found[0].message, where=found[0].where, remedy="Call claw check on the data.")
        files = ledger.add(file_items(places))
        entries[one] = [*files, *shared]
        facts[one] = published_facts(suite, places, Counter(name for name, bucket, _ in files if bucket == "workspace"))
    return suite.name, entries, facts


def _load(path: Path) -> list[Any]:
    from claw_adapter.scenario import load_gold, load_scenario, resolve

    scenarios = [load_scenario(folder) for folder in resolve(path)]
    return [(scenario, load_gold(scenario)) for scenario in scenarios]
