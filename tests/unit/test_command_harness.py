"""CommandHarness: an adapter as data, tried with real processes."""

from __future__ import annotations

import asyncio
import json
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from claw_adapter import command as c
from claw_adapter import errors as e
from claw_adapter.certify.watch import side_effects
from claw_adapter.harness import Message, Session, SessionChange, Support, ToolCall
from claw_adapter.testing import FolderContext
from support.processes import marked, until

SESSION = "{state}/session.json"
PAGE = Path(__file__).parents[2] / "docs" / "write-an-adapter.md"


def harness(script: Path | None, text: str = "", **more) -> c.CommandHarness:
    """A harness whose program is a shell script; `more` are attributes of its class."""
    if script is not None:
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(f"#!/bin/sh\n{text}\n")
        script.chmod(0o755)
    kind = type("Made", (c.CommandHarness,), {"name": "made", "command": ("made-agent",), "remedy": "get it", **more})
    return kind(program=str(script)) if script else kind()


async def turns(made: c.CommandHarness, folder: Path, *prompts: str, deadline: float = 20, **more) -> list:
    """What each prompt comes to, in one conversation."""
    async with await made.open(FolderContext(folder / "trial", **more)) as conversation:
        return [await conversation.send(prompt, deadline) for prompt in prompts]


# -- where a prompt goes and an answer stands --------------------------------------------------------------------------


async def test_a_prompt_goes_to_standard_input_and_the_output_is_the_answer(tmp_path):
    (turn,) = await turns(harness(tmp_path / "x", "cat; echo"), tmp_path, "two\nlines {model} ﷽")
    assert turn.text == "two\nlines {model} ﷽"
    assert turn.timing.total >= turn.timing.own >= 0


async def test_places_are_filled_and_what_fills_them_is_not_searched(tmp_path):
    argv = ("made-agent", "-p", "{prompt}", "--in={workspace}", "{session}", "{model}", "{openai}", "{seed}")
    made = harness(
        tmp_path / "x", 'printf "%s\n" "$@" "$KEY" "$(cat "$HOME/sub/config.json")"', command=argv,
        env={"KEY": "{key}"}, files={"sub/config.json": {"to": ["{url}"], "n": 1}},
    )  # fmt: skip
    (turn,) = await turns(made, tmp_path, "say {key}; $HOME", seed=7, key="sk-1", main=Session(id="a b"))
    trial = tmp_path / "trial"
    first = ["-p", "say {key}; $HOME", f"--in={trial / 'workspace'}", "a b", "the-model", "http://127.0.0.1:9/v1", "7"]
    assert turn.text.split("\n")[:-1] == [*first, "sk-1"]
    assert json.loads(turn.text.split("\n")[-1]) == {"to": ["http://127.0.0.1:9"], "n": 1}
    assert (trial / "state/sub/config.json").stat().st_mode & 0o77 == 0


@pytest.mark.parametrize("prompt", ["x" * 200_000, " ", "a\0b", "\ud800"])
async def test_what_would_not_arrive_whole_as_an_argument_is_refused(tmp_path, prompt):
    made = harness(tmp_path / "x", "touch ran; echo no", command=("made-agent", "{prompt}"))
    (turn,) = await turns(made, tmp_path, prompt)
    assert turn.error.kind == "AdapterError"
    assert not (tmp_path / "trial/workspace/ran").exists()


@pytest.mark.parametrize(
    ("answer", "script"),
    [
        (c.LastLine(), "echo thinking; echo yes; echo"),
        (c.Json("result.text"), """echo '{"result": {"text": "yes"}}'"""),
        (c.Json("-1.text", lines=True), """echo '{"text": "hm"}'; echo '{"text": "yes"}'"""),
        (c.Text("{state}/answer"), "echo noise; echo yes > $HOME/answer"),
        (c.Json("messages.-1.content", file=SESSION), """echo '{"messages": [{"content": "yes"}]}' > $HOME/session.json"""),
    ],
)  # fmt: skip
async def test_an_answer_may_stand_in_many_places(tmp_path, answer, script):
    (turn,) = await turns(harness(tmp_path / "x", script, answer=answer), tmp_path, "well?")
    assert turn.text == "yes"


async def test_usage_is_read_with_its_meaning(tmp_path):
    usage = c.JsonUsage("per_turn", input="u.in", output="u.out", cached="u.cached")
    made = harness(
        tmp_path / "x", """echo '{"a": "x", "u": {"in": 3, "out": 4, "cached": 1}}'""", answer=c.Json("a"), usage=usage
    )
    (turn,) = await turns(made, tmp_path, "well?")
    assert turn.usage.model_dump() == {"kind": "per_turn", "input": 3, "output": 4, "cached": 1}
    assert made.capabilities().usage == "per_turn"


# -- failures ----------------------------------------------------------------------------------------------------------

ROWS = (
    (3, e.HarnessStartError),
    (r"rate limit", e.EndpointQuotaError),
    (r"status 400.*filter", e.EndpointFilteredError),
)


@pytest.mark.parametrize(
    ("script", "more", "kind"),
    [
        ("exit 3", {}, "HarnessStartError"),
        ("echo 'Rate Limit' >&2; exit 1", {}, "EndpointQuotaError"),
        ("echo what >&2; exit 9", {}, "HarnessCrash"),
        ("kill -9 $$", {}, "HarnessCrash"),
        ("", {}, "EmptyAnswer"),
        ("echo '  '", {}, "EmptyAnswer"),
        ("echo '{\"text\": '", {"answer": c.Json("text")}, "HarnessProtocolError"),
        ("echo '{\"text\": 1}'", {"answer": c.Json("text")}, "HarnessProtocolError"),
        ("echo '{}'", {"answer": c.Json("text")}, "EmptyAnswer"),
        (
            "echo '{\"a\": \"x\"}'",
            {"answer": c.Json("a"), "usage": c.JsonUsage("per_turn", "i", "a")},
            "HarnessProtocolError",
        ),
        ("true", {"answer": c.Text("{state}/none")}, "HarnessProtocolError"),
        ("ln -s /etc/passwd $HOME/answer", {"answer": c.Text("{state}/answer")}, "HarnessProtocolError"),
        ("printf '\\377'", {}, "HarnessProtocolError"),
        ("yes | head -c 2000000", {}, "HarnessProtocolError"),
        ("echo I gave up, sorry", {"no_answers": ((r"i gave up", e.EmptyAnswer),)}, "EmptyAnswer"),
    ],
)  # fmt: skip
async def test_a_failure_has_a_class_and_no_further_prompt_is_taken(tmp_path, script, more, kind):
    made = harness(tmp_path / "x", f"echo >> $HOME/runs\n{script}", failures=ROWS, **more)
    failed, refused = await turns(made, tmp_path, "well?", "again?")
    assert (failed.error.kind, failed.text) == (kind, "")
    assert refused.error.kind == "HarnessCrash"
    assert (tmp_path / "trial/state/runs").read_text() == "\n"


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        ("401", "no", "EndpointAuthError"),
        ("503", "later", "EndpointTransientError"),
        ("400", "the filter", "EndpointFilteredError"),
        ("404", "none", "EndpointError"),
        ("null", "broken", "HarnessError"),
        ("null", "rate limit", "EndpointQuotaError"),
    ],
)
@pytest.mark.parametrize("code", [0, 1])
async def test_a_reported_failure_has_the_class_of_its_status(tmp_path, status, message, kind, code):
    script = f"""echo '{{"error": {{"status": {status}, "message": "{message}"}}}}' > $HOME/e; echo no; exit {code}"""
    reported = c.Reported("error.message", status="error.status", file="{state}/e")
    (turn,) = await turns(harness(tmp_path / "x", script, failures=ROWS, reported=reported), tmp_path, "well?")
    assert turn.error.kind == kind


async def test_words_of_an_answer_are_no_failure(tmp_path):
    (turn,) = await turns(harness(tmp_path / "x", "echo about the rate limit", failures=ROWS), tmp_path, "well?")
    assert turn.text == "about the rate limit"


async def test_a_deadline_ends_what_the_program_started(tmp_path):
    made = harness(tmp_path / "x", "setsid sleep 60 & touch $HOME/began; sleep 60")
    (turn,) = await turns(made, tmp_path, "well?", deadline=1, marker=f"late-{os.getpid()}")
    assert turn.error.kind == "DeadlineExceeded"
    assert (tmp_path / "trial/state/began").exists()
    assert not marked(f"late-{os.getpid()}")


async def test_a_cancelled_turn_leaves_nothing_and_the_next_one_works(tmp_path):
    script = 'read prompt; echo $prompt >> $HOME/log; [ "$prompt" = wait ] && { touch $HOME/began; sleep 60; }; cat $HOME/log'
    made = harness(tmp_path / "x", script, keep=("log",))
    ctx = FolderContext(tmp_path / "trial")
    async with await made.open(ctx) as conversation:
        await conversation.send("one", 20)
        sending = asyncio.create_task(conversation.send("wait", 20))
        await until((ctx.state_dir / "began").exists)
        await conversation.cancel()
        cancelled = await sending
        after = await conversation.send("two", 20)
    assert (cancelled.error.kind, cancelled.error.what) == ("HarnessError", "the turn was cancelled")
    assert after.text == "one\ntwo"


# -- sessions ----------------------------------------------------------------------------------------------------------

CALL = ToolCall(id="c1", name="read", arguments={"path": "ä"})
PAST = Session(
    id="main",
    messages=(
        Message(id="m1", role="user", text="Look.", speaker="Ann"),
        Message(id="m2", role="assistant", tool_calls=(CALL,)),
        Message(id="m3", role="tool", text="found", tool_call_id="c1"),
        Message(id="m4", role="assistant", text="Seen."),
    ),
)
ANSWERS = """read prompt
python3 - "$HOME/session.json" "$prompt" <<'END'
import json, sys
path, prompt = sys.argv[1:]
session = json.load(open(path))
call = {"id": "n", "function": {"name": "ls", "arguments": "{}"}}
session["messages"] += [{"role": "user", "content": prompt}, {"role": "assistant", "content": "", "tool_calls": [call]},
    {"role": "tool", "tool_call_id": "n", "content": "a b"}, {"role": "assistant", "content": "done"}]
session["turns"] += 1
json.dump(session, open(path, "w"))
END"""


def changed(before: Session, after: Session) -> SessionChange:
    return SessionChange(session=after.id, action="append", before=before, after=after)


def stored(tmp_path: Path, **more) -> c.CommandHarness:
    store = c.JsonStore(SESSION, fresh={"turns": 0})
    return harness(tmp_path / "x", ANSWERS, store=store, answer=c.Stored(), **more)


async def test_a_store_gives_a_past_events_updates_and_checkpoints(tmp_path):
    made = stored(tmp_path)
    ctx = FolderContext(tmp_path / "trial", main=PAST)
    async with await made.open(ctx) as conversation:
        turn = await conversation.send("go", 20)
        kept = await conversation.checkpoint()
        longer = PAST.with_messages([*PAST.messages, Message(id="m5", role="user", text="News.")])
        await conversation.sync([changed(PAST, longer)])
        synced = await conversation.checkpoint()
    assert turn.text == "done"
    assert [(event.kind, event.name, event.text) for event in turn.events] == [
        ("tool_call", "ls", ""),
        ("tool_result", "ls", "a b"),
    ]
    assert kept.sessions[0].messages[:4] == PAST.messages
    assert [message.id for message in kept.sessions[0].messages[4:]] == ["made-0", "made-1", "made-2", "made-3"]
    assert [message.text for message in synced.sessions[0].messages[4:]] == ["go", "", "a b", "done", "News."]
    native = json.loads(kept.files["session.json"])
    assert (native["turns"], native["messages"][0]["content"]) == (1, "Ann: Look.")
    assert json.loads(native["messages"][1]["tool_calls"][0]["function"]["arguments"]) == {"path": "ä"}
    again = FolderContext(tmp_path / "again")
    async with await made.open(again, kept) as conversation:
        assert await conversation.checkpoint() == kept
        await conversation.send("more", 20)
        assert len((await conversation.checkpoint()).sessions[0].messages) == 12


async def test_a_session_that_the_program_rewrites_is_read_as_it_is(tmp_path):
    session = '{"messages": [{"role": "assistant", "content": [{"type": "text", "text": "sum"}]}]}'
    made = harness(tmp_path / "x", f"echo '{session}' > $HOME/session.json; echo ok", store=c.JsonStore(SESSION))
    async with await made.open(FolderContext(tmp_path / "trial", main=PAST)) as conversation:
        await conversation.send("go", 20)
        (session,) = (await conversation.checkpoint()).sessions
    assert [message.text for message in session.messages] == ["sum"]


@pytest.mark.parametrize(
    "left", ["echo x >", "rm", "ln -sf /etc/passwd", "echo '[]' >", """echo '{"messages": [1]}' >"""]
)
async def test_a_session_that_is_spoiled_is_a_failure_of_the_harness(tmp_path, left):
    made = harness(tmp_path / "x", f"{left} $HOME/session.json; echo ok", store=c.JsonStore(SESSION))
    (turn,) = await turns(made, tmp_path, "go", main=PAST)
    assert turn.error.kind == "HarnessProtocolError"


async def test_a_message_that_the_store_does_not_describe_is_named_with_the_way_out(tmp_path):
    session = '{"messages": [{"role": "user", "content": "go"}, {"role": "exit", "content": "bye"}]}'
    script = f"echo '{session}' > $HOME/session.json; echo ok"
    (turn,) = await turns(harness(tmp_path / "x", script, store=c.JsonStore(SESSION)), tmp_path, "go")
    assert (turn.error.kind, turn.error.owner) == ("AdapterError", "adapter")
    assert turn.error.what == "the role 'exit' is none of system, user, assistant, tool"
    assert turn.error.where.endswith("session.json, message 2")
    assert 'skip=("…",)' in turn.error.remedy
    made = harness(tmp_path / "y", script, store=c.JsonStore(SESSION, skip=("exit",)))
    async with await made.open(FolderContext(tmp_path / "skipped")) as conversation:
        assert (await conversation.send("go", 20)).text == "ok"
        assert [message.text for message in (await conversation.checkpoint()).sessions[0].messages] == ["go"]


async def test_a_crash_is_told_with_the_last_line_first(tmp_path):
    (turn,) = await turns(harness(tmp_path / "x", "echo Traceback; echo 'no mind' >&2; echo; exit 1"), tmp_path, "go")
    assert turn.error.what == "exit status 1: no mind"
    (turn,) = await turns(harness(tmp_path / "y", "seq 900; echo 'no mind'; exit 1"), tmp_path / "b", "go")
    assert turn.error.what.startswith("exit status 1: no mind\nIts output ends:\n")


async def test_other_fields_and_lines_are_named_in_the_store(tmp_path):
    store = c.JsonStore(
        "{state}/s/{session}.jsonl", lines=True, role="who", text="body.text", roles={"assistant": "model"}, calls="",
        time="at", message={"v": 1},
    )  # fmt: skip
    made = harness(tmp_path / "x", 'cat > /dev/null; cat "$HOME/s/main.jsonl"', store=store, histories="native")
    other = Session(id="dm", messages=(Message(id="x", role="user", text="hi"),))
    ctx = FolderContext(tmp_path / "trial", main=PAST, histories=[other])
    async with await made.open(ctx) as conversation:
        turn = await conversation.send("go", 20)
        longer = other.with_messages([*other.messages, Message(id="y", role="user", text="oh")])
        await conversation.sync([changed(other, longer)])
        assert (ctx.state_dir / "s/dm.jsonl").read_text().count("\n") == 2
        assert (await conversation.checkpoint()).sessions == (PAST.with_messages(PAST.messages[::3]), longer)
    lines = [json.loads(line) for line in turn.text.split("\n")]
    assert lines == [
        {"v": 1, "who": "user", "body": {"text": "Ann: Look."}},
        {"v": 1, "who": "model", "body": {"text": "Seen."}},
    ]


async def test_without_a_store_kept_files_carry_the_conversation_over(tmp_path):
    made = harness(tmp_path / "x", "cat >> $HOME/log; echo >> $HOME/log; cat $HOME/log", keep=("log",))
    async with await made.open(FolderContext(tmp_path / "one")) as conversation:
        await conversation.send("first", 20)
        kept = await conversation.checkpoint()
    assert [message.text for message in kept.sessions[0].messages] == ["first", "first"]
    async with await made.open(FolderContext(tmp_path / "two"), kept) as conversation:
        assert (await conversation.send("second", 20)).text == "first\nsecond"


# -- a terminal --------------------------------------------------------------------------------------------------------

TALKS = r"""n=0
while :; do printf 'ready> '; IFS= read -r line || exit 0; n=$((n+1)); [ "$line" = die ] && exit 4
echo "$n: $line" > $HOME/answer; done"""


async def test_one_program_on_a_terminal_lives_for_the_whole_conversation(tmp_path):
    terminal = c.Terminal(ready=rb"ready> ", before=b"", after=b"\n")
    made = harness(tmp_path / "x", TALKS, terminal=terminal, answer=c.Text("{state}/answer"))
    assert [turn.text for turn in await turns(made, tmp_path, "one", "two")] == ["1: one", "2: two"]
    dead, refused = await turns(made, tmp_path / "b", "die", "again")
    assert (dead.error.kind, refused.error.kind) == ("HarnessCrash", "HarnessCrash")


async def test_a_terminal_that_is_never_ready_is_a_failed_start(tmp_path):
    made = harness(tmp_path / "x", "exit 1", terminal=c.Terminal(ready=b"> "), answer=c.Text("{state}/answer"))
    (turn,) = await turns(made, tmp_path, "one")
    assert turn.error.kind == "HarnessStartError"
    assert turn.error.remedy


# -- finding, probing, declaring ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("says", "wanted", "ready"),
    [
        ("made 1.10.2 (abc)", {}, True),
        ("made 1.10.2", {"at_least": "1.9"}, True),
        ("made 1.10.2", {"at_least": "1.11"}, False),
        ("made 1.10.2", {"exactly": "1.10.2"}, True),
        ("made 1.10.2", {"exactly": "1.10"}, False),
        ("made r7", {"pattern": r"r(\d+)"}, True),
        ("nothing", {}, False),
    ],
)
def test_a_version_is_asked_and_compared(tmp_path, says, wanted, ready):
    found = harness(tmp_path / "x", f"echo '{says}'", version=c.Version(**wanted)).probe()
    assert (found.ready, bool(found.versions)) == (ready, says != "nothing")
    assert ready or (found.reason and found.remedy.endswith("get it"))


def test_a_version_is_asked_with_a_home_and_what_of_env_holds_for_every_trial(tmp_path):
    script = 'mkdir "$HOME/.config" && echo "$HOME" > "$0.home" && echo "$MODE $PLACE ${KEY-unset} 1.2"'
    env = {"MODE": "quiet", "PLACE": "{program}", "KEY": "{key}"}
    version = c.Version(pattern=r"quiet \S+ unset ([\d.]+)")
    made = harness(tmp_path / "x", script, env=env, version=version)
    with side_effects() as effects:
        found = made.probe()
    assert found.versions == {"made": "1.2"}
    assert effects == []  # a folder that is gone again is none; what stays, and what is removed elsewhere, is
    with side_effects() as effects:
        Path(tempfile.mkdtemp(dir=tmp_path), "stays").touch()
        (tmp_path / "x.home").rename(tmp_path / "y.home")
    assert len(effects) == 4
    (tmp_path / "y.home").rename(tmp_path / "x.home")
    assert not Path((tmp_path / "x.home").read_text().strip()).exists()


def test_a_program_that_does_not_say_its_version_is_shown_with_its_last_line_and_the_way_out(tmp_path):
    script = "echo Traceback; seq 300; echo 'ImportError: no mind'; exit 1"
    found = harness(tmp_path / "x", script).probe()
    assert found.reason == f"{tmp_path}/x --version does not say the version: status 1: ImportError: no mind"
    assert "empty folder as HOME" in found.remedy


async def test_a_missing_program_is_said_with_the_way_to_get_it(tmp_path):
    made = harness(None, command=("no-such-agent",))
    assert not made.probe().ready
    with pytest.raises(e.HarnessNotFound, match="no-such-agent is not on PATH") as caught:
        await made.open(FolderContext(tmp_path / "trial"))
    assert caught.value.remedy == "get it"


async def test_options_are_checked_and_are_places(tmp_path):
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Options(c.CommandOptions):
        effort: int = 2

    made = harness(tmp_path / "x", 'echo "$1"', command=("made-agent", "{effort}"), options=Options)
    (turn,) = await turns(made, tmp_path, "go")
    assert turn.text == "2"
    with pytest.raises(e.AdapterError, match="no option 'efort'"):
        type(made)(efort=1)


def test_capabilities_follow_from_the_description_and_can_be_declared(tmp_path):
    plain, full = harness(tmp_path / "x").capabilities(), stored(tmp_path).capabilities()
    assert [bool(getattr(plain, name)) for name in ("turns", "cancel", "seed_main", "resume_after_restart")] == [
        True, True, False, False,
    ]  # fmt: skip
    assert full.seed_main
    assert full.stream_events
    assert (
        harness(tmp_path / "x", declares={"seed_main": Support.unsupported("no")}).capabilities().seed_main.reason
        == "no"
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"command": "made-agent"}, "is not a tuple of texts"),
        ({"command": ()}, "is not a tuple of texts"),
        ({"command": ("a", "{prompts}")}, "no place {prompts}"),
        ({"command": ("a", "{key}")}, "key would stand on the command line"),
        ({"env": {"A": 1}}, "is not a mapping of texts"),
        ({"env": {"A": "{prompt}"}}, "no place {prompt}"),
        ({"answer": "text"}, "is not Text()"),
        ({"answer": c.Stored()}, "needs a store"),
        ({"answer": c.Text("answer.txt")}, "not below the state directory"),
        ({"failures": ((1, ValueError),)}, "neither a HarnessError nor an EndpointError"),
        ({"failures": (("(", e.HarnessError),)}, "not a regular expression"),
        ({"failures": ((300, e.HarnessError),)}, "neither an exit status nor a pattern"),
        ({"keep": "log"}, "is not a tuple of patterns"),
        ({"keep": ("*.json",), "files": {"c.json": "{key}"}}, "would go into checkpoints"),
        ({"terminal": c.Terminal(b"> ")}, "a terminal shows pictures"),
        ({"terminal": c.Terminal(b"> "), "answer": c.Text("{state}/a"), "command": ("a", "{prompt}")}, "prompts typed"),
        ({"histories": "native", "store": c.JsonStore(SESSION)}, "a file for each session"),
        ({"answer": c.Json("messages[-1].content")}, "'[-1]'"),
        ({"answer": c.Json("$.result")}, "'$'"),
        ({"usage": c.JsonUsage("per_turn", "usage/prompt", "usage.completion")}, "'/'"),
        ({"store": c.JsonStore(SESSION, text="content..text")}, "'..'"),
        ({"files": {"mini.yaml": {"agent": [{"task": "{task}"}]}}}, "no place {task}"),
        ({"anwser": c.Text()}, "no attribute 'anwser'"),
        ({"declares": {"canel": Support.full()}}, "no capability 'canel'"),
    ],
)  # fmt: skip
def test_a_description_that_cannot_be_is_refused_when_the_class_is_made(more, said):
    with pytest.raises(e.AdapterError, match=re.escape(said)) as caught:
        harness(None, **more)
    assert "class Made" in caught.value.where


def test_a_name_that_nobody_reads_is_refused_with_the_one_that_was_meant():
    with pytest.raises(e.AdapterError, match="no attribute 'comand'") as caught:
        type("Made", (c.CommandHarness,), {"name": "made", "comand": ("x",)})
    assert "Did you mean 'command'?" in caught.value.remedy
    with pytest.raises(e.AdapterError, match="no `command`"):
        type("Made", (c.CommandHarness,), {"name": "made", "_own": 1, "OWN": 2, "helps": lambda self: 3})()


async def test_a_word_in_braces_that_is_no_place_is_named_and_can_be_written(tmp_path):
    with pytest.raises(e.AdapterError, match=re.escape("no place {task}")) as caught:
        harness(None, files={"mini.yaml": {"agent": [{"task": "{task}"}]}})
    assert caught.value.where == "class Made, files['mini.yaml']['agent'][0]['task']"
    assert r"\{task}" in caught.value.remedy
    files = {"t": r"\{task} \{model} {{model}} {{ task }} {model}"}
    (turn,) = await turns(harness(tmp_path / "x", 'cat "$HOME/t"', files=files), tmp_path, "go")
    assert turn.text == "{task} {model} {{model}} {{ task }} the-model"


def test_the_example_of_the_page_is_one():
    code = next(text for text in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL))
    made = {"__name__": "page"}
    exec(f"from claw_adapter.command import *\nfrom claw_adapter.errors import *\n{code}", made)
    assert made["Otter"]().capabilities().usage == "per_turn"
