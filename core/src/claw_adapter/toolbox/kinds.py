"""What each tool of a request is for, in a word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, Literal

from claw_adapter.model import tool_in
from claw_adapter.toolbox.box import Toolbox, named, toolbox
from claw_adapter.toolbox.candidates import Candidate
from claw_adapter.toolbox.purposes import LATER, makes
from claw_adapter.toolbox.schema import words
from claw_adapter.toolbox.uses import listers, replacers, searchers

__all__ = ["ToolKind", "kinds_of"]

ToolKind = Literal["read", "write", "replace", "list", "search", "run", "history"]
MOST_KEPT: Final = 256
ADDS: Final = LATER | {"appends", "add", "adds", "extend", "extends", "prepend", "prepends", "inserts", "log", "logs"}
"""Words of a tool that gives a file a part of its text only."""
_KEPT: dict[tuple[int, ...], tuple[Sequence[Mapping[str, Any]], dict[str, frozenset[ToolKind]]]] = {}
"""By the identities of a request's tools, which are kept, so that nothing else comes to have these."""


def kinds_of(tool: str, tools: Sequence[Mapping[str, Any]]) -> frozenset[ToolKind]:
    """What a tool is for, among those that a request offers; empty where nothing gives that away.

    Args:
        tool: its name.
        tools: all of them, in the form of OpenAI chat.
    """
    key = tuple(map(id, tools))
    if key not in _KEPT:
        if len(_KEPT) >= MOST_KEPT:
            _KEPT.clear()
        _KEPT[key] = tools, _sorted(toolbox([one for one in map(tool_in, tools) if one is not None]))
    return _KEPT[key][1].get(tool, frozenset())


def _says(one: Candidate, said: AbstractSet[str]) -> bool:
    """Whether a tool says one of some words of itself, by its name or as its description begins."""
    return bool(said & {*named(one.tool, one.known), *words(one.known.description)[:12]})


def _sorted(box: Toolbox) -> dict[str, frozenset[ToolKind]]:
    listed = {one.tool for one in listers(box)}
    by_kind: dict[ToolKind, set[str]] = {
        "read": {one.tool for one in box.read[:1]} - listed,  # of the others nobody knows that they show whole files
        "write": {one.tool for one in box.write if makes(one.tool, one.known) and not _says(one, ADDS)},
        "run": {one.tool for one in box.run},
        "history": {one.tool for one in box.history},
        "replace": {one.tool for one in replacers(box)},
        "list": listed,
        "search": {one.tool for by_name in (False, True) for one in searchers(box, by_name=by_name)},
    }
    return {name: frozenset(kind for kind, names in by_kind.items() if name in names) for name in box.names}
