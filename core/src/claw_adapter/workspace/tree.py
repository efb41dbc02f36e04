"""What a snapshot says: the entries of a tree, its manifest in the store, and the difference of two."""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

from pydantic import JsonValue

from claw_adapter.errors import JournalError
from claw_adapter.runs.store import Store

__all__ = [
    "KINDS",
    "Diff",
    "Entry",
    "Kind",
    "Mark",
    "Marks",
    "Tree",
    "difference",
    "excluder",
    "manifest",
    "read_tree",
    "write_tree",
]

Kind = Literal["file", "link", "folder", "skipped", "unreadable"]
KINDS: Final[frozenset[str]] = frozenset({"file", "link", "folder", "skipped", "unreadable"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One name of a tree.

    Attributes:
        kind: ``file``, ``link``, ``folder`` (an empty one; others follow from what is in them), ``skipped`` (there, but
            nothing that can be kept: a pipe, a socket, a device, too large, too deep) or ``unreadable``.
        sha: digest of a file's content.
        size: bytes of a file.
        executable: whether the owner may execute a file.
        target: where a link leads, as it is written in the link.
        reason: why it was skipped, or what is unreadable.
    """

    kind: Kind
    sha: str = ""
    size: int = 0
    executable: bool = False
    target: str = ""
    reason: str = ""

    @property
    def restorable(self) -> bool:
        """Whether the snapshot holds enough to make it again."""
        return self.kind in ("file", "link", "folder")


Tree = dict[str, Entry]
"""Entries by path relative to the folder, forward slashes; undecodable bytes of names as surrogates (PEP 383)."""
Mark = tuple[int, int]
"""Rights, and nanoseconds of the last change."""
Marks = dict[str, Mark]
"""Those of a tree's files, links and folders by path, of the folder itself under ""; no part of what a snapshot says."""


@dataclass(frozen=True, slots=True)
class Diff:
    """Paths that two trees differ in, sorted."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def made(self) -> frozenset[str]:
        """Paths whose content is new: added or changed."""
        return frozenset((*self.added, *self.changed))

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def difference(before: Tree, after: Tree) -> Diff:
    """What turned one tree into the other."""
    return Diff(
        added=tuple(sorted(after.keys() - before.keys())),
        removed=tuple(sorted(before.keys() - after.keys())),
        changed=tuple(sorted(path for path in before.keys() & after.keys() if before[path] != after[path])),
    )


def write_tree(store: Store, tree: Mapping[str, Entry]) -> str:
    """Keep a tree's manifest; return its digest, which is equal for equal trees."""
    return store.put_json(manifest(tree))


def manifest(tree: Mapping[str, Entry]) -> JsonValue:
    """What is kept of a tree."""
    return {path: _to_json(entry) for path, entry in tree.items()}


def read_tree(store: Store, digest: str) -> Tree:
    """The tree of a snapshot.

    Raises:
        JournalError: the manifest is missing, damaged, or no manifest.
    """
    value = store.get_json(digest)
    try:
        return {_checked(path): _from_json(entry) for path, entry in cast("dict[str, JsonValue]", value).items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        where = str(store.path(digest))
        raise JournalError(f"blob {digest} is not the manifest of a tree: {error!r}", where=where) from None


def _to_json(entry: Entry) -> JsonValue:
    if entry.kind == "file":
        return {"kind": "file", "sha": entry.sha, "size": entry.size, "exec": entry.executable}
    if entry.kind == "link":
        return {"kind": "link", "target": entry.target}
    return {"kind": entry.kind, "reason": entry.reason} if entry.reason else {"kind": entry.kind}


def _from_json(value: JsonValue) -> Entry:
    item = cast("dict[str, JsonValue]", value)
    kind = item["kind"]
    if kind not in KINDS:
        raise ValueError(f"unknown kind {kind!r}")
    if kind == "file":
        return Entry("file", str(item["sha"]), int(cast("int", item["size"])), bool(item["exec"]))
    if kind == "link":
        return Entry("link", target=str(item["target"]))
    return Entry(cast("Kind", kind), reason=str(item.get("reason", "")))


def _checked(path: str) -> str:
    if "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
        raise ValueError(f"{path!r} leads out of the tree")
    return path


def excluder(patterns: Sequence[str]) -> Callable[[str], bool] | None:
    """A test for paths to leave out, or None without patterns.

    A pattern with a slash is matched against the whole path, one without against the last part; ``*`` matches slashes too.
    A folder that matches is left out with all that is in it.
    """
    return _excluder(tuple(patterns)) if patterns else None


@functools.lru_cache(maxsize=32)
def _excluder(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    whole = _union([pattern for pattern in patterns if "/" in pattern])
    last = _union([pattern for pattern in patterns if "/" not in pattern])
    return lambda path: bool(whole.match(path) or last.match(path.rpartition("/")[2]))


def _union(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns) if patterns else r"(?!)")
