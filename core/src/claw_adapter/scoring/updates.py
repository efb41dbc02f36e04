"""Where a round stands among the updates of its scenario, as tags."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["update_tags"]


def update_tags(updated: Sequence[bool]) -> dict[str, tuple[str, ...]]:
    """The tag `phase` of the last of these rounds.

    Args:
        updated: whether each has updates: the scenario's rounds from the first on.

    Returns:
        `phase`: how many have some.
    """
    return {"phase": (str(sum(updated)),)}
