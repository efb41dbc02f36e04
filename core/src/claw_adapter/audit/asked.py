"""What each request asked for: the run's model, one dialect, the same sampling; and nothing beside the endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from claw_adapter.audit.book import Book
from claw_adapter.audit.rendering import felt
from claw_adapter.audit.turns import RequestTurn
from claw_adapter.audit.units import tool_names
from claw_adapter.protocol import Capabilities, RoundRecord
from claw_adapter.protocol.limits import WindowLimit
from claw_adapter.redaction import REDACTED
from claw_adapter.runs.transcript import Exchange

__all__ = ["ModelAsked"]

SAMPLING: Final = (
    "temperature", "top_p", "top_k", "seed", "presence_penalty", "frequency_penalty", "reasoning_effort", "n",
    "max_tokens", "max_completion_tokens", "max_output_tokens",
)  # fmt: skip
OK: Final = 200
PAIRED: Final = ("openai-chat", "anthropic-messages")
"""Dialects whose providers refuse a call without its one result right after it, and a result without its call."""


class ModelAsked:
    """Compares the requests of a trial with each other."""

    def __init__(self, model: str, capabilities: Capabilities, book: Book, *, overlaid: bool = False) -> None:
        self.model, self.capabilities, self.book = model, capabilities, book
        self.overlaid = overlaid
        """Whether an overlay stands between the harness and the endpoint: it may speak another dialect."""
        self._dialect = ""
        self._sampling: dict[str, object] | None = None
        self._tools = False
        """Whether a turn so far began with tools."""

    def judge(self, turn: RequestTurn, record: RoundRecord | None) -> None:
        """The requests of one turn."""
        for exchange in turn.exchanges:
            if exchange.asked != self.model:
                what = f"request {exchange.number} asks for the model {exchange.asked!r}, the run's is {self.model!r}"
                self.book.find("M11", "model-changed", what, request=exchange.number)
            self._dialects(exchange)
        for exchange in turn.chain:
            self._sampled(exchange, turn)
            if exchange.dialect in PAIRED and (name := _unpaired(exchange.messages)):
                what = f"request {exchange.number} has the call {name!r} without one result right after it, or only its result"
                self.book.find("M11", "calls-unpaired", what, owner="harness", request=exchange.number)
        for exchange in turn.chain[:1]:
            if self._tools and not exchange.tools:
                what = f"request {exchange.number} offers no tools, as turns before it did"
                self.book.find("M30", "tools-missing", what, owner="harness", request=exchange.number)
            self._tools = self._tools or bool(exchange.tools)
        for failed, again in pairwise(turn.chain):
            same = len(turn.units[failed.number]) == len(turn.units[again.number])
            lacks = sorted(tool_names(failed.tools) - tool_names(again.tools))
            if failed.status != OK and same and lacks:
                what = (
                    f"request {again.number} is {failed.number} once more, which failed, and does not offer {lacks[0]}"
                )
                self.book.find("M30", "tools-missing", what, owner="harness", request=again.number)
        if record is not None and record.error is None and not turn.exchanges:
            self.unasked()

    def unasked(self) -> None:
        """There is an answer, and the endpoint saw no request."""
        self.book.find("M11", "asked-elsewhere", "there is an answer, and no request reached the endpoint in the turn")

    def _dialects(self, exchange: Exchange) -> None:
        declared = self.capabilities.endpoint_override
        if declared and exchange.dialect not in declared and not self.overlaid:
            what = f"request {exchange.number} speaks {exchange.dialect}; declared: {', '.join(declared)}"
            self.book.find("M11", "dialect-undeclared", what, request=exchange.number)
        elif self._dialect and exchange.dialect != self._dialect:
            what = f"request {exchange.number} speaks {exchange.dialect}, those before it {self._dialect}"
            self.book.find("M11", "dialect-changed", what, request=exchange.number)
        self._dialect = self._dialect or exchange.dialect

    def _sampled(self, exchange: Exchange, turn: RequestTurn) -> None:
        sampling: dict[str, object] = {name: exchange.params[name] for name in SAMPLING if name in exchange.params}
        before, self._sampling = self._sampling, self._sampling or sampling
        if before is None or before == sampling:
            return
        at = turn.chain.index(exchange)
        if at and turn.chain[at - 1].finish == "length":
            return  # some ask for a longer reply then
        changed = [name for name in SAMPLING if before.get(name) != sampling.get(name)]
        full = self._nearly_full(turn.window(exchange.number))
        if full and all(name.startswith("max_") for name in changed):
            return  # and some for a shorter one where the window has no room for more
        said = ", ".join(f"{name} {before.get(name)} → {sampling.get(name)}" for name in changed)
        what = f"request {exchange.number} asks for another sampling than those before it: {said}"
        self.book.find("M11", "sampling-changed", what, owner="harness", request=exchange.number)

    def _nearly_full(self, tokens: int) -> bool:
        return any(felt(loss, tokens) for loss in self.capabilities.losses if isinstance(loss, WindowLimit))

    def keys(self, turn: RequestTurn) -> None:
        """The key of the trial is blackened in the transcript: where it was, it is seen."""
        for exchange in turn.exchanges:
            for unit in turn.units[exchange.number]:
                if REDACTED in unit.text:
                    what = f"request {exchange.number} shows the model a key, in a text of {unit.kind}"
                    self.book.find("M27", "key-in-request", what, request=exchange.number)
                    return


def _unpaired(messages: Sequence[Mapping[str, Any]]) -> str:
    """The id of a call that has no result, or not one, in the messages right behind it, or of a result without its call."""
    waiting: list[str] = []
    for message in messages:
        if message.get("role") == "tool":
            name = str(message.get("tool_call_id"))
            if name not in waiting:
                return name
            waiting.remove(name)
        elif waiting:
            break
        else:
            waiting = [str(call.get("id")) for call in message.get("tool_calls") or ()]
    return waiting[0] if waiting else ""
