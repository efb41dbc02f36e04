"""The options of an experiment for this harness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

from claw_adapter.harness import TrialContext
from claw_adapter.options import FromOne, FromZero, checked

__all__ = ["AGENT", "TOOLS", "Options", "in_environment", "tools"]

AGENT: Final = "main"
TOOLS: Final = (
    "read",
    "write",
    "edit",
    "apply_patch",
    "ls",
    "exec",
    "process",
    "sessions_list",
    "sessions_history",
    "sessions_search",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What an experiment may set.

    Attributes:
        mode: how prompts go to it, over ``http`` or ``acp``.
        histories: ``native`` puts histories into its session store, ``files`` leaves them to core.
        exec: whether it has its shell tools.
        skills: whether the skills that come with OpenClaw are offered; which of them depends on the machine.
        retries: how often OpenClaw repeats a failed model request.
        loop_detection: whether OpenClaw warns a model that repeats a tool call, and ends the turn if it goes on: its own guard,
            off by default there. It has no limit of requests, so that without the guard only the deadline ends such a turn.
        context_window, max_tokens: what OpenClaw believes of the model.
        path_prepend: folders put in front of the PATH of its shell tool, separated by ``:``.
        own_command: whether that PATH begins with OpenClaw's own command ``openclaw``, which it puts before `path_prepend`.
    """

    mode: Literal["http", "acp"] = "http"
    histories: Literal["native", "files"] = "native"
    exec: bool = True
    skills: bool = False
    retries: FromZero = 2
    loop_detection: bool = True
    context_window: FromOne = 128_000
    max_tokens: FromOne = 8192
    path_prepend: str = ""
    own_command: bool = True

    @classmethod
    def parse(cls, given: dict[str, Any]) -> Self:
        """Check what an experiment says.

        Raises:
            AdapterError: an unknown option, or a value it cannot have.
        """
        return checked(cls, given, "harness openclaw")


def in_environment(given: Mapping[str, Any], ctx: TrialContext) -> dict[str, Any]:
    """The options where a scenario's environment brings programs: what an experiment says, and other defaults.

    They come first on the PATH of its shell tool, its own command ``openclaw`` does not stand before them, and it has only
    tools for files and programs. An environment may ask for the same command many times: that is no loop.
    """
    if ctx.environment is None or not ctx.environment.attached.path:
        return dict(given)
    path = ctx.environment.attached.search_path(given.get("path_prepend") or "")
    alone: dict[str, Any] = {} if ctx.histories else {"histories": "files"}
    return {"own_command": False, "loop_detection": False, **alone, **given, "path_prepend": path}


def tools(options: Options) -> list[str]:
    """The tools that it has."""
    shell = () if options.exec else ("exec", "process")
    session = () if options.histories == "native" else ("sessions_list", "sessions_history", "sessions_search")
    return [name for name in TOOLS if name not in (*shell, *session)]
