"""What was found wrong with a data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from claw_adapter.finding import Finding, Rule

__all__ = ["Checked"]


@dataclass(frozen=True, slots=True)
class Checked:
    """A data set, checked.

    Attributes:
        findings: by layout (``scenario/1`` for neutral folders).
        rules: every rule that the data set was held against, by id.
    """

    name: str
    findings: Mapping[str, tuple[Finding, ...]]
    rules: Mapping[str, Rule]

    def count(self, severity: str) -> int:
        """Number of findings of a severity."""
        return sum(one.severity == severity for found in self.findings.values() for one in found)

    def can_run(self, *, strict: bool = False) -> bool:
        """Whether nothing keeps the data from being run; with `strict`, whether nothing was found at all."""
        return not self.count("error") and not (strict and self.count("warning"))

    def counts(self) -> dict[str, dict[str, int]]:
        """Findings by layout and rule."""
        return {layout: dict(sorted(Counter(f.id for f in found).items())) for layout, found in self.findings.items()}

    def as_json(self, *, strict: bool = False) -> dict[str, Any]:
        """Plain data."""
        return {
            "data": self.name,
            "can_run": self.can_run(strict=strict),
            "errors": self.count("error"),
            "warnings": self.count("warning"),
            "counts": self.counts(),
            "rules": {rule: self.rules[rule].demand for counts in self.counts().values() for rule in counts},
            "findings": {layout: [_plain(one) for one in found] for layout, found in self.findings.items()},
        }


def _plain(one: Finding) -> dict[str, Any]:
    file, _, line = one.where.rpartition(":")
    at: dict[str, Any] = {"file": file, "line": int(line)} if line.isdecimal() else {"file": one.where, "line": 1}
    plain = asdict(one)
    plain.pop("where")
    return plain | at
