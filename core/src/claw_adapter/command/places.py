"""Places in the texts of a description: ``{workspace}`` in an argument is replaced by what it is in this trial."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from claw_adapter.errors import AdapterError
from claw_adapter.harness import TrialContext

__all__ = ["PLACES", "PROMPT", "fill", "names_in", "places_of", "refuse_unknown"]

PROMPT: Final = "prompt"
PLACES: Final = frozenset(
    ("prompt", "session", "state", "workspace", "model", "key", "url", "openai", "anthropic", "seed", "trial")
)
"""What every description may name, beside its own options: ``url`` has no path, ``openai`` ends in ``/v1``, and ``anthropic``
is the base URL of Anthropic's clients; ``session`` is the name of the main session; ``state`` is the state directory."""
_PLACE: Final = re.compile(r"\{([a-z_]+)\}")


def places_of(ctx: TrialContext, session: str) -> dict[str, str]:
    """The values of one trial, but for the prompt."""
    to = ctx.endpoint
    return {
        "session": session,
        "state": str(ctx.state_dir),
        "workspace": str(ctx.workspace),
        "model": to.model,
        "key": to.key,
        "url": to.url,
        "openai": to.openai,
        "anthropic": to.anthropic,
        "seed": str(ctx.seed),
        "trial": ctx.trial,
    }


def fill(value: Any, places: Mapping[str, str]) -> Any:
    """A text, or JSON data with texts in it, with its places replaced; values are never searched for places again."""
    if isinstance(value, str):
        return _PLACE.sub(lambda found: places.get(found[1], found[0]), value)
    if isinstance(value, Mapping):
        return {name: fill(part, places) for name, part in value.items()}
    if isinstance(value, Sequence):
        return [fill(part, places) for part in value]
    return value


def names_in(value: Any) -> set[str]:
    """The places that a text, or data with texts in it, names."""
    if isinstance(value, str):
        return set(_PLACE.findall(value))
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, Sequence):
        return {name for part in value for name in names_in(part)}
    return set()


def refuse_unknown(value: Any, known: Collection[str], where: str) -> None:
    """Raise AdapterError if there is a place of another name."""
    if unknown := sorted(names_in(value) - set(known)):
        remedy = f"There are: {', '.join(sorted(known))}."
        raise AdapterError(f"no place {{{unknown[0]}}}", where=where, remedy=remedy)
