"""The bare loop as a harness: its stop rules, its provider's failures, deadline, cancelling, and what it keeps."""

import asyncio
import contextlib
import json

import pytest

from claw_adapter.bare.adapter import BareHarness
from claw_adapter.bare.history import NO_COMMAND, RULE
from claw_adapter.environment import Attached, Printed, Surroundings
from claw_adapter.errors import AdapterError, ScenarioError
from claw_adapter.harness import Message, Session, SessionChange
from claw_adapter.testing import FolderContext, ScriptedEndpoint

FAST = {"retry_pause": 0}


class Shell:
    """Does what it is told and says so: ``fail`` fails, ``last`` is the last, ``hang`` never ends."""

    def __init__(self) -> None:
        self.lines, self.hangs = [], asyncio.Event()

    async def execute(self, line: str) -> Printed:
        self.lines.append(line)
        if line == "hang":
            self.hangs.set()
            await asyncio.Event().wait()
        if line == "broken":
            raise ScenarioError("the world is broken")
        return Printed(f"did {line}", status=int(line == "fail"), over=line == "last")


class Bench:
    """A scripted model, a shell, a conversation between them."""

    def __init__(self, endpoint: ScriptedEndpoint, folder, shell: Shell) -> None:
        self.endpoint, self.folder, self.shell = endpoint, folder, shell

    async def open(self, checkpoint=None, main=None, name="trial", **options):
        self.ctx = FolderContext(
            self.folder / name, self.endpoint, main=main, environment=Surroundings(Attached(), self.shell.execute)
        )
        return await BareHarness(**{**FAST, **options}).open(self.ctx, checkpoint)

    async def send(self, prompt="do it", deadline=20, **options):
        async with await self.open(**options) as conversation:
            await self.endpoint.begin_round()
            turn = await conversation.send(prompt, deadline)
            self.meter = await self.endpoint.end_round()
            self.kept = (await conversation.checkpoint()).sessions[0].messages
        return turn

    def asked(self, number=-1):
        return [(m["role"], m["content"]) for m in self.endpoint.exchanges()[number].messages]


@contextlib.asynccontextmanager
async def bench(folder, *script, faults=()):
    async with ScriptedEndpoint(folder / "endpoint", *script, faults=faults) as endpoint:
        yield Bench(endpoint, folder, Shell())


def noted(turn):
    return [(event.name, event.arguments.get("rule", "")) for event in turn.events if event.kind == "note"]


@pytest.mark.parametrize("word", ["done", "DONE", "exit", "Quit."])
async def test_a_stop_word_is_the_runner_s(tmp_path, word):
    async with bench(tmp_path, "look", "fail", word) as b:
        turn = await b.send()
        assert b.shell.lines == ["look", "fail"]
        assert (turn.text, turn.error, noted(turn)) == (word, None, [("stopped", "done")])
        assert b.asked(2) == [
            ("user", f"do it\n\n{RULE}"), ("assistant", "look"), ("user", "[exit 0]\ndid look"), ("assistant", "fail"),
            ("user", "[exit 1]\ndid fail"),
        ]  # fmt: skip
        calls = [(e.kind, e.name, e.arguments, e.text, e.is_error) for e in turn.events if e.kind != "note"]
        assert calls[2:] == [
            ("tool_call", "command", {"command": "fail"}, "", False), ("tool_result", "command", {}, "did fail", True),
        ]  # fmt: skip
        assert turn.events[0].id == turn.events[1].id != turn.events[2].id
        assert (turn.usage.input, turn.usage.output) == (b.meter.metered.input, b.meter.metered.output)


async def test_the_same_command_five_times_in_a_row_stops_it(tmp_path):
    async with bench(tmp_path, "look", "other", "look") as b:
        turn = await b.send()
        assert b.shell.lines == ["look", "other", *["look"] * 5]
        assert turn.text == "stopped: the same command five times in a row"
        assert noted(turn) == [("stopped", "repeats")]


async def test_three_messages_without_a_command_stop_it(tmp_path):
    async with bench(tmp_path, "", " ", "look", "", "", "\n") as b:
        turn = await b.send()
        assert b.shell.lines == ["look"]
        assert turn.text == "stopped: three messages in a row without a command"
        assert b.asked(1)[1:] == [("assistant", ""), ("user", NO_COMMAND)]


async def test_it_stops_where_nothing_more_is_executed(tmp_path):
    async with bench(tmp_path, "look", "last", "never") as b:
        turn = await b.send()
        assert b.shell.lines == ["look", "last"]
        assert noted(turn) == [("stopped", "over")]
        assert b.meter.metered.requests == 2


async def test_a_provider_that_fails_twice_is_asked_again_and_it_is_counted(tmp_path):
    async with bench(tmp_path, {"fault": "500"}, {"fault": "429"}, "look", "done") as b:
        turn = await b.send()
        assert (turn.text, noted(turn)) == ("done", [("retry", ""), ("retry", ""), ("stopped", "done")])
        assert (b.meter.metered.requests, b.meter.metered.failed, b.meter.failure) == (4, 2, None)


@pytest.mark.parametrize(
    ("fault", "kind", "times"),
    [
        ("500", "EndpointTransientError", 3),
        ("drop", "EndpointTransientError", 3),
        ("429", "EndpointQuotaError", 3),
        ("401", "EndpointAuthError", 1),
        ("garbage", "EndpointMalformedError", 1),
    ],
)
async def test_a_provider_that_stays_down_is_the_turn_s_failure(tmp_path, fault, kind, times):
    async with bench(tmp_path, "look", {"fault": fault}) as b:
        turn = await b.send()
        assert (turn.error.owner, turn.error.kind, turn.text) == ("endpoint", kind, "")
        assert [event.kind for event in turn.events][:2] == ["tool_call", "tool_result"]
        assert (b.meter.metered.requests, b.meter.metered.failed) == (1 + times, times)
        assert b.kept == ()
        assert b.endpoint.key not in turn.model_dump_json()


@pytest.mark.parametrize("history", ["full", "summary", "auto"])
async def test_a_conversation_that_is_too_long_is_summed_up_and_goes_on(tmp_path, history):
    lines = [f"look {n}" for n in range(12)]
    faults = [{"at": [10, 11], "kind": "context"}]
    async with bench(tmp_path, *lines, "done", faults=faults) as b:
        turn = await b.send(history=history)
        assert (turn.text, len(b.shell.lines), b.meter.metered.failed) == ("done", 12, 2)
        assert [name for name, _ in noted(turn)] == ["history", "history", "stopped"]
        left = {"full": 2, "auto": 2, "summary": 1}[history]
        assert len(b.asked(11)) == 2 + 2 * left
        assert b.asked(11)[1][1].startswith("Earlier commands:\n$ look 0\n  did look 0")


async def test_what_is_too_long_with_one_command_left_is_a_failure(tmp_path):
    async with bench(tmp_path, "look", faults=[{"at": "every 1", "kind": "context"}]) as b:
        turn = await b.send()
        assert (turn.error.owner, turn.error.passing) == ("endpoint", False)
        assert b.meter.metered.requests == 4


async def test_auto_sums_up_what_has_grown_and_says_so(tmp_path):
    async with bench(tmp_path, *(f"look {n}" for n in range(9)), "done") as b:
        turn = await b.send(history="auto", context=250, keep=2)
        assert len(b.asked()) == 2 + 2 * 2
        assert noted(turn).count(("history", "")) > 1


async def test_a_filtered_answer_is_no_command(tmp_path):
    filtered = {"text": "look", "finish": "content_filter"}
    async with bench(tmp_path, filtered, "look", "done") as b:
        turn = await b.send()
        assert (turn.text, b.shell.lines) == ("done", ["look"])
        assert (noted(turn)[0][0], b.meter.metered.failed) == ("filtered", 1)


async def test_the_deadline_is_kept_in_a_command_and_in_a_request(tmp_path):
    async with bench(tmp_path, "hang") as b:
        turn = await b.send(deadline=1)
        assert (turn.error.kind, turn.error.owner) == ("DeadlineExceeded", "harness")
        assert [e.arguments for e in turn.events if e.kind == "tool_call"][-1] == {"command": "hang"}
        assert b.kept == ()
    async with bench(tmp_path / "2", "look", {"fault": "stall"}) as b:
        turn = await b.send(deadline=0.3)
        assert turn.error.kind == "DeadlineExceeded"


async def test_a_turn_can_be_cancelled_and_the_next_one_works(tmp_path):
    async with bench(tmp_path, "hang", "done") as b, await b.open() as conversation:
        await conversation.cancel()
        turn = asyncio.create_task(conversation.send("do it", 30))
        await b.shell.hangs.wait()
        await conversation.cancel()
        assert (await turn).error.what == "the turn was cancelled"
        assert (await conversation.send("again", 30)).text == "done"


async def test_what_is_broken_in_the_environment_is_the_scenario_s(tmp_path):
    async with bench(tmp_path, "broken") as b:
        assert (await b.send()).error.owner == "scenario"


async def test_several_turns_are_one_conversation_and_a_checkpoint_goes_on_with_it(tmp_path):
    past = Session(id="main", messages=(Message(id="m1", role="system", text="be good"),))
    async with bench(tmp_path, "look", "done", "see", "done", "again", "done") as b:
        async with await b.open(main=past) as conversation:
            await conversation.send("one", 20)
            await conversation.send("two", 20)
            before, kept = b.asked(), await conversation.checkpoint()
        assert before[:2] == [("system", "be good"), ("user", f"one\n\n{RULE}")]
        assert before[4:6] == [("assistant", "done"), ("user", f"two\n\n{RULE}")]
        async with await b.open(kept, name="later") as conversation:
            await conversation.send("three", 20)
            sessions = (await conversation.checkpoint()).sessions
        assert b.asked()[: len(before)] == before
        assert sessions[0].id == "main"
        assert len({m.id for m in sessions[0].messages}) == 1 + 3 * 4


async def test_news_of_the_main_session_are_taken_in(tmp_path):
    past = Session(id="main", messages=(Message(id="m1", role="user", text="hello"),))
    after = past.with_messages([*past.messages, Message(id="m2", role="user", text="news")])
    async with bench(tmp_path, "done") as b, await b.open(main=past) as conversation:
        await conversation.send("one", 20)
        await conversation.sync([SessionChange(session="main", action="append", before=past, after=after)])
        await conversation.send("two", 20)
        assert [text for _, text in b.asked()] == ["hello", f"one\n\n{RULE}", "done", "news", f"two\n\n{RULE}"]


async def test_without_an_environment_it_has_nothing_to_do(tmp_path):
    with pytest.raises(ScenarioError, match="no environment"):
        await BareHarness().open(FolderContext(tmp_path / "t"))


@pytest.mark.parametrize(
    "wrong", [{"history": "half"}, {"keep": 0}, {"retries": -1}, {"colour": 1}, {"context": "much"}]
)
def test_wrong_options_are_refused(wrong):
    with pytest.raises(AdapterError):
        BareHarness(**wrong)


async def test_an_answer_in_no_known_form_is_malformed_and_half_a_character_is_none(tmp_path):
    from aiohttp import web

    async def handle(request):
        return web.Response(text=json.dumps({"choices": answers.pop(0)}))

    answers = [[], [{"message": {"content": "look \ud800"}}], [{"message": {"content": "done"}}]]
    app = web.Application()
    app.router.add_post("/v1/chat/completions", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()

    class Odd:
        url, socket = f"http://127.0.0.1:{runner.addresses[0][1]}", tmp_path

    try:
        ctx = FolderContext(tmp_path / "t", Odd(), environment=Surroundings(Attached(), Shell().execute))
        async with await BareHarness().open(ctx) as conversation:
            assert (await conversation.send("x", 20)).error.kind == "EndpointMalformedError"
            turn = await conversation.send("x", 20)
            assert turn.events[0].arguments == {"command": "look ?"}
            assert turn.model_dump_json()
    finally:
        await runner.cleanup()
