"""The 17 scenario families: for each the counts of the published suite, our own texts, and the scene with its goal."""

from __future__ import annotations

from functools import cache

from claw_adapter_forge.tasks.family import Family

__all__ = ["families", "family"]


@cache
def families() -> tuple[Family, ...]:
    """All families, in the published order A to Q."""
    from claw_adapter_forge.families import completion, duplicates, gap, repair, sources, transfer

    found = [f for m in (completion, duplicates, gap, repair, sources, transfer) for f in m.FAMILIES]
    return tuple(sorted(found, key=lambda f: f.letter))


def family(slug: str) -> Family:
    """The family of that slug.

    Raises:
        KeyError: there is none.
    """
    return {f.slug: f for f in families()}[slug]
