"""Sessions as hypothesis makes them, for the promise of every session store: what is written is read back (M28)."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import timedelta, timezone
from pathlib import Path

from hypothesis import strategies as st

from claw_adapter.harness import Message, Session, SessionStore, ToolCall

texts = st.text(st.characters(codec="utf-8"), max_size=30)
names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=10)
odd_names = names | st.text("abcXYZ-_.:/é ", min_size=1, max_size=12)
"""Names among which those are frequent that a file system, or one who compares without case, takes for something else."""
file_names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", fullmatch=True)
"""Ids of sessions where they are names of files, too."""
zones = st.integers(-12 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
times = st.none() | st.datetimes(timezones=st.none() | zones)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
tool_calls = st.builds(ToolCall, id=names, name=names, arguments=st.dictionaries(texts, values, max_size=3))


@st.composite
def messages(draw) -> tuple[Message, ...]:
    """Up to six messages; a tool result is one of a call before it or, as it happens in what people export, of none."""
    found: list[Message] = []
    for position in range(draw(st.integers(0, 6))):
        role = draw(st.sampled_from(("system", "user", "assistant", "tool")))
        made = [call.id for message in found for call in message.tool_calls]
        found.append(
            Message(
                id=f"{draw(texts)}-{position}",
                role=role,
                text=draw(texts),
                time=draw(times),
                speaker=draw(st.none() | names),
                tool_calls=tuple(draw(st.lists(tool_calls, max_size=2))) if role == "assistant" else (),
                tool_call_id=draw(st.sampled_from(made) | names if made else names) if role == "tool" else None,
            )
        )
    return tuple(found)


def session_of(ids: st.SearchStrategy[str]) -> st.SearchStrategy[Session]:
    """One session with everything a neutral session can hold."""
    return st.builds(
        Session,
        id=ids,
        kind=st.sampled_from(["group", "direct"]),
        channel=names,
        title=texts,
        participants=st.lists(names, max_size=3).map(tuple),
        messages=messages(),
    )


def sessions_of(ids: st.SearchStrategy[str]) -> st.SearchStrategy[list[Session]]:
    """Up to three sessions with different ids."""
    return st.lists(session_of(ids), max_size=3, unique_by=lambda session: session.id)


def kept(store: SessionStore, written: Sequence[Session]) -> list[Session]:
    """What a store reads of what it has written."""
    with tempfile.TemporaryDirectory() as folder:
        store.write(written, Path(folder))
        return store.read(Path(folder))
