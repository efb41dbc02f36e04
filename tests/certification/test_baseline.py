"""A baseline excuses what it names, for as long as it says, and cannot rot."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path

import pytest

from claw_adapter.certify.baseline import Baseline, KnownFailure, load_baseline
from claw_adapter.certify.bench import Bench
from claw_adapter.certify.judge import certify, plan, report
from claw_adapter.errors import ScenarioError

sys.path.insert(0, str(Path(__file__).parent))
import planted

FAR, PAST = dt.date(2999, 1, 1), dt.date(2020, 1, 1)


def baseline(check: str = "TOK-001", until: dt.date = FAR) -> Baseline:
    return Baseline(expected=(KnownFailure(check=check, reason="known", until=until),))


async def outcome(tmp_path, harness, given: Baseline, *, certified: bool = False):
    asked = plan("silver", only=["TOK"], baseline=given, certified=certified)
    async with Bench(harness(), out=tmp_path, isolation=1) as bench:
        results = await certify(bench, asked)
    return report(bench, asked, results, started=0.0)


SILENT = planted.with_conversation(planted.NoUsage)


async def test_a_known_failure_is_expected_and_the_level_is_still_not_reached(tmp_path):
    made = await outcome(tmp_path, SILENT, baseline())
    assert made.ok
    assert {r.id: r.outcome for r in made.results}["TOK-001"] == "expected"
    assert made.reached is None


async def test_a_stale_entry_fails(tmp_path):
    made = await outcome(tmp_path, planted.Planted, baseline())
    assert not made.ok
    assert "TOK-001 does not fail any more" in made.problems[0]


async def test_an_expired_entry_fails_and_excuses_nothing(tmp_path):
    made = await outcome(tmp_path, SILENT, baseline(until=PAST))
    assert not made.ok
    assert {r.id: r.outcome for r in made.results}["TOK-001"] == "failed"
    assert "expired" in made.problems[0]


async def test_an_entry_for_a_check_that_does_not_exist_fails(tmp_path):
    made = await outcome(tmp_path, planted.Planted, baseline("TOK-999"))
    assert not made.ok
    assert "there is no check TOK-999" in made.problems[0]


async def test_certified_mode_excuses_nothing(tmp_path):
    made = await outcome(tmp_path, SILENT, baseline(), certified=True)
    assert not made.ok
    assert {r.id: r.outcome for r in made.results}["TOK-001"] == "failed"


@pytest.mark.parametrize(
    "text",
    [
        '[[expected]]\ncheck = "TURN-003"\nuntil = 2030-01-01\n',
        '[[expected]]\ncheck = "TURN-003"\nreason = "why"\n',
        '[[expected]]\ncheck = "turn one"\nreason = "why"\nuntil = 2030-01-01\n',
        '[[expected]]\ncheck = "TURN-003"\nreason = "why"\nuntil = 2030-01-01\n' * 2,
        "[[expected\n",
    ],
    ids=["no reason", "no end", "no id", "twice", "no TOML"],
)
def test_a_baseline_without_reason_or_end_is_refused(tmp_path, text):
    path = tmp_path / "claw-baseline.toml"
    path.write_text(text)
    with pytest.raises(ScenarioError, match="baseline"):
        load_baseline(path)
