"""Tasks on core's one loop: the policies' choices, controls, whose failure it was, resuming, scoring again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.support.forge import (
    ISOLATION,
    PLAYERS,
    Player,
    outcomes,
    played,
    player,  # noqa: F401  # a fixture
    policy_of,
    same_commands,
)

from claw_adapter.errors import HarnessCrash, HarnessNotFound, RunStopped
from claw_adapter.harness import Event, TurnResult
from claw_adapter.protocol import StopRules
from claw_adapter.reference.adapter import ReferenceHarness
from claw_adapter.report.rescore import rescore
from claw_adapter.testing import PlantedConversation, planted
from claw_adapter_forge.episodes.episode import Episode
from claw_adapter_forge.episodes.snapshots import snapshot_of, take_snapshot
from claw_adapter_forge.policies.offline import POLICIES
from claw_adapter_forge.proof.replay import drive
from claw_adapter_forge.question import bypasses, judge
from claw_adapter_forge.tasks.spec import ForgeTask
from support.running import experiment, run_experiment

pytestmark = pytest.mark.usefixtures("player")


def alone(paper: tuple[ForgeTask, ...], name: str, policy: str) -> list[str]:
    task = next(t for t in paper if t.id == name)
    return [e.line for e in drive(task, policy).executions]


async def test_a_policy_does_in_a_run_what_it_does_by_itself(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    found = await played(tmp_path / "run", "forge:sample=3")
    assert len(found) == 3 * len(POLICIES)
    for one in found:
        assert one.commands == alone(paper, one.task, one.harness)
        assert one.record.score.value == (one.harness == "careful")
        assert bool(one.record.score.pattern) is (one.harness != "careful")
        assert one.detail.commands == len(one.commands)
        assert one.record.traits is not None


async def test_with_hidden_output_no_policy_passes(tmp_path: Path) -> None:
    found = await played(tmp_path / "run", "forge:sample=8,hide-output=true", *PLAYERS[:2])
    assert len(found) == 8 * 2
    assert not any(one.record.score.value for one in found)


async def test_every_mode_executes_the_same(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    for mode in ("mock", "multi", "shim"):
        found = await played(tmp_path / mode, f"forge:only=3+161,mode={mode}", *PLAYERS[:2])
        for one in found:
            assert same_commands(one, alone(paper, one.task, one.harness)), mode
            assert one.record.score.value == (one.harness == "careful")


async def test_the_horizon_ends_an_episode(tmp_path: Path) -> None:
    typed = {"name": "player", "options": {"lines": [f"tasks search --query {i}" for i in range(9)]}}
    (one,) = await played(tmp_path / "run", "forge:only=3,horizon=4", typed)
    assert (one.detail.commands, one.record.tool_calls) == (4, 4)
    assert one.record.score.pattern == "early_breakdown"


async def test_an_adapter_that_raises_loses_its_trial_and_no_other(tmp_path: Path) -> None:
    Player.faults = {("forge-018", 2): ValueError("a bug")}
    found = await played(tmp_path / "run", "forge:only=17+18+19+20", PLAYERS[0], jobs=1)
    assert [(one.task, one.record.score.value) for one in found] == [
        ("forge-017", 1), ("forge-018", None), ("forge-019", 1), ("forge-020", 1)
    ]  # fmt: skip
    assert found[1].record.error.owner == "adapter"
    assert found[1].after.executions == ()


async def test_a_second_attempt_begins_in_the_first_state(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    Player.faults = {("forge-018", 3): HarnessCrash("it fell over")}
    (one,) = await played(tmp_path / "run", "forge:only=18", PLAYERS[0], settings={"attempts": 2})
    assert (one.record.attempts, one.record.score.value) == (2, 1)
    assert one.commands == alone(paper, "forge-018", "careful")


async def test_an_interrupted_run_goes_on_and_every_episode_is_there_once(tmp_path: Path) -> None:
    Player.faults = {("forge-019", 3): asyncio.CancelledError()}
    before = await played(tmp_path / "run", "forge:only=17+18+19+20", PLAYERS[0], jobs=1)
    assert len(before) < 4
    found = await played(tmp_path / "run", "forge:only=17+18+19+20", PLAYERS[0])
    assert [one.task for one in found] == ["forge-017", "forge-018", "forge-019", "forge-020"]
    assert all(one.record.score.value == 1 for one in found)


async def test_a_run_is_scored_again_without_its_environment(tmp_path: Path) -> None:
    before = await played(tmp_path / "run", "forge:only=17+103", *PLAYERS[:3])
    again = await rescore(tmp_path / "run")
    assert (again.rounds, again.differences) == (6, ())
    scores = [record.score for trial in again.run.trials for record in trial.rounds]
    assert scores == [one.record.score for one in before]


class SaysSuccess(PlantedConversation):
    """Whatever has happened, all is well."""

    def spoil(self, turn: TurnResult) -> TurnResult:
        return TurnResult(text="The request is done.", events=turn.events)


async def test_a_provider_that_is_down_is_no_wrong_answer_whatever_the_harness_says(tmp_path: Path) -> None:
    down = {"name": "some-model", "kind": "openai", "base_url": "http://127.0.0.1:9/v1"}
    asked = experiment("forge:only=17", models=[down])
    harness = planted(ReferenceHarness, SaysSuccess)(mode="in-process")
    with pytest.raises(RunStopped, match="no connection to the provider"):
        await run_experiment(tmp_path / "run", asked, harnesses={"reference": harness}, rules=StopRules(patience=0.5))
    assert outcomes(tmp_path / "run") == [], "the episode is still to be played"


@pytest.mark.slow
async def test_through_a_harness_policies_do_what_they_do_alone(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    models = [f"policy:{name}" for name in POLICIES]
    found = await played(
        tmp_path / "run", "forge:only=1+161", "reference", models=models, settings={"isolation": ISOLATION}
    )
    assert len(found) == 2 * len(POLICIES)
    for one in found:
        assert same_commands(one, alone(paper, one.task, policy_of(one)))
        assert one.record.score.value == (policy_of(one) == "careful")
        assert one.detail.bypasses == ()


@pytest.mark.slow
async def test_with_hidden_output_no_policy_passes_through_a_harness(tmp_path: Path) -> None:
    """Through real ones: tests/e2e/test_forge_harnesses.py."""
    models = ["policy:careful", "policy:decoy-copier"]
    settings = {"isolation": ISOLATION}
    found = await played(
        tmp_path / "run", "forge:only=1,hide-output=true", "reference", models=models, settings=settings
    )
    assert [one.record.score.value for one in found] == [0, 0]
    assert all(one.commands for one in found)


async def test_policies_in_the_bare_loop_do_what_they_do_alone(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    models = [f"policy:{name}" for name in POLICIES]
    found = await played(tmp_path / "run", "forge:sample=3", "bare", models=models)
    assert len(found) == 3 * len(POLICIES)
    for one in found:
        assert one.commands == alone(paper, one.task, policy_of(one))
        assert one.record.score.value == (policy_of(one) == "careful")
        assert one.detail.bypasses == ()


async def test_in_the_bare_loop_too_nothing_passes_unseen(tmp_path: Path) -> None:
    found = await played(tmp_path / "run", "forge:sample=8,hide-output=true", "bare", models=["policy:careful"])
    assert not any(one.record.score.value for one in found)


def test_tools_beside_the_world_are_told_from_those_in_it() -> None:
    def tool(name: str, number: int) -> Event:
        return Event(kind="tool_call", id=str(number), name=name)

    events = [tool(name, i) for i, name in enumerate(("exec", "Bash", "cron", "Read", "message", "web_fetch"))]
    refused = Event(kind="tool_result", id="4", name="message", is_error=True)
    assert bypasses([*events, refused]) == ("cron", "message (refused)", "web_fetch")


@pytest.mark.parametrize(
    ("rule", "label"),
    [("done", "hallucinated_completion"), ("", "hallucinated_completion"), ("repeats", "incomplete_closure")],
)
def test_only_who_stops_by_itself_thinks_it_is_done(paper: tuple[ForgeTask, ...], rule: str, label: str) -> None:
    episode = Episode(paper[2])
    half = drive(paper[2], "half-finisher").executions
    for execution in half:
        episode.step(execution.line)
    events = (Event(kind="note", name="stopped", arguments={"rule": rule}),) if rule else ()
    assert judge(paper[2], snapshot_of(take_snapshot(episode)), events).pattern == label


async def test_the_real_program_has_to_be_there_before_anything_is_spent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAW_HOME", str(tmp_path / "home"))
    with pytest.raises(HarnessNotFound, match="not installed"):
        await played(tmp_path / "run", "forge:only=17,mode=hybrid", PLAYERS[0])
    assert not (tmp_path / "run").exists()
