"""The bare loop: stop rules, history, provider accounting; policies see only text; modes agree."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

import pytest

from claw_adapter.errors import EndpointAuthError, EndpointFilteredError, EndpointTransientError
from claw_adapter_forge.policies.offline import POLICIES, decide
from claw_adapter_forge.proof.replay import drive
from claw_adapter_forge.runner.agents import ContextOverflow, PolicyAgent, Turn, command_of, policy_agent
from claw_adapter_forge.episodes.episode import EXHAUSTED, Episode
from claw_adapter_forge.runner.loop import LoopConfig, run_episode
from claw_adapter_forge.tasks.observation import first_observation
from claw_adapter_forge.tasks.spec import ForgeTask


class Scripted:
    """An agent that says what it was given, then `done`; keeps what it was shown."""

    name = "scripted"

    def __init__(self, replies: Sequence[str | Exception]) -> None:
        self.replies = list(replies)
        self.shown: list[list[Turn]] = []

    def reply(self, turns: Sequence[Turn]) -> str:
        self.shown.append(list(turns))
        item = self.replies.pop(0) if self.replies else "done"
        if isinstance(item, Exception):
            raise item
        return item


@pytest.mark.parametrize("word", ["done", "DONE", "exit", "quit"])
def test_done_is_the_runner_s_word(paper: tuple[ForgeTask, ...], word: str) -> None:
    record = run_episode(Scripted(["tasks list", word, "tasks list"]), paper[0])
    assert record.ended == "stopped"
    assert [s.command for s in record.steps] == ["tasks list"]


def test_an_unknown_command_is_a_step_and_ends_nothing(paper: tuple[ForgeTask, ...]) -> None:
    record = run_episode(Scripted(["ls -la", "cat x", *paper[3].reference]), paper[3])
    assert record.strict
    assert [s.exit for s in record.steps[:2]] == [127, 127]
    assert len(record.steps) == len(paper[3].reference) + 2


def test_the_budget_ends_an_episode(paper: tuple[ForgeTask, ...]) -> None:
    lines = [f"tasks search --query {i}" for i in range(40)]
    record = run_episode(Scripted(lines), paper[0])
    assert (record.ended, len(record.steps)) == ("budget", 25)
    episode = Episode(paper[0], horizon=1)
    episode.step("tasks list")
    assert episode.step("tasks add --title x").output.code == EXHAUSTED
    assert episode.verdict().changes == ()


def test_stop_rules(paper: tuple[ForgeTask, ...]) -> None:
    assert run_episode(Scripted(["tasks list"] * 9), paper[0]).ended == "repeats"
    assert run_episode(Scripted(["", " ", "\n", "tasks list"]), paper[0]).ended == "unparsable"


def test_provider_failures_are_counted_apart(paper: tuple[ForgeTask, ...]) -> None:
    down = run_episode(Scripted([EndpointTransientError("x")] * 9), paper[0])
    assert (down.ended, down.provider_failure, down.pattern, down.retries) == ("provider", True, "provider_failure", 2)
    refused = run_episode(Scripted([EndpointAuthError("x")]), paper[0])
    assert refused.provider_failure
    shaky = run_episode(Scripted([EndpointTransientError("x"), *paper[0].reference]), paper[0])
    assert (shaky.strict, shaky.provider_failure, shaky.provider_impacted) == (True, False, True)
    filtered = run_episode(Scripted([EndpointFilteredError("x"), *paper[0].reference]), paper[0])
    assert (filtered.strict, filtered.provider_impacted) == (True, True)


def test_history_is_full_summed_up_or_summed_up_when_it_grows(paper: tuple[ForgeTask, ...]) -> None:
    lines = [f"tasks search --query {i}" for i in range(12)]
    full, summary, auto = Scripted(lines), Scripted(lines), Scripted(lines)
    assert run_episode(full, paper[0]).compact_fallbacks == 0
    assert len(full.shown[-1]) == 1 + 2 * 12
    run_episode(summary, paper[0], LoopConfig(history="summary"))
    assert len(summary.shown[-1]) == 2 + 2 * 4
    assert "$ tasks search --query 0" in summary.shown[-1][1].text
    record = run_episode(auto, paper[0], LoopConfig(history="auto", context=len(full.shown[0][0].text) + 500))
    assert record.compact_fallbacks > 0
    assert record.provider_impacted


def test_a_conversation_that_is_too_long_is_summed_up_and_the_episode_goes_on(paper: tuple[ForgeTask, ...]) -> None:
    class Short:
        """Takes no more than `room` messages."""

        name = "short"

        def __init__(self, room: int) -> None:
            self.room, self.lines = room, list(paper[0].reference)

        def reply(self, turns: Sequence[Turn]) -> str:
            if len(turns) > self.room:
                raise ContextOverflow("HTTP 400: maximum context length")
            return self.lines.pop(0) if self.lines else "done"

    # a summary and one whole turn are four messages; with five commands a full history has eleven
    record = run_episode(Short(4), paper[0])
    assert (record.strict, record.provider_failure, record.provider_impacted) == (True, False, True)
    assert record.compact_fallbacks > 0
    none = run_episode(Short(0), paper[0])
    assert (none.provider_failure, none.failure) == (
        True,
        "endpoint: ContextOverflow: HTTP 400: maximum context length",
    )


def test_the_reason_of_a_provider_failure_is_kept(paper: tuple[ForgeTask, ...]) -> None:
    refused = run_episode(Scripted([EndpointAuthError("HTTP 401: bad key")]), paper[0])
    assert refused.failure == "endpoint: EndpointAuthError: HTTP 401: bad key"
    assert refused.hopeless
    shaky = run_episode(Scripted([EndpointTransientError("x"), *paper[0].reference]), paper[0])
    assert (shaky.failure, shaky.hopeless) == ("", False)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("tasks list", "tasks list"),
        ("```sh\n$ tasks list\n```", "tasks list"),
        ('{"command": "tasks list"}', "tasks list"),
        ("tasks list\nbecause I must", "tasks list"),
        ("  ", ""),
        ('{"say": 1}', '{"say": 1}'),
        ("file create --path /a --content 'one\n\n  two'\nand then", "file create --path /a --content 'one\n\n  two'"),
        ("```\nfile create --path /a --content 'one\ntwo'\n```", "file create --path /a --content 'one\ntwo'"),
        ("tasks add --title 'open\nand more", "tasks add --title 'open"),
        ("`tasks list`", "tasks list"),
        ("<think>I should\nlook</think>\ntasks list", "tasks list"),
        ("<think>no end", ""),
        ("done.", "done"),
        ("Done!", "done"),
        ("tasks add --title End.", "tasks add --title End."),
    ],
)
def test_the_command_in_a_message(text: str, command: str) -> None:
    assert command_of(text) == command


@pytest.mark.parametrize("policy", list(POLICIES))
def test_a_policy_in_the_loop_does_what_it_does_by_itself(one_per_family: tuple[ForgeTask, ...], policy: str) -> None:
    for task in one_per_family[::3]:
        record = run_episode(policy_agent(policy), task)
        assert tuple(s.command for s in record.steps) == tuple(e.line for e in drive(task, policy).executions)


def test_a_policy_is_a_pure_function_of_the_conversation(paper: tuple[ForgeTask, ...]) -> None:
    agent = PolicyAgent("careful")
    scripted = Scripted(list(paper[7].reference))
    run_episode(scripted, paper[7])
    for turns in (scripted.shown[3], scripted.shown[1], scripted.shown[3]):
        assert agent.reply(turns) == PolicyAgent("careful").reply(list(turns))


@pytest.mark.parametrize("mode", ["mock", "multi"])
def test_every_local_mode_runs_the_references(one_per_family: tuple[ForgeTask, ...], mode: str) -> None:
    for task in one_per_family:
        record = run_episode(Scripted(task.reference), task, LoopConfig(mode=mode))
        assert record.strict
        assert record.progress == record.partial == 1.0
        assert record.mode == mode


def test_a_policy_whose_task_data_is_gone_does_the_same(paper: tuple[ForgeTask, ...]) -> None:
    """In a process in which neither families nor tasks nor evaluator can be imported."""
    code = (
        "import sys, json\n"
        "for name in ('families', 'tasks', 'evaluation', 'proof'):\n"
        "    sys.modules['claw_adapter_forge.' + name] = None\n"
        "from claw_adapter_forge.policies.offline import decide\n"
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
        [sys.executable, "-c", code], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [decide(p, r, h) for p, r, h in asked]
