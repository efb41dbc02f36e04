"""A published data set: ``tests.json``, the manifests of its layouts, and the questions they share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from claw_adapter.errors import ScenarioError
from claw_adapter_clawarena.jsontext import JsonSource, read_json
from claw_adapter_clawarena.layouts import LAYOUTS

__all__ = ["Suite", "Test", "is_published", "open_suite"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True, slots=True)
class Test:
    """An entry of ``tests.json``; `eval` is the name of its folder below the suite's `eval_dir`."""

    __test__ = False  # not one of pytest's

    id: str
    description: str
    eval: str


@dataclass(frozen=True)
class Suite:
    """A data set whose ``tests.json`` has been read; manifests and questions are read when first asked for, and kept."""

    source: JsonSource
    name: str
    tests: tuple[Test, ...]
    manifests: Mapping[str, Path]
    """Path of the manifest per layout that ``tests.json`` names."""
    eval_dir: Path
    _read: dict[Path, JsonSource] = field(default_factory=dict, repr=False, compare=False)

    def layouts(self, asked: str = "all") -> tuple[str, ...]:
        """The layouts that a user's word means.

        Raises:
            ScenarioError: the data set does not have it.
        """
        here = tuple(name for name in LAYOUTS if name in self.manifests)
        if asked == "all":
            return here
        if asked not in here:
            remedy = f"Use one of: {', '.join(here) or 'none'}, or all."
            raise ScenarioError(f"no layout {asked!r} in this data set", where=str(self.source.path), remedy=remedy)
        return (asked,)

    def manifest(self, layout: str) -> JsonSource:
        """The manifest of a layout.

        Raises:
            ScenarioError: it cannot be read.
        """
        return self._json(self.manifests[layout])

    def questions(self, test: Test) -> JsonSource:
        """The ``questions.json`` of a test.

        Raises:
            ScenarioError: it cannot be read.
        """
        return self._json(self.eval_dir / test.eval / "questions.json")

    def rounds(self, test: Test) -> list[dict[str, Any]]:
        """The rounds of a test as they stand in its ``questions.json``.

        Raises:
            ScenarioError: it cannot be read, or has no list of rounds.
        """
        source = self.questions(test)
        rounds = source.data.get("rounds")
        if not isinstance(rounds, list) or not all(isinstance(item, dict) for item in rounds):
            raise ScenarioError("'rounds' must be a list of objects", where=source.where("rounds"))
        return rounds

    def _json(self, path: Path) -> JsonSource:
        if path not in self._read:
            self._read[path] = read_json(path)
        return self._read[path]


def is_published(path: Path) -> bool:
    """Whether a path looks like a published data set: a ``tests.json``, or a folder with one."""
    return path.name == "tests.json" if path.is_file() else (path / "tests.json").is_file()


def open_suite(path: Path) -> Suite:
    """Read ``tests.json``; `path` is the file or its folder.

    Raises:
        ScenarioError: it is missing, or not as it should be.
    """
    file = Path(path).resolve()
    file = file / "tests.json" if file.is_dir() else file
    source = read_json(file)
    return Suite(
        source=source,
        name=str(source.data.get("name", file.parent.name)),
        tests=_tests(source),
        manifests=_manifests(source),
        eval_dir=file.parent / str(source.data.get("eval_dir", "eval")),
    )


def _tests(source: JsonSource) -> tuple[Test, ...]:
    entries = source.data.get("tests")
    if not isinstance(entries, list) or not entries:
        raise ScenarioError("'tests' must be a list of tests", where=source.where("tests"))
    tests: list[Test] = []
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
            raise ScenarioError("a test needs an 'id'", where=source.where("tests", index))
        folder = entry.get("eval", entry["id"])
        if not _NAME.fullmatch(entry["id"]) or not isinstance(folder, str) or not _NAME.fullmatch(folder):
            what = f"test {entry['id']!r}: its id and its folder must be plain names"
            raise ScenarioError(what, where=source.where("tests", index))
        if entry["id"] in {test.id for test in tests}:
            raise ScenarioError(f"test {entry['id']!r} is there twice", where=source.where("tests", index, "id"))
        tests.append(Test(entry["id"], str(entry.get("desc", "")), folder))
    return tuple(tests)


def _manifests(source: JsonSource) -> dict[str, Path]:
    frameworks: Any = source.data.get("frameworks")
    if not isinstance(frameworks, dict) or not frameworks:
        raise ScenarioError("'frameworks' must name the layouts", where=source.where("frameworks"))
    found: dict[str, Path] = {}
    for name, entry in frameworks.items():
        if not isinstance(entry, dict) or not isinstance(entry.get("manifest"), str):
            raise ScenarioError(f"layout {name!r} needs a 'manifest'", where=source.where("frameworks", name))
        found[name] = source.path.parent / entry["manifest"]
    return found
