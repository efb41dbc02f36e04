"""NanoBot's server and its interactive command, each once: turns, updates and failures, as the bridge has them."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from claw_adapter.drivers import reaper
from claw_adapter.errors import HarnessStartError
from claw_adapter.harness import Message, SessionChange
from claw_adapter_nanobot.adapter import NanoBot

sys.path.insert(0, str(Path(__file__).parent))
from nanobot_context import SmallContext, real, session
from nanobot_endpoint import Reply, TalkingEndpoint, in_turn, say
from test_nanobot_faults import FAULTS

pytestmark = pytest.mark.timeout(180)
MODES = ("serve", "pty")
ODD = "line one\n\n  indented ✓ 你好 👩‍👩‍👧\n\tand a tab\n```\ncode\n```\nlast"


HIDDEN = {
    "bridge": {},
    "serve": {
        "forbidden": "EndpointError",
        "filtered": "EmptyAnswer",
        "server error": "EndpointError",
        "overloaded": "EndpointError",
    },
    "pty": {"forbidden": "EndpointError", "filtered": "EmptyAnswer"},
}
"""All but the bridge show no status: of an error text that says nothing it is only known that the model failed, and pty mode
shows that NanoBot tried again."""
COMMANDS, UNPASTED = ("/new", " "), ("exit", "a\rb", "\x1b[201~\rexit")
"""What NanoBot would take for commands, and what cannot be pasted unchanged: refused."""
LONG = "start\n" + "0123456789abcde\n" * 16_384 + "é end"
RETRIED = ("cut stream",)
"""Without a stream to show, serve mode tries this one again."""


def texts(request) -> list[str]:
    return [m["content"] for m in request["messages"][1:]]


class TerminalContext(SmallContext):
    """Remembers the children on terminals, too."""

    async def terminal(self, argv, **more):
        self.children.append(await super().terminal(argv, **more))
        return self.children[-1]


@real
@pytest.mark.parametrize("mode", ["pty"])
async def test_a_session_that_no_longer_fits_is_summarised_and_the_turn_says_so(tmp_path, mode):
    main = session("main", *[f"canary-{number} " + "word " * 4000 for number in range(10)])
    script = in_turn(Reply(calls=(("list_dir", {"path": "."}),)), Reply("one"), Reply("two"))
    with TalkingEndpoint(script) as server:
        async with await NanoBot(mode=mode, context_window=30_000).open(
            TerminalContext(tmp_path / "a", server.url, main)
        ) as conversation:
            turns = [await conversation.send(prompt, 60) for prompt in ("now", "again")]
    assert [turn.text for turn in turns] == ["one", "two"], [turn.error for turn in turns]
    kinds = [[event.name or event.kind for event in turn.events] for turn in turns]
    assert kinds == [["compaction", "list_dir", "list_dir"], []], "a note of the one turn, beside its steps"


@real
@pytest.mark.parametrize("mode", MODES)
async def test_one_process_for_all_turns_and_a_new_one_after_an_update(tmp_path, mode):
    main = session("main", "canary", "yes")
    script = in_turn(Reply("looking", calls=(("list_dir", {"path": "."}),)), Reply(ODD), Reply("two"), Reply("three"))
    with TalkingEndpoint(script) as server:
        ctx = TerminalContext(tmp_path / "a", server.url, main, [session("ops", "old")])
        async with await NanoBot(mode=mode).open(ctx) as conversation:
            one = await conversation.send(ODD, 60)
            two = await conversation.send("second", 60)
            assert len(ctx.children) == 1, "NanoBot is not started for each turn"
            after = main.with_messages([*main.messages, Message(id="u", role="user", text="canary-update")])
            await conversation.sync([SessionChange(session="main", action="append", before=main, after=after)])
            three = await conversation.send("third", 60)
            checkpoint = await conversation.checkpoint()
            for prompt in COMMANDS + (UNPASTED if mode == "pty" else ()):
                refused = await conversation.send(prompt, 60)
                assert refused.error.kind == "AdapterError", prompt
                assert prompt in UNPASTED or "bridge" in refused.error.remedy, prompt
            assert len(server.requests) == 4
            assert (await conversation.send(LONG, 120)).error is None
        left = {path.relative_to(ctx.workspace).as_posix() for path in ctx.workspace.rglob("*") if path.is_file()}
    assert [one.error, two.error, three.error] == [None, None, None]
    assert one.text == ODD
    assert [(event.kind, event.name) for event in one.events] == [
        ("text", ""),
        ("tool_call", "list_dir"),
        ("tool_result", "list_dir"),
    ]
    assert one.usage.input == 2000
    assert texts(server.requests[0]) == ["canary", "yes", ODD]
    assert "canary-update" in json.dumps(texts(server.requests[3]))
    assert texts(server.requests[4])[-1] == LONG
    assert len(server.requests) == 5
    assert [m.text for m in checkpoint.sessions[0].messages][-1] == "three"
    assert [s.id for s in checkpoint.sessions] == ["main", "ops"]
    globs = NanoBot(mode=mode).capabilities().memory_files
    assert all(any(_matches(path, glob) for glob in globs) for path in left), left
    assert all(reaper.find(child.marker) == [] for child in ctx.children)


def _matches(path: str, glob: str) -> bool:
    return path.startswith(glob[:-2]) if glob.endswith("/**") else path == glob


@real
@pytest.mark.slow(12)
@pytest.mark.parametrize("mode", ["bridge", *MODES])
async def test_faults_are_classified_as_in_bridge_mode_where_the_mode_shows_them(tmp_path, mode):
    with TalkingEndpoint(say("first answer")) as server:
        ctx = SmallContext(tmp_path / "a", server.url)
        async with await NanoBot(mode=mode, retry_pause=0.05).open(ctx) as conversation:
            await conversation.send("one", 60)
            checkpoint = await conversation.checkpoint()
            found = {}
            for name, (reply, _, requests) in FAULTS.items():
                before = len(server.requests)
                server.script = lambda request, reply=reply: reply
                turn = await conversation.send("two", 60)
                assert turn.text == ""
                found[name] = turn.error.kind
                if requests is not None and name not in RETRIED:
                    assert len(server.requests) - before == requests, name
        server.script = say("second answer")
        fresh = SmallContext(tmp_path / "b", server.url)
        async with await NanoBot(mode=mode, retry_pause=0.05).open(fresh, checkpoint) as conversation:
            again = await conversation.send("two", 60)
            server.refuse()
            down = await conversation.send("three", 60)
    assert down.error.kind == "EndpointTransientError"
    expected = {name: kind for name, (_, kind, _) in FAULTS.items()}
    assert found == {**expected, **HIDDEN[mode]}
    assert again.text == "second answer"
    assert texts(server.requests[-1]) == ["one", "first answer", "two"], "nothing of the failed turns is left"


@real
@pytest.mark.parametrize("mode", MODES)
async def test_a_passed_deadline_ends_nanobot_and_everything_it_started(tmp_path, mode):
    script = in_turn(
        Reply(calls=(("exec", {"command": "setsid sleep 600 & sleep 500", "timeout": 500}),)), Reply("late")
    )
    with TalkingEndpoint(script) as server:
        ctx = TerminalContext(tmp_path, server.url)
        async with await NanoBot(mode=mode).open(ctx) as conversation:
            turn = await conversation.send("hang", 3.0)
            after = await conversation.send("still there?", 3.0)
    assert turn.error.kind == "DeadlineExceeded"
    assert len(server.requests) < 2, "the model is not asked again for a turn that is over"
    assert after.error.kind == "HarnessCrash"
    assert reaper.find(ctx.children[0].marker) == []


@real
@pytest.mark.parametrize("mode", MODES)
async def test_a_turn_can_be_cancelled_and_one_that_dies_is_a_crash(tmp_path, mode):
    with TalkingEndpoint(say("x")) as server:
        server.script = lambda request: Reply("late", stall=60)
        ctx = TerminalContext(tmp_path, server.url)
        async with await NanoBot(mode=mode).open(ctx) as conversation:
            turn = asyncio.create_task(conversation.send("hang", 60))
            while not server.requests:  # noqa: ASYNC110  # there is no event to wait for
                await asyncio.sleep(0.05)
            await conversation.cancel()
            ended = await turn
        server.stopping.set()
    assert ended.error.kind == "HarnessCrash"


@real
@pytest.mark.parametrize("mode", MODES)
async def test_a_configuration_it_does_not_take_is_a_start_error_with_its_words(tmp_path, mode, monkeypatch):
    monkeypatch.setattr("claw_adapter_nanobot.adapter.configuration", lambda *_: {"agents": {"defaults": 7}})
    with TalkingEndpoint(say("never")) as server, pytest.raises(HarnessStartError) as caught:
        await NanoBot(mode=mode).open(SmallContext(tmp_path, server.url))
    assert "nanobot" in caught.value.where
    assert "config" in str(caught.value).lower()


@real
@pytest.mark.parametrize(
    ("options", "dialect"),
    [
        ({"provider": "vllm"}, "openai-chat"),
        ({"provider": "openai"}, "openai-responses"),
        ({"provider": "anthropic"}, "anthropic-messages"),
    ],
)
async def test_each_kind_of_provider_speaks_its_dialect_to_the_real_endpoint(tmp_path, options, dialect):
    """With a tool call, through our own endpoint in its process, as a run does it."""
    from claw_adapter.endpoint import ModelEndpoint
    from claw_adapter.protocol import ModelSpec

    script = ({"tools": [{"name": "list_dir", "arguments": {"path": "."}}]}, {"text": "bonjour"})
    model = ModelSpec(name="the-model", kind="scripted", script=script)
    async with await ModelEndpoint.start(tmp_path / "endpoint") as endpoint:
        key = await endpoint.open_trial("t", model, tmp_path / "transcript.jsonl")
        ctx = SmallContext(tmp_path / "trial", endpoint.url, session("main", "canary", "yes"))
        ctx.endpoint = type(ctx.endpoint)(url=endpoint.url, key=key, model="the-model")
        async with await NanoBot(**options).open(ctx) as conversation:
            await endpoint.begin_round("t", "r1")
            turn = await conversation.send("now", 60)
            meter = await endpoint.end_round("t")
    assert turn.error is None
    assert turn.text == "bonjour"
    assert [event.kind for event in turn.events] == ["tool_call", "tool_result"]
    assert meter.metered.requests == 2
    lines = [json.loads(line) for line in (tmp_path / "transcript.jsonl").read_text().splitlines()]
    assert {line["dialect"] for line in lines if "dialect" in line} == {dialect}
    assert turn.usage.input > 0
