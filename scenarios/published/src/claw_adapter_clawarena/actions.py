"""The four actions of a published update on a workspace file, in the terms of ``scenario/1``."""

from __future__ import annotations

from typing import Any

from claw_adapter.errors import ScenarioError
from claw_adapter_clawarena.records import UpdateFile

__all__ = ["line_ranges", "workspace_action"]


def workspace_action(file: UpdateFile, source: str) -> dict[str, Any]:
    """An entry of ``update.yaml``; a file without an action is new or overwrites, as in the published runner.

    Raises:
        ScenarioError: the parameters make no sense.
    """
    action: dict[str, Any] = {"workspace": file.target}
    if file.action == "delete":
        ranges = line_ranges(file.param.get("lines", ()))
        return action | {"action": "delete"} | ({"ranges": [list(pair) for pair in ranges]} if ranges else {})
    action |= {"action": file.action or "new", "source": source}
    if file.action == "insert":
        after = file.param.get("after", 0)
        if not isinstance(after, int) or isinstance(after, bool) or after < 0:
            raise ScenarioError(f"insert after {after!r}", where=str(file.source), remedy="Give a line number.")
        action["after"] = after
    return action


def line_ranges(lines: Any) -> list[tuple[int, int]]:
    """1-based inclusive ranges of the published ``param.lines``: an int is a line, 1-based; ``"a:b"`` a 0-based slice.

    Raises:
        ScenarioError: an entry is neither.
    """
    found: list[tuple[int, int]] = []
    for entry in lines if isinstance(lines, (list, tuple)) else [lines]:
        if isinstance(entry, int) and not isinstance(entry, bool) and entry >= 1:
            found.append((entry, entry))
            continue
        first, colon, last = str(entry).partition(":")
        if not (colon and first.isdecimal() and last.isdecimal() and int(first) < int(last)):
            raise ScenarioError(f"lines to delete: {entry!r}", remedy="Give line numbers, or slices like '0:3'.")
        found.append((int(first) + 1, int(last)))
    return found
