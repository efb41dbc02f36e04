"""Run the mutants: each must trip exactly the checks it declares.

python tools/mutants/run.py                 all of them, and whether every check has a mutant
python tools/mutants/run.py --quick         a few of every area
python tools/mutants/run.py "strips*"       those whose name matches
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import fnmatch
import sys
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # mutants.base
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "certification"))

from claw_adapter.certify.bench import Bench
from claw_adapter.certify.check import checks
from claw_adapter.certify.judge import certify, plan
from mutants.base import Mutant
from mutants.habits import HABITS
from mutants.planted_table import PLANTED
from mutants.programs import PROGRAMS

MUTANTS: tuple[Mutant, ...] = (*PROGRAMS, *HABITS, *PLANTED)
UNTESTED = Path(__file__).with_name("untested.toml")


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one mutant."""

    mutant: Mutant
    tripped: frozenset[str]
    other: frozenset[str]
    """Checks that neither passed nor failed: faults of the kit, what could not be decided."""

    @property
    def right(self) -> bool:
        """Whether it tripped exactly what it declares."""
        return self.tripped == self.mutant.trips and not self.other

    def __str__(self) -> str:
        missed, more = self.mutant.trips - self.tripped, self.tripped - self.mutant.trips
        said = f"{'ok ' if self.right else 'BAD'} {self.mutant.name:42} {' '.join(sorted(self.tripped)) or '-'}"
        for word, ids in (("missed", missed), ("beside", more), ("undecided", self.other)):
            said += f"   {word}: {' '.join(sorted(ids))}" if ids else ""
        return said


async def row(mutant: Mutant) -> Row:
    """Run one mutant against its checks."""
    async with Bench(mutant.make(), nonce="mutants", shrinking=0) as bench:
        results = await certify(bench, plan("gold", only=mutant.run))
    outcomes = {result.id: result.outcome for result in results}
    tripped = frozenset(key for key, outcome in outcomes.items() if outcome == "failed")
    other = frozenset(key for key, outcome in outcomes.items() if outcome not in ("failed", "passed"))
    return Row(mutant, tripped, other)


def untested() -> dict[str, str]:
    """Check → why no mutant trips it."""
    found: dict[str, str] = tomllib.loads(UNTESTED.read_text("utf-8"))["untested"]
    return found


def problems(mutants: Iterable[Mutant] = MUTANTS) -> list[str]:
    """What is wrong with the table itself: checks without a mutant or a reason, reasons that are not needed."""
    tripped = frozenset[str]().union(*(mutant.trips for mutant in mutants))
    known, excused = set(checks()), untested()
    lines = [
        f"{key}: no mutant trips it, and {UNTESTED.name} does not say why"
        for key in sorted(known - tripped - set(excused))
    ]
    return lines + [
        f"{key}: in {UNTESTED.name}, and yet it is tripped or gone" for key in sorted(set(excused) & tripped)
    ]


async def table(mutants: Sequence[Mutant]) -> list[Row]:
    """Run them one after another, telling how each went."""
    rows = []
    for mutant in mutants:
        rows.append(await row(mutant))
        print(rows[-1], flush=True)
    return rows


def main() -> int:
    """Entry point."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*", help="patterns of names")
    options.add_argument("--quick", action="store_true", help="only those that the test runs")
    given = options.parse_args()
    chosen = [m for m in MUTANTS if m.quick or not given.quick]
    chosen = [m for m in chosen if not given.names or any(fnmatch.fnmatch(m.name, name) for name in given.names)]
    with contextlib.suppress(KeyboardInterrupt):
        rows = asyncio.run(table(chosen))
        wrong, lines = [r for r in rows if not r.right], problems()
        print("\n".join(lines))
        tripped = frozenset[str]().union(*(r.tripped for r in rows))
        children = sum(r.mutant.child for r in rows)
        print(f"{len(rows)} mutants, {children} of them child processes: {len(rows) - len(wrong)} right, {len(wrong)} wrong; "
              f"{len(tripped)} of {len(checks())} checks tripped, {len(untested())} listed as untested")  # fmt: skip
        return 1 if wrong or lines else 0
    return 130


if __name__ == "__main__":
    sys.exit(main())
