"""The scenario families: the 17 of the published suite, the one of the set `hard`, and those that other distributions bring."""

from __future__ import annotations

from collections.abc import Mapping

from claw_adapter.errors import ScenarioError
from claw_adapter_forge.plugged import plugged
from claw_adapter_forge.tasks.family import Family

__all__ = ["every_family", "families", "family"]


def families() -> tuple[Family, ...]:
    """The families of the published suite, in its order A to Q."""
    return tuple(sorted((found for found in plugged() if found.letter), key=lambda found: str(found.letter)))


def every_family() -> Mapping[str, Family]:
    """All families by their slugs."""
    return {found.slug: found for found in plugged()}


def family(slug: str) -> Family:
    """The family of that slug.

    Raises:
        ScenarioError: there is none.
    """
    known = every_family()
    if slug not in known:
        raise ScenarioError(f"no family {slug!r}", remedy=f"There are {', '.join(sorted(known))}.")
    return known[slug]
