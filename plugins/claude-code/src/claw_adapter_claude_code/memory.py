"""What Claude Code remembers by itself: notes in a folder of the state directory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from claw_adapter_claude_code.configuration import MEMORY

__all__ = ["Memory"]


class Memory:
    """The folder `MEMORY` of the state directory `folder`."""

    def __init__(self, folder: Path) -> None:
        self._state = folder
        self.folder = folder / MEMORY

    def files(self) -> dict[str, bytes]:
        """The notes, by path below the state directory; what lies behind a link is left out."""
        return {path.relative_to(self._state).as_posix(): path.read_bytes() for path in self._notes()}

    def put_back(self, files: Mapping[str, bytes]) -> None:
        """Write those of the files that are notes."""
        for name, content in files.items():
            target = self._state / name
            if target.is_relative_to(self.folder) and ".." not in target.parts:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)

    def _notes(self) -> Iterator[Path]:
        for path in sorted(self.folder.rglob("*")) if not self.folder.is_symlink() else ():
            inside = [path, *(self.folder / step for step in path.relative_to(self.folder).parents)]
            if path.is_file() and not any(step.is_symlink() for step in inside):
                yield path
