"""An agent that knows nothing but the protocol: it uses tools, and its main session changes under it in every way."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from claw_adapter.certify.bench import Bench
from claw_adapter.certify.judge import judge, plan
from claw_adapter.reference import agent, serve
from claw_adapter.reference.acp_harness import AcpHarness
from claw_adapter.runs.journal import read_journal
from support.packages import needs_acp
from support.running import experiment, run_sync

pytestmark = needs_acp
DOUBLE = Path(__file__).parents[1] / "support" / "plain_acp_agent.py"
FILES = [str(DOUBLE), serve.__file__, agent.__file__]
OPTIONS = {
    "command": [str(Path(sys.executable).resolve()), "-I", *FILES],
    "env": {"CLAW_KEY": "{key}", "CLAW_URL": "{openai}", "CLAW_MODEL": "{model}"},
    "readable": FILES,
}
CHANGES = ("SEED-008", "PLAN-002")


@pytest.mark.parametrize("check", CHANGES)
async def test_what_a_past_is_told_as_text_lacks_is_no_exception(tmp_path, check):
    (asked,) = plan("gold", only=[check]).checks
    async with Bench(AcpHarness(**OPTIONS), out=tmp_path, isolation=1) as bench:
        result = await judge(bench, asked)
    assert result.outcome in ("passed", "unsupported"), result
    assert "raised" not in " ".join(result.notes)
    assert "occurs twice" not in " ".join(result.notes)


def test_the_demo_is_answered_like_the_reference_and_the_version_is_the_agent_s(tmp_path):
    spec = {"name": "acp", "label": "plain", "options": OPTIONS}
    (records,) = run_sync(tmp_path / "run", experiment("demo", harnesses=[spec])).values()
    assert [record.score.value for record in records] == [1] * len(records)
    assert all(record.score.cause is None for record in records)
    (journal,) = (tmp_path / "run").glob("trials/*/journal.jsonl")
    start = read_journal(journal)[0]
    assert start.versions == {"acp": "1", "plain": "2.5"}
