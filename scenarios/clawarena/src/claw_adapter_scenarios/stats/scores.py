"""Scores of runs, from what ``claw report RUN --json`` prints (``summary/1``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from claw_adapter.errors import ScenarioError
from claw_adapter.reading import parse_json, read_text

__all__ = ["read_scores"]

VERSION = "summary/1"


def read_scores(path: Path) -> dict[str, dict[str, list[float]]]:
    """Configuration → scenario → score of every round; unscored rounds count 0, as in the strict numbers.

    Raises:
        ScenarioError: no such summary, or a run that is not finished.
    """
    try:
        data = parse_json(read_text(path))
    except (OSError, ValueError) as error:
        raise ScenarioError(
            f"no summary: {error}", where=str(path), remedy="Write one: claw report RUN --json"
        ) from None
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise ScenarioError(f"not a {VERSION}", where=str(path), remedy="Write one: claw report RUN --json")
    try:
        return _scores(data, path)
    except (KeyError, IndexError, TypeError) as error:
        raise ScenarioError(f"a damaged summary: {error!r}", where=str(path)) from None


def _scores(data: dict[str, Any], path: Path) -> dict[str, dict[str, list[float]]]:
    names = [f"{data['run']['name']}: {row['label']} · {row['model']}" for row in data["rows"]]
    found: dict[str, dict[str, list[float]]] = {}
    for item in data["rounds"]:
        for cell in item["cells"]:
            if cell["state"] == "pending":
                raise ScenarioError(
                    "the run is not finished", where=str(path), remedy="Continue it, then report again."
                )
            of = found.setdefault(names[cell["row"]], {})
            of.setdefault(item["scenario"], []).append(float(cell["score"] or 0.0))
    return found
