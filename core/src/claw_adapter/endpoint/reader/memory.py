"""What the reader keeps through a trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from claw_adapter.endpoint.reader.errands import Habits
from claw_adapter.endpoint.reader.matching import Matcher
from claw_adapter.model import Tool
from claw_adapter.toolbox.box import Toolbox, toolbox

__all__ = ["Memory"]


@dataclass(slots=True)
class Memory:
    """What the reader keeps through a trial: never evidence, only what it said, tried, and which tools work."""

    matcher: Matcher = field(default_factory=Matcher)
    habits: Habits = field(default_factory=Habits)
    own: set[str] = field(default_factory=set)
    tried: dict[str, str] = field(default_factory=dict)
    """Places looked up, with the round that did so first; a second attempt at that round may do so again."""
    issued: set[str] = field(default_factory=set)
    """Ids of the calls of earlier turns."""
    known: dict[str, frozenset[str]] = field(default_factory=dict)
    """Ids of the fragments seen, by round."""
    _box: Toolbox = field(default_factory=Toolbox)

    def box(self, tools: Sequence[Tool]) -> Toolbox:
        """The tools of a request, sorted by purpose; requests mostly offer those of the one before."""
        if self._box.tools != tuple(tools):
            self._box = toolbox(tools)
        return self._box
