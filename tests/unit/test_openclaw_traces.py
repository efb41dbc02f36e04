"""What OpenClaw leaves in the system's temporary folder is gone after the run, also when nobody was left to remove it."""

from __future__ import annotations

from claw_adapter.drivers import Lifeline
from claw_adapter.testing import FolderContext
from claw_adapter_openclaw.traces import Traces


async def test_the_runs_sidecar_knows_the_files_before_they_are_there(tmp_path):
    """The sidecar outlives a killed runner (tests/faults/test_process_lifeline.py); here it ends in the ordinary way."""
    traces = Traces(tmp_path / "t" / "state", tmp_path)
    async with Lifeline() as lifeline:
        ctx = FolderContext(tmp_path / "t", marker=lifeline.marker, leave=lifeline.add)
        for path in traces.files():
            await ctx.register_cleanup(path)
        for path in traces.files():
            path.parent.mkdir(exist_ok=True)
            path.touch()
        kept = traces.files()[0].with_name("state-handles.00000000.lock.sqlite")
        kept.touch()
    assert list(kept.parent.iterdir()) == [kept]


async def test_a_context_without_a_run_takes_the_news_and_does_nothing(tmp_path):
    await FolderContext(tmp_path / "t").register_cleanup(tmp_path / "x")
