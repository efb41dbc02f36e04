"""The scenario families: the 17 of the published suite, the one of the set `hard`, and those that other distributions bring."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from claw_adapter.errors import ScenarioError
from claw_adapter_forge.plugged import plugged
from claw_adapter_forge.tasks.family import Family

__all__ = ["every_family", "families", "family"]


@cache
def families() -> tuple[Family, ...]:
    """The families of the published suite, in its order A to Q."""
    from claw_adapter_forge.families import completion, duplicates, gap, repair, sources, transfer

    found = [f for m in (completion, duplicates, gap, repair, sources, transfer) for f in m.FAMILIES]
    return tuple(sorted(found, key=lambda f: f.letter))


def every_family() -> Mapping[str, Family]:
    """All families by their slugs, those found through the entry point included."""
    from claw_adapter_forge.families.round import ROUND

    return {f.slug: f for f in (*plugged(), *families(), ROUND)}


def family(slug: str) -> Family:
    """The family of that slug.

    Raises:
        ScenarioError: there is none.
    """
    known = every_family()
    if slug not in known:
        raise ScenarioError(f"no family {slug!r}", remedy=f"There are {', '.join(sorted(known))}.")
    return known[slug]
