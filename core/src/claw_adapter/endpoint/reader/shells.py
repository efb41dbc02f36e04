"""Commands that read a file and write one, in the languages that a tool for commands or code may speak."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, Protocol

__all__ = ["LANGUAGES", "PYTHON", "SH", "WINDOWS", "Language"]


class Language(Protocol):
    """Commands of one line each."""

    @property
    def name(self) -> str:
        """Its name."""

    def read(self, path: str) -> str:
        """Show a file."""

    def part(self, path: str, start: int, size: int) -> str:
        """Show some bytes or characters of it; empty where there is no way to."""

    def write(self, path: str, content: str) -> str:
        """Write a file, and its folder; empty where there is no way to."""


@dataclass(frozen=True, slots=True)
class _Sh:
    name: str = "sh"

    def read(self, path: str) -> str:
        return f"cat {_quoted(path)}"

    def part(self, path: str, start: int, size: int) -> str:
        return f"tail -c +{start + 1} {_quoted(path)} | head -c {size}"

    def write(self, path: str, content: str) -> str:
        *lines, last = content.split("\n")
        texts = [f"printf '%s\\n' {' '.join(shlex.quote(line) for line in lines)}"] if lines else []
        texts += [f"printf %s {shlex.quote(last)}"] if last or not lines else []
        folder = shlex.quote(str(PurePosixPath(path).parent))
        return f"mkdir -p {folder} && {{ {'; '.join(texts)}; }} > {_quoted(path)}"


@dataclass(frozen=True, slots=True)
class _Python:
    name: str = "python"

    def read(self, path: str) -> str:
        return f"import pathlib; print({_text(path)})"

    def part(self, path: str, start: int, size: int) -> str:
        return f"import pathlib; print({_text(path)}[{start}:{start + size}])"

    def write(self, path: str, content: str) -> str:
        made = f"import pathlib; p = pathlib.Path({path!r}); p.parent.mkdir(parents=True, exist_ok=True)"
        return f"{made}; p.write_text({content!r}, encoding='utf-8')"


def _text(path: str) -> str:
    return f"pathlib.Path({path!r}).read_text(encoding='utf-8')"


@dataclass(frozen=True, slots=True)
class _Windows:
    name: str = "windows"

    def read(self, path: str) -> str:
        return f'type "{path}"'.replace("/", "\\")

    def part(self, path: str, start: int, size: int) -> str:
        del path, start, size
        return ""

    def write(self, path: str, content: str) -> str:
        del path, content
        return ""


def _quoted(path: str) -> str:
    return shlex.quote(path if path.startswith("/") else f"./{path}")


SH: Final = _Sh()
PYTHON: Final = _Python()
WINDOWS: Final = _Windows()
LANGUAGES: Final[tuple[Language, ...]] = (SH, PYTHON, WINDOWS)
