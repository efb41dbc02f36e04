"""A third party's package, built as a wheel and installed with ours into a bare environment, certifies itself."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from claw_adapter.certify.requirements import load
from support.running import claw

sys.path.insert(0, str(Path(__file__).parent))
import adapters


@pytest.mark.slow(20)
def test_the_seven_lines_certify_a_package_from_wheels(tmp_path):
    theirs, dist, venv = tmp_path / "theirs", tmp_path / "dist", tmp_path / "venv"
    claw("new-adapter", "ours-not", "--out", theirs)
    for source in (adapters.ROOT / "core", theirs):
        options = ["--quiet", "--wheel", "--no-build-isolation", "--python", sys.executable, "--out-dir", dist]
        adapters.call(adapters.UV, "build", *options, source)
    adapters.call(adapters.UV, "venv", "--quiet", "--python", sys.executable, venv)
    wheels, pins = sorted(dist.glob("*.whl")), adapters.ROOT / "requirements" / "dev.txt"
    install = ["pip", "install", "--quiet", "--python", venv, "--constraints", pins]
    adapters.call(adapters.UV, *install, "pytest", *wheels)
    tests = tmp_path / "elsewhere"
    tests.mkdir()
    (theirs / "tests" / "test_certify.py").rename(tests / "test_certify.py")
    env = {"PATH": f"{venv}/bin:/usr/bin:/bin", "HOME": str(tmp_path)}
    done = adapters.call(venv / "bin" / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tests, env=env)
    asked = len(load().of("bronze"))
    assert re.search(rf"\b({asked}|{asked + 1}) passed", done.stdout), done.stdout
    assert "failed" not in done.stdout
