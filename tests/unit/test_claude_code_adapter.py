"""What Claude Code is told, what its records mean, and what the adapter refuses; without Claude Code."""

from __future__ import annotations

import json
import stat
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.errors import AdapterError, HarnessNotFound
from claw_adapter.harness import Checkpoint, Endpoint, Session
from claw_adapter_claude_code import program
from claw_adapter_claude_code.adapter import ClaudeCode
from claw_adapter_claude_code.configuration import arguments, environment, settings
from claw_adapter_claude_code.failures import failure
from claw_adapter_claude_code.options import Options
from claw_adapter_claude_code.program import executable, framework, spoken
from claw_adapter_claude_code.state import State
from claw_adapter_claude_code.stream import Turn

ENDPOINT = Endpoint(url="http://127.0.0.1:1", key="sk-secret", model="the/model")


def context(tmp_path: Path) -> SimpleNamespace:
    folders = {"workspace": tmp_path / "workspace", "state_dir": tmp_path / "state dir"}
    for folder in folders.values():
        folder.mkdir()
    return SimpleNamespace(
        endpoint=ENDPOINT, main=Session(id="main"), histories=(), environment=None, mcp=(), inside=Path, **folders
    )


def test_it_knows_one_endpoint_and_one_model_and_does_nothing_by_itself(tmp_path):
    ctx = context(tmp_path)
    told = environment(ctx, Options(retries=7), ctx.state_dir / "claude")
    assert told["ANTHROPIC_BASE_URL"] == ENDPOINT.url
    assert {value for name, value in told.items() if name.endswith("_MODEL")} == {ENDPOINT.model}
    assert sum(name.endswith("_MODEL") for name in told) == 7, "every model that it could choose by itself"
    for name in ("DISABLE_COMPACT", "DISABLE_AUTOUPDATER", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"):
        assert told[name] == "1"
    assert told["CLAUDE_CODE_MAX_RETRIES"] == "7"
    assert "PATH" not in told
    assert environment(ctx, Options(path_prepend="/a:/b"), ctx.state_dir)["PATH"].startswith("/a:/b:/")
    assert settings(ctx, Options())["autoCompactEnabled"] is False


def test_the_key_is_in_one_file_that_only_we_can_read(tmp_path):
    ctx = context(tmp_path)
    told = settings(ctx, Options())
    state = State(ctx.state_dir, ctx.workspace, ctx.main)
    state.lay_out(told, ENDPOINT.key, None)
    with_key = [path for path in ctx.state_dir.rglob("*") if path.is_file() and "sk-secret" in path.read_text()]
    assert [stat.S_IMODE(path.stat().st_mode) for path in with_key] == [0o600]
    assert not any("sk-secret" in value for value in environment(ctx, Options(), state.config).values())
    assert not any("sk-secret" in part for part in arguments(Options()))
    helper = subprocess.run(["sh", "-c", told["apiKeyHelper"]], capture_output=True, text=True, check=True)
    assert helper.stdout == "sk-secret", "also where the path has blanks"


def test_what_a_checkpoint_names_cannot_leave_its_folder(tmp_path):
    ctx = context(tmp_path)
    files = {"memory/../../evil": b"x", "evil": b"x", "memory/a/b.md": b"kept"}
    state = State(ctx.state_dir, ctx.workspace, ctx.main)
    state.lay_out({}, "k", Checkpoint(sessions=(ctx.main,), files=files))
    assert not list(tmp_path.rglob("evil"))
    assert state.checkpoint().files == {"memory/a/b.md": b"kept"}


def test_the_command_line_follows_the_options():
    usual = arguments(Options())
    assert usual[usual.index("--tools") + 1] == "Bash,Edit,Glob,Grep,Read,Write"
    assert usual[usual.index("--max-turns") + 1] == "250"
    assert {"--disable-slash-commands", "--strict-mcp-config"} < set(usual)
    other = arguments(Options(exec=False, max_requests=0, effort="low", permission_mode="default"))
    assert other[other.index("--tools") + 1] == "Edit,Glob,Grep,Read,Write"
    assert "--max-turns" not in other
    assert other[other.index("--effort") + 1] == "low"
    assert other[other.index("--permission-mode") + 1] == "default"


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"colour": "red"}, "no option 'colour'"),
        ({"mode": "telepathy"}, "none of 'live', 'turn' or 'acp'"),
        ({"permission_mode": "yes"}, "none of"),
        ({"retries": -1}, "no number from 0"),
        ({"max_requests": True}, "no whole number"),
        ({"effort": 3}, "none of"),
    ],
)
def test_unknown_options_and_values_are_refused_with_what_there_is(options, match):
    with pytest.raises(AdapterError, match=match):
        ClaudeCode(**options)


@pytest.mark.parametrize("prompt", ["hello", " /x", "a /x"])
def test_most_prompts_go_as_they_are(prompt):
    assert spoken(prompt) == prompt


@pytest.mark.parametrize("prompt", ["/compact", "/", "// a comment", "/a\n/b"])
def test_what_would_be_a_command_goes_with_an_empty_piece_behind_it(prompt):
    assert [block["text"] for block in spoken(prompt)] == [prompt, ""]


def answer(text: str, **more) -> dict:
    return {"type": "result", "subtype": "success", "is_error": False, "result": text, **more}


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        (answer("fine"), None),
        (answer("API Error: is what the user asked about"), None),
        (answer(" \n"), "EmptyAnswer"),
        ({}, "EmptyAnswer"),
        (answer("API Error: 401 no", is_error=True, api_error_status=401), "EndpointAuthError"),
        (answer("API Error: 403 quota", is_error=True, api_error_status=403), "EndpointAuthError"),
        (answer("API Error: 429 no", is_error=True, api_error_status=429), "EndpointQuotaError"),
        (answer("API Error: 402 no", is_error=True, api_error_status=402), "EndpointQuotaError"),
        (answer("API Error: 500 no", is_error=True, api_error_status=500), "EndpointTransientError"),
        (answer("API Error: 529 overloaded", is_error=True, api_error_status=529), "EndpointTransientError"),
        (answer("API Error: 408 no", is_error=True, api_error_status=408), "EndpointTransientError"),
        (answer("API Error: 400 content filter", is_error=True, api_error_status=400), "EndpointFilteredError"),
        (answer("Prompt is too long", is_error=True, api_error_status=400), "EndpointError"),
        (answer("API Error: Connection dropped (ECONNRESET).", is_error=True), "EndpointTransientError"),
        (answer("API Error: JSON Parse error: Unterminated", is_error=True), "EndpointMalformedError"),
        (answer("API Error: API returned an empty or malformed response", is_error=True), "EndpointMalformedError"),
        (answer("API Error: cannot help", is_error=True, stop_reason="refusal"), "EndpointFilteredError"),
        (answer("half", stop_reason="refusal"), "EndpointFilteredError"),
        ({"is_error": True, "subtype": "error_max_turns", "errors": ["Reached"]}, "EmptyAnswer"),
        ({"is_error": True, "errors": ["[ede] last_content_type=none"]}, "EmptyAnswer"),
        ({"is_error": True, "subtype": "error_during_execution", "errors": ["No conversation found"]}, "HarnessError"),
    ],
)
def test_a_turn_is_judged_by_is_error_never_by_its_subtype(result, kind):
    error = failure(result)
    assert (type(error).__name__ if error else None) == kind


def test_records_become_events_in_order_and_what_was_denied_is_said():
    turn = Turn()
    use = {"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": "ls"}}
    denied = {"tool_name": "Bash", "tool_use_id": "1", "tool_input": {"command": "ls"}}
    back = {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "no"}], "is_error": True}
    usage = {"input_tokens": 5, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 2, "output_tokens": 1}
    records = [
        {"type": "system", "subtype": "init"},
        {"type": "assistant", "message": {"content": [{"type": "thinking", "thinking": "hm"}]}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "I look"}]}},
        {"type": "assistant", "message": {"content": [use]}},
        {"type": "user", "message": {"content": [back]}},
        {"type": "user", "message": {"content": "a reminder"}},
        {"type": "system", "subtype": "compact_boundary", "compact_metadata": {"trigger": "auto"}, "uuid": "x"},
        {"type": "something new"},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "the answer"}]}},
        answer("the answer", usage=usage, permission_denials=[denied]),
    ]
    assert [turn.take(record) for record in records] == [False] * 9 + [True]
    assert [(e.kind, e.name, e.text, e.is_error) for e in turn.events] == [
        ("text", "", "I look", False),
        ("tool_call", "Bash", "", False),
        ("tool_result", "Bash", "no", True),
        ("note", "compact_boundary", "", False),
        ("note", "permission-denied", "Bash", True),
    ]
    assert turn.events[3].arguments == {"compact_metadata": {"trigger": "auto"}}
    reported = turn.usage()
    assert (reported.kind, reported.input, reported.output, reported.cached) == ("per_turn", 10, 1, 3)
    assert Turn().usage() is None


async def test_without_the_program_probe_and_open_say_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAW_HOME", str(tmp_path / "nothing"))
    probe = ClaudeCode().probe()
    assert not probe.ready
    assert probe.remedy == program.REMEDY
    with pytest.raises(HarnessNotFound) as caught:
        await ClaudeCode().open(context(tmp_path))
    assert program.REMEDY in caught.value.remedy


def test_the_program_is_that_of_this_kind_of_machine(tmp_path):
    there = SimpleNamespace(modules=tmp_path)
    assert executable(there) is None
    file = tmp_path / "@anthropic-ai" / "claude-code-linux-arm64" / "claude"
    file.parent.mkdir(parents=True)
    file.touch()
    assert executable(there) == file


def test_the_pins_are_one_version_with_hashes_and_without_a_registry():
    spec = framework()
    wanted = json.loads((spec.folder / "package.json").read_text("utf-8"))["dependencies"]
    assert wanted["@anthropic-ai/claude-code"] == spec.version
    assert (spec.kind, spec.requirement) == ("npm", f"@anthropic-ai/claude-code@{spec.version}")
    lock = json.loads((spec.folder / "package-lock.json").read_text("utf-8"))
    packages = [entry for name, entry in lock["packages"].items() if name]
    assert not [name for name in lock["packages"] if "claude-agent-sdk-" in name], "one copy of the program is enough"
    assert all(entry["integrity"].startswith("sha512-") and "resolved" not in entry for entry in packages)
    assert "http" not in (spec.folder / "requirements.txt").read_text()
