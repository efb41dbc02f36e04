"""Whether two rows may be compared: the same scenarios, model, isolation and settings, or what differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from claw_adapter.errors import JournalError
from claw_adapter.report import words
from claw_adapter.report.compare_records import Between
from claw_adapter.report.records import Row
from claw_adapter.runs.load import RunData, TrialData
from claw_adapter.runs.plan import difference

__all__ = ["NotComparable", "RunRow", "mixed", "refusal"]

SHOWN = 20
"""Differences that a refusal lists; the rest is counted."""


class NotComparable(JournalError):
    """Rows were not run under the same conditions, so that their difference would say nothing about what is compared."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A row to be compared, with where it comes from."""

    id: str
    run_name: str
    run: RunData
    row: Row
    trials: tuple[TrialData, ...]

    @property
    def name(self) -> str:
        """How messages name it."""
        return f"{self.id} ({self.run_name}: {self.row.label} · {self.row.model})"

    def conditions(self, between: Between) -> dict[str, JsonValue]:
        """Everything that must be the same on both sides, as plain JSON."""
        specs = [trial.spec for trial in self.trials]
        fixed: dict[str, JsonValue] = {"model": specs[0].model.model_dump(mode="json")}
        if between == "model":
            overlays: list[JsonValue] = [overlay.model_dump(mode="json") for overlay in specs[0].overlays]
            fixed = {"harness": specs[0].harness.model_dump(mode="json"), "overlays": overlays}
        return {
            "scenario": {spec.scenario: self.run.plan.scenarios.get(spec.scenario, "unknown")[:16] for spec in specs},
            **fixed,
            "isolation": dict(self.isolation),
            "settings": specs[0].settings.model_dump(mode="json"),
        }

    @property
    def isolated(self) -> bool:
        """False where the harness executes nothing, so that its level cannot differ from another's."""
        return any(level.harness is not None for level in self.row.isolation)

    @property
    def isolation(self) -> dict[str, str]:
        """Levels that trials really had; a row with several differs from every row with one."""
        levels = self.row.isolation
        return {
            "harness": " and ".join(sorted({str(level.harness) for level in levels})) or "unknown",
            "check": " and ".join(sorted({words.check_level(level) for level in levels})) or "unknown",
        }


def mixed(a: RunRow, b: RunRow, between: Between = "harness") -> tuple[str, ...]:
    """In what two rows differ besides what is compared, one line each: ``field: of A → of B``; empty when comparable.

    A row without any begun trial has no isolation yet, and a harness that executes nothing has none to differ in.
    """
    left, right = a.conditions(between), b.conditions(between)
    if not (a.row.isolation and b.row.isolation):
        left, right = ({**side, "isolation": None} for side in (left, right))
    elif not (a.isolated and b.isolated):
        left, right = ({**side, "isolation": row.isolation["check"]} for side, row in ((left, a), (right, b)))
    return (*difference(left, right), *_several(a), *_several(b))


def _several(subject: RunRow) -> Iterator[str]:
    """A row that is not of one piece itself."""
    if len(subject.row.isolation) > 1:
        levels = words.isolation(subject.row.isolation)
        yield f"isolation: trials of {subject.id} ran at several levels: {levels}"


def refusal(
    found: Mapping[tuple[str, str], Sequence[str]], subjects: Sequence[RunRow], between: Between = "harness"
) -> NotComparable:
    """The error that shows every difference once, with the pairs it is between, and who they are."""
    lines: dict[str, list[str]] = {}
    for (a, b), differences in found.items():
        for line in differences:
            lines.setdefault(line, []).append(f"{a} and {b}")
    shown = [f"{_pairs(pairs)}: {line}" for line, pairs in lines.items()]
    if len(shown) > SHOWN:
        shown = [*shown[:SHOWN], f"and {len(shown) - SHOWN} more differences"]
    concerned = {key for pair, differences in found.items() if differences for key in pair}
    who = [subject.name for subject in subjects if subject.id in concerned]
    return NotComparable(
        "these rows were not run under the same conditions:\n    " + "\n    ".join([*who, *shown]),
        where="claw compare",
        remedy=f"Compare rows that differ in the {between} only"
        + (" (--between model: models under one harness)" if between == "harness" else "")
        + ", or pass --allow-mixed and say so wherever you show it.",
    )


def _pairs(pairs: Sequence[str]) -> str:
    more = f" (and {len(pairs) - 1} more)" if len(pairs) > 1 else ""
    return pairs[0] + more
