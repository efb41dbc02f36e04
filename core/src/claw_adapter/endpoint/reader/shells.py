"""Commands that read a file and write one, in the languages that a tool for commands or code may speak."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, Protocol

__all__ = ["LANGUAGES", "SH", "SQL_TABLES", "Language", "sql"]


class Language(Protocol):
    """Commands of one line each."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def names(self) -> Sequence[str]:
        """What it is called where there are several."""

    def read(self, path: str) -> str:
        """Show a file."""

    def part(self, path: str, start: int, size: int) -> str:
        """Show some bytes or characters of it; empty where there is no way to."""

    def write(self, path: str, content: str) -> str:
        """Write a file, and its folder; empty where there is no way to."""


@dataclass(frozen=True, slots=True)
class _Sh:
    name: str = "sh"
    names: Sequence[str] = ("sh", "bash", "shell", "zsh")

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
    names: Sequence[str] = ("python", "python3", "py", "ipython")

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
class _Node:
    name: str = "javascript"
    names: Sequence[str] = ("javascript", "js", "node", "nodejs")

    def read(self, path: str) -> str:
        return f"console.log(require('fs').readFileSync({json.dumps(path)}, 'utf8'))"

    def part(self, path: str, start: int, size: int) -> str:
        return f"console.log(require('fs').readFileSync({json.dumps(path)}, 'utf8').slice({start}, {start + size}))"

    def write(self, path: str, content: str) -> str:
        folder = json.dumps(str(PurePosixPath(path).parent))
        made = f"require('fs').mkdirSync({folder}, {{recursive: true}})"
        return f"{made}; require('fs').writeFileSync({json.dumps(path)}, {json.dumps(content)})"


@dataclass(frozen=True, slots=True)
class _Windows:
    name: str = "windows"
    names: Sequence[str] = ("powershell", "cmd", "batch", "windows")

    def read(self, path: str) -> str:
        return f'type "{path}"'.replace("/", "\\")

    def part(self, path: str, start: int, size: int) -> str:
        del path, start, size
        return ""

    def write(self, path: str, content: str) -> str:
        del path, content
        return ""


@dataclass(frozen=True, slots=True)
class _Sql:
    """Files as rows of a table: `place` and `text` are its columns."""

    table: str
    place: str
    text: str
    name: str = "sql"
    names: Sequence[str] = ("sql",)

    def read(self, path: str) -> str:
        return self._select(self.text, path)

    def part(self, path: str, start: int, size: int) -> str:
        shown = f"substr({self.text}, {start + 1}, {size})"
        return self._select(shown, path)

    def write(self, path: str, content: str) -> str:
        row = f"({self.place}, {self.text}) VALUES ({_literal(path)}, {_literal(content)})"
        return f"INSERT OR REPLACE INTO {self.table} {row}"

    def _select(self, shown: str, path: str) -> str:
        return " ".join(("SELECT", shown, "FROM", self.table, "WHERE", self.place, "=", _literal(path)))


def sql(said: str) -> Language | None:
    """The language of a table that a text names with two columns and more: the first is a file's place, the last its text."""
    for table, inside in _TABLE.findall(said):
        columns = [part.split()[0].strip("\"`[]'") for part in inside.split(",") if part.split()]
        if len(columns) > 1:
            return _Sql(table, columns[0], columns[-1])
    return None


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _quoted(path: str) -> str:
    return shlex.quote(path if path.startswith("/") else f"./{path}")


_TABLE: Final = re.compile(r"(\w+)[\"'`]?\s*\(((?:[^()]|\([^()]*\))*)\)")
SQL_TABLES: Final = "SELECT sql FROM sqlite_master"
"""What makes a database say its tables."""
SH: Final = _Sh()
LANGUAGES: Final[tuple[Language, ...]] = (SH, _Python(), _Node(), _Windows())
