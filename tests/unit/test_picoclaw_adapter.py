"""What PicoClaw is told, what the hook writes down, what its failures mean, and what the adapter refuses; without PicoClaw."""

from __future__ import annotations

import io
import json
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.drivers.command import ARGUMENT_BYTES
from claw_adapter.errors import AdapterError, HarnessNotFound, HarnessProtocolError
from claw_adapter.harness import Endpoint, Session
from claw_adapter_picoclaw import hook
from claw_adapter_picoclaw.adapter import PicoClaw, framework
from claw_adapter_picoclaw.conversation import answer, refuse
from claw_adapter_picoclaw.failures import EMPTY, LIMIT, answered, ended
from claw_adapter_picoclaw.options import Options, configuration
from claw_adapter_picoclaw.state import State
from claw_adapter_picoclaw.trace import Trace

ROOT = Path(__file__).parents[2]
RECORDED = ROOT.parent / "shared" / "goldens" / "picoclaw" / "hook-trace.jsonl"
ENDPOINT = Endpoint(url="http://127.0.0.1:1", key="sk-secret", model="org/m:free")
CALL_FAILED = "Error: error processing message: LLM call failed after retries: "


def context(tmp_path: Path) -> SimpleNamespace:
    folders = {"workspace": tmp_path / "workspace", "state_dir": tmp_path / "state"}
    for folder in folders.values():
        folder.mkdir()
    return SimpleNamespace(endpoint=ENDPOINT, main=Session(id="main"), histories=(), inside=Path, **folders)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (CALL_FAILED + "API request failed:\n  Status: 401\n  Body:   {}", "EndpointAuthError"),
        (CALL_FAILED + "API request failed:\n  Status: 403\n  Body:   quota", "EndpointAuthError"),
        (CALL_FAILED + "API request failed:\n  Status: 429\n  Body:   {}", "EndpointQuotaError"),
        (CALL_FAILED + "API request failed:\n  Status: 402\n  Body:   {}", "EndpointQuotaError"),
        (CALL_FAILED + "API request failed:\n  Status: 500\n  Body:   json", "EndpointTransientError"),
        (CALL_FAILED + "API request failed:\n  Status: 408\n  Body:   x", "EndpointTransientError"),
        (CALL_FAILED + "API request failed:\n  Status: 400\n  Body:   content_filter", "EndpointFilteredError"),
        (CALL_FAILED + "API request failed:\n  Status: 404\n  Body:   no idea", "EndpointError"),
        (CALL_FAILED + "x returned HTML instead of JSON\n  Status: 200\n  Body:   <html>", "EndpointMalformedError"),
        (CALL_FAILED + "failed to parse JSON response: unexpected EOF", "EndpointMalformedError"),
        (CALL_FAILED + 'failed to send request: Post "x": dial tcp: connect: refused', "EndpointTransientError"),
        (CALL_FAILED + "something new", "EndpointError"),
        ('Error: error processing message: start process hook "claw": fork/exec', "HarnessStartError"),
        ("Error: error loading config: config.json contains unknown field(s): env", "HarnessStartError"),
        ("Error: error processing message: hook requested turn abort", "HarnessError"),
        ("panic: runtime error", "HarnessCrash"),
        ("", "HarnessCrash"),
    ],
)
def test_every_way_it_can_fail_has_its_class(said, kind):
    error = ended("exit status 1", said)
    assert type(error).__name__ == kind
    assert "error processing message" not in error.what


@pytest.mark.parametrize(
    ("text", "trace", "kind"),
    [
        ("fine", Trace(asked=True, finish="stop"), None),
        ("cut", Trace(asked=True, finish="length"), None),
        (EMPTY, Trace(asked=True), "EmptyAnswer"),
        (" \n", Trace(asked=True), "EmptyAnswer"),
        (f"{LIMIT} Increase", Trace(asked=True), "EmptyAnswer"),
        (EMPTY, Trace(asked=True, finish="content_filter"), "EndpointFilteredError"),
        ("Chat history cleared!", Trace(), "HarnessProtocolError"),
    ],
)
def test_status_0_is_an_answer_only_if_the_model_gave_one(text, trace, kind):
    error = answered(text, trace)
    assert (type(error).__name__ if error else None) == kind


def test_the_configuration_knows_one_endpoint_and_lets_nothing_act_by_itself(tmp_path):
    ctx = context(tmp_path)
    told = configuration(ctx, Options(max_tokens=7))
    assert told["version"] == 3, "older versions refuse unknown fields and are rewritten"
    (model,) = told["model_list"]
    assert model["api_keys"] == ["sk-secret"]
    assert model["api_base"] == "http://127.0.0.1:1/v1"
    assert model["model"] == f"litellm/{ENDPOINT.model}"
    defaults = told["agents"]["defaults"]
    assert defaults["workspace"] == str(ctx.workspace)
    assert defaults["max_tokens"] == 7
    assert (defaults["max_tool_iterations"], defaults["max_llm_retries"]) == (50, 2), "its own, said in the notes"
    assert defaults["summarize_message_threshold"] > 10**6
    assert defaults["context_window"] >= 10**6
    assert not any(told["tools"][name]["enabled"] for name in ("web", "web_fetch", "find_skills", "install_skill"))
    assert configuration(ctx, Options(exec=False))["tools"]["exec"] == {"enabled": False}
    (other,) = configuration(ctx, Options(dialect="anthropic-messages"))["model_list"]
    assert (other["provider"], other["api_base"]) == ("anthropic-messages", ENDPOINT.url)
    (process,) = told["hooks"]["processes"].values()
    assert Path(process["command"][0]).resolve() == Path(process["command"][0]), "links are not shown in the isolation"
    assert process["command"][-1] == hook.__file__


def test_the_key_is_in_one_file_that_only_we_can_read(tmp_path):
    ctx = context(tmp_path)
    state = State(ctx.state_dir, ctx.workspace, "main")
    state.lay_out(configuration(ctx, Options()), [Session(id="main")], None)
    assert stat.S_IMODE(state.config.stat().st_mode) == 0o600
    assert "sk-secret" in state.config.read_text()
    assert not any("sk-secret" in value for value in state.environment().values())


def test_the_session_folder_may_be_anything_before_it_is_laid_out(tmp_path):
    ctx = context(tmp_path)
    (ctx.workspace / "sessions").write_text("a file")
    state = State(ctx.state_dir, ctx.workspace, "main")
    state.lay_out({}, [Session(id="main")], None)
    assert state.checkpoint().sessions == (Session(id="main"),)
    state.sessions.joinpath("agent_main_main.jsonl").unlink()
    with pytest.raises(HarnessProtocolError, match="is gone"):
        state.checkpoint()


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"colour": "red"}, "no option 'colour'"),
        ({"dialect": "telepathy"}, "none of 'openai-chat' or"),
        ({"max_iterations": 0}, "no number from 1"),
        ({"retries": True}, "no whole number"),
        ({"context_window": "big"}, "no whole number"),
    ],
)
def test_unknown_options_and_values_are_refused_with_what_there_is(options, match):
    with pytest.raises(AdapterError, match=match):
        PicoClaw(**options)


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("\r\nBANNER\n \r\n\n🦞 answer\n", "answer"),
        ("TZ environment: UTC\n\n🦞 two\n🦞 lines\n\n\n", "two\n🦞 lines\n\n"),
        ("\x1b[1mBANNER\x1b[0m\r\n\n🦞 \x1b[31mred\x1b[0m\n", "\x1b[31mred\x1b[0m"),
        ("\n🦞 \n", ""),
    ],
)
def test_the_answer_stands_between_the_mark_and_the_line_end(output, text):
    assert answer(output) == text


def test_output_without_the_mark_is_no_answer():
    with pytest.raises(HarnessProtocolError, match="printed no answer"):
        answer("\r\nBANNER\n \r\n")


@pytest.mark.parametrize("prompt", ["x" * ARGUMENT_BYTES, "/tmp is full", "!important", "/use-case", "a /clear"])
def test_what_can_be_said_is_not_refused(prompt):
    refuse(prompt)


@pytest.mark.parametrize(
    "prompt", ["x" * (ARGUMENT_BYTES + 1), "", "\n", "/clear", "!Use it", "\t/list@x y", "\ud800", "\0"]
)
def test_what_would_not_arrive_whole_is_refused(prompt):
    with pytest.raises(AdapterError):
        refuse(prompt)


def hooked(lines: list[str]) -> tuple[list[dict], list[dict]]:
    """Answers and records of the hook for what PicoClaw sends."""
    replies, records = io.StringIO(), io.StringIO()
    hook.serve(io.BytesIO("".join(lines).encode()), replies, records)
    return [[json.loads(line) for line in out.getvalue().splitlines()] for out in (replies, records)]


def test_the_hook_answers_every_request_of_a_recorded_turn_and_writes_down_what_matters(tmp_path):
    if not RECORDED.is_file():
        pytest.skip("../shared/goldens/picoclaw is not there")
    lines = RECORDED.read_text("utf-8").splitlines(keepends=True)
    replies, records = hooked(lines)
    asked = [message["id"] for line in lines if "id" in (message := json.loads(line))]
    assert [reply["id"] for reply in replies] == asked
    assert replies[0]["result"] == {}
    assert all(reply["result"] == {"action": "continue"} for reply in replies[1:])
    file = tmp_path / "trace.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records) + '{"event": "mod')
    trace = Trace.read(file, records[0]["at"])
    steps = [(event.kind, event.id, event.name) for event in trace.events]
    assert steps == [
        ("tool_call", "call_58", "read_file"),
        ("tool_result", "call_58", "read_file"),
        ("tool_call", "call_59", "write_file"),
        ("tool_result", "call_59", "write_file"),
    ]
    assert trace.usage.input == 2715 + 2800 + 2865
    assert trace.usage.output == 60
    assert (trace.asked, trace.finish) == (True, "stop")


def test_a_request_of_the_model_is_answered_without_being_read():
    """It holds the whole conversation; the line need not even be JSON to its end."""
    replies, records = hooked(['{"jsonrpc":"2.0","id":7,"method":"hook.before_llm","params":{"messages":[\n'])
    assert replies == [{"jsonrpc": "2.0", "id": 7, "result": {"action": "continue"}}]
    assert records == []


def test_calls_of_a_sub_agent_keep_their_own_ids():
    def told(method: str, turn: str, **params) -> str:
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": f"hook.{method}",
            "params": {"meta": {"TurnID": turn}, **params},
        }
        return json.dumps(message) + "\n"

    def model(turn: str, *ids: str) -> str:
        calls = [{"id": number} for number in ids]
        return told("after_llm", turn, response={"content": "", "tool_calls": calls, "finish_reason": "tool_calls"})

    lines = [
        model("1", "a", "b"),
        told("before_tool", "1", tool="subagent", arguments={}),
        model("2", "c"),
        told("before_tool", "2", tool="exec", arguments={}),
        told("after_tool", "2", tool="exec", result={"for_llm": "x"}),
        told("after_tool", "1", tool="subagent", result={"for_llm": "y"}),
        told("before_tool", "1", tool="read_file", arguments={}),
        told("after_tool", "1", tool="read_file", result={"for_llm": "z", "is_error": True}),
    ]
    _, records = hooked(lines)
    from claw_adapter_picoclaw.trace import _events

    assert [event.id for event in _events(records, 0.0)] == ["a", "c", "c", "a", "b", "b"]


def test_the_hook_runs_on_the_standard_library_alone(tmp_path):
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "hook.hello", "params": {}}) + "\n"
    argv = [sys.executable, "-I", "-S", "-B", hook.__file__]
    done = subprocess.run(
        argv, input=hello, capture_output=True, text=True, check=True, env={"CLAW_TURN_FILE": str(tmp_path / "t")}
    )
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert done.stderr == ""


async def test_without_the_program_probe_and_open_say_where_to_put_it(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAW_PICOCLAW", str(tmp_path / "nothing"))
    probe = PicoClaw().probe()
    assert not probe.ready
    with pytest.raises(HarnessNotFound) as caught:
        await PicoClaw().open(context(tmp_path))
    assert caught.value.remedy == probe.remedy
    assert "CLAW_PICOCLAW" in probe.remedy


def test_the_description_comes_with_the_plugin():
    spec = framework()
    assert (spec.kind, spec.program, spec.name) == ("binary", "picoclaw", "picoclaw")
    assert PicoClaw().capabilities().seed_history == "files"
    assert PicoClaw().capabilities().deterministic_replay
