"""CommandHarness: the class of a failure, deadlines, and cancelled turns."""

from __future__ import annotations

import asyncio
import os

import pytest

from claw_adapter import command as c
from claw_adapter import errors as e
from claw_adapter.testing import FolderContext
from support.described import harness, turns
from support.processes import marked, until

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


async def test_a_crash_is_told_with_the_last_line_first(tmp_path):
    (turn,) = await turns(harness(tmp_path / "x", "echo Traceback; echo 'no mind' >&2; echo; exit 1"), tmp_path, "go")
    assert turn.error.what == "exit status 1: no mind"
    said = "seq 900; echo 'no mind'; echo ╰──╯; exit 1"
    (turn,) = await turns(harness(tmp_path / "y", said), tmp_path / "b", "go")
    assert turn.error.what.startswith("exit status 1: no mind\nIts output ends:\n")
