"""The past that the shared conversation starts with, and the file that every conversation has."""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import Final

from claw_adapter.certify.plans.texts import Texts
from claw_adapter.certify.world import session
from claw_adapter.protocol import Message, Session, ToolCall

__all__ = ["ODD", "StandardPast"]

ODD: Final = "Grüße, 你好, مرحبا, 👩‍👩‍👧 – “quoted” & <tag>"
"""Text outside ASCII that must come through unharmed."""


class StandardPast:
    """Drawn from a nonce.

    Attributes:
        main: question and answer, a tool call with its result, a speaker, text outside ASCII.
        histories: a group and a direct conversation of twelve messages each.
        file: a file of the workspace.
        files: path → text, of four lines and of one that is not ASCII.
    """

    def __init__(self, nonce: str) -> None:
        texts = Texts(Random(f"{nonce}/past"))
        self._texts = texts
        call = ToolCall(id=f"call_{texts.number()}", name=texts.tool(), arguments={"path": texts.path()})
        told = [
            self._message("user", f"{texts.sentence()}."),
            self._message("assistant", f"{texts.sentence()}."),
            self._message("user", f"{texts.sentence()}.", speaker="Nadia"),
            self._message("assistant", "", tool_calls=(call,)),
            self._message("tool", texts.sentence(), tool_call_id=call.id),
            self._message("assistant", f"{texts.sentence()}."),
            self._message("user", f"{texts.sentence()}: {ODD}"),
            self._message("assistant", f"{texts.sentence()}."),
        ]
        self.main = session("main").with_messages(told)
        self.histories = (self._history("group", "slack"), self._history("direct", "email"))
        self.file = texts.path()
        self.files = {self.file: texts.lines(4), f"{texts.word()}/grüße.txt": f"{ODD} {texts.sentence()}\n"}

    def plain(self) -> dict[str, str]:
        """The workspace of a conversation without a past."""
        return {self.file: "one line\n"}

    def _history(self, kind: str, channel: str) -> Session:
        texts = self._texts
        told = [self._message(("user", "assistant")[number % 2], f"{texts.sentence()}.") for number in range(12)]
        made = session(texts.word(), kind=kind, channel=channel, title=texts.sentence(), participants=("Nadia", "Bo"))
        return made.with_messages(told)

    def _message(self, role: str, text: str, **more: object) -> Message:
        when = self._texts.now = self._texts.now + timedelta(minutes=1)
        identity = f"m{self._texts.rng.randrange(16**8):08x}"
        return Message.model_validate({"id": identity, "role": role, "text": text, "time": when, **more})
