"""The options of a model that this plugin serves."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, Self

from pydantic import JsonValue

from claw_adapter.errors import PluginError

__all__ = ["ANSWER", "Options"]

ANSWER: Final = 1024
"""Tokens; at some 30 a second a turn stays well within the time that harnesses wait for a reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What an experiment may set; on the command line ``llamacpp:model=FILE,context=4096``.

    Attributes:
        model: a GGUF file; empty means SmolLM2-135M-Instruct, which comes with the installation.
        context: tokens of a request and its answer together.
        threads: for computing; 0 means one per core.
        max_tokens: the most that an answer may have, unless the experiment's `params` say it; 0 means 1024 for SmolLM2,
            which often does not come to an end by itself, and for other weights whatever the harness asks for.
        start_seconds: how long loading may take.
    """

    model: str = ""
    context: int = 8192
    threads: int = 0
    max_tokens: int = 0
    start_seconds: float = 120.0

    @classmethod
    def parse(cls, given: dict[str, Any]) -> Self:
        """Check what an experiment says; numbers may be written as text.

        Raises:
            PluginError: an unknown option, or a value it cannot have.
        """
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(given) - known):
            remedy = f"It has: {', '.join(sorted(known))}."
            raise PluginError(f"no option {unknown[0]!r}", where="upstream llamacpp", remedy=remedy)
        kinds = {"model": str, "context": int, "threads": int, "max_tokens": int, "start_seconds": float}
        values: dict[str, Any] = {}
        for name, value in given.items():
            try:
                values[name] = kinds[name](str(value))
            except (TypeError, ValueError):
                what = f"{value!r} is no {'whole ' if kinds[name] is int else ''}number"
                raise PluginError(what, where=f"upstream llamacpp, option {name!r}") from None
        options = cls(**values)
        if options.context < 1 or min(options.threads, options.max_tokens) < 0 or options.start_seconds <= 0:
            what = "context, threads, max_tokens and start_seconds must be positive"
            raise PluginError(what, where="upstream llamacpp")
        return options

    @property
    def cores(self) -> int:
        """Threads to compute with."""
        return self.threads or os.cpu_count() or 1

    def limited(self, params: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """The parameters of the model, with a limit of an answer if they have none and there is one."""
        limit = self.max_tokens or (0 if self.model else ANSWER)
        named = "max_tokens" in params or "max_completion_tokens" in params
        return dict(params) if named or not limit else {**params, "max_tokens": limit}

    @property
    def file(self) -> Path | None:
        """The weights that the experiment names, if it names any."""
        return Path(self.model).expanduser().absolute() if self.model else None
