"""What NanoBot is told, what its failures mean, and what the adapter refuses; without NanoBot."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.drivers import RemoteError
from claw_adapter.errors import AdapterError, HarnessNotFound, HarnessProtocolError, HarnessStartError
from claw_adapter.harness import Checkpoint, Endpoint, Message, Session
from claw_adapter_nanobot import bridge
from claw_adapter_nanobot.adapter import NanoBot, framework
from claw_adapter_nanobot.cli_mode import cleaned
from claw_adapter_nanobot.command import command
from claw_adapter_nanobot.configuration import configuration, environment
from claw_adapter_nanobot.failures import CLI_EMPTY, failure
from claw_adapter_nanobot.options import Options
from claw_adapter_nanobot.state import VOCABULARY, WORKSPACE_ID, State
from claw_adapter_nanobot.store import NanoBotSessions, file_name

ROOT = Path(__file__).parents[2]
ENDPOINT = Endpoint(url="http://127.0.0.1:1", key="sk-secret", model="m")
DONE = {"text": "fine", "stop_reason": "completed", "error": None}


def context(tmp_path: Path) -> SimpleNamespace:
    folders = {"workspace": tmp_path / "workspace", "state_dir": tmp_path / "state"}
    for folder in folders.values():
        folder.mkdir()
    return SimpleNamespace(
        endpoint=ENDPOINT, main=Session(id="main"), histories=(), environment=None, mcp=(), inside=Path, **folders
    )


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (DONE, None),
        ({**DONE, "text": " \n"}, "EmptyAnswer"),
        ({**DONE, "stop_reason": None}, "HarnessProtocolError"),
        ({"stop_reason": "empty_final_response", "text": "I completed ..."}, "EmptyAnswer"),
        ({"stop_reason": "cancelled"}, "HarnessError"),
        ({"stop_reason": "exception", "error": "KeyError: 'x'"}, "HarnessCrash"),
        ({**DONE, "finish_reason": "content_filter"}, "EndpointFilteredError"),
        ({**DONE, "stop_reason": "max_iterations"}, None),
        ({"stop_reason": "error", "status": 401, "error": "x"}, "EndpointAuthError"),
        ({"stop_reason": "error", "status": 403, "error": "quota"}, "EndpointAuthError"),
        ({"stop_reason": "error", "status": 429, "error": "x"}, "EndpointQuotaError"),
        ({"stop_reason": "error", "status": 402, "error": "x"}, "EndpointQuotaError"),
        ({"stop_reason": "error", "status": 500, "error": "json"}, "EndpointTransientError"),
        ({"stop_reason": "error", "status": 400, "error": "content_filter triggered"}, "EndpointFilteredError"),
        ({"stop_reason": "error", "status": 400, "error": "no idea"}, "EndpointError"),
        ({"stop_reason": "error", "error_kind": "connection", "error": "x"}, "EndpointTransientError"),
        ({"stop_reason": "error", "error_kind": "timeout", "error": "x"}, "EndpointTransientError"),
        ({"stop_reason": "error", "error": "Error calling LLM: Connection error."}, "EndpointTransientError"),
        ({"stop_reason": "error", "error": "Error: {'message': 'invalid api key'}"}, "EndpointAuthError"),
        ({"stop_reason": "error", "error": "Error: You exceeded your current quota"}, "EndpointQuotaError"),
        ({"stop_reason": "error", "error": 'Error: {"choices": [{"delta"'}, "EndpointMalformedError"),
        ({"stop_reason": "error", "error": "Error: <html>"}, "EndpointMalformedError"),
        (
            {
                "stop_reason": "error",
                "error_kind": "connection",
                "error": "Model stream ended before a finish reason was received",
            },
            "EndpointMalformedError",
        ),
    ],
)
def test_every_way_a_turn_can_end_has_its_class(reply, kind):
    error = failure(reply)
    assert (type(error).__name__ if error else None) == kind


def test_the_configuration_knows_one_endpoint_and_lets_nothing_act_by_itself(tmp_path):
    ctx = context(tmp_path)
    told = configuration(ctx, Options(max_tokens=7))
    assert told["providers"] == {"custom": {"apiKey": "sk-secret", "apiBase": "http://127.0.0.1:1/v1"}}
    defaults = told["agents"]["defaults"]
    assert defaults["workspace"] == str(ctx.workspace)
    assert defaults["maxTokens"] == 7
    assert (defaults["contextWindowTokens"], defaults["maxToolIterations"]) == (200_000, 200), (
        "its own, said in the notes"
    )
    assert defaults["idleCompactAfterMinutes"] == 0
    assert told["tools"]["web"] == {"enable": False}
    assert told["tools"]["restrictToWorkspace"] is True
    assert (
        configuration(ctx, Options.parse({"dialect": "anthropic-messages"}))["providers"]["anthropic"]["apiBase"]
        == ENDPOINT.url
    )
    assert configuration(ctx, Options(exec=False))["tools"]["exec"]["enable"] is False
    assert environment("/v")["TIKTOKEN_CACHE_DIR"] == "/v"


def test_the_pauses_before_repeated_requests_are_nanobot_s_own_unless_an_experiment_sets_them():
    assert Options().pauses == [1, 2, 4]
    assert Options.parse({"retries": 2, "retry_pause": 0.5}).pauses == [0.5, 1]
    assert Options.parse({"retries": 0}).pauses == []


def test_nanobot_s_own_command_is_called_as_it_is_unless_the_pauses_are_others(tmp_path):
    there = SimpleNamespace(python=Path(sys.executable), program=lambda name: tmp_path / name)
    assert command(there, Options())[-2:] == ["utf8", str(tmp_path / "nanobot")]
    (tmp_path / "nanobot").write_text("import sys; from nanobot.providers.base import LLMProvider as provider\n")
    with (tmp_path / "nanobot").open("a") as program:
        program.write("print(__name__, provider._CHAT_RETRY_DELAYS, sys.argv)")
    (tmp_path / "nanobot_there/nanobot/providers").mkdir(parents=True)
    (tmp_path / "nanobot_there/nanobot/providers/base.py").write_text("class LLMProvider: _CHAT_RETRY_DELAYS = (1, 2)")
    for pauses, said in (({"retries": 0}, ()), ({"retries": 2, "retry_pause": 0.5}, (0.5, 1.0))):
        argv = [*command(there, Options.parse(pauses)), "agent", "-m", "x"]
        argv.remove("-I")  # the stand-in for NanoBot is found through the environment
        env = {"PYTHONPATH": str(tmp_path / "nanobot_there")}
        done = subprocess.run(argv, env=env, capture_output=True, text=True, check=True)
        assert done.stdout == f"__main__ {said} {[str(tmp_path / 'nanobot'), 'agent', '-m', 'x']}\n"


def test_the_state_is_laid_out_so_that_nanobot_finds_its_sessions(tmp_path):
    ctx = context(tmp_path)
    state = State(ctx.state_dir, ctx.workspace)
    sessions = [Session(id="main", messages=(Message(id="1", role="user", text="q"),)), Session(id="ops")]
    state.lay_out({"a": 1}, sessions, None)
    assert json.loads(state.config.read_text()) == {"a": 1}
    assert stat.S_IMODE(state.config.stat().st_mode) == 0o600, "the key is in it"
    assert (ctx.workspace / ".nanobot" / "workspace-id").read_text().strip() == WORKSPACE_ID
    assert (state.sessions / ".workspace").read_text().strip() == str(ctx.workspace)
    assert (state.vocabulary / VOCABULARY).stat().st_size == 1_681_126
    assert NanoBotSessions().read(state.sessions) == sessions


def test_a_checkpoint_whose_sessions_were_changed_wins_over_its_files(tmp_path):
    (tmp_path / "1").mkdir()
    one = context(tmp_path / "1")
    state = State(one.state_dir, one.workspace)
    sessions = (Session(id="main", messages=(Message(id="1", role="user", text="q"),)), Session(id="ops"))
    state.lay_out({}, sessions, None)
    saved = state.checkpoint("main")
    assert saved.sessions == sessions
    assert len(saved.files) == 2
    changed = (sessions[0].with_messages([Message(id="1", role="user", text="changed")]),)
    for name, checkpoint in (("2", saved), ("3", Checkpoint(sessions=changed, files=saved.files))):
        (tmp_path / name).mkdir()
        ctx = context(tmp_path / name)
        other = State(ctx.state_dir, ctx.workspace)
        other.lay_out({}, checkpoint.sessions, checkpoint)
        assert tuple(NanoBotSessions().read(other.sessions)) == checkpoint.sessions


def test_a_checkpoint_has_no_file_of_an_unfinished_turn(tmp_path):
    ctx = context(tmp_path)
    state = State(ctx.state_dir, ctx.workspace)
    state.lay_out({}, [Session(id="main"), Session(id="ops")], None)
    file = state.store.file("main", state.sessions)
    head, *rest = file.read_text().splitlines()
    record = json.loads(head)
    record["metadata"]["pending_user_turn"] = True
    file.write_text("\n".join([json.dumps(record), *rest]) + "\n")
    saved = state.checkpoint("main")
    assert [session.id for session in saved.sessions] == ["main", "ops"]
    assert saved.files.keys() == {file_name("ops")}


def test_links_that_an_agent_left_are_not_followed_out_of_its_confinement(tmp_path):
    ctx = context(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    (ctx.workspace / ".nanobot").symlink_to(outside)
    state = State(ctx.state_dir, ctx.workspace)
    state.lay_out({}, [Session(id="main")], None)
    assert list(outside.iterdir()) == []
    (outside / "secret.jsonl").write_text('{"_type": "metadata", "key": "cli:x"}')
    (state.sessions / "Y2xpOng.jsonl").symlink_to(outside / "secret.jsonl")
    with pytest.raises(HarnessProtocolError, match="holds a link"):
        state.checkpoint("main")


def test_unknown_options_and_values_are_refused_with_what_there_is():
    with pytest.raises(AdapterError, match="no option 'colour'") as caught:
        NanoBot(colour="red")
    assert "mode" in caught.value.remedy
    with pytest.raises(AdapterError, match="none of 'bridge', 'cli'"):
        NanoBot(mode="telepathy")


def test_without_an_installation_the_probe_and_open_say_what_to_run(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAW_HOME", str(tmp_path / "empty"))
    probe = NanoBot().probe()
    assert not probe.ready
    assert "0.3.5" in probe.reason
    assert probe.remedy == "claw frameworks install nanobot"
    assert not (tmp_path / "empty").exists(), "looking has no side effects"


async def test_open_without_an_installation_names_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAW_HOME", str(tmp_path / "empty"))
    with pytest.raises(HarnessNotFound) as caught:
        await NanoBot().open(context(tmp_path))
    assert "claw frameworks install nanobot" in caught.value.remedy


def test_capabilities_follow_the_options():
    assert NanoBot().capabilities().seed_history == "native"
    assert NanoBot(histories="files").capabilities().seed_history == "files"
    assert not NanoBot(mode="cli").capabilities().stream_events
    assert NanoBot().capabilities().stream_events


def test_the_description_and_its_hashed_requirements_come_with_the_plugin():
    spec = framework()
    assert spec.requirement == f"nanobot-ai=={spec.version}"
    lines = spec.requirements_file.read_text().splitlines()
    assert f"{spec.requirement} \\" in lines
    pinned = [line for line in lines if line and not line.startswith((" ", "#"))]
    assert all("==" in line for line in pinned)
    assert sum("--hash=sha256:" in line for line in lines) >= len(pinned)
    assert not any("://" in line for line in lines), "no address of a registry"


def test_the_printed_text_of_the_command_loses_its_preamble_only():
    printed = "Using config: /x\n  Created SOUL.md\n\n🐈 nanobot\nError: one\n🐈 nanobot\ntwo\n\n"
    assert cleaned(printed) == "Error: one\n🐈 nanobot\ntwo"
    assert CLI_EMPTY.startswith("I completed")


def test_the_bridge_needs_only_the_standard_library_to_be_read_and_refuses_what_it_does_not_know():
    call = json.dumps({"id": 1, "method": "fly", "params": {}}) + "\n"
    done = subprocess.run(
        [sys.executable, "-I", bridge.__file__], check=False, input=call, capture_output=True, text=True, timeout=30
    )
    assert json.loads(done.stdout) == {"id": 1, "error": {"kind": "protocol", "message": "no method 'fly'"}}
    assert done.returncode == 0


def program(refusal: str) -> SimpleNamespace:
    """A NanoBot without what the bridge uses of it; `refusal`: what it says of its configuration."""

    def from_config(_path: str) -> SimpleNamespace:
        if refusal:
            raise ValueError(refusal)
        return SimpleNamespace()

    return SimpleNamespace(Nanobot=SimpleNamespace(from_config=from_config))


@pytest.mark.parametrize(
    ("refusal", "kind", "owner"), [("no model", "refused", HarnessStartError), ("", "AttributeError", AdapterError)]
)
async def test_what_nanobot_refuses_is_its_own_and_what_the_bridge_misses_in_it_is_the_adapters(
    tmp_path, monkeypatch, refusal, kind, owner
):
    monkeypatch.setitem(
        sys.modules, "loguru", SimpleNamespace(logger=SimpleNamespace(remove=list, add=lambda *_, **__: 0))
    )
    monkeypatch.setitem(sys.modules, "nanobot", program(refusal))
    monkeypatch.setitem(sys.modules, "nanobot.providers.base", SimpleNamespace(LLMProvider=SimpleNamespace()))
    said: list[str] = []

    async def call(*_: object) -> dict[str, object]:
        try:
            return await bridge.Bridge().open({"config": "c"}, said.append)
        except Exception as error:
            what, named = str(error.args[-1]), error.args[0] if len(error.args) > 1 else type(error).__name__
            raise RemoteError(what, kind=named) from error

    async def close(_grace: float) -> int:
        return 0

    async def lines(*_: object, **__: object) -> SimpleNamespace:
        return SimpleNamespace(call=call, close=close)

    ctx = SimpleNamespace(**vars(context(tmp_path)), lines=lines, log=None, deadline=1.0)
    there = SimpleNamespace(python=Path("python"), path=tmp_path, version="9.9", readable=())
    with pytest.raises(owner) as caught:
        await NanoBot()._bridged(ctx, there, State(tmp_path, tmp_path, "cli", tmp_path), {})
    assert ("9.9" in str(caught.value)) == (kind != "refused")
    assert (refusal or "AttributeError") in str(caught.value)
