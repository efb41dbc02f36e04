"""The entry point ``forge``: scenario source, environment and question type of that name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claw_adapter.hooks import hookimpl

if TYPE_CHECKING:
    from claw_adapter.environment import Environment
    from claw_adapter.question import QuestionType
    from claw_adapter.source import ScenarioSource

__all__ = ["claw_environment", "claw_question_type", "claw_scenarios"]


@hookimpl
def claw_scenarios() -> type[ScenarioSource]:
    """Tasks as scenarios."""
    from claw_adapter_forge.source import ForgeSource

    return ForgeSource


@hookimpl
def claw_environment() -> type[Environment]:
    """The world of a task."""
    from claw_adapter_forge.environment import ForgeEnvironment

    return ForgeEnvironment


@hookimpl
def claw_question_type() -> type[QuestionType]:
    """How a task is judged."""
    from claw_adapter_forge.question import ForgeQuestion

    return ForgeQuestion
