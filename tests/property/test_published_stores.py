"""Whatever the published session formats can hold comes back from them as it was."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from claw_adapter.protocol import Message, Session, SessionChange, ToolCall
from claw_adapter_clawarena.stores import (
    ClaudeCodeStore,
    MarkdownStore,
    NanoBotStore,
    OpenClawStore,
    PicoClawLogStore,
    PicoClawStore,
)

TEXT = st.text(st.characters(codec="utf-8"), max_size=60)
TRICKY = st.sampled_from(
    ["---", "\\---", "a\n---", "**User** (2026-01-01T00:00:00.000Z):", "x\n**Assistant** ():\ny", "**Tool Result** [read]:",
     "\\**User** ():", "```\na\n```", "````", "# Message Log: x", "\x85\u2028\u2029", "\r\n", '{"role": "user"}'],
)  # fmt: skip
ANY = TEXT | TRICKY | st.lists(TEXT | TRICKY, max_size=3).map("\n".join)
TIME = st.none() | st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis wants it
NAME = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,20}", fullmatch=True).filter(lambda n: not n.endswith(".meta"))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT, lambda x: st.lists(x, max_size=3), max_leaves=5
)
ARGUMENTS = st.dictionaries(TEXT.filter(bool), JSON, max_size=3)
TOOL = st.from_regex(r"[a-z_]{1,12}", fullmatch=True)


@st.composite
def messages(draw, *, times=True, positions=False, text=ANY, several=True):
    """Messages as a format can hold them; with `positions`, ids are what the format makes up."""
    found: list[Message] = []
    calls: list[ToolCall] = []
    for number in range(draw(st.integers(0, 6))):
        name = f"m{number + 1}" if positions else f"{draw(NAME)}-{number}"
        time = draw(TIME) if times else None
        role = draw(
            st.sampled_from(
                [
                    "user",
                    "assistant",
                    "system",
                    *(["call"] if not calls or several else []),
                    *(["tool"] if calls else []),
                ]
            )
        )
        if role == "call":
            count = draw(st.integers(1, 2)) if several else 1
            fresh = [
                ToolCall(id=f"call_{len(calls) + i + 1}", name=draw(TOOL), arguments=draw(ARGUMENTS))
                for i in range(count)
            ]
            calls.extend(fresh)
            said = draw(text) if several else ""
            found.append(Message(id=name, role="assistant", text=said, time=time, tool_calls=tuple(fresh)))
        elif role == "tool":
            found.append(
                Message(
                    id=name, role="tool", text=draw(text), tool_call_id=calls[-1].id, time=time if several else None
                )
            )
        else:
            found.append(Message(id=name, role=role, text=draw(text), time=time))
    return tuple(found)  # fmt: skip


def comes_back(store, sessions):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agent" / "sessions"
        store.write(sessions, path)
        store.write(sessions, path)
        return store.read(path)


@settings(deadline=None)
@given(st.lists(st.tuples(NAME, NAME, messages()), max_size=3, unique_by=lambda s: s[0].lower()))
def test_openclaw(given):
    sessions = [Session(id=name, channel=channel, messages=found) for name, channel, found in given]
    assert comes_back(OpenClawStore(), sessions) == sessions


@settings(deadline=None)
@given(NAME, messages())
def test_claude_code(name, found):
    sessions = [Session(id=name, messages=found)]
    assert comes_back(ClaudeCodeStore(), sessions) == sessions


@settings(deadline=None)
@given(NAME, messages(positions=True))
def test_nanobot(name, found):
    sessions = [Session(id=f"bench:{name}", messages=found)]
    assert comes_back(NanoBotStore(), sessions) == sessions


@pytest.mark.parametrize("store", [PicoClawStore(), PicoClawLogStore()])
@settings(deadline=None)
@given(name=NAME, found=messages(positions=True, times=False))
def test_picoclaw(store, name, found):
    key = f"bench:{name}" if isinstance(store, PicoClawStore) and type(store) is PicoClawStore else name
    sessions = [Session(id=key, messages=found)]
    assert comes_back(store, sessions) == sessions


@settings(deadline=None)
@given(NAME, messages(positions=True, text=ANY.filter(lambda t: t == t.strip("\n")), several=False))
def test_markdown(name, found):
    assume(not any(a.role == b.role == "assistant" and a.time == b.time and a.time for a, b in pairwise(found)))
    sessions = [Session(id=name, messages=found)]
    assert comes_back(MarkdownStore(), sessions) == sessions


@settings(deadline=None)
@given(messages(), messages())
def test_appending_rewrites_what_changed_and_removes_nothing_else(first, second):
    one, other = Session(id="one", messages=first), Session(id="other", messages=second)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        OpenClawStore().write([one], path)
        OpenClawStore().append([SessionChange(session="other", action="new", before=None, after=other)], path)
        assert OpenClawStore().read(path) == [one, other]


def test_markdown_calls_belong_to_the_text_before_them_and_a_result_may_show_fences(tmp_path):
    time = "2025-03-03T02:46:49.329Z"
    log = (
        f"**User** ({time}):\n\nLook.\n\n**Assistant** ({time}):\n\nTwo reads.\n\n"
        f"**Assistant** [tool: read]({time}):\n\n```json\n{{}}\n```\n\n"
        f"**Assistant** [tool: read]({time}):\n\n```json\n{{}}\n```\n\n"
        "**Tool Result** [read]:\n\n```\nIn Python:\n```python\npass\n```\nDone.\n```\n\n"
        "**Tool Result** [read]:\n\n```\nsecond\n```\n\n**Assistant** (2025-03-03T02:47:00.000Z):\n\nSeen.\n"
    )
    (tmp_path / "log.md").write_text(log, "utf-8")
    user, asks, first, second, seen = MarkdownStore().read_file(tmp_path / "log.md").messages
    assert (asks.text, [call.id for call in asks.tool_calls]) == ("Two reads.", ["call_1", "call_2"])
    assert [(m.tool_call_id, m.text.splitlines()[-1]) for m in (first, second)] == [
        ("call_1", "Done."),
        ("call_2", "second"),
    ]
    assert (user.text, seen.text) == ("Look.", "Seen.")
