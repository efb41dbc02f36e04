"""The world's files as a real directory, kept in step both ways.

After a command the directory shows the world's files; before one, and at the end, what was edited, made or removed in the
directory by other means (a harness's own edit tool) is taken over into the world as a change like any other.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from claw_adapter.workspace.tree import excluder
from claw_adapter_forge.world.difference import Change, table_changes
from claw_adapter_forge.world.records import File
from claw_adapter_forge.world.state import MAX_ROWS, MAX_TEXT, World

__all__ = ["FileMirror"]


class FileMirror:
    """Mirrors the table of files in `root`.

    Links and files that are not text are passed over, and listed in `skipped`; `private` patterns name files to leave alone.
    """

    def __init__(self, root: Path, private: Sequence[str] = ()) -> None:
        self.root = root
        self._left_out = excluder(tuple(private)) or (lambda _path: False)
        self.skipped: set[str] = set()
        root.mkdir(parents=True, exist_ok=True)

    def show(self, world: World) -> None:
        """Make the directory show the world's files."""
        wanted = {f.id: f.content for f in world.rows("files", File)}
        present = self._read()
        for path in present.keys() - wanted.keys():
            self._place(path).unlink()
        for path, content in wanted.items():
            if present.get(path) != content:
                place = self._place(path)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(content, encoding="utf-8", newline="")

    def absorb(self, world: World) -> tuple[Change, ...]:
        """Take over what was changed in the directory; returns the changes."""
        before = world.tables()
        known = {f.id: f.content for f in world.rows("files", File)}
        present = self._read()
        for path in known.keys() - present.keys():
            world.remove("files", path)
        for path, content in present.items():
            if known.get(path) != content and (path in known or len(known) < MAX_ROWS):
                world.put("files", File(path, content))
        return table_changes(before, world.tables())

    def _place(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def _read(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for folder, _, names in os.walk(self.root, followlinks=False):
            for name in sorted(names):
                place = Path(folder) / name
                path = place.relative_to(self.root).as_posix()
                if self._left_out(path):
                    continue
                key = "/" + path
                if place.is_symlink() or not place.is_file() or place.stat().st_size > 4 * MAX_TEXT:
                    self.skipped.add(key)
                    continue
                try:
                    found[key] = place.read_bytes().decode("utf-8")[:MAX_TEXT]
                except UnicodeDecodeError:
                    self.skipped.add(key)
        return found
