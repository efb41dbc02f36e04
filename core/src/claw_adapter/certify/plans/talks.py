"""Conversations drawn for a plan: who speaks, and which tools were called with what result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pydantic import JsonValue

from claw_adapter.certify.plans.plan import gap
from claw_adapter.certify.plans.texts import NAMES, PEOPLE, Texts
from claw_adapter.protocol import Message, ToolCall

__all__ = ["DrawnTalks"]


AGAIN: Final = 0.03
"""How often somebody in a history says what he has said before."""
AT_ONCE: Final = 0.4
"""How often a message of a history has the time of the one before it."""
LONG: Final = (4_000, 9_000)
"""Characters of what somebody says at length."""


class DrawnTalks:
    """Draws from the same source as `texts`; every message has an id of its own."""

    def __init__(self, texts: Texts) -> None:
        self.texts, self.rng = texts, texts.rng
        self._id = 0

    def seeded(
        self,
        count: int,
        *,
        tools: float,
        result: str,
        first: str = "user",
        main: bool = False,
        odd: str = "",
        short: bool = False,
    ) -> tuple[Message, ...]:
        """A past of at least so many messages, with one use of tools that gives this result for certain.

        The use stands anywhere but between calls and their results: also behind the text of a reply. What is `odd` is said
        by somebody, and in the main session it is asked of a tool, too, at length.
        """
        said = self.talk(count, tools=tools, first=first, main=main, short=short)
        pieces = [[*self._used(result, self._asked(odd) if odd and main else None)]]
        if odd:
            role = self.rng.choice(("user", "assistant"))
            pieces.append([self.message(role, f"{self.texts.sentence()}\n{odd}\n{self.texts.sentence()}")])
        if all(one.role != "system" for one in said):
            pieces.append([self.message("system")])
        if main:
            pieces += self._kinds()
        for role in ("user", "assistant") if main else ():
            pieces.append([self.message(role, self.texts.prose(self.rng.randrange(*LONG)))])
        self.rng.shuffle(pieces)
        for at, piece in zip(sorted((self._place(said) for _ in pieces), reverse=True), pieces, strict=True):
            said[at:at] = piece
        return tuple(said)

    def _kinds(self) -> Sequence[list[Message]]:
        """What is seldom said by chance: names, calls with a text, without arguments or result, words twice in a row."""
        names = (self.rng.choice(NAMES), *self.rng.sample(PEOPLE, 2))
        named = [[self.message("user").model_copy(update={"speaker": name})] for name in names]
        kept = [[self.message(self.rng.choice(("user", "assistant")), text)] for text in self.texts.kept(4)]
        twice = []
        for role in ("user", "assistant"):
            text = self.texts.message()
            twice.append([self.message(role, text), self.message(role, text)])
        calls = [
            [*self._used(self.texts.sentence(), says=self.texts.message())],
            [*self._used(self.texts.sentence(), {})],
            [*self._used("")],
        ]
        return [*named, *kept, *calls, *twice]

    def _place(self, said: Sequence[Message]) -> int:
        """Behind the first message, and not between calls and their results."""
        return gap(said, self.rng.randrange(1, len(said) + 1))

    def _asked(self, odd: str) -> dict[str, JsonValue]:
        """Arguments of every type, a long text among them."""
        deep: JsonValue = {
            "ids": [self.texts.number(), self.texts.long_number(), 0, -1.5],
            "exact": True,
            "note": None,
            "like": {"": "", "a b": "1"},
        }
        return {"query": odd, "where": deep, "text": self.texts.prose(self.rng.randrange(1_600, 3_000)), "most": 0}

    def talk(
        self, count: int, *, tools: float = 0.0, first: str = "user", main: bool = False, short: bool = False
    ) -> list[Message]:
        """At least so many messages; mostly by turns, with calls of tools in between; now and then words come again.

        In a `short` one everybody says a sentence; but for the main session, some is said in the same moment as what was
        said before.
        """
        said: list[Message] = []
        role = first
        while len(said) < count:
            if role == "assistant" and said and self.rng.random() < tools:
                said += self._used(self.texts.sentence())
            within = len(said) > 3
            again = within and self.rng.random() < (0.04 if main else AGAIN)
            said.append(
                self._again(said, role) if again else self.message(role, self.texts.sentence() if short else "")
            )
            if within and self.rng.random() < 0.04:
                said.append(self.message("system"))
            if self.rng.random() < 0.9:
                role = "user" if role == "assistant" else "assistant"
        for at in range(1, len(said)) if not main else ():
            if self.rng.random() < AT_ONCE:
                said[at] = said[at].model_copy(update={"time": said[at - 1].time})
        return said

    def _again(self, said: Sequence[Message], role: str) -> Message:
        """What somebody in that role has said before, word by word, if anybody has."""
        before = [one.text for one in said if one.role == role and one.text]
        return self.message(role, self.rng.choice(before) if before else "")

    def message(self, role: str, text: str = "") -> Message:
        """One message."""
        return Message.model_validate(
            {"id": self._new("m"), "role": role, "text": text or self.texts.message(), "time": self.texts.time()}
        )

    def _used(self, result: str, given: dict[str, JsonValue] | None = None, says: str = "") -> Sequence[Message]:
        """A reply with one to three calls, and their results; it `says` something, the first has the arguments `given`."""
        calls = []
        for at in range(self.rng.choice((1, 1, 2, 3))):
            arguments = given if given is not None and not at else {"query": self.texts.word()}
            calls.append(ToolCall(id=self._new("call_"), name=self.texts.tool(), arguments=arguments))
        when = self.texts.time()
        asked = Message(id=self._new("m"), role="assistant", text=says, tool_calls=tuple(calls), time=when)
        told = [
            Message(
                id=self._new("m"), role="tool", text=self.texts.sentence() if at else result, tool_call_id=call.id,
                time=self.texts.time(),
            )
            for at, call in enumerate(calls)
        ]  # fmt: skip
        return [asked, *told]

    def _new(self, prefix: str) -> str:
        self._id += 1
        return f"{prefix}{self.rng.randrange(16**6):06x}{self._id}"
