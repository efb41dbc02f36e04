"""Claude Code's sessions: what is written is read back, every line chained to the one before it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.harness import Message, Session, SessionChange, ToolCall
from claw_adapter_claude_code.native import session_uuid
from claw_adapter_claude_code.store import TITLE, ClaudeSessions

texts = st.text(st.characters(codec="utf-8"), max_size=40)
names = st.text("abcXYZ-_.:/é ", min_size=1, max_size=12)
zones = st.sampled_from([UTC, timezone(timedelta(hours=8)), None])
times = st.none() | st.builds(
    lambda seconds, micro, zone: datetime.fromtimestamp(seconds, UTC).replace(microsecond=micro, tzinfo=zone),
    st.integers(-(10**9), 4 * 10**9),
    st.integers(0, 999_999),
    zones,
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def messages(draw) -> tuple[Message, ...]:
    found: list[Message] = []
    calls: list[str] = []
    for index in range(draw(st.integers(0, 6))):
        role = draw(st.sampled_from(["user", "assistant", "system", *(["tool"] if calls else [])]))
        made = []
        if role == "assistant":
            given = st.dictionaries(texts, values, max_size=2)
            made = [
                ToolCall(id=f"c{index}-{n}", name=draw(names), arguments=draw(given))
                for n in range(draw(st.integers(0, 2)))
            ]
            calls += [call.id for call in made]
        found.append(
            Message(
                id=f"{index}{draw(names)}",
                role=role,
                text=draw(texts),
                time=draw(times),
                speaker=draw(st.none() | names),
                tool_calls=tuple(made),
                tool_call_id=draw(st.sampled_from(calls)) if role == "tool" else None,
            )
        )
    return tuple(found)


sessions = st.lists(
    st.builds(
        Session,
        id=names | st.uuids().map(str),
        kind=st.sampled_from(["group", "direct"]),
        channel=names,
        title=texts,
        participants=st.lists(names, max_size=2).map(tuple),
        messages=messages(),
    ),
    max_size=3,
    unique_by=lambda session: session.id,
)


@given(sessions)
def test_what_is_written_is_read_back_in_order(tmp_path_factory, given):
    folder = tmp_path_factory.mktemp("store")
    store = ClaudeSessions()
    store.write(given, folder)
    assert store.read(folder) == given


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
