"""The options of a model that vLLM serves, and the published profiles that fill them in."""

from __future__ import annotations

import shlex
import tomllib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final, Self

from claw_adapter.errors import PluginError

__all__ = ["PROFILES", "Options", "profiles"]

PROFILES: Final = Path(__file__).with_name("profiles.toml")
WHERE: Final = "upstream vllm"
MODULE: Final = "vllm.entrypoints.openai.api_server"
"""What ``vllm serve`` runs; it takes the weights by name."""
_SETTINGS: Final = (
    "tensor_parallel",
    "max_model_len",
    "memory_utilization",
    "tool_parser",
    "reasoning_parser",
    "kv_cache",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What an experiment may set; on the command line ``vllm:profile=qwen3.6-35b-a3b,model=/models/qwen``.

    Attributes:
        model: folder or repository of the weights; for a server attached to, the id that it serves (empty: its only one).
        profile: settings of the paper, by name; each may be overridden.
        base_url: attach to this server (``http://HOST:PORT``) instead of starting one.
        program: the vLLM command, with arguments before ``serve`` if it has any; where that command does not work, its module
            of the server: ``/opt/vllm/bin/python -m vllm.entrypoints.openai.api_server``.
        tensor_parallel: number of GPUs that share the model.
        max_model_len: tokens of a request and its answer together.
        memory_utilization: share of a GPU's memory that vLLM takes.
        tool_parser, reasoning_parser: vLLM's names for how the model writes tool calls and thoughts.
        kv_cache: type of the KV cache.
        extra: further arguments of ``vllm serve``, as in a shell.
        start_seconds: how long loading may take.
    """

    model: str = ""
    profile: str = ""
    base_url: str = ""
    program: str = "vllm"
    tensor_parallel: int | None = None
    max_model_len: int | None = None
    memory_utilization: float | None = None
    tool_parser: str = ""
    reasoning_parser: str = ""
    kv_cache: str = ""
    extra: str = ""
    start_seconds: float = 1800.0

    @classmethod
    def parse(cls, given: dict[str, Any]) -> Self:
        """Check what an experiment says, and fill in its profile; numbers may be written as text.

        Raises:
            PluginError: an unknown option or profile, a value it cannot have, or nothing to serve.
        """
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(given) - known):
            raise PluginError(f"no option {unknown[0]!r}", where=WHERE, remedy=f"It has: {', '.join(sorted(known))}.")
        asked = cls(**{name: _value(name, value) for name, value in given.items()})
        options = replace(asked, **{**_profile(asked), **_numbers(given)})
        options.check()
        return options

    def check(self) -> None:
        """Raise PluginError for values that cannot be."""
        if not self.model and not self.base_url:
            remedy = "Give the folder of the weights as option model, or a running server as option base_url."
            raise PluginError("there is nothing to serve", where=WHERE, remedy=remedy)
        if self.base_url and (idle := self._of_a_start()):
            remedy = "Leave it out: a server that runs already has its own settings. Or leave out base_url, and it is started."
            raise PluginError("has no effect beside base_url", where=f"{WHERE}, option {idle!r}", remedy=remedy)
        if self.memory_utilization is not None and not 0 < self.memory_utilization <= 1:
            raise PluginError("is a share, above 0 and at most 1", where=f"{WHERE}, option 'memory_utilization'")
        if any(value is not None and value < 1 for value in (self.tensor_parallel, self.max_model_len)):
            raise PluginError("tensor_parallel and max_model_len must be positive", where=WHERE)
        if not shlex.split(self.program):
            raise PluginError("names no program", where=f"{WHERE}, option 'program'")

    def _of_a_start(self) -> str:
        """The first option that only says how to start a server and is not as it is by itself; empty if there is none."""
        start = [field for field in fields(self) if field.name not in ("model", "base_url")]
        return next((field.name for field in start if getattr(self, field.name) != field.default), "")

    def argv(self, port: int, alias: str) -> list[str]:
        """The command that serves the model under the name `alias`; flags that nobody asked for are left out."""
        flags = {
            "--tensor-parallel-size": self.tensor_parallel,
            "--max-model-len": self.max_model_len,
            "--gpu-memory-utilization": self.memory_utilization,
            "--tool-call-parser": self.tool_parser,
            "--reasoning-parser": self.reasoning_parser,
            "--kv-cache-dtype": self.kv_cache,
        }
        given = [part for flag, value in flags.items() if value for part in (flag, str(value))]
        tools = ["--enable-auto-tool-choice"] if self.tool_parser else []
        served = ["--host", "127.0.0.1", "--port", str(port), "--served-model-name", alias]
        program = shlex.split(self.program)
        model = ["--model", self.model] if program[-1] == MODULE else ["serve", self.model]
        return [*program, *model, *served, *given, *tools, *shlex.split(self.extra)]


def profiles(path: Path = PROFILES) -> dict[str, dict[str, Any]]:
    """The published settings by name; those of a model without any say so."""
    return tomllib.loads(path.read_text("utf-8"))


def _profile(asked: Options) -> dict[str, Any]:
    """The settings of the profile that is asked for."""
    if not asked.profile:
        return {}
    known = profiles()
    if asked.profile not in known:
        remedy = f"There are: {', '.join(known)}."
        raise PluginError(f"no profile {asked.profile!r}", where=f"{WHERE}, option 'profile'", remedy=remedy)
    profile = known[asked.profile]
    if not profile["published"]:
        raise PluginError(profile["note"], where=f"{WHERE}, profile {asked.profile!r}", remedy="Leave out the profile.")
    return {name: profile[name] for name in _SETTINGS}


def _numbers(given: dict[str, Any]) -> dict[str, Any]:
    """What is given beside the profile wins."""
    return {name: _value(name, value) for name, value in given.items() if name in _SETTINGS}


def _value(name: str, value: Any) -> Any:
    kinds = {"tensor_parallel": int, "max_model_len": int, "memory_utilization": float, "start_seconds": float}
    try:
        return kinds.get(name, str)(str(value))
    except (TypeError, ValueError):
        raise PluginError(f"{value!r} is not a number", where=f"{WHERE}, option {name!r}") from None
