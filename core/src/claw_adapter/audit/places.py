"""Where in the workspace a path of a call leads, in whatever way it is written."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

__all__ = ["hidden", "place_in"]

FOLDER: Final = "/workspace/"
"""How the workspace's path ends everywhere, also inside an isolation."""


def hidden(path: PurePosixPath) -> bool:
    """Whether it, or a folder on the way to it, has a name that begins with a dot."""
    return any(part.startswith(".") for part in path.parts)


def place_in(path: str, workspace: str) -> str:
    """A path relative to the workspace, whose own path ends with `workspace`; one that leads elsewhere stays absolute."""
    if workspace in path:
        path = path.partition(workspace)[2].lstrip("/")
    elif path.startswith("/") and FOLDER in path:
        path = path.partition(FOLDER)[2]
    return path.removeprefix("./")
