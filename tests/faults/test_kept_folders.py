"""Folders that checks share: those of a process that was killed go with the next one that needs some."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HOLD = """
import sys
from claw_adapter.sandbox.kept import kept
held = kept("one", lambda folder: (folder / "file").write_text("x"))
print(held.path, flush=True)
sys.stdin.read()
"""


def _start(tmp: Path) -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD],
        env={"TMPDIR": str(tmp)},
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_what_a_killed_process_leaves_is_removed_and_what_a_living_one_holds_is_not(tmp_path: Path) -> None:
    (stranger := tmp_path / "claw-kept-stranger").mkdir()  # without a lock: of another make
    killed, left = _start(tmp_path)
    living, held = _start(tmp_path)
    killed.kill()
    killed.communicate()
    last, _ = _start(tmp_path)
    assert not left.parent.exists()
    assert (held / "file").read_text() == "x"
    for process in (last, living):
        assert process.communicate()[1] is None
        assert process.returncode == 0
    assert list(tmp_path.iterdir()) == [stranger]
