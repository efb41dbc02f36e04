"""What is usually behind a finding, by its cause: for the author who has to mend it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files

__all__ = ["usual", "usual_of"]


@cache
def usual() -> Mapping[str, str]:
    """Cause → what is usually wrong, and what helps; a name may have ``*``, and the first that fits counts."""
    return tomllib.loads(files(__package__).joinpath("causes.toml").read_text("utf-8"))


def usual_of(cause: str) -> str:
    """What is usually behind a cause; nothing for one of which nothing is known."""
    return next((text for name, text in usual().items() if fnmatchcase(cause, name)), "")
