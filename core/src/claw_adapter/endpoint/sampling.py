"""One model for all: the run's model id and sampling parameters in place of what a harness asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from claw_adapter.protocol.model import ModelSpec

__all__ = ["LIMITS", "SAMPLING", "asked", "effective"]

JsonObject = dict[str, JsonValue]

SAMPLING: Final = frozenset({
    "temperature", "top_p", "top_k", "min_p", "typical_p", "top_a", "presence_penalty", "frequency_penalty",
    "repetition_penalty", "repeat_penalty", "logit_bias", "seed", "n", "best_of", "reasoning_effort", "reasoning",
    "thinking", "output_config", "verbosity",
})  # fmt: skip
"""Parameters that change what the model says: pinned."""

LIMITS: Final = frozenset({"max_tokens", "max_completion_tokens"})
"""Two names of one limit; the harness's stands unless the run sets either."""


def asked(params: Mapping[str, JsonValue], model: str) -> JsonObject:
    """What the harness asked for: model id, sampling parameters and limits."""
    return {"model": model, **{k: v for k, v in params.items() if k in SAMPLING or k in LIMITS}}


def effective(spec: ModelSpec, params: Mapping[str, JsonValue]) -> JsonObject:
    """The parameters that the model really gets."""
    if spec.sampling == "pass":
        return {**spec.params, **params}
    drop = SAMPLING | (LIMITS if LIMITS & spec.params.keys() else frozenset())
    return {**{k: v for k, v in params.items() if k not in drop}, **spec.params}
