"""What a call was for: by what its tool is for, and where nothing gives that away, by how it is called."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import JsonValue

from claw_adapter.model import tool_in
from claw_adapter.patterns import INSERT_LINE, key_of
from claw_adapter.toolbox.box import toolbox
from claw_adapter.toolbox.candidates import COMMAND
from claw_adapter.toolbox.kinds import ToolKind, kinds_of
from claw_adapter.toolbox.uses import inserters

__all__ = ["command_of", "leaves", "line_behind", "reads", "runs", "seeks", "writes"]

Tools = Sequence[Mapping[str, Any]]

READS: Final = re.compile(r"read|view|open|cat|show|get|fetch|load", re.IGNORECASE)
OTHERS: Final = re.compile(
    r"write|edit|append|create|patch|search|grep|find|list|delete|move|exec|bash|shell|run|terminal|command|console",
    re.IGNORECASE,
)
SEEKS: Final = re.compile(r"search|grep|find|glob|seek|lookup|query", re.IGNORECASE)
LOOKS: Final = re.compile(
    r"read|view|open|cat|fetch|load|list|show|search|grep|find|glob|stat|get|history", re.IGNORECASE
)
WRITES: Final = re.compile(r"write|create|save|put", re.IGNORECASE)
NO_WRITES: Final = re.compile(r"edit|replace|append|insert|patch|delete|multi|todo|plan", re.IGNORECASE)
LEAVE: Final[frozenset[ToolKind]] = frozenset({"read", "list", "search", "history"})
"""What changes nothing."""


def reads(tool: str, tools: Tools) -> bool:
    """Whether a tool shows files."""
    kinds = kinds_of(tool, tools)
    return "read" in kinds if kinds else bool(READS.search(tool) and not OTHERS.search(tool))


def runs(tool: str, tools: Tools) -> bool:
    """Whether a tool may take commands."""
    kinds = kinds_of(tool, tools)
    return "run" in kinds if kinds else bool(OTHERS.search(tool))


def command_of(tool: str, arguments: Mapping[str, JsonValue], tools: Tools) -> str | None:
    """What a call of a tool that runs commands is to run; None where it is none, or not one text."""
    named = ((key_of(name), value) for name, value in arguments.items() if isinstance(value, str))
    return next((value for name, value in named if name in COMMAND), None) if runs(tool, tools) else None


def seeks(tool: str, tools: Tools) -> bool:
    """Whether a tool searches."""
    kinds = kinds_of(tool, tools)
    return "search" in kinds if kinds else bool(SEEKS.search(tool))


def leaves(tool: str, tools: Tools) -> bool:
    """Whether a tool leaves files as they are."""
    kinds = kinds_of(tool, tools)
    return kinds <= LEAVE if kinds else bool(LOOKS.search(tool))


def writes(tool: str, tools: Tools) -> bool:
    """Whether a tool gives a file all its text: not one whose name says that it does so with a part."""
    return bool("write" in kinds_of(tool, tools) or WRITES.search(tool)) and not NO_WRITES.search(tool)


def line_behind(tool: str, arguments: Mapping[str, JsonValue], tools: Tools) -> int | None:
    """Behind which line a call puts a text, with a tool that says so of the number; None for any other call."""
    lines = [value for name, value in arguments.items() if key_of(name) in INSERT_LINE and isinstance(value, int)]
    mine = [one for one in map(tool_in, tools) if one is not None and one.name == tool] if lines else []
    return lines[0] if any(inserters(toolbox(mine))) else None
