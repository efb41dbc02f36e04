"""Episodes: unknown commands, the budget, local modes; policies see only text."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.support.forge import SCRIPTS_ALONE, known_scripts

from claw_adapter.errors import ScenarioError
from claw_adapter_forge.episodes.episode import EXHAUSTED, Episode
from claw_adapter_forge.policies.offline import POLICIES, decide
from claw_adapter_forge.proof.replay import drive
from claw_adapter_forge.surfaces.words import split_words
from claw_adapter_forge.tasks.observation import first_observation
from claw_adapter_forge.tasks.spec import ForgeTask


def test_an_unknown_command_is_a_step_and_ends_nothing(paper: tuple[ForgeTask, ...]) -> None:
    episode = Episode(paper[3])
    done = [episode.step(line) for line in ("ls -la", "cat x", "tasks list | grep x", *paper[3].reference)]
    assert episode.verdict().strict
    assert [e.output.code for e in done[:3]] == [127, 127, 2]
    assert episode.used == len(paper[3].reference) + 3


def test_the_budget_ends_an_episode(paper: tuple[ForgeTask, ...]) -> None:
    episode = Episode(paper[0], horizon=1)
    episode.step("tasks list")
    assert episode.exhausted
    for late in (episode.step("tasks add --title x"), episode.step_words(["tasks", "add", "--title", "x"])):
        assert late.output.code == EXHAUSTED
    assert episode.verdict().changes == ()
    assert episode.used == 1


@pytest.mark.parametrize("mode", ["mock", "multi"])
def test_every_local_mode_runs_the_references(one_per_family: tuple[ForgeTask, ...], mode: str) -> None:
    for task in one_per_family:
        lines, words = Episode(task, mode), Episode(task, mode)
        for line in task.reference:
            shown = lines.step(line)
            assert words.step_words(split_words(line)).output == shown.output
        assert lines.verdict() == words.verdict()
        assert lines.verdict().strict


def test_other_modes_do_not_run_in_this_process(paper: tuple[ForgeTask, ...]) -> None:
    with pytest.raises(ScenarioError, match="does not run in this process"):
        Episode(paper[0], "hybrid")


def test_a_policy_whose_task_data_is_gone_does_the_same(paper: tuple[ForgeTask, ...]) -> None:
    """In a process in which neither families nor tasks nor evaluator can be imported: only words and scripts are left."""
    code = (
        f"{SCRIPTS_ALONE}from claw_adapter_forge.policies.offline import decide\n"
        "print(json.dumps([decide(p, r, h) for p, r, h in json.load(sys.stdin)]))\n"
    )
    asked = []
    for task in paper[::40]:
        for policy in POLICIES:
            run = drive(task, policy)
            request = first_observation(task.instruction, task.start)
            history = [(e.line, e.text) for e in run.executions]
            asked += [(policy, request, history[:k]) for k in range(len(history) + 1)]
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=known_scripts() + json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [decide(p, r, h) for p, r, h in asked]
