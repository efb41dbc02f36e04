"""Question types by name: the built-in ones, then plugins."""

from __future__ import annotations

import functools

from claw_adapter import plugins
from claw_adapter.question import QuestionType
from claw_adapter.questions import builtin

__all__ = ["question_type"]


@functools.cache
def question_type(name: str) -> QuestionType:
    """The question type of that name.

    Raises:
        PluginError: neither built in nor brought by a plugin.
    """
    found = builtin().get(name)
    if found is None:
        made: QuestionType = plugins.create("question_type", name)
        return made
    return found
