"""Copies of published files: writable, links kept as links."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

__all__ = ["copy_file", "copy_tree"]


def copy_tree(source: Path, target: Path, without: frozenset[str]) -> None:
    """Copy the files of a folder, without some of its top-level folders; rights are made writable, links are kept."""
    target.mkdir(parents=True, exist_ok=True)
    for folder, folders, files in os.walk(source):
        here = Path(folder)
        if here == source:
            folders[:] = [name for name in folders if name not in without]
        for name in files:
            copy_file(here / name, target / here.relative_to(source) / name)


def copy_file(source: Path, target: Path) -> None:
    """Copy one file; folders on the way are made, the right to execute is kept."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_symlink():
        target.symlink_to(source.readlink())
        return
    shutil.copyfile(source, target)
    if source.stat().st_mode & 0o100:
        target.chmod(0o755)
