"""Where in the workspace a path of a call leads, in whatever way it is written."""

from __future__ import annotations

from typing import Final

__all__ = ["place_in"]

FOLDER: Final = "/workspace/"
"""How the workspace's path ends everywhere, also inside an isolation."""


def place_in(path: str, workspace: str) -> str:
    """A path relative to the workspace, whose own path ends with `workspace`; one that leads elsewhere stays absolute."""
    if workspace in path:
        path = path.partition(workspace)[2].lstrip("/")
    elif path.startswith("/") and FOLDER in path:
        path = path.partition(FOLDER)[2]
    return path.removeprefix("./")
