"""Claude Code's sessions: what is written is read back, every line chained to the one before it."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.harness import Session, SessionChange
from claw_adapter_claude_code.native import session_uuid
from claw_adapter_claude_code.store import TITLE, ClaudeSessions
from support.strategies import kept, messages, odd_names, sessions_of


@given(sessions_of(odd_names | st.uuids().map(str)))
def test_what_is_written_is_read_back_in_order(written):
    assert kept(ClaudeSessions(), written) == written


@given(messages(), messages())
def test_lines_are_chained_also_when_a_session_has_grown(tmp_path_factory, first, second):
    """A broken chain makes Claude Code forget all that came before it."""
    folder = tmp_path_factory.mktemp("store")
    store = ClaudeSessions()
    before = Session(id="main", messages=first)
    later = [message.model_copy(update={"id": f"later-{message.id}"}) for message in second]
    after = before.with_messages([*first, *later])
    store.write([before], folder)
    store.append([SessionChange(session="main", action="append", before=before, after=after)], folder)
    assert store.read(folder) == [after]
    file = folder / f"{session_uuid('main')}.jsonl"
    lines = [json.loads(line) for line in file.read_text("utf-8").split("\n") if line] if file.exists() else []
    lines = [line for line in lines if line["type"] != TITLE]
    assert [line["parentUuid"] for line in lines] == [None, *[line["uuid"] for line in lines]][: len(lines)]
    assert len({line["uuid"] for line in lines}) == len(lines) == len(after.messages)
