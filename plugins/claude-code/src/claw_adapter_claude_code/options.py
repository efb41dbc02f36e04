"""The options of an experiment for this harness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

from claw_adapter.harness import TrialContext
from claw_adapter.options import FromZero, checked

Permission = Literal["bypassPermissions", "acceptEdits", "default", "dontAsk", "plan"]
Effort = Literal["", "low", "medium", "high", "xhigh", "max"]

__all__ = ["TOOLS", "Options", "in_environment", "tools"]

TOOLS: Final = ("Bash", "Edit", "Glob", "Grep", "Read", "Write")
"""Its tools for files and commands; without such a list there are 12 inline and 11 behind a search, web and timers too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What an experiment may set.

    Attributes:
        mode: ``live`` keeps one process for the whole conversation; ``turn`` starts one per turn, which resumes the session;
            ``acp`` speaks to it through the ACP server of its makers.
        permission_mode: what it may do without being allowed to; nobody is there to be asked, so the rest is denied.
        exec: whether it has its shell tool.
        memory: whether it may keep notes of its own, in the state directory.
        retries: how often it repeats a failed model request.
        max_requests: model requests per turn; 0 leaves them unlimited, so that a model which repeats itself is only stopped by
            the deadline.
        effort: how much the model is asked to think; empty leaves Claude Code's default.
        path_prepend: folders put in front of PATH, separated by ``:``.
    """

    mode: Literal["live", "turn", "acp"] = "live"
    permission_mode: Permission = "bypassPermissions"
    exec: bool = True
    memory: bool = True
    retries: FromZero = 2
    max_requests: FromZero = 250
    effort: Effort = ""
    path_prepend: str = ""

    @classmethod
    def parse(cls, given: dict[str, Any]) -> Self:
        """Check what an experiment says.

        Raises:
            AdapterError: an unknown option, or a value it cannot have.
        """
        return checked(cls, given, "harness claude-code")


def in_environment(given: Mapping[str, Any], ctx: TrialContext) -> dict[str, Any]:
    """The options where a scenario's environment brings programs or tools: what an experiment says, and other defaults.

    Programs come first on its PATH, and it keeps no notes of its own.
    """
    if ctx.environment is None or not (ctx.environment.attached.path or ctx.mcp):
        return dict(given)
    path = ctx.environment.attached.search_path(given.get("path_prepend") or "")
    return {"memory": False, **given, "path_prepend": path}


def tools(options: Options) -> list[str]:
    """The tools that it has."""
    return [name for name in TOOLS if options.exec or name != "Bash"]
