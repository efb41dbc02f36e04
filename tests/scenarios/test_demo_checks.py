"""The demo's checker is the one that compiled scenarios carry."""

import importlib.util
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "demo_checks.py"


def test_the_demo_carries_the_checker_of_the_scenarios():
    spec = importlib.util.spec_from_file_location("demo_checks", TOOL)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.differing() == []
