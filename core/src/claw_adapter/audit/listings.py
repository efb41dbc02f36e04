"""What a call that names a folder shows of it: the files that are there, and none that is gone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from pydantic import JsonValue

from claw_adapter.audit.course import Passage
from claw_adapter.audit.places import place_in
from claw_adapter.audit.results import Failed
from claw_adapter.reading import strings_of

__all__ = ["folder_in", "judge_listing"]

MOST: Final = 100
"""Files in a folder up to which all of them are looked for: what lists them may end somewhere."""


def folder_in(arguments: Mapping[str, JsonValue], paths: Mapping[str, object], workspace: str) -> str | None:
    """The folder that a call is about: the only text among its arguments, if there are files below; "" is the workspace."""
    texts = list(strings_of(dict(arguments)))
    if len(texts) != 1:
        return None
    folder = place_in(f"{texts[0].rstrip('/')}/", workspace).rstrip("/")
    folder = "" if folder == "." else folder
    return folder if not folder or any(path.startswith(f"{folder}/") for path in paths) else None


def judge_listing(
    folder: str,
    flat: str,
    there: Mapping[str, Passage],
    gone: set[str],
    failed: Failed,
    request: int,
) -> None:
    """Hold a result against a folder, if it is a list of what is in it: it names some of its files, at least.

    Args:
        folder: relative to the workspace.
        flat: the result.
        there: files of the workspace, with what they are when the call is made.
        gone: files that were deleted before the turn, and not made again.
        failed: where findings go.
        request: the number of the request that the call came with.
    """
    names = {path: name for path, name in _inside(folder, there).items() if _certain(there[path])}
    shown = {path for path, name in names.items() if _names(name, flat)}
    if not shown or len(names) > MOST:
        return
    place = folder or "the workspace"
    if lost := sorted(names.keys() - shown):
        failed.note("M20", "listing-wrong", place, f"a list of {place} lacks {lost[0]}, which is there", request)
    if stale := sorted(path for path, name in _inside(folder, dict.fromkeys(gone)).items() if _names(name, flat)):
        failed.note("M20", "listing-wrong", place, f"a list of {place} has {stale[0]}, which was deleted", request)


def _inside(folder: str, paths: Mapping[str, object]) -> dict[str, str]:
    """The files right in a folder, with their names; what is hidden is left out of many lists."""
    found = {path: PurePosixPath(path) for path in paths}
    return {
        path: pure.name
        for path, pure in found.items()
        if str(pure.parent) == (folder or ".") and not pure.name.startswith(".")
    }


def _certain(passage: Passage) -> bool:
    return not passage.absent and passage.now[0] is not None


def _names(name: str, flat: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", flat) is not None
