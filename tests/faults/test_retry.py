"""The same call tries again what is unscored through no fault of the harness; what is scored stays unless that is asked for."""

import pytest

from claw_adapter.errors import EndpointError, HarnessCrash
from claw_adapter.harness import Failure, TurnResult
from claw_adapter.reference.adapter import ReferenceHarness
from claw_adapter.report import summarise
from claw_adapter.runs.journal import read_all
from claw_adapter.runs.load import load_run
from support.running import experiment, run_sync
from support.scenarios import write_scenario

COUNT = 5
PROVIDER = Failure.of(EndpointError("the provider has lost its mind"))
HARNESS = Failure.of(HarnessCrash("gone"))


class FailingRounds(ReferenceHarness):
    """Fails the rounds whose numbers are listed (from 1), and leaves something behind; `sent` are those that were asked."""

    def __init__(self, fail: dict[int, Failure]) -> None:
        super().__init__(mode="in-process")
        self.fail, self.sent = fail, []

    async def open(self, ctx, checkpoint=None):
        conversation = await super().open(ctx, checkpoint)
        send = conversation.send

        async def sometimes(prompt, deadline):
            number = next((n for n in range(1, COUNT + 1) if f"question {n}" in prompt), 0)
            if number:
                self.sent.append(number)
            if number in self.fail:
                (ctx.workspace / "left.txt").write_text("half done")
                return TurnResult(error=self.fail[number])
            return await send(prompt, deadline)

        conversation.send = sometimes
        return conversation


@pytest.fixture
def run(tmp_path):
    folder = write_scenario(
        tmp_path / "small", [{"id": f"r{n}", "question": f"question {n}"} for n in range(1, COUNT + 1)]
    )
    asked = experiment(
        folder,
        models=[{"name": "script", "kind": "scripted", "script": ["\\bbox{A}"]}],
        settings={"isolation": 0, "deadline": 30, "attempts": 1},
    )

    def once(fail=(), **more):
        harness = FailingRounds(dict(fail))
        found = run_sync(tmp_path / "run", asked, harnesses={"reference": harness}, **more)
        return harness.sent, [r.score.value for r in next(iter(found.values()))]

    return once


def journal(tmp_path) -> list:
    return read_all(next((tmp_path / "run/trials").glob("*/journal.jsonl")))


def test_the_unscored_end_of_a_finished_trial_is_tried_again(tmp_path, run):
    assert run({4: PROVIDER, 5: PROVIDER}) == ([1, 2, 3, 4, 5], [1, 1, 1, None, None])
    before = journal(tmp_path)
    assert run() == ([4, 5], [1, 1, 1, 1, 1])
    after = journal(tmp_path)
    assert after[: len(before)] == before, "nothing is taken out of the journal"
    assert [r.kind for r in after[len(before) :]] == ["void", "round", "round", "end"]
    assert after[len(before) + 1].before == before[3].snapshot, (
        "what the failed turns had left in the workspace is gone"
    )
    data = load_run(tmp_path / "run")
    assert [r.round for r in data.trials[0].rounds] == ["r1", "r2", "r3", "r4", "r5"]
    assert not summarise(data).unscored
    assert run() == ([], [1, 1, 1, 1, 1])


def test_what_is_the_harness_s_own_is_never_tried_again(tmp_path, run):
    assert run({5: HARNESS})[1] == [1, 1, 1, 1, None]
    assert run() == ([], [1, 1, 1, 1, None])
    assert run(rewind=True) == ([], [1, 1, 1, 1, None])


def test_scored_rounds_are_given_up_only_when_that_is_asked_for_and_the_report_says_so(tmp_path, run):
    assert run({2: PROVIDER})[1] == [1, None, 1, 1, 1]
    assert run() == ([], [1, None, 1, 1, 1])
    assert not [w for w in summarise(load_run(tmp_path / "run")).warnings if "voided" in w]
    assert run(rewind=True) == ([2, 3, 4, 5], [1, 1, 1, 1, 1])
    said = [w for w in summarise(load_run(tmp_path / "run")).warnings if "voided" in w]
    assert len(said) == 1
    assert "3 scored rounds from number 2 on" in said[0]
