"""Commands that go on in the background: which tools begin one, and ask later what it has printed."""

from __future__ import annotations

import re

from claw_adapter.endpoint.reader.errands import Attempt, Steps
from claw_adapter.toolbox.box import Toolbox
from claw_adapter.toolbox.schema import Param, words
from claw_adapter.toolbox.uses import followers, in_background

__all__ = ["begin", "follow"]


def begin(command: str, box: Toolbox) -> Steps:
    """Begin a command, and come back; where no tool can be told so, or be asked later, nothing is done."""
    for shell in box.run[:1]:
        told = in_background(shell)
        if told and any(followers(box)):
            yield Attempt("run", shell.tool, shell.arguments(command, told))
    return True


def follow(begun: str, box: Toolbox) -> Steps:
    """Ask, in each way there is, what the command has printed that was answered so when it began."""
    for way in followers(box):
        if name := _handle(begun, way.target):
            yield Attempt("follow", way.tool, way.arguments(name))
    return True


def _handle(begun: str, asked: Param) -> str:
    """What a result calls a command: the word behind the name of the parameter that takes it."""
    first, *others = words(asked.name)
    rest = "".join(rf"(?:[ _-]?{word})?" for word in others)
    found = re.search(rf"\b{first}{rest}\b\W{{1,4}}([\w-]+)", begun, re.IGNORECASE)
    return found[1] if found else ""
