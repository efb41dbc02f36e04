"""One folder that shows one world after the other: only what differs is written, so that a large world costs once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

__all__ = ["LaidOut"]

STAMP: Final = 946_684_800
"""Time of change that untouched files have (2000-01-01): whatever is written to later has another one."""


@dataclass(slots=True)
class LaidOut:
    """The folder, and what was written into it."""

    folder: Path
    written: int = 0
    """Bytes written so far."""
    _held: dict[str, bytes] = field(default_factory=dict)

    def show(self, files: Mapping[str, bytes]) -> Path:
        """Make the folder hold exactly these files, whatever programs did in it since."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._remove_others(files)
        for path, content in files.items():
            held = self._held.get(path)
            if held is None or not (held is content or held == content) or not self._untouched(path, content):
                self._write(path, content)
        self._held = dict(files)
        return self.folder

    def _remove_others(self, files: Mapping[str, bytes]) -> None:
        for root, folders, names in os.walk(self.folder, topdown=False):
            base = Path(root)
            for name in names:
                if (base / name).relative_to(self.folder).as_posix() not in files:
                    (base / name).unlink()
            for name in folders:
                place = base / name
                if place.is_symlink():
                    place.unlink()
                elif place.relative_to(self.folder).as_posix() in files:
                    shutil.rmtree(place)  # a folder where a file belongs
                elif not any(place.iterdir()):
                    place.rmdir()

    def _untouched(self, path: str, content: bytes) -> bool:
        place = self.folder / path
        if place.is_symlink() or not place.is_file():
            return False
        found = place.stat()
        return found.st_size == len(content) and found.st_mtime == STAMP

    def _write(self, path: str, content: bytes) -> None:
        place = self.folder / path
        place.unlink(missing_ok=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        os.utime(place, (STAMP, STAMP))
        self.written += len(content)
