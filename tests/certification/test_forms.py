"""The command and the pytest form give the same results."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from support.running import claw

SEVEN_LINES = """
import pytest
from claw_adapter.certify.suite import *
from planted import NoUsage, with_conversation

@pytest.fixture(scope="session")
def harness(): return with_conversation(NoUsage)()

@pytest.fixture(scope="session")
def certify_level(): return "silver"

@pytest.fixture(scope="session")
def certify_isolation(): return 1
"""


def pytest_results(folder: Path, *argv: str) -> dict[str, str]:
    """Check id → passed, failed or skipped, as the author's own pytest run says."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=out.xml", *argv]
    env = {"PYTHONPATH": str(Path(__file__).parent), "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = {}
    for case in ET.parse(folder / "out.xml").getroot().iter("testcase"):
        name = case.get("name").partition("[")[2].rstrip("]") or case.get("name")
        states = {child.tag for child in case} & {"failure", "skipped", "error"}
        found[name] = states.pop() if states else "passed"
    return found


def test_seven_lines_are_enough_and_tell_what_the_command_tells(tmp_path):
    (tmp_path / "test_mine.py").write_text(SEVEN_LINES)
    found = pytest_results(tmp_path, "-k", "TOK or TURN-003 or SEED-008 or baseline")
    assert found.pop("test_certify_baseline") == "passed"
    assert {name for name, state in found.items() if state == "failure"} == {"TOK-001"}
    assert found["TURN-003"] == found["SEED-008"] == "passed"
    assert found["TOK-004"] == "skipped", "gold was not asked for"


def test_a_stale_baseline_fails_in_pytest_too(tmp_path):
    (tmp_path / "test_mine.py").write_text(
        SEVEN_LINES.replace("with_conversation(NoUsage)", "Planted").replace(
            "import NoUsage, with_conversation", "import Planted"
        )
    )
    (tmp_path / "claw-baseline.toml").write_text(
        '[[expected]]\ncheck = "TOK-001"\nreason = "was wrong"\nuntil = 2999-01-01\n'
    )
    found = pytest_results(tmp_path, "-k", "TOK-001 or baseline")
    assert found == {"TOK-001": "passed", "test_certify_baseline": "failure"}


def test_what_a_level_asks_for_is_listed(tmp_path):
    found = json.loads(claw("certify", "--list", "--level", "bronze", "--json", cwd=tmp_path).stdout)["checks"]
    assert {one["level"] for one in found} == {"bronze"}
    assert next(one for one in found if one["id"] == "TURN-003")["needs"] == ["turns"]
    shown = claw("certify", "--list", "--only", "SEED", cwd=tmp_path).stdout
    assert "SEED-008" in shown
    assert "TURN-003" not in shown
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (["reference", "--list"], 2, "means nothing with --list"),
        ([], 2, "name a harness"),
        (["no-such-harness"], 4, "no plugin"),
        (["reference", "--certified", "--only", "TURN"], 2, "certified mode"),
        (["reference", "--only", "NOPE"], 2, "no check"),
        (["reference", "--requirements", "1999.01"], 2, "no requirement set"),
    ],
)
def test_wrong_usage_is_one_clear_message(tmp_path, argv, code, said):
    done = claw("certify", *argv, check=False, cwd=tmp_path)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr
