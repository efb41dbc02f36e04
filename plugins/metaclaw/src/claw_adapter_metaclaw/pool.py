"""What MetaClaw learns: a folder of skills and a memory, made for one trial."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Pool", "write_files"]

DATABASE = "memory.db"


@dataclass(frozen=True, slots=True)
class Pool:
    """The pool of one trial below `root`: ``skills/<name>/SKILL.md``, ``skills/evolution_history.jsonl``, ``memory/``."""

    root: Path

    @property
    def skills(self) -> Path:
        """The folder of skills."""
        return self.root / "skills"

    @property
    def memory(self) -> Path:
        """The folder of the memory."""
        return self.root / "memory"

    def fill(self, skills: str, carry: str, saved: Mapping[str, bytes]) -> None:
        """Make the pool: as it was saved, else with what an earlier trial left and the skills that every trial starts with."""
        for folder in (self.skills, self.memory):
            folder.mkdir(parents=True)
        if saved:
            write_files(self.root, saved)
            return
        for source, target in ((carry, self.root), (skills, self.skills)):
            if source:
                shutil.copytree(source, target, dirs_exist_ok=True)

    def files(self) -> dict[str, bytes]:
        """The pool's files by path below `root`; the memory's database as one consistent file."""
        return dict(self._files())

    def _files(self) -> Iterator[tuple[str, bytes]]:
        for path in sorted(self.root.rglob("*")):
            if path.is_symlink() or not path.is_file():
                continue
            if path.name.startswith(DATABASE):
                if path.name == DATABASE:
                    yield str(path.relative_to(self.root)), _consistent(path)
                continue
            yield str(path.relative_to(self.root)), path.read_bytes()


def _consistent(path: Path) -> bytes:
    """A database that another process may be writing, with what lies in its log."""
    with (
        contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as live,
        contextlib.closing(sqlite3.connect(":memory:")) as copy,
    ):
        live.backup(copy)
        return copy.serialize()


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files, by their paths below a folder; folders are made."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
