"""A class name is used once in a distribution, so that a name in an error or a search leads to one class."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(ROOT.glob("core/src")) + sorted(ROOT.glob("*/*/src"))
DATA = ROOT / "core/src/claw_adapter/demo/scenario"
"""A scenario as it is on disk: its checks carry a copy of the checker, which is no module of the distribution."""


def classes(source: Path) -> dict[str, list[str]]:
    """Class name → the files that define it; what begins with an underscore belongs to its module."""
    found = defaultdict(list)
    for path in sorted(source.rglob("*.py")):
        if DATA in path.parents:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(f"{path.relative_to(source)}:{node.lineno}")
    return found


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.parent.name)
def test_a_class_name_is_used_once(source):
    assert {name: places for name, places in classes(source).items() if len(places) > 1} == {}
