"""Hook specifications (pluggy): one per kind of thing that a plugin can bring.

A plugin is a module named by an entry point of the group ``claw_adapter``; the entry point's name is the name of what it
brings (``reference``, ``demo``), so a run imports only the plugins that it names. The module implements one of these hooks::

    from claw_adapter.hooks import hookimpl

    @hookimpl
    def claw_harness():
        from my_package.adapter import MyHarness
        return MyHarness
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from claw_adapter.data_format.base import DataFormat
    from claw_adapter.environment import Environment
    from claw_adapter.executor import Executor
    from claw_adapter.exporter import Exporter
    from claw_adapter.harness import Harness
    from claw_adapter.model import Model
    from claw_adapter.overlay import Overlay
    from claw_adapter.question import QuestionType
    from claw_adapter.source import ScenarioSource
    from claw_adapter.upstream import Upstream

__all__ = ["ENTRY_POINT_GROUP", "HOOKS", "hookimpl", "hookspec"]

ENTRY_POINT_GROUP = "claw_adapter"

hookspec = pluggy.HookspecMarker("claw_adapter")
hookimpl = pluggy.HookimplMarker("claw_adapter")


@hookspec
def claw_harness() -> type[Harness]:
    """The adapter class of a harness; called with the experiment's options as keyword arguments."""
    raise NotImplementedError


@hookspec
def claw_overlay() -> type[Overlay]:
    """The class of an overlay; called with the experiment's options as keyword arguments."""
    raise NotImplementedError


@hookspec
def claw_upstream() -> type[Upstream]:
    """The class of an upstream model server."""
    raise NotImplementedError


@hookspec
def claw_model() -> type[Model]:
    """The class of a model that answers in the endpoint's process; made once per trial, with the model's options."""
    raise NotImplementedError


@hookspec
def claw_executor() -> type[Executor]:
    """The class of an executor."""
    raise NotImplementedError


@hookspec
def claw_scenarios() -> type[ScenarioSource]:
    """The class of a scenario source."""
    raise NotImplementedError


@hookspec
def claw_environment() -> type[Environment]:
    """The class of an environment; made once per trial, with the scenario's options as keyword arguments."""
    raise NotImplementedError


@hookspec
def claw_question_type() -> type[QuestionType]:
    """The class of a question type."""
    raise NotImplementedError


@hookspec
def claw_data_format() -> type[DataFormat]:
    """The class of a format of data sets: what `claw check`, `claw tokens` and `claw score --from` can read."""
    raise NotImplementedError


@hookspec
def claw_exporter() -> type[Exporter]:
    """The class of an exporter: writes runs in the form of another tool, called as the plugin is (`claw export`)."""
    raise NotImplementedError


#: Hook name by kind of thing.
HOOKS = {
    "harness": "claw_harness",
    "overlay": "claw_overlay",
    "upstream": "claw_upstream",
    "model": "claw_model",
    "executor": "claw_executor",
    "scenarios": "claw_scenarios",
    "environment": "claw_environment",
    "question_type": "claw_question_type",
    "data_format": "claw_data_format",
    "exporter": "claw_exporter",
}
