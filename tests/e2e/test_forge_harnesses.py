"""ClawForge through real harnesses, with no options typed: the policies' choices, no tool beside the world.

The control, where the output is hidden, is in tests/forge/test_runs.py. A larger run:
``claw run forge:sample=51 -H NAME -m policy:careful``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from claw_adapter.runs.transcript import read_transcript
from claw_adapter_forge.generator.choosing import pick_tasks
from claw_adapter_forge.proof.replay import drive
from claw_adapter_forge.tasks.spec import ForgeTask
from support.forge import ISOLATION, outcomes, policy_of, same_commands
from support.running import claw

pytestmark = [pytest.mark.slow(40), pytest.mark.timeout(600)]


@pytest.fixture(scope="session")
def tasks() -> dict[str, ForgeTask]:
    """One that writes a file by an absolute path, one about recurring checks."""
    return {t.id: t for t in pick_tasks("paper362", 0, 362, ("2", "103"))}


def run(out: Path, harness: str, *policies: str, source: str) -> None:
    models = [word for name in policies for word in ("-m", f"policy:{name}")]
    claw(
        "run", source, "-H", harness, *models,
        "--isolation", ISOLATION, "--deadline", "300", "-j", "2", "--out", out, "--quiet",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("harness", "policies", "asked"),
    [
        pytest.param("nanobot", ["careful"], ["2", "103"], marks=pytest.mark.real("nanobot")),
        pytest.param("openclaw", ["careful"], ["2"], marks=pytest.mark.real("openclaw")),
        pytest.param("claude-code", ["careful", "re-creator"], ["2"], marks=pytest.mark.real("claude-code")),
    ],
)
def test_policies_do_through_a_real_harness_what_they_do_alone(
    harness: str, policies: list[str], asked: list[str], tasks: dict[str, ForgeTask], tmp_path: Path
) -> None:
    """OpenClaw, which takes twenty seconds of CPU to start, does one task: the one that writes a file."""
    run(tmp_path / "run", harness, *policies, source=f"forge:only={'+'.join(asked)}")
    found = outcomes(tmp_path / "run")
    assert len(found) == len(asked) * len(policies)
    for one in found:
        assert one.record.error is None
        assert same_commands(one, [e.line for e in drive(tasks[one.task], policy_of(one)).executions])
        assert one.record.score.value == (policy_of(one) == "careful")
        assert one.detail.bypasses == ()
    if harness == "nanobot":
        _is_not_offered_what_works_beside_the_world(tmp_path / "run")


def _is_not_offered_what_works_beside_the_world(run: Path) -> None:
    path = min(run.glob("trials/*/transcript.jsonl"))
    offered = {tool["function"]["name"] for tool in next(iter(read_transcript(path))).tools}
    assert {"exec", "read_file", "write_file"} <= offered
    assert not offered & set(pytest.importorskip("claw_adapter_nanobot.options").BESIDE)
