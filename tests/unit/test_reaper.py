"""Promise: one look finds all that came of a child, or says that it may have missed something."""

from __future__ import annotations

from pathlib import Path

import pytest

from claw_adapter.drivers import reaper

SINCE = 100


class Proc:
    """A /proc of our own; process 1 is older than the child whose kin is looked for."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.add("self", 1, environment=b"")
        self.add(1, 50, environment=b"HOME=/root\0")

    def add(self, pid: int | str, started: int, *, ppid: int = 1, state: str = "S", environment: bytes | None) -> None:
        """A process, named as badly as one can be; without an environment it ends after it was listed."""
        (self.root / str(pid)).mkdir()
        if environment is not None:
            fields = " ".join([state, str(ppid), "7", "7", *"0" * 15, str(started), "0", "0"])
            (self.root / str(pid) / "stat").write_text(f"{pid} (a) S (b) {fields}\n")
            (self.root / str(pid) / "environ").write_bytes(environment)


@pytest.fixture
def proc(tmp_path, monkeypatch):
    monkeypatch.setattr(reaper, "_PROC", str(tmp_path))
    return Proc(tmp_path)


def test_a_look_at_processes_that_all_show_their_environment_misses_nothing(proc):
    proc.add(2, 100, environment=b"A=1\0CLAW_TRIAL=run/t1\0")
    proc.add(3, 101, ppid=2, environment=b"CLAW_TRIAL=other\0")
    proc.add(4, 102, environment=b"CLAW_TRIAL=run/t12\0")
    assert reaper.look("run/t1", since=SINCE) == ([2, 3], True)
    assert reaper.look("run", since=SINCE) == ([2, 3, 4], True)
    assert reaper.look("run/t1", frozenset({(4, 102), (3, 7)}), SINCE) == ([2, 3, 4], True)
    assert reaper.look("nobody", since=SINCE) == ([], True)


@pytest.mark.parametrize(
    "process",
    [
        pytest.param({"started": 100, "environment": b""}, id="is replacing its program"),
        pytest.param({"started": 100, "environment": None}, id="ended after it was listed"),
    ],
)
def test_a_look_that_may_have_missed_something_says_so(proc, process):
    proc.add(2, **process)
    assert reaper.look("run", since=SINCE) == ([], False)


def test_what_ends_while_we_look_again_leaves_a_doubt_and_what_had_ended_before_does_not(proc, monkeypatch):
    proc.add(2, 100, environment=b"A=1\0")
    scan, states = reaper._scan, ["S", "Z", "Z"]

    def ending():
        (proc.root / "2/stat").write_text((proc.root / "2/stat").read_text().replace(") S", f") {states.pop(0)}"))
        return scan()

    monkeypatch.setattr(reaper, "_scan", ending)
    assert reaper.look("run", since=SINCE) == ([], True)
    assert reaper.look("run", since=SINCE) == ([], True), "looked twice: the second time it had ended before"
    assert states == []
    monkeypatch.setattr(reaper, "_scan", lambda: [None, *scan()])
    assert reaper.look("run", since=SINCE) == ([], False)


@pytest.mark.parametrize("state", ["S", "Z"])
def test_what_is_older_than_the_child_leaves_no_doubt(proc, state):
    proc.add(2, 99, environment=b"", state=state)
    assert reaper.look("run", since=SINCE) == ([], True)
