"""Workers get the tests as support/scheduling.py says: what a module shares is made once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
INI = f"""
[pytest]
markers =
    slow(seconds): takes about that long
pythonpath = {TESTS}
addopts = -p no:cacheprovider -p no:asyncio -p no:hypothesispytest
"""
MODULE = """
import os, pathlib, time
import pytest

HERE = pathlib.Path(__file__).parent

@pytest.fixture(scope="module")
def shared():
    (HERE / f"made-{os.getpid()}").touch()

@pytest.mark.parametrize("number", range(6))
def test_shared(shared, number):
    pass

@pytest.mark.slow(20)
@pytest.mark.parametrize("number", range(2))
def test_long(number):
    (HERE / f"long-{os.getpid()}").touch()
    while len(list(HERE.glob("long-*"))) < 2:
        time.sleep(0.01)
"""


def test_a_module_s_fixture_is_made_once_and_no_long_test_waits_for_another(tmp_path):
    (tmp_path / "test_it.py").write_text(MODULE)
    shutil.copy(TESTS / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text(INI)
    argv = [sys.executable, "-m", "pytest", "-n", "2", "--no-loadscope-reorder", "--timeout", "60", "-q"]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 passed" in done.stdout
    assert len(list(tmp_path.glob("made-*"))) == 1
