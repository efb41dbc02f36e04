# noqa: INP001 - a script of the scenario, no module of a package
"""Round r10: the exposure with the probe's error taken out, as a table and a summary. Usage: check_r10.py WORKSPACE."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path
from typing import Any

# stored readings of the rear probe that stay above 7.0 °C once 1.5 °C is subtracted
RAW = {
    "03:20": 9.3, "03:25": 9.9, "03:30": 10.4, "03:35": 10.9, "03:40": 11.3, "03:45": 11.6,
    "03:50": 11.2, "03:55": 10.6, "04:00": 10.0, "04:05": 9.4, "04:10": 8.9,
}  # fmt: skip
EXPECTED = {"offset_c": -1.5, "peak_c": 10.1, "minutes_above": 55.0, "minutes_withdrawn": 25.0}
SOURCES = ("v2_sensor_log.csv", "sensor_calibration_2026-03-12.md")
TOLERANCE = 0.05


def table(path: Path) -> dict[str, tuple[float, float]]:
    """Stored and corrected reading by time of day."""
    found: dict[str, tuple[float, float]] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, skipinitialspace=True):
                time = re.search(r"\d{2}:\d{2}", row["time"])
                if time is None or time.group() in found:
                    sys.exit(f"no time, or the same again: {row['time']!r}")
                found[time.group()] = (float(row["raw_c"]), float(row["corrected_c"]))
    except (OSError, ValueError, KeyError, TypeError, csv.Error) as error:
        sys.exit(f"{path.name} cannot be read: {error!r}")
    return found


def check_table(found: dict[str, tuple[float, float]]) -> None:
    """Exactly the readings that stay too warm, each put right."""
    if found.keys() != RAW.keys():
        sys.exit(f"readings differ at {sorted(found.keys() ^ RAW.keys())}")
    for time, (raw, corrected) in found.items():
        if abs(raw - RAW[time]) > TOLERANCE or abs(corrected - (RAW[time] - 1.5)) > TOLERANCE:
            sys.exit(f"{time} has {raw} and {corrected}")


def check_summary(path: Path, found: dict[str, tuple[float, float]]) -> None:
    """The figures, in agreement with the table, and where they are from."""
    try:
        data: dict[str, Any] = json.loads(path.read_text("utf-8"))
        numbers = {key: float(data[key]) for key in EXPECTED}
        named = " ".join(map(str, data["sources"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{path.name} cannot be read: {error!r}")
    for key, expected in EXPECTED.items():
        if abs(numbers[key] - expected) > TOLERANCE:
            sys.exit(f"{key} is {numbers[key]}, not {expected}")
    if abs(max(corrected for _, corrected in found.values()) - numbers["peak_c"]) > TOLERANCE:
        sys.exit("peak_c is not the highest value of the table")
    if len(found) * 5 != numbers["minutes_above"]:
        sys.exit("minutes_above does not agree with the number of lines")
    if missing := [name for name in SOURCES if name not in named]:
        sys.exit(f"sources lack {', '.join(missing)}")


if __name__ == "__main__":
    reports = Path(sys.argv[1]) / "reports"
    rows = table(reports / "exposure_corrected.csv")
    check_table(rows)
    check_summary(reports / "exposure_corrected.json", rows)
