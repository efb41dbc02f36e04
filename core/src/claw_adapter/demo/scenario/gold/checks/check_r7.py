# noqa: INP001 - a script of the scenario, no module of a package
"""Round r7: credit notes as a table, and a summary that names both conflicting sources. Usage: check_r7.py WORKSPACE."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

# trays and credit per café: 110 % of 14.50 EUR (croissant) and of 11.20 EUR (sourdough)
EXPECTED = {"juno": (25, 366.08), "mole": (18, 287.10), "astra": (12, 147.84), "pier 9": (18, 287.10)}
CENT = 0.011


def table(path: Path) -> dict[str, tuple[float, float]]:
    """Trays and credit per café."""
    found: dict[str, tuple[float, float]] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, skipinitialspace=True):
                name = row["cafe"].strip().casefold().removeprefix("café ").removeprefix("cafe ")
                if name in found:
                    sys.exit(f"two lines for {name}")
                found[name] = (float(row["trays"]), float(row["credit_eur"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, csv.Error) as error:
        sys.exit(f"{path.name} cannot be read: {error!r}")
    return found


def check_table(found: dict[str, tuple[float, float]]) -> None:
    """Every café with its trays and its credit, and nobody else."""
    if found.keys() != EXPECTED.keys():
        sys.exit(f"cafés are {sorted(found)}, not {sorted(EXPECTED)}")
    for name, (trays, credit) in EXPECTED.items():
        if found[name][0] != trays or abs(found[name][1] - credit) > CENT:
            sys.exit(f"{name} has {found[name]}, not {(trays, credit)}")


def check_summary(path: Path, credits_eur: float) -> None:
    """The total agrees with the table; both numbers of the disputed café are there with their sources."""
    try:
        data: dict[str, Any] = json.loads(path.read_text("utf-8"))
        total, disputed = float(data["total_eur"]), data["disputed"]
        numbers = (float(disputed["delivery_list"]), float(disputed["agreed"]))
        cafe, sources = str(disputed["cafe"]).casefold(), [str(source).casefold() for source in disputed["sources"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{path.name} cannot be read: {error!r}")
    if abs(total - credits_eur) > CENT:
        sys.exit(f"total_eur is {total}, the table adds up to {credits_eur:.2f}")
    if "mole" not in cafe or numbers != (21.0, 18.0):
        sys.exit(f"disputed has {cafe!r} with {numbers}")
    if not any("deliveries_2026-03-10" in source for source in sources) or not any(
        "mail" in source for source in sources
    ):
        sys.exit("disputed does not name both sources")


if __name__ == "__main__":
    reports = Path(sys.argv[1]) / "reports"
    rows = table(reports / "credits.csv")
    check_table(rows)
    check_summary(reports / "credits.json", sum(credit for _, credit in rows.values()))
