"""What the server, terminal and command modes make of what NanoBot shows and writes; without NanoBot."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from claw_adapter.errors import AdapterError
from claw_adapter_nanobot.failures import CLI_EMPTY, CLI_MARK, failure
from claw_adapter_nanobot.lasting import reply_of
from claw_adapter_nanobot.options import Options
from claw_adapter_nanobot.pty_mode import PtyConversation, painted
from claw_adapter_nanobot.serve_mode import ServeConversation
from claw_adapter_nanobot.steps import SUMMARISED, steps
from claw_adapter_nanobot.store import NanoBotSessions, file_name, session_key

STEPS = (
    "I reached the maximum number of tool call iterations (200) without completing the task. "
    "You can try breaking the task into smaller steps."
)
RETRIED = "↳ Model request failed, retry in 1s (attempt 1)."


@pytest.mark.parametrize(
    ("said", "shown", "kind"),
    [
        ("fine", "fine", None),
        (CLI_EMPTY, CLI_EMPTY, "EmptyAnswer"),
        (STEPS, STEPS, "HarnessError"),
        (CLI_MARK, "Error: {'message': 'invalid api key'}", "EndpointAuthError"),
        (CLI_MARK, "The AI provider rejected the request because the API key is out of quota", "EndpointQuotaError"),
        (CLI_MARK, "half an answer about a connection", "EndpointError"),
        (
            CLI_MARK,
            "half\nError calling LLM: Model stream ended before a finish reason was received",
            "EndpointMalformedError",
        ),
        (CLI_MARK, "Error: {'message': 'boom'}", "EndpointError"),
        (CLI_MARK, f"{RETRIED}\nError: {{'message': 'boom'}}", "EndpointTransientError"),
        (CLI_MARK, f"{RETRIED}\nError: rate limit", "EndpointQuotaError"),
        (CLI_MARK, "", "EndpointError"),
    ],
)
def test_the_sessions_mark_decides_and_nanobots_own_sentence_says_what_it_was(said, shown, kind):
    error = failure(reply_of(said, None, shown))
    assert (type(error).__name__ if error else None) == kind


def test_a_painted_screen_is_read_without_what_moves_on_it():
    spinner = "\x1b[?25l\x1b[36m⠋\x1b[0m nanobot is thinking...\r\x1b[2K\r\n"
    screen = spinner + "🐈 nanobot\r\nError: \x1b[1mone\x1b[0m\r\n\x1b]0;t\x07You: "
    assert painted(screen) == "Error: one"


@pytest.mark.parametrize("place", ["before the prompt", "among the steps", "at the end"])
def test_a_summary_is_a_note_of_its_turn_and_hides_none_of_its_steps(tmp_path, place):
    began = datetime(2026, 3, 1, 9, 0, tzinfo=UTC).timestamp()

    def summary(minute: int) -> dict:
        stamp = f"2026-03-01T{8 + minute // 60:02}:{minute % 60:02}:00"
        return {"role": "user", "content": SUMMARISED, "_hidden_history": True, "timestamp": stamp}

    call = {"id": "c1", "type": "function", "function": {"name": "exec", "arguments": "{}"}}
    now = summary(61)
    lines = [
        {"_type": "metadata", "key": "cli:m"},
        {"role": "user", "content": "old"},
        summary(30),
        {"role": "assistant", "content": "older"},
        *([now] if place == "before the prompt" else []),
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        *([now] if place == "among the steps" else []),
        {"role": "tool", "content": "done", "tool_call_id": "c1"},
        {"role": "assistant", "content": "the answer"},
        *([now] if place == "at the end" else []),
    ]
    file = tmp_path / file_name("m")
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    found = steps(file, began)
    notes = [event for event in found if event.kind == "note"]
    assert [(note.name, note.text, note.at) for note in notes] == [
        ("compaction", "NanoBot has summarised the session", 60.0)
    ]
    assert [(e.kind, e.name) for e in found if e.kind != "note"] == [("tool_call", "exec"), ("tool_result", "exec")]
    assert NanoBotSessions().last_turn(tmp_path, "m")[0] == "the answer"


def test_the_steps_of_the_last_turn_are_read_from_the_session(tmp_path):
    call = {"id": "c1", "type": "function", "function": {"name": "exec", "arguments": '{"command": "ls"}'}}
    lines = [
        {"_type": "metadata", "key": "cli:m"},
        {"role": "user", "content": "old"},
        {"role": "tool", "content": "old", "tool_call_id": "c0"},
        {"role": "user", "content": "new"},
        {"role": "assistant", "content": "looking", "tool_calls": [call], "timestamp": "1970-01-01T00:01:41"},
        {"role": "tool", "content": "Error: no", "tool_call_id": "c1", "timestamp": "1970-01-01T00:01:42.500000"},
        {"role": "assistant", "content": "done"},
    ]
    file = tmp_path / "s.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = [(event.kind, event.name, event.text, event.at, event.is_error) for event in steps(file, 100.0)]
    assert found == [
        ("text", "", "looking", 1.0, False),
        ("tool_call", "exec", "", 1.0, False),
        ("tool_result", "exec", "Error: no", 2.5, True),
    ]
    assert steps(file, 100.0)[1].arguments == {"command": "ls"}


def test_provider_and_dialect_fill_each_other_in_and_must_fit():
    known = {
        (): ("custom", "openai-chat"),
        (("provider", "openai"),): ("openai", "openai-responses"),
        (("provider", "anthropic"),): ("anthropic", "anthropic-messages"),
        (("dialect", "openai-responses"),): ("openai", "openai-responses"),
        (("provider", "openai"), ("dialect", "openai-chat")): ("openai", "openai-chat"),
    }
    for given, expected in known.items():
        options = Options.parse(dict(given))
        assert (options.provider, options.dialect) == expected
    with pytest.raises(AdapterError, match="does not speak"):
        Options.parse({"provider": "anthropic", "dialect": "openai-chat"})


def test_the_server_keeps_sessions_under_another_channel():
    assert session_key("main", "api") == "api:main"
    assert file_name("main", "api") != file_name("main")


@pytest.mark.parametrize("mode", ["serve", "pty"])
async def test_nanobot_is_given_no_time_to_end_for_its_turns_are_on_disk(mode):
    graces = []

    class Running:
        async def stop(self, grace):
            graces.append(grace)
            return 0

    ctx = SimpleNamespace(main=SimpleNamespace(id="main"))
    conversation = (
        PtyConversation(ctx, ["nanobot"], None, None, {})
        if mode == "pty"
        else ServeConversation(ctx, ["nanobot"], None, None, {}, "token")
    )
    conversation._child = conversation._process = Running()
    await conversation.close()
    await conversation.close()
    assert graces == [0]
