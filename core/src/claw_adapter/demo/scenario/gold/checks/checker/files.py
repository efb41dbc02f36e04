"""Finding an artefact in the workspace."""

from __future__ import annotations

import glob
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from .faults import Unreadable

__all__ = ["read_file"]

MOST_BYTES = 8 * 1024 * 1024


def read_file(workspace: Path, rule: Mapping[str, Any], changed: Collection[str] | None = None) -> tuple[Path, str]:
    """The artefact's place and text; with a glob the only file that fits, or the last one in the order of names.

    Args:
        workspace: where it is looked for.
        rule: what it should be.
        changed: what was created or changed in the round, where that is known: a name that was left to the agent is looked
            for there alone, otherwise among the files that the scenario has not laid out itself.

    Raises:
        Unreadable: it is not there, is there under another name, or is no text.
    """
    root = workspace.resolve()
    pattern = rule.get("find") or glob.escape(rule["path"])
    found = sorted(path for path in root.glob(pattern) if path.is_file() and _counts(path, root, rule, changed))
    if not found:
        raise _absent(root, rule, changed)
    path = found[-1]
    if path.stat().st_size > MOST_BYTES:
        raise Unreadable("format", "too large")
    try:
        return path, path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable("format", f"cannot be read: {error}") from None


def _absent(root: Path, rule: Mapping[str, Any], changed: Collection[str] | None) -> Unreadable:
    wanted = Path(rule["path"])
    same_name = (path for path in sorted(root.rglob("*")) if path.is_file() and _alike(path, wanted))
    near = [path for path in same_name if _counts(path, root, rule, changed)]
    if near:
        return Unreadable("naming", f"it is {near[0].relative_to(root).as_posix()}")
    return Unreadable("missing", "there is no such file")


def _counts(path: Path, root: Path, rule: Mapping[str, Any], changed: Collection[str] | None) -> bool:
    """Whether a file is no link out of the workspace and, where its name was left to the agent, was written in the round."""
    name = path.relative_to(root).as_posix()
    written = name in changed if changed is not None and "find" in rule else name not in rule.get("old", ())
    return path.resolve().is_relative_to(root) and written


def _alike(path: Path, wanted: Path) -> bool:
    """The same name in another folder, in other case, or with another ending."""
    return path.stem.casefold() == wanted.stem.casefold()
