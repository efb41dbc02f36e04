"""A transcript sorted into turns: which requests carry the conversation on, and what the model said in it."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from claw_adapter.audit.rendering import Renderer
from claw_adapter.audit.units import CALL, RESULT, Entry, RequestUnit, Said, call_text, tool_names, units_of
from claw_adapter.runs.transcript import Exchange, by_process

__all__ = ["ChainStep", "Reply", "RequestTurn", "SideTalk", "turns_of"]

CHARACTERS: Final = 4
"""In a token, as programs guess that have no tokenizer; vocabularies have many more signs in one."""
PIECE: Final = re.compile(rf"\w{{1,{CHARACTERS}}}|[^\w\s]")
"""What others of them count: pieces of words, and each sign."""
SUMMARY: Final = 20
"""Characters of a reply from which on a text that has it has it from there."""
UNKNOWN: Final = sys.maxsize
"""Tokens, as many as there may have been."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said in a request that was answered."""

    text: str
    calls: tuple[RequestUnit, ...]
    exchange: Exchange

    @classmethod
    def of(cls, exchange: Exchange) -> Reply | None:
        """The reply of an exchange; None where the harness got none, or not the whole of it."""
        if exchange.reply is None or exchange.status != 200 or exchange.fault or exchange.failure is not None:
            return None
        content = exchange.reply.get("content")
        return cls(content if isinstance(content, str) else "", tuple(_calls(exchange.reply)), exchange)


def _filled(exchange: Exchange, units: Sequence[RequestUnit], *, replied: bool = False) -> int:
    """Tokens that a harness may take a request for: as the endpoint counts them, or as one guesses without a vocabulary.

    What was `replied` fills a window as well.
    """
    reply = Reply.of(exchange) if replied else None
    said = (reply.text, *(call.text for call in reply.calls)) if reply is not None else ()
    asked = max(int(str(exchange.usage.get("input") or 0)), sum(_guessed(unit.text) for unit in units))
    return asked + sum(map(_guessed, said))


@functools.lru_cache(maxsize=20_000)
def _guessed(text: str) -> int:
    return max(len(text) // CHARACTERS, sum(1 for _ in PIECE.finditer(text)))


def _calls(reply: Mapping[str, Any]) -> Iterable[RequestUnit]:
    for call in reply.get("tool_calls") or ():
        function = call.get("function") or {}
        yield RequestUnit(
            CALL, call_text(str(function.get("name")), function.get("arguments")), str(call.get("id") or "")
        )


@dataclass(slots=True)
class ChainStep:
    """A reply that the harness went on from, with the results of its calls as they first came; None where one is missing."""

    reply: Reply
    results: list[RequestUnit | None] = field(default_factory=list)

    @property
    def run(self) -> list[RequestUnit]:
        """The calls that have a result, but for those of tools that there are not: some harnesses forget these."""
        return [call for call, result in self.offered if result]

    @property
    def offered(self) -> list[tuple[RequestUnit, RequestUnit | None]]:
        """The calls of tools that the request has offered, with their results; all where it has offered none."""
        pairs = list(zip(self.reply.calls, self.results, strict=True))
        names = tool_names(self.reply.exchange.tools)
        return [one for one in pairs if one[0].tool in names] if names else pairs

    def entries(self, round: int) -> list[Entry]:  # noqa: A002 - the word there is
        """The messages that this adds to a conversation."""
        reply = self.reply
        said = [Said("assistant", reply.text, "step", round)] if reply.text else []
        said += [Said(CALL, unit.text, "step", round, call=unit.call) for unit in self.run]
        results = [(Said(RESULT, unit.text, "step", round, call=unit.call),) for _, unit in self.offered if unit]
        return [tuple(said), *results]


@dataclass(slots=True)
class SideTalk:
    """A conversation that is held beside another one within a turn, as a sub-agent's."""

    requests: list[int] = field(default_factory=list)
    """Their numbers."""
    steps: list[tuple[RequestUnit, RequestUnit, Exchange]] = field(default_factory=list)
    """Its calls that have a result, with it and the request whose reply they are of."""
    open: Reply | None = None
    """What was said last."""

    @property
    def first(self) -> int:
        """The number of its first request."""
        return self.requests[0]

    @property
    def last(self) -> int:
        """The number of its last one."""
        return self.requests[-1]

    def go_on(self, exchange: Exchange, results: Mapping[str, RequestUnit]) -> None:
        """A further request of it, which has these results, by the ids of their calls."""
        for call in self.open.calls if self.open is not None else ():
            if self.open is not None and call.call in results:
                self.steps.append((call, results[call.call], self.open.exchange))
        self.requests.append(exchange.number)
        self.open = Reply.of(exchange)


@dataclass(slots=True)
class RequestTurn:
    """The requests of one attempt at one round in one process, in the order in which they were begun."""

    round: str
    attempt: int
    process: int
    exchanges: list[Exchange] = field(default_factory=list)
    chain: list[Exchange] = field(default_factory=list)
    """Those that carry the conversation on; the others are the harness's own affairs: titles, guards, summaries, sub-agents."""
    units: dict[int, list[RequestUnit]] = field(default_factory=dict)
    """Units of a request by its number."""
    steps: list[ChainStep] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    """How many of the steps are due in each request of the chain."""
    asking: set[int] = field(default_factory=set)
    """The numbers of the requests for a summary of the conversation."""
    summed: list[Reply] = field(default_factory=list)
    """What was said to them."""
    unseen: set[int] = field(default_factory=set)
    """Those of them that may stand for more than anybody has seen: for results that no other request has."""
    beside: list[SideTalk] = field(default_factory=list)
    """The conversations that are held beside."""
    _windows: dict[int, int] = field(default_factory=dict)
    """What `window` gives, by request."""

    def follow(self, prompt: str, known: Sequence[Said], renderer: Renderer, *, tools: bool) -> None:
        """Find the chain and its steps.

        Args:
            prompt: what was said.
            known: what belongs to the conversation already.
            renderer: the declared renderings.
            tools: whether requests of this trial offer tools at all.
        """
        # a sub-agent may read what was read before
        texts = {
            renderer.plain(said.text) for said in known if len(said.text) >= 20 and said.kind not in (CALL, RESULT)
        }
        asked = renderer.plain(prompt).strip()
        self.units = {exchange.number: units_of(exchange.messages) for exchange in self.exchanges}
        self.asking, self._windows = self._summaries(asked, renderer), {}
        for exchange in self.exchanges:
            units = self.units[exchange.number]
            if exchange.number in self.asking:
                self._go_on(units)  # what it sums up may be nowhere else
                reply = Reply.of(exchange)
                self.summed += [reply] if reply is not None and reply.text and not reply.calls else []
                continue
            if not self._carries(exchange, units, asked, texts, renderer, tools):
                self._aside(exchange, units)
                continue
            self._go_on(units)
            self.chain.append(exchange)
            self.before.append(len(self.steps))

    def _summaries(self, asked: str, renderer: Renderer) -> set[int]:
        """The requests that hold the conversation and ask for a summary of it, where that is declared and it is long.

        The harness asks at their end for something that nobody asked for, and goes on without the reply: either it is not in
        the last request of the turn, or it comes behind the answer, and has that, or not even the prompt. Calls of such a reply
        are refused, and it is asked again. How long it is, nobody knows where such a request is the first with some results:
        it may have the beginning of them alone.
        """
        found, refused, largest = set[int](), set[str](), 0
        before: Reply | None = None
        for exchange in self.exchanges:
            units, reply = self.units[exchange.number], Reply.of(exchange)
            largest = max(largest, _filled(exchange, units))
            if not renderer.sums_up(largest) and renderer.sums_up(UNKNOWN) and self._stands_for_more(exchange, before):
                self.unseen.add(exchange.number)
                largest = UNKNOWN
            end = units[-1] if units and renderer.sums_up(largest) else None
            told = end is not None and end.kind == "user" and not renderer.bare(end.text).rstrip().endswith(asked)
            if exchange is self.exchanges[-1]:
                asks = any(asked in renderer.bare(unit.text) for unit in units if unit.kind == "user")
                left = before is not None and not before.calls and (not asks or _holds(units, before, renderer) > 0)
            else:
                last = self.units[self.exchanges[-1].number]
                left = _holds(last, reply, renderer) <= _holds(units, reply, renderer)
            if end is not None and reply and (end.call in refused if end.kind == RESULT else told and left):
                found.add(exchange.number)
                refused |= {call.call for call in reply.calls}
            else:
                before = reply
            largest = max(largest, _filled(exchange, units, replied=True))
        return found

    def _stands_for_more(self, exchange: Exchange, before: Reply | None) -> bool:
        """Whether a request without tools has results of the calls before, and its reply is used as a text in the next one."""
        reply, units = Reply.of(exchange), self.units[exchange.number]
        later = next((self.units[one.number] for one in self.exchanges if one.number > exchange.number), ())
        used = reply is not None and len(reply.text) >= SUMMARY and not reply.calls
        calls = {call.call for call in before.calls} if before is not None and before.exchange.tools else set[str]()
        return (
            used
            and not exchange.tools
            and any(unit.kind == RESULT and unit.call in calls for unit in units)
            and not any(unit.call in calls for unit in later)
            and any(unit.kind in ("user", "system") and reply is not None and reply.text in unit.text for unit in later)
        )

    def _carries(
        self,
        exchange: Exchange,
        units: Sequence[RequestUnit],
        asked: str,
        texts: set[str],
        renderer: Renderer,
        tools: bool,
    ) -> bool:
        results = {unit.call for unit in units if unit.kind == RESULT}
        made = {call.call for step in self.steps for call in step.reply.calls}
        if self.chain and (last := Reply.of(self.chain[-1])):
            made |= {call.call for call in last.calls}
        if results & made:
            return True
        user = [renderer.bare(unit.text) if unit.kind == "user" else "" for unit in units]
        if tools and not exchange.tools:  # for a last word, behind results whose calls may have other ids there
            asking = max((at for at, text in enumerate(user) if asked in text), default=len(units))
            return any(unit.kind == RESULT for unit in units[asking:])
        return any(asked in text for text in user) or any(renderer.unit(unit) in texts for unit in units)

    def _aside(self, exchange: Exchange, units: Sequence[RequestUnit]) -> None:
        """A request beside the conversation begins another one, or goes on with that whose calls it has results of."""
        results = {unit.call: unit for unit in units if unit.kind == RESULT and unit.call}
        going = (talk for talk in self.beside if talk.open and any(one.call in results for one in talk.open.calls))
        talk = next(going, None)
        if talk is None:
            talk = SideTalk()
            self.beside.append(talk)
        talk.go_on(exchange, results)

    def _go_on(self, units: Sequence[RequestUnit]) -> None:
        """The reply before, if this request goes on from it, becomes a step."""
        reply = Reply.of(self.chain[-1]) if self.chain else None
        if reply is None or (self.steps and self.steps[-1].reply.exchange is reply.exchange):
            return
        first = len(units) - 1 - next((n for n, unit in enumerate(reversed(units)) if unit.kind == "user"), len(units))
        calls = [unit for unit in units if unit.kind == CALL]
        if reply.calls:
            known = {unit.text for unit in reply.calls}
            ids = {unit.call for unit in reply.calls}
            taken = [unit for unit in calls if unit.call in ids] or [
                unit for unit in calls[-len(reply.calls) :] if unit.text in known
            ]
            if not taken:
                return
            step = ChainStep(reply)
            step.results = _results(reply, taken, units)
            self.steps.append(step)
        elif reply.text and any(unit.kind == "assistant" and unit.text == reply.text for unit in units[first - 2 :]):
            self.steps.append(ChainStep(reply))

    def window(self, request: int) -> int:
        """Tokens that the conversation may have been taken for, up to a request; those for summaries were part of it."""
        if not self._windows:
            ours, before = {one.number for one in self.chain} | self.asking, 0
            for one in (one for one in self.exchanges if one.number in ours):
                self._windows[one.number] = max(before, _filled(one, self.units[one.number]))
                before = max(before, _filled(one, self.units[one.number], replied=True))
                before = UNKNOWN if one.number in self.unseen else before
        return self._windows.get(request, 0)

    @property
    def broken(self) -> set[str]:
        """The ids of calls in replies that broke off."""
        halves = [one.reply for one in self.exchanges if one.status != 200 and one.reply is not None]
        return {call.call for half in halves for call in _calls(half) if call.call}

    @property
    def replies(self) -> list[Reply]:
        """What the model said in the chain, in order."""
        return [reply for reply in map(Reply.of, self.chain) if reply]


def _holds(units: Sequence[RequestUnit], reply: Reply | None, renderer: Renderer) -> int:
    """How often a request has a reply: one of its calls, by its id if that is kept, or its text."""
    kept = not renderer.has("call_id")
    known = {call.call if kept else call.text for call in (reply.calls if reply is not None else ())}
    text = reply.text if reply is not None and not known else ""
    return sum(
        (unit.kind == CALL and (unit.call if kept else unit.text) in known)
        or (unit.kind == "assistant" and text != "" and text in unit.text)
        for unit in units
    )


def _results(reply: Reply, taken: Sequence[RequestUnit], units: Sequence[RequestUnit]) -> list[RequestUnit | None]:
    """The results of a reply's calls, each by the id under which its call stands in the request."""
    there = {unit.call: unit for unit in units if unit.kind == RESULT}
    ids = {unit.call: unit.call for unit in taken}
    by_text: dict[str, list[str]] = {}
    for unit in taken:
        by_text.setdefault(unit.text, []).append(unit.call)
    found = []
    for call in reply.calls:
        names = by_text.get(call.text, [])
        name = ids.get(call.call) or (names.pop(0) if names else "")
        found.append(there.get(name))
    return found


def turns_of(exchanges: Iterable[Exchange]) -> list[RequestTurn]:
    """The turns of a transcript, in order; requests outside rounds and those of overlays are left out."""
    found: dict[tuple[int, str, int], RequestTurn] = {}
    for process, exchange in by_process(exchanges):
        if exchange.round and exchange.origin == "harness":
            key = (process, exchange.round, exchange.attempt)
            found.setdefault(key, RequestTurn(exchange.round, exchange.attempt, process)).exchanges.append(exchange)
    for turn in found.values():
        turn.exchanges.sort(key=lambda one: one.number)
    return list(found.values())
