# noqa: INP001 - a script of the scenario, no module of a package
"""Round r3: the exposure of V2's load, as a JSON file, and a note about it. Usage: check_r3.py WORKSPACE."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

EXPECTED = {"limit_c": 7.0, "peak_c": 11.6, "minutes_above": 80.0}
TIMES = {"first_above": "03:10", "last_above": "04:25"}
SOURCES = ("v2_sensor_log.csv", "contract_excerpt.md")


def number(data: dict[str, Any], key: str) -> float:
    """A number of the report; anything else ends the check."""
    value = data.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        sys.exit(f"{key} is not a number: {value!r}")
    return float(value)


def load(path: Path) -> dict[str, Any]:
    """A JSON object; anything else ends the check."""
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        sys.exit(f"{path.name} cannot be read: {error}")
    if not isinstance(data, dict):
        sys.exit(f"{path.name} is no JSON object")
    return data


def check_report(data: dict[str, Any]) -> None:
    """The figures, and where they are from."""
    for key, expected in EXPECTED.items():
        if abs(number(data, key) - expected) > 0.05:
            sys.exit(f"{key} is {data[key]}, not {expected}")
    for key, time in TIMES.items():
        found = re.search(r"\d{2}:\d{2}", str(data.get(key, "")))
        if found is None or found.group() != time:
            sys.exit(f"{key} is {data.get(key)!r}, not {time}")
    sources = data.get("sources")
    named = " ".join(map(str, sources)) if isinstance(sources, list) else ""
    if missing := [name for name in SOURCES if name not in named]:
        sys.exit(f"sources lack {', '.join(missing)}")


def check_note(folder: Path) -> None:
    """A note states the minutes and the limit."""
    for path in sorted(folder.glob("*.md")):
        text = path.read_text("utf-8", "replace")
        if re.search(r"(?<![\d.])80(?![\d.]*\d)", text) and re.search(r"(?<![\d.])7([.,]0)?(?![\d.,]*\d)", text):
            return
    sys.exit("no Markdown file in notes/ states the minutes and the limit")


if __name__ == "__main__":
    workspace = Path(sys.argv[1])
    check_report(load(workspace / "reports" / "exposure.json"))
    check_note(workspace / "notes")
