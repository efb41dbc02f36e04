"""Whatever happens to a main session, an agent without a past hears all of it that there is, and of the rest nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.drivers.acp_turn import AcpTurn
from claw_adapter.harness import Event, Message, Session, SessionChange
from claw_adapter.merge import merged
from claw_adapter.reference.acp_conversation import ToldConversation


class Child:
    """An agent that remembers what each of its sessions was told, and calls as many tools as it is asked to."""

    agent = SimpleNamespace(name="double", version="1")

    def __init__(self) -> None:
        self.heard: dict[str, str] = {}

    async def begin(self) -> str:
        name = f"s{len(self.heard)}"
        self.heard[name] = ""
        return name

    async def prompt(self, session: str, text: str, deadline: float) -> AcpTurn:
        del deadline
        word, calls = text.rsplit(" ", 2)[-2:]
        self.heard[session] += f"{text}\n"
        events = []
        for number in range(int(calls)):
            events += [
                Event(kind="tool_call", id=str(number), name="read", arguments={"path": [f"{word}-{number}"]}),
                Event(kind="tool_result", id=str(number), name="read", text=f"<result-{word}-{number}>"),
            ]
            self.heard[session] += f"<result-{word}-{number}>\n"
        self.heard[session] += f"<answer-{word}>\n"
        return AcpTurn(text=f"<answer-{word}>", events=tuple(events))


turns = st.tuples(st.just("turn"), st.integers(0, 3), st.just(0))
changes = st.tuples(st.sampled_from(["append", "insert", "delete", "replace"]), st.integers(0, 12), st.integers(1, 3))


def changed(session: Session, action: str, at: int, count: int, new: list[Message]) -> Session | None:
    """The session after a change; None where it does not fit."""
    messages = list(session.messages)
    if action == "append":
        messages += new
    elif at + count > len(messages):
        return None
    elif action == "insert":
        messages[at:at] = new
    elif action == "delete":
        del messages[at : at + count]
    else:
        messages[at] = messages[at].model_copy(update={"text": new[0].text})
    return session.with_messages(messages)


async def play(steps: Sequence[tuple[str, int, int]], often: bool) -> None:
    """`often`: before each change the conversation's session is taken over, as the runner does."""
    child = Child()
    start = Session(id="main", messages=tuple(Message(id=f"m{i}", role="user", text=f"<seed-{i}>") for i in range(3)))
    theirs, expected = start, start
    talk = ToldConversation(child, await child.begin(), (start,), child.begin)
    for number, (action, at, count) in enumerate(steps):
        if action == "turn":
            await talk.send(f"<prompt-{number}> {number} {at}", 1)
            expected = (await talk.checkpoint()).sessions[0]
            assert expected.messages[-1].text == f"<answer-{number}>"
            continue
        before = expected if often else theirs
        new = [Message(id=f"n{number}-{i}", role="user", text=f"<new-{number}-{i}>") for i in range(count)]
        after = changed(before, action, at, count, new)
        if after is None:
            continue
        change = SessionChange(session="main", action="append", before=before, after=after)
        theirs, expected = after, merged(before, after, expected)
        await talk.sync([change])
        assert (await talk.checkpoint()).sessions[0].messages == expected.messages
    await talk.send("<last> last 1", 1)
    now = (await talk.checkpoint()).sessions[0]
    heard = list(child.heard.values())[-1]
    there = [message.text for message in now.messages if message.text.startswith("<")]
    assert all(text in heard for text in there)
    assert [
        word for text in heard.split("<")[1:] if (word := "<" + text.split(">")[0] + ">") not in " ".join(there)
    ] == []
    resumed = Child()
    again = ToldConversation(resumed, await resumed.begin(), (now,), resumed.begin)
    await again.send("<again> again 2", 1)
    assert all(text in resumed.heard["s0"] for text in there)
    ids = [message.id for message in (await again.checkpoint()).sessions[0].messages]
    assert len(set(ids)) == len(ids)


@given(st.lists(turns | changes, max_size=12), st.booleans())
def test_every_change_arrives_and_nothing_else(steps, often):
    asyncio.run(play(steps, often))
