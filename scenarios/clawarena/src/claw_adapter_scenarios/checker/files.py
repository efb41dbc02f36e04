"""Finding an artefact in the workspace."""

from __future__ import annotations

import glob
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from .faults import Unreadable

__all__ = ["read_files"]

MOST_BYTES = 8 * 1024 * 1024


def read_files(
    workspace: Path, rule: Mapping[str, Any], changed: Collection[str] | None = None, others: Collection[str] = ()
) -> list[tuple[str, str | Unreadable]]:
    """Path and text of every file that may be the artefact, in the order of names; of a stated path the one file.

    Args:
        workspace: where they are looked for.
        rule: what the artefact should be.
        changed: what was created or changed in the round, where that is known: a name that was left to the agent is looked
            for there alone, otherwise among the files that the scenario has not laid out itself.
        others: paths of the other artefacts, which are not this one under another name.

    Raises:
        Unreadable: none is there, or there is one under another name.
    """
    root = workspace.resolve()
    pattern = _in_any_case(rule["find"]) if "find" in rule else glob.escape(rule["path"])
    found = sorted(path for path in root.glob(pattern) if path.is_file() and _counts(path, root, rule, changed))
    if not found:
        raise _absent(root, rule, changed, others)
    return [(path.relative_to(root).as_posix(), _text(path)) for path in found]


def _in_any_case(pattern: str) -> str:
    """A glob whose last part, the name that the agent chose, matches capital letters as well as small ones."""
    folder, slash, name = pattern.rpartition("/")
    parts = re.split(r"(\[[^\]]*\])", name)
    either = (part if part[:1] == "[" else re.sub("[A-Za-z]", _either, part) for part in parts)
    return f"{folder}{slash}{''.join(either)}"


def _either(letter: re.Match[str]) -> str:
    return f"[{letter[0].lower()}{letter[0].upper()}]"


def _text(path: Path) -> str | Unreadable:
    if path.stat().st_size > MOST_BYTES:
        return Unreadable("format", "too large")
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        return Unreadable("format", f"cannot be read: {error}")


def _absent(
    root: Path, rule: Mapping[str, Any], changed: Collection[str] | None, others: Collection[str]
) -> Unreadable:
    wanted = Path(rule["path"])
    same_name = (path for path in sorted(root.rglob("*")) if path.is_file() and _alike(path, wanted))
    near = [path.relative_to(root).as_posix() for path in same_name if _counts(path, root, rule, changed)]
    if near := [name for name in near if name not in others]:
        return Unreadable("naming", f"it is {near[0]}")
    return Unreadable("missing", "there is no such file")


def _counts(path: Path, root: Path, rule: Mapping[str, Any], changed: Collection[str] | None) -> bool:
    """Whether a file is no link out of the workspace and, where its name was left to the agent, was written in the round."""
    name = path.relative_to(root).as_posix()
    written = name in changed if changed is not None and "find" in rule else name not in rule.get("old", ())
    return path.resolve().is_relative_to(root) and written


def _alike(path: Path, wanted: Path) -> bool:
    """The same name in another folder, in other case, or with another ending."""
    return path.stem.casefold() == wanted.stem.casefold()
