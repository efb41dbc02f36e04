"""Interpreters that are reached through links work inside the sandbox."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from claw_adapter.sandbox import detect


@pytest.mark.skipif(detect().bwrap is None, reason=f"no namespaces: {detect().reason}")
def test_an_environment_whose_interpreter_is_found_through_links_elsewhere_works(tmp_path):
    """``python3 -m venv`` keeps the path it was called by, which may be a link in a folder that nobody shows."""
    folder = tmp_path / "links"
    folder.mkdir()
    (folder / "python3").symlink_to(Path(sys.executable).resolve())
    subprocess.run([folder / "python3", "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    code = (
        "import asyncio, pathlib, sys; from claw_adapter.sandbox import run_check, IsolationLevel; "
        f"copy = pathlib.Path({str(tmp_path)!r}, 'copy'); copy.mkdir(); "
        "done = asyncio.run(run_check('python -c \"print(6 * 7)\"', workspace=copy, level=IsolationLevel(2), deadline=20)); "
        "print(done.stdout.text, done.stderr.text)"
    )
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [tmp_path / "venv/bin/python", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert done.stdout.strip() == "42", done.stdout + done.stderr
