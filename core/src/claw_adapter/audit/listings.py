"""What a call that names a folder shows of it: the files that are there, and none that is gone."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePosixPath
from typing import Final

from pydantic import JsonValue

from claw_adapter.audit.course import Passage
from claw_adapter.audit.places import hidden, place_in
from claw_adapter.audit.results import Failed
from claw_adapter.reading import strings_of

__all__ = ["folder_in", "judge_listing", "judge_nowhere", "names_in"]

MOST: Final = 100
"""Files up to which a list has all of them; one of more may end somewhere if it says so."""
WORD: Final = re.compile(r"\w")
NUMBER: Final = re.compile(r"\d")


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
    *,
    looks: bool = True,
    lists: bool = False,
) -> bool:
    """Hold a result against a folder, if it is a list of what is in it: it names some of its files, at least, or has no word.

    Args:
        folder: relative to the workspace.
        flat: the result.
        there: files of the workspace, with what they are when the call is made.
        gone: files that were deleted before the turn, and not made again.
        failed: where findings go.
        request: the number of the request that the call came with.
        looks: whether the tool says that it shows something.
        lists: whether it has named what is in other folders, and is to do so here: words alone are no list then.

    Returns:
        Whether anything is named that is there.
    """
    top = folder or "."
    inside = sorted(path for path in there if _visible(path, top) and _certain(there[path]))
    parts = {part for path in inside for part in PurePosixPath(path).relative_to(top).parts}
    named = any(part in flat or names_in(part, flat, ()) for part in parts)
    here = [path for path in inside if str(PurePosixPath(path).parent) == top]  # some leave out folders by their names
    if looks and here and not named and (lists or not WORD.search(flat)):
        said = "the workspace" if top == "." else folder
        failed.note("M20", "listing-empty", said, f"a list of {said} is empty, and {here[0]} is there", request)
    times = Counter(PurePosixPath(path).name for path in {*there, *gone})
    below = {PurePosixPath(path).name for path in there if PurePosixPath(path).parent.is_relative_to(top)}
    """Names that a list may have of a file that lies anywhere below."""
    many = sum(not folder or path.startswith(f"{folder}/") for path in there) > MOST
    for place in _places(folder, there):  # what lists the folders below as well is held against each that it shows
        names = {path: name for path, name in _inside(place, top, there).items() if _certain(there[path])}
        stale = _inside(place, top, gone)
        stale = {path: name for path, name in stale.items() if name not in below}
        if place != top:  # the name of a file that lies elsewhere as well tells nothing
            names, stale = ({path: name for path, name in one.items() if times[name] == 1} for one in (names, stale))
        shown = {path for path, name in names.items() if names_in(name, flat, times)}
        if not shown or (many and _says_more(flat, [*names.values(), *stale.values()])):
            continue
        said = "the workspace" if place == "." else place
        if lost := sorted(names.keys() - shown):
            failed.note("M20", "listing-wrong", said, f"a list of {said} lacks {lost[0]}, which is there", request)
        if old := sorted(path for path, name in stale.items() if names_in(name, flat, times)):
            failed.note("M20", "listing-wrong", said, f"a list of {said} has {old[0]}, which was deleted", request)
    return named


def judge_nowhere(
    arguments: Mapping[str, JsonValue], flat: str, there: Iterable[str], workspace: str, failed: Failed, request: int
) -> None:
    """Hold the result of a tool that lists against what it is asked for, a place that is not there: no list of another one.

    It is one if each of its lines is the name of a file or a folder, or the path, and nothing else.
    """
    texts = list(strings_of(dict(arguments)))
    paths = {str(one) for path in there for one in (PurePosixPath(path), *PurePosixPath(path).parents)}
    names = {*paths, *(PurePosixPath(path).name for path in paths)} - {"", "."}
    place = place_in(f"{texts[0].rstrip('/')}/", workspace).rstrip("/") if len(texts) == 1 else ""
    if not place or place in paths or place.startswith("/"):
        return
    lines = [line.strip(" \t-*/") for line in flat.splitlines() if WORD.search(line)]
    if lines and all(place_in(line, workspace) in names for line in lines):
        what = f"a list of {place}, which is not there, has {lines[0]}, and no other word"
        failed.note("M20", "listing-wrong", place, what, request)


def _visible(path: str, top: str) -> bool:
    """Whether a file lies somewhere in a folder, and not hidden in it."""
    pure = PurePosixPath(path)
    return pure.is_relative_to(top) and not hidden(pure.relative_to(top))


def _places(folder: str, there: Iterable[str]) -> list[str]:
    """A folder and those below it, sorted."""
    below = [path for path in there if not folder or path.startswith(f"{folder}/")]
    return sorted({folder or ".", *(str(PurePosixPath(path).parent) for path in below)})


def _says_more(flat: str, names: Collection[str]) -> bool:
    """Whether a list has a line behind those that name files, or one ahead with a number; of what is one line nobody knows."""
    lines = [line for line in flat.splitlines() if WORD.search(line)]
    named = [number for number, line in enumerate(lines) if any(name in line for name in names)]
    if len(named) < MOST / 2:
        return True
    return named[-1] < len(lines) - 1 or any(NUMBER.search(line) for line in lines[: named[0]])


def _inside(place: str, top: str, paths: Iterable[str]) -> dict[str, str]:
    """The files right in a place, with their names; what is hidden below the folder asked for is left out of many lists."""
    found = {path: PurePosixPath(path) for path in paths if str(PurePosixPath(path).parent) == place}
    return {path: pure.name for path, pure in found.items() if not hidden(pure.relative_to(top))}


def _certain(passage: Passage) -> bool:
    return not passage.absent and None not in passage.now


def names_in(name: str, flat: str, every: Iterable[str]) -> bool:
    """Whether a list has a name, as it is or quoted as JSON or a shell has it: of both it can be read again.

    That of another file, of all that there are, may have it within.
    """
    for other in every:
        flat = flat.replace(other, "") if name in other != name else flat
    written = dict.fromkeys((name, json.dumps(name, ensure_ascii=False)[1:-1], shlex.quote(name)))
    return any(re.search(rf"(?<![\w.-]){re.escape(one)}(?![\w-])", flat) for one in written)
