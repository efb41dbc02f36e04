"""What is counted of a data set: pieces of content, each from one of eight sources."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

__all__ = ["BUCKETS", "Bucket", "Item"]

Bucket = Literal[
    "main", "histories", "workspace", "workspace_updates", "session_updates", "questions", "feedback", "preferences"
]
BUCKETS: tuple[Bucket, ...] = get_args(Bucket)
"""The eight sources of the published table 8, in its order."""


class Item(NamedTuple):
    """A piece of content: text, or the bytes of a file.

    Attributes:
        read: makes the text that counts of the text of a file; None where a file counts as it is.
    """

    scenario: str
    bucket: Bucket
    content: bytes | str
    read: Callable[[str], str] | None = None
