r"""Places in the texts of a description: ``{workspace}`` in an argument is replaced by what it is in this trial.

``\{word}`` is written ``{word}``, and ``{{word}}``, of a template of the program's own, stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from claw_adapter.errors import AdapterError
from claw_adapter.harness import TrialContext

__all__ = ["PLACES", "PROMPT", "fill", "folders_of", "names_in", "places_of", "refuse_unknown"]

PROMPT: Final = "prompt"
PLACES: Final = frozenset(
    ("prompt", "session", "state", "workspace", "model", "key", "url", "openai", "anthropic", "seed", "trial")
)
"""What every description may name, beside its own options: ``url`` has no path, ``openai`` ends in ``/v1``, and ``anthropic``
is the base URL of Anthropic's clients; ``session`` is the name of the main session; ``state`` is the state directory."""
_PLACE: Final = re.compile(r"(?P<braces>\{\{[a-z_]+\}\})|\\(?P<text>\{[a-z_]+\})|\{(?P<place>[a-z_]+)\}")
"""A word in braces; it is none after a backslash, or in the double braces of a template."""


def places_of(ctx: TrialContext, session: str) -> dict[str, str]:
    """The values of one trial, but for the prompt; folders as the program knows them."""
    to = ctx.endpoint
    return {
        "session": session,
        "state": str(ctx.inside(ctx.state_dir)),
        "workspace": str(ctx.inside(ctx.workspace)),
        "model": to.model,
        "key": to.key,
        "url": to.url,
        "openai": to.openai,
        "anthropic": to.anthropic,
        "seed": str(ctx.seed),
        "trial": ctx.trial,
    }


def folders_of(ctx: TrialContext) -> dict[str, str]:
    """The places that are folders, as they are called on our side of the isolation."""
    return {"state": str(ctx.state_dir), "workspace": str(ctx.workspace)}


def fill(value: Any, places: Mapping[str, str]) -> Any:
    """A text, or JSON data with texts in it, with its places replaced; values are never searched for places again."""
    if isinstance(value, str):
        return _PLACE.sub(lambda found: found["text"] or places.get(found["place"] or "", found[0]), value)
    if isinstance(value, Mapping):
        return {name: fill(part, places) for name, part in value.items()}
    if isinstance(value, Sequence):
        return [fill(part, places) for part in value]
    return value


def names_in(value: Any) -> set[str]:
    """The places that a text, or data with texts in it, names."""
    return {name for name, _ in _named(value, "")}


def refuse_unknown(value: Any, known: Collection[str], where: str) -> None:
    """Raise AdapterError if there is a place of another name."""
    for name, key in _named(value, ""):
        if name not in known:
            remedy = f"There are: {', '.join(sorted(known))}. For the text itself write \\{{{name}}}, with a backslash."
            raise AdapterError(f"no place {{{name}}}", where=f"{where}{key}", remedy=remedy)


def _named(value: Any, key: str) -> Iterator[tuple[str, str]]:
    """Each place, and the keys on the way to the text that it stands in: ``['a'][0]``."""
    if isinstance(value, str):
        yield from ((found["place"], key) for found in _PLACE.finditer(value) if found["place"])
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield from _named(part, f"{key}[{name!r}]")
    elif isinstance(value, Sequence):
        for number, part in enumerate(value):
            yield from _named(part, f"{key}[{number}]")
