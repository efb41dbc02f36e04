"""The demo over PicoClaw, real and stand-in, through the runner: what reaches the model, and kill -9 in mid turn."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from claw_adapter.protocol import RoundRecord
from claw_adapter.runs.checkpoints import load_checkpoint
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.store import Store
from support.running import experiment, outcome, run_experiment

sys.path.insert(0, str(Path(__file__).parent))
from picoclaw_context import both, choose

pytestmark = pytest.mark.timeout(240)
KILLER = """#!/bin/sh
# Kills the real program, and itself, after the model's first answer in some of its turns.
if [ "$1" = agent ]; then
  n=$(($(cat {count} 2>/dev/null || echo 0) + 1))
  echo $n >{count}
  case " {turns} " in *" $n "*)
    {program} "$@" &
    while [ ! -s "$CLAW_TURN_FILE" ]; do sleep 0.01; done
    kill -9 $!
    kill -9 $$
  esac
fi
exec {program} "$@"
"""


def asked(isolation: int = 1):
    return experiment("demo", harnesses=["picoclaw"], settings={"isolation": isolation, "deadline": 60})


def conversation(root: Path, record: RoundRecord) -> list[tuple[str, str]]:
    """What user and assistant said in the main session up to a round, without tool steps and the run's own path.

    The reader may put its tool calls into one answer or into several.
    """
    (main,) = load_checkpoint(Store(RunFolder(root).store), str(record.checkpoint)).sessions
    said = [m for m in main.messages if m.role in ("user", "assistant") and not m.tool_calls]
    return [(m.role, m.text.replace(str(root), "ROOT")) for m in said]


@both
async def test_killed_in_mid_turn_the_run_is_as_if_nothing_had_been(tmp_path, picoclaw, monkeypatch):
    program = choose(picoclaw.param, tmp_path / "program", monkeypatch)
    (quiet,) = (await run_experiment(tmp_path / "quiet", asked())).values()
    turns = " ".join(map(str, sorted(random.Random(7).sample(range(1, 15), 3))))
    killer = tmp_path / "killer"
    killer.write_text(KILLER.format(count=tmp_path / "count", turns=turns, program=program))
    killer.chmod(0o755)
    monkeypatch.setenv("CLAW_PICOCLAW", str(killer))
    changed = asked().model_copy(update={"settings": asked().settings.model_copy(update={"attempts": 4})})
    (disturbed,) = (await run_experiment(tmp_path / "disturbed", changed)).values()
    assert sum(record.attempts - 1 for record in disturbed) == 3
    assert {fault.kind for record in disturbed for fault in record.earlier_failures} == {"HarnessCrash"}
    assert [outcome(record) for record in disturbed] == [outcome(record) for record in quiet]
    assert [record.score.value for record in quiet] == [1.0] * len(quiet)
    last = [
        conversation(root, records[-1])
        for root, records in ((tmp_path / "quiet", quiet), (tmp_path / "disturbed", disturbed))
    ]
    assert last[0] == last[1]
    prompts = [text for role, text in last[1] if role == "user"]
    assert len(set(prompts)) == len(prompts), "every prompt once"
    assert all(record.prompt in prompts for record in disturbed)


@pytest.fixture
def picoclaw(request):
    """Which program: chosen by the test itself, which wraps it."""
    return request


@both
async def test_reported_tokens_are_those_that_the_endpoint_metered(tmp_path, picoclaw, monkeypatch):
    choose(picoclaw.param, tmp_path / "program", monkeypatch)
    (records,) = (await run_experiment(tmp_path / "run", asked(isolation=2))).values()
    assert [record.error for record in records] == [None] * len(records)
    for record in records:
        reported, metered = record.usage.reported, record.usage.metered
        assert reported.kind == "per_turn"
        assert (reported.input, reported.output) == (metered.upstream_input or metered.input, metered.output)
        assert metered.requests > 0
