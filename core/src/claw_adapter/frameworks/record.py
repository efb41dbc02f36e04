"""The marker in an environment: it exists exactly if the installation came to its end."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

__all__ = ["MARKER", "PARTIAL", "Installed"]

MARKER: Final = "installed.json"
PARTIAL: Final = "installed.json.partial"


@dataclass(frozen=True, slots=True)
class Installed:
    """A framework that is installed here.

    Attributes:
        name, version: of the framework.
        path: the environment.
        python: its interpreter; started with ``-I`` it sees this environment only.
        base: prefix of the interpreter that the environment was made from; the environment does not run without it.
        digest: sha256 of the hashed requirements it was installed from.
        installer: the program that installed it.
        date: when, in ISO 8601.
    """

    name: str
    version: str
    path: Path
    python: Path
    base: Path
    digest: str
    installer: str
    date: str

    @property
    def readable(self) -> tuple[Path, ...]:
        """Folders that a confined process must be able to read to run it."""
        return (self.path, self.base)

    def program(self, name: str) -> Path:
        """A command of the environment."""
        return self.path / "bin" / name

    def save(self) -> None:
        """Write the marker: the last, atomic step of an installation."""
        fields = {**asdict(self), "path": None, "python": str(self.python), "base": str(self.base)}
        del fields["path"]
        partial = self.path / PARTIAL
        with partial.open("w", encoding="utf-8") as file:
            json.dump(fields, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self.path / MARKER)

    @classmethod
    def load(cls, path: Path) -> Installed | None:
        """The marker of an environment; None when there is none, or none that can be read."""
        try:
            fields = json.loads((path / MARKER).read_text("utf-8"))
            python, base = Path(fields.pop("python")), Path(fields.pop("base"))
            return cls(path=path, python=python, base=base, **fields)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None
