"""Two runs of the same thing ask the same: what differs by nature is taken out of a request, what was said stays in."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.endpoint.replay.normal import Normaliser

SAME = [
    ("It is 2026-11-21T23:25:07.123Z now", "It is 2027-01-02T01:02:03+01:00 now"),
    ("[Sat 2026-11-21 20:45 UTC] hello", "[Mon 2026-11-23 08:01 UTC] hello"),
    ("Sat Nov 21 23:25:07 UTC 2026", "Tue Mar 3 01:02:03 UTC 2026"),
    ("today is 21 November 2026", "today is 3 March 2027"),
    ("session 7643ab12-0000-4000-8000-00000000beef", "session 00000000-1111-4222-8333-0000000000aa"),
    ("call_9f8e7d6c5b4a made", "call_0a1b2c3d4e5f made"),
    ("cd /home/ann/runs/x/live/demo--a--s0/workspace/notes", "cd /tmp/y/live/demo--a--s0/workspace/notes"),
    ("see /a/live/t/state/.cfg", "see /b/c/live/t/state/.cfg"),
    ("see /a/live/t/state/.cfg", "see /agent/state/.cfg"),
    ("cd x\\n/a/live/t/workspace", "cd x\\n/agent/workspace"),
    ("key claw-AbCdEf0123456789xyz", "key [key removed]"),
    ("GET http://127.0.0.1:8400/v1", "GET http://127.0.0.1:55123/v1"),
    ("3 passed in 0.12s", "3 passed in 1.07s"),
    ("at 1795303427 and 1795303427123", "at 1700000000 and 1700000000000"),
]
OTHER = [
    ("read notes.md", "read other.md"), ("the count is 17", "the count is 18"), ("/workspace/a", "/workspace/b"),
    ("/x/agent/workspace", "/y/agent/workspace"), ("/agents.md", "/agent/s.md"),
    ("\\bbox{A}", "\\bbox{B}"), ("call the pump", "call the doctor"), ("version 1.2", "version 1.3"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_differs_between_runs_is_taken_out(one: str, other: str):
    normaliser = Normaliser()
    assert normaliser.text(one) == normaliser.text(other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_what_was_said_stays(one: str, other: str):
    normaliser = Normaliser()
    assert normaliser.text(one) != normaliser.text(other)


def test_ids_of_calls_do_not_count_but_arguments_do():
    def message(call_id: str, path: str) -> list[dict]:
        call = {
            "id": call_id,
            "type": "function",
            "function": {"name": "read", "arguments": json.dumps({"path": path})},
        }
        return [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call_id, "content": "text"},
        ]

    normaliser = Normaliser()
    assert normaliser.digests(message("x", "a.md"), []) == normaliser.digests(message("renamed by harness", "a.md"), [])
    assert normaliser.digests(message("x", "a.md"), []) != normaliser.digests(message("x", "b.md"), [])


def test_a_folder_with_spaces_is_taken_out_once_it_is_known():
    normaliser = Normaliser()
    before = normaliser.digest("in /my runs/one/live/t/workspace/a")
    normaliser.know("/my runs/one/live/t")
    assert normaliser.digest("in /my runs/one/live/t/workspace/a") != before
    normaliser.know("/her runs/two/live/t")
    assert normaliser.text("in /my runs/one/live/t/x") == normaliser.text("in /her runs/two/live/t/x")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_any_value_has_one_digest_and_normalising_again_changes_nothing(value):
    normaliser = Normaliser()
    assert normaliser.digest(value) == Normaliser().digest(json.loads(json.dumps(value)))
    once = normaliser.value(value)
    assert Normaliser().value(once) == once
    assert all(isinstance(line, str) for line in normaliser.shown(value))
