"""What becomes of a round, and of a run, when something fails: one owner per failure, nothing scored that was not answered."""

import asyncio

import pytest

from claw_adapter.errors import EmptyAnswer, HarnessCrash, Owner
from claw_adapter.harness import Event, Failure, TurnResult
from claw_adapter.reference.adapter import ReferenceHarness
from claw_adapter.runner import rounds as rounds_of_a_trial
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_journal
from claw_adapter.scenario import make_answer_key
from support.running import IN_PROCESS, experiment, rounds, run_experiment, run_sync
from support.scenarios import write_scenario

RIGHT = "\\bbox{A}"


def scripted(*script, name: str = "script") -> dict:
    return {"name": name, "kind": "scripted", "script": list(script)}


def small(tmp_path, count: int = 3, **more):
    return write_scenario(tmp_path / "small", [{"id": f"r{n}"} for n in range(1, count + 1)], **more)


def only(found: dict) -> list:
    return next(iter(found.values()))


class Failing(ReferenceHarness):
    """Fails on the prompts whose number is listed, counting over the whole trial; then works again."""

    def __init__(self, fail: dict[int, Exception | Failure], **options) -> None:
        super().__init__(mode="in-process", **options)
        self.fail, self.sent, self.opened = fail, 0, 0
        self.checkpoints: list = []

    async def open(self, ctx, checkpoint=None):
        self.opened += 1
        self.checkpoints.append(checkpoint)
        conversation = await super().open(ctx, checkpoint)
        send = conversation.send

        async def counted(prompt, deadline):
            self.sent += 1
            if (fault := self.fail.get(self.sent)) is not None:
                (ctx.workspace / "half-done.txt").write_text("left by a turn that failed")
                if isinstance(fault, Exception):
                    raise fault
                return TurnResult(error=fault)
            return await send(prompt, deadline)

        conversation.send = counted
        return conversation


def run_with(tmp_path, harness, script=(RIGHT,), scenario=None, **settings) -> list:
    asked = experiment(
        scenario or small(tmp_path), models=[scripted(*script)], settings={"isolation": 0, "deadline": 30, **settings}
    )
    return only(run_sync(tmp_path / "run", asked, harnesses={"reference": harness}))


def test_a_passing_failure_is_tried_again_from_the_state_before(tmp_path):
    harness = Failing({2: Failure.of(HarnessCrash("gone"))})
    records = run_with(tmp_path, harness)
    assert [r.score.value for r in records] == [1, 1, 1]
    assert [r.attempts for r in records] == [1, 2, 1]
    assert records[1].earlier_failures[0].kind == "HarnessCrash"
    assert harness.opened == 2
    assert harness.checkpoints[1].sessions[0].messages[-1].text == RIGHT, "opened from the last checkpoint"
    assert records[1].before == records[1].snapshot, "what the failed attempt left in the workspace is gone"


def test_a_failure_that_stays_leaves_the_round_unscored_with_its_cause_and_the_trial_goes_on(tmp_path):
    harness = Failing({2: Failure.of(EmptyAnswer("nothing")), 3: Failure.of(EmptyAnswer("nothing"))})
    records = run_with(tmp_path, harness)
    assert [r.score.value for r in records] == [1, None, 1]
    assert records[1].score.cause.kind == "EmptyAnswer"
    assert records[1].score.cause.owner is Owner.HARNESS
    assert records[1].checkpoint is None
    assert records[2].prompt.startswith("Which?"), "no feedback on a round that was not answered"


def test_later_rounds_are_told_which_ones_got_no_score_also_when_the_run_goes_on(tmp_path, monkeypatch):
    told = []

    def watched(*given, **more):
        told.append((given[2], list(more["unsaid"])))
        return make_answer_key(*given, **more)

    monkeypatch.setattr(rounds_of_a_trial, "make_answer_key", watched)
    nothing = Failure.of(EmptyAnswer("nothing"))
    scenario = small(tmp_path, 4)
    run_with(tmp_path, Failing({1: nothing, 2: nothing}), scenario=scenario)
    (journal,) = tmp_path.glob("run/trials/*/journal.jsonl")
    journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:-2]))  # killed in the last round
    run_with(tmp_path, Failing({}), scenario=scenario)
    assert told == [(0, []), (0, []), (1, ["r1"]), (2, ["r1"]), (3, ["r1"]), (3, ["r1"])]


def test_an_exception_out_of_an_adapter_belongs_to_the_adapter_and_is_not_retried(tmp_path):
    records = run_with(tmp_path, Failing({1: RuntimeError("bug")}))
    assert records[0].score.cause.owner is Owner.ADAPTER
    assert records[0].attempts == 1
    assert [r.score.value for r in records[1:]] == [1, 1]


@pytest.mark.parametrize(
    ("fault", "kind", "attempts"),
    [
        ("500", "EndpointTransientError", 2),
        ("401", "EndpointAuthError", 1),
        ("429", "EndpointQuotaError", 1),
        ("garbage", "EndpointMalformedError", 2),
        ("drop", "EndpointTransientError", 2),
    ],
)
def test_a_failing_endpoint_is_the_owner_and_is_never_scored_as_a_wrong_answer(tmp_path, fault, kind, attempts):
    asked = experiment(small(tmp_path, 2), models=[scripted({"fault": fault})])
    records = only(run_sync(tmp_path / "run", asked))
    assert [r.score.value for r in records] == [None, None]
    assert {r.score.cause.owner for r in records} == {Owner.ENDPOINT}
    assert {r.score.cause.kind for r in records} == {kind}
    assert {r.attempts for r in records} == {attempts}


def test_an_empty_answer_is_an_error_not_a_wrong_answer(tmp_path):
    asked = experiment(small(tmp_path, 1), models=[scripted("")])
    assert only(run_sync(tmp_path / "run", asked))[0].score.cause.kind == "EmptyAnswer"


def test_a_stalled_endpoint_ends_at_the_deadline(tmp_path):
    asked = experiment(
        small(tmp_path, 1),
        models=[scripted({"fault": "stall"})],
        settings={"isolation": 0, "deadline": 1, "attempts": 1},
    )
    record = only(run_sync(tmp_path / "run", asked))[0]
    assert record.score.cause.kind in ("DeadlineExceeded", "EndpointTransientError")
    assert record.score.value is None


class Broken(ReferenceHarness):
    async def open(self, ctx, checkpoint=None):
        raise ValueError("cannot open")


def test_a_failing_trial_never_stops_the_others(tmp_path):
    asked = experiment(
        small(tmp_path),
        harnesses=[{**IN_PROCESS, "label": "broken"}, {**IN_PROCESS, "label": "good"}],
        models=[scripted(RIGHT)],
    )
    broken = Broken(mode="in-process")
    found = run_sync(tmp_path / "run", asked, harnesses={"broken": broken})
    bad, good = found.values()
    assert [r.score.value for r in good] == [1, 1, 1]
    assert all(r.score.value is None for r in bad)
    end = read_journal(RunFolder(tmp_path / "run").journal(asked_trial(found, "broken")))[-1]
    assert end.error is not None or len(bad) == 3


def asked_trial(found: dict, label: str) -> str:
    return next(trial for trial in found if label in trial)


def test_an_update_of_a_failed_round_is_still_there_afterwards(tmp_path):
    about = {"actions": [{"session": "ops", "source": "more.jsonl"}, {"workspace": "new.txt", "source": "new.txt"}]}
    more = '{"role": "user", "text": "CANARY-UPDATE"}\n{"role": "assistant", "text": "noted"}\n'
    scenario = write_scenario(
        tmp_path / "small",
        [{"id": "r1"}, {"id": "r2", "updates": ["u1"]}, {"id": "r3"}],
        histories=["ops"],
        updates={"u1": (about, {"more.jsonl": more, "new.txt": "CANARY-FILE\n"})},
    )
    fault = Failure.of(HarnessCrash("gone"))
    harness = Failing({2: fault, 3: fault})
    look = {"text": "", "tools": [{"name": "session_history", "arguments": {"session_key": "ops"}}]}
    read = {"text": "", "tools": [{"name": "read_file", "arguments": {"path": "new.txt"}}]}
    records = run_with(tmp_path, harness, (RIGHT, look, read, RIGHT), scenario)
    assert [r.score.value for r in records] == [1, None, 1]
    transcript = (tmp_path / "run/trials").glob("*/transcript.jsonl")
    seen = next(transcript).read_text()
    assert "CANARY-UPDATE" in seen
    assert "CANARY-FILE" in seen


def test_cancelled_and_continued_in_one_process(tmp_path):
    asked = experiment(small(tmp_path, 20), models=[scripted(RIGHT)])

    class Slow(ReferenceHarness):
        async def open(self, ctx, checkpoint=None):
            conversation = await super().open(ctx, checkpoint)
            send = conversation.send

            async def slow(prompt, deadline):
                await asyncio.sleep(0.1)
                return await send(prompt, deadline)

            conversation.send = slow
            return conversation

    async def cancelled():
        task = asyncio.create_task(
            run_experiment(tmp_path / "run", asked, harnesses={"reference": Slow(mode="in-process")})
        )
        while not list((tmp_path / "run").glob("trials/*/journal.jsonl")):  # noqa: ASYNC110 - the file is the news
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert not (tmp_path / "run/live").exists()
    trial = next((tmp_path / "run/trials").iterdir()).name
    before = rounds(tmp_path / "run", trial)
    assert len(before) < 20
    assert len(only(run_sync(tmp_path / "run", asked))) == 20
    assert rounds(tmp_path / "run", trial)[: len(before)] == before


HALF = "\ud83d"
"""The first half of an emoji that was cut, which JSON can say and no file can hold."""


@pytest.mark.parametrize("where", ["reply", "event", "error", "exception", "past"])
def test_half_an_emoji_from_a_harness_leaves_no_round_unscored(where, tmp_path):
    class Halving(ReferenceHarness):
        async def open(self, ctx, checkpoint=None):
            conversation = await super().open(ctx, checkpoint)
            send, keep = conversation.send, conversation.checkpoint

            async def sent(prompt, deadline):
                turn = await send(prompt, deadline)
                if where == "exception":
                    raise HarnessCrash(f"gone {HALF}")
                return {
                    "reply": turn.model_copy(update={"text": f"{turn.text} {HALF}"}),
                    "event": turn.model_copy(
                        update={"events": (*turn.events, Event(kind="note", text=HALF, name=HALF))}
                    ),
                    "error": TurnResult(error=Failure.of(HarnessCrash(f"gone {HALF}"))),
                    "past": turn,
                }[where]

            async def kept():
                point = await keep()
                if where != "past":
                    return point
                main, *others = point.sessions
                said = [one.model_copy(update={"text": f"{one.text}{HALF}"}) for one in main.messages]
                return point.model_copy(update={"sessions": (main.with_messages(said), *others)})

            conversation.send, conversation.checkpoint = sent, kept
            return conversation

    records = run_with(tmp_path, Halving(mode="in-process"), attempts=1)
    if where in ("error", "exception"):
        assert [record.score.cause.kind for record in records] == ["HarnessCrash"] * 3
    else:
        assert [record.score.value for record in records] == [1, 1, 1], records
