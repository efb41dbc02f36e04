"""What the requests of a talk say: sizes, prefixes and where they break, and what of earlier turns they still hold. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from claw_adapter.endpoint.known import Known
from claw_adapter.endpoint.prefixes import MeasuredRequest, Prefix, Prefixes
from claw_adapter.model import ModelRequest
from claw_adapter.profile.talk import KINDS, Kind, Talk
from claw_adapter.protocol.tokens import TokenCounts
from claw_adapter.runs.transcript import Exchange
from claw_adapter.tokens.meter import canonical_json, count_request, flatten

__all__ = ["DISTANCES", "Break", "TalkRequests", "TrialRequests", "breaks_of", "counts", "prefix_of"]

DISTANCES: Final = (1, 5, 10, 20, 30)
SYSTEM: Final = ("system", "developer")
AROUND: Final = 24
"""Characters that are shown on either side of where a prefix breaks."""


def counts(exchange: Exchange) -> TokenCounts:
    """The tokens of a request and its reply."""
    return TokenCounts.model_validate(exchange.usage)


@dataclass(frozen=True, slots=True)
class Break:
    """A request that does not begin with the whole of the one that it goes on from."""

    place: str
    """Where: ``tool definitions``, ``system prompt``, ``an earlier message``, ``the end of the request before``."""
    before: str
    """What stands there, in the request before and in this one."""
    after: str
    tokens: int
    """Of the request before, how many stand behind the break: they are paid for anew."""
    number: int


class TrialRequests:
    """The requests of one trial, in order.

    Args:
        heads: by round, a text of the prompt by which requests that carry the conversation on are known.
        exchanges: the requests.
    """

    def __init__(self, heads: Mapping[str, str], exchanges: Sequence[Exchange]) -> None:
        self.heads, self.exchanges = heads, exchanges
        self._texts: dict[int, str] = {}
        tools = any(exchange.tools for exchange in exchanges)
        self.main = [one for one in exchanges if self._carries(one) and bool(one.tools) == tools]
        """Those that carry the conversation on: they have what was asked."""
        main = {id(one) for one in self.main}
        self.own = [one for one in exchanges if id(one) not in main]
        """What the harness asks for itself: titles, summaries, guards; and what comes outside of turns."""

    def _carries(self, exchange: Exchange) -> bool:
        head = self.heads.get(exchange.round)
        return head is not None and head in self.text(exchange)

    def text(self, exchange: Exchange) -> str:
        """All words of a request's messages."""
        if id(exchange) not in self._texts:
            self._texts[id(exchange)] = "\n".join(flatten(message)[0] for message in exchange.messages)
        return self._texts[id(exchange)]

    def entry(self) -> Mapping[str, int]:
        """Tokens of the first main request by where they come from; empty if there is none."""
        if not self.main:
            return {}
        first = self.main[0]
        size = count_request(first.messages, first.tools)
        system = count_request([one for one in first.messages if one.get("role") in SYSTEM]).text
        head = self.heads[first.round]
        asked = next(one for one in first.messages if head in flatten(one)[0])
        prompt = count_request([{"role": "user", "content": flatten(asked)[0][flatten(asked)[0].index(head) :]}]).text
        total = size.text + size.tools
        return {
            "system": system, "tools": size.tools, "other": max(total - system - size.tools - prompt, 0),
            "total": total - prompt,
        }  # fmt: skip

    def repeated(self) -> int:
        """Requests that are the same as the one before them: asked again."""
        keys = [(one.messages, one.tools) for one in self.exchanges]
        return sum(one == other for one, other in itertools.pairwise(keys))


class TalkRequests(TrialRequests):
    """The requests of one trial of a talk."""

    def __init__(self, talk: Talk, exchanges: Sequence[Exchange]) -> None:
        super().__init__({turn.round: turn.head for turn in talk}, exchanges)
        self.talk = talk

    def answered(self, round_id: str) -> list[Exchange]:
        """The main requests of a round that a model has answered."""
        return [one for one in self.main if one.round == round_id and one.status == 200 and not one.fault]

    def sent(self) -> tuple[int, ...]:
        """Tokens sent in each turn, own requests included."""
        return tuple(sum(counts(one).input for one in self.exchanges if one.round == turn.round) for turn in self.talk)

    def reach(self, distance: int, kinds: Sequence[Kind] = KINDS) -> tuple[int, int]:
        """How many marks of `distance` turns ago the last answered request of a turn has, and how many there are.

        In a turn that fails nothing is had.
        """
        turns = list(self.talk)
        had = 0
        for before, now in zip(turns, turns[distance:], strict=False):
            answered = self.answered(now.round)
            text = self.text(answered[-1]) if answered else ""
            had += sum(before.marks[kind] in text for kind in kinds)
        return had, max(len(turns) - distance, 0) * len(kinds)

    def _given(self, round_id: str) -> str:
        found = self.answered(round_id)
        said = [str((one.reply or {}).get("content") or "") for one in found]
        return "\n".join([*(self.text(one) for one in found[-1:]), *said])

    def paged(self, files: Mapping[str, str]) -> tuple[int, int]:
        """Of the marks that the last answered request does not have, those that it leads to; and how many it does not have.

        It leads to a mark by naming a file of the workspace that holds it. Marks that the talk's own files hold do not count.
        """
        answered = [one for turn in self.talk for one in self.answered(turn.round)]
        if not answered:
            return 0, 0
        text = self.text(answered[-1])
        named = [content for path, content in files.items() if path in text and not path.startswith("notes/")]
        missing = [
            turn.marks[kind]
            for turn in self.talk
            for kind in KINDS
            if turn.round != answered[-1].round
            and turn.marks[kind] not in text
            and turn.marks[kind] in self._given(turn.round)
        ]
        return sum(any(mark in content for content in named) for mark in missing), len(missing)


def _measured(known: Known, exchange: Exchange) -> MeasuredRequest:
    return known.measured(ModelRequest((), (), list(exchange.messages), list(exchange.tools), {}))


def prefix_of(exchanges: Sequence[Exchange]) -> tuple[int, int]:
    """Tokens of prefixes that earlier requests had, and tokens sent, as the endpoint has recorded them."""
    kept = sum((counts(one).cached or 0) for one in exchanges)
    return kept, sum(counts(one).input for one in exchanges)


def breaks_of(main: Sequence[Exchange]) -> list[Break]:
    """Where requests do not go on from the one before."""
    known, prefixes, found = Known(), Prefixes(), list[Break]()
    for exchange in main:
        request = _measured(known, exchange)
        prefix, before = prefixes.nearest(request)
        if exchange.status == 200:
            prefixes.learn(request)
        if before is None or prefix.message >= len(before.parts.messages):
            continue
        lost = before.size.text + before.size.tools - prefix.tokens
        if lost > 0:
            found.append(Break(_place(prefix, before), *_excerpts(prefix, before, request), lost, exchange.number))
    return found


def _place(prefix: Prefix, before: MeasuredRequest) -> str:
    if prefix.message < 0:
        return "tool definitions"
    if before.parts.values[prefix.message].get("role") in SYSTEM:
        return "system prompt"
    behind = len(before.parts.messages) - prefix.message
    return "the end of the request before" if behind <= 1 else "an earlier message"


def _excerpts(prefix: Prefix, before: MeasuredRequest, after: MeasuredRequest) -> tuple[str, str]:
    texts = []
    for request in (before, after):
        if prefix.message < 0:
            text = canonical_json(list(request.parts.tool_values))
        else:
            message = request.parts.values[prefix.message] if prefix.message < len(request.parts.values) else {}
            text = f"{message.get('role', '')}\n{flatten(message)[0]}"
        start = max(prefix.characters - AROUND, 0)
        texts.append(" ".join(text[start : prefix.characters + AROUND].split()))
    return texts[0], texts[1]
