"""Real programs whose window is too small: they sum the conversation up, or drop its oldest part, and are not blamed for it."""

import pytest

from claw_adapter import open_run
from claw_adapter.sandbox import detect
from support.real import params
from support.running import experiment, run_sync

WINDOWS = {"nanobot": 40_000, "openclaw": 64_000, "picoclaw": 60_000}
"""Tokens of a window that is full in the second half of the scenario."""


@pytest.mark.slow(30)
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", params(*WINDOWS))
def test_a_window_that_is_full_is_a_declared_loss_and_no_violation(tmp_path, name):
    harness = {"name": name, "options": {"context_window": WINDOWS[name]}}
    settings = {"isolation": int(detect().level), "deadline": 240}
    asked = experiment("lite:only=well-nine", harnesses=[harness], settings=settings)
    (records,) = run_sync(tmp_path / "run", asked).values()
    assert {record.error for record in records} == {None}
    (verdict,) = open_run(tmp_path / "run").audit().harnesses
    assert [finding.what for finding in verdict.findings] == []
    assert [bite.loss for bite in verdict.bites if bite.loss.startswith("takes the model's window")] != []
