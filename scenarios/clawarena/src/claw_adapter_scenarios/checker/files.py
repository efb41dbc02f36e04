"""Finding an artefact in the workspace."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .faults import Unreadable

__all__ = ["read_file"]

MOST_BYTES = 8 * 1024 * 1024


def read_file(workspace: Path, rule: Mapping[str, Any]) -> tuple[Path, str]:
    """The artefact's place and text; with a glob the only file that fits, or the last one in the order of names.

    Raises:
        Unreadable: it is not there, is there under another name, or is no text.
    """
    root = workspace.resolve()
    pattern = rule.get("find") or glob.escape(rule["path"])
    found = sorted(path for path in root.glob(pattern) if path.is_file() and _counts(path, root, rule))
    if not found:
        raise _absent(root, rule)
    path = found[-1]
    if path.stat().st_size > MOST_BYTES:
        raise Unreadable("format", "too large")
    try:
        return path, path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable("format", f"cannot be read: {error}") from None


def _absent(root: Path, rule: Mapping[str, Any]) -> Unreadable:
    wanted = Path(rule["path"])
    same_name = (path for path in sorted(root.rglob("*")) if path.is_file() and _alike(path, wanted))
    near = [path for path in same_name if _counts(path, root, rule)]
    if near:
        return Unreadable("naming", f"it is {near[0].relative_to(root).as_posix()}")
    return Unreadable("missing", "there is no such file")


def _counts(path: Path, root: Path, rule: Mapping[str, Any]) -> bool:
    """Whether a file was not there before, and is no link out of the workspace."""
    return path.resolve().is_relative_to(root) and path.relative_to(root).as_posix() not in rule.get("old", ())


def _alike(path: Path, wanted: Path) -> bool:
    """The same name in another folder, in other case, or with another ending."""
    return path.stem.casefold() == wanted.stem.casefold()
