"""Where a round stands among the updates of its scenario, as tags."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["update_tags"]


def update_tags(updated: Sequence[bool]) -> dict[str, tuple[str, ...]]:
    """The tags `phase` and `update_age` of the last of these rounds.

    Args:
        updated: whether each has updates: the scenario's rounds from the first on.

    Returns:
        `phase`: how many have some. `update_age`: how many rounds ago the last of them was, 0 for the round itself; empty
        where none has any.
    """
    age = next((ago for ago, has in enumerate(reversed(updated)) if has), None)
    return {"phase": (str(sum(updated)),), "update_age": () if age is None else (str(age),)}
