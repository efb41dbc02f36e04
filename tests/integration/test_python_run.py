"""Promise: what docs/python.md shows runs as it stands there, in a program and in a notebook."""

from __future__ import annotations

import asyncio
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

import claw_adapter
from claw_adapter.api import blocking
from claw_adapter.protocol import RoundRecord
from claw_adapter.runner.run import Watcher
from support.scenarios import write_scenario

PAGE = Path(__file__).parents[2] / "docs/python.md"
HARNESS = {"harnesses": "reference:mode=in-process", "isolation": 0}


def example() -> str:
    """The first block of code of the page."""
    found = re.search(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.slow(15)
async def test_the_documented_example_gives_a_frame_of_every_round_also_in_a_notebook(tmp_path, monkeypatch, capsys):
    """There an event loop is running already, in the thread that calls."""
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(compile(example(), PAGE.name, "exec"), names)
    frame, run = names["frame"], names["run"]
    assert (len(frame), set(frame["harness"])) == (22, {"reference", "reference-in-process"})
    assert set(frame["score"]) == {1.0}
    assert "multi_choice" in capsys.readouterr().out
    assert run.path == tmp_path / "runs/notebook"
    assert len(run.compare(resamples=100).pairs) == 1
    assert run.rescore().differences == ()
    first = next(run.requests)
    assert (first.trial, first.status) == (run.trials[0].trial, 200)
    again = await claw_adapter.arun(
        "demo", harnesses=["reference", "reference:mode=in-process"], isolation=0, out="runs/notebook"
    )
    assert [row.score for row in again.rounds] == [1.0] * 22, "the same call finds a finished run"


async def test_one_run_at_a_time_and_a_cancelled_one_is_resumed(tmp_path):
    scenario = write_scenario(tmp_path / "small", [{"id": "r1"}, {"id": "r2"}])
    begun = asyncio.Event()
    rounds: list[RoundRecord] = []

    def on_round(_trial: object, record: RoundRecord, _total: int) -> None:
        rounds.append(record)
        begun.set()

    asked = {**HARNESS, "out": tmp_path / "run", "watcher": Watcher(on_round=on_round)}
    first = asyncio.create_task(claw_adapter.arun(scenario, **asked))
    await begun.wait()
    with pytest.raises(claw_adapter.ClawError, match="another run is under way in this process"):
        await claw_adapter.arun(scenario, **HARNESS, out=tmp_path / "other")
    assert not (tmp_path / "other").exists()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    finished = await claw_adapter.arun(scenario, **asked)
    assert [trial.status for trial in finished.trials] == ["finished"]
    assert [record.round for record in rounds] == ["r1", "r2"], "no round is done twice"


def test_an_interrupt_in_a_notebook_ends_the_run_in_order(tmp_path, monkeypatch):
    """The thread that waits is interrupted; the run is cancelled and wound up before the interrupt is passed on."""
    scenario = write_scenario(tmp_path / "small", [{"id": "r1"}, {"id": "r2"}])
    begun = threading.Event()

    def interrupted() -> None:
        begun.wait()
        raise KeyboardInterrupt

    class Pool(ThreadPoolExecutor):
        def submit(self, *call):
            super().submit(*call)
            return SimpleNamespace(result=interrupted)

    async def notebook() -> None:
        watcher = Watcher(on_round=lambda *_: begun.set())
        claw_adapter.run(scenario, **HARNESS, out=tmp_path / "run", watcher=watcher)

    monkeypatch.setattr(blocking, "ThreadPoolExecutor", Pool)
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(notebook())
    left = claw_adapter.open_run(tmp_path / "run")
    assert [trial.status for trial in left.trials] == ["unfinished"]
    assert not (tmp_path / "run/live").exists()
    assert claw_adapter.run(scenario, **HARNESS, out=tmp_path / "run").trials[0].recorded == 2
