"""What OpenClaw leaves in the system's temporary folder is gone after the run, also when nobody was left to remove it."""

from __future__ import annotations

import sys
from pathlib import Path

from claw_adapter.drivers import Lifeline
from claw_adapter.runner.context import Address, RunnerContext
from claw_adapter_openclaw.traces import Traces

sys.path.insert(0, str(Path(__file__).parent))
from acp_context import Context, session


async def test_the_runs_sidecar_knows_the_files_before_they_are_there(tmp_path):
    """The sidecar outlives a killed runner (tests/faults/test_process_lifeline.py); here it ends in the ordinary way."""
    plain = Context(tmp_path / "t", None, "k", session("main"))
    traces = Traces(plain.state_dir, tmp_path)
    async with Lifeline() as lifeline:
        ctx = RunnerContext(
            plain.spec,
            workspace=plain.workspace,
            state_dir=plain.state_dir,
            main=plain.main,
            histories=(),
            address=Address("http://127.0.0.1:9", Path("/nowhere")),
            key="k",
            marker=lifeline.marker,
            leave=lifeline.add,
        )
        for path in traces.files():
            await ctx.will_leave(path)
        for path in traces.files():
            path.parent.mkdir(exist_ok=True)
            path.touch()
        kept = traces.files()[0].with_name("state-handles.00000000.lock.sqlite")
        kept.touch()
    assert list(kept.parent.iterdir()) == [kept]


async def test_a_context_without_a_run_takes_the_news_and_does_nothing(tmp_path):
    await Context(tmp_path / "t", None, "k", session("main")).will_leave(tmp_path / "x")
