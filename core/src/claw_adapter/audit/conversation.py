"""Whether each request holds the main conversation: each message once, in order, what was said long ago too."""

from __future__ import annotations

import json
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Final, Literal

from claw_adapter.audit.alignment import Alignment, align
from claw_adapter.audit.book import Book
from claw_adapter.audit.damage import DAMAGES, Damage, damage_of, declared_for
from claw_adapter.audit.rendering import Renderer
from claw_adapter.audit.summaries import Summaries
from claw_adapter.audit.turns import Reply, RequestTurn
from claw_adapter.audit.units import CALL, RESULT, RequestUnit, Said, arguments_of
from claw_adapter.protocol.limits import WindowLimit
from claw_adapter.reading import strings_of
from claw_adapter.shared import contrast

__all__ = ["judge_requests", "minutes"]

ROLES: Final = frozenset({"user", "assistant", "system", "tool"})
"""What stands before a message as the name of a person may stand before one as well that has none."""
SHORT: Final = 20
"""Characters under which a text may well stand in a request twice."""
TOO_LONG: Final = frozenset({"context", "413"})
"""Faults by which a provider says that a request is too long."""
MUST: Final = {"seeded": "M7", "update": "M21", "prompt": "M13", "answer": "M30", "step": "M30"}
WHOSE: Final = {"seeded": "the past it was given", "update": "what an update brought", "prompt": "what was asked"}


def judge_requests(
    turn: RequestTurn,
    past: Sequence[Said],
    prompt: Said,
    gone: Collection[str],
    renderer: Renderer,
    book: Book,
    summaries: Summaries,
    largest: int = 0,
) -> int:
    """Compare every request of a turn with what it must hold; texts that are `gone` are looked for elsewhere.

    `largest` is the most tokens that a request of the turns before had: what a window has taken stays away. Returns it anew.
    Behind a request that the provider has found too long the window counts as full, for the rest of the turn.
    """
    number = prompt.round
    tokens, begun = largest, 0
    told_by = [(one.number, reply.text) for one in turn.exchanges if (reply := Reply.of(one)) is not None]
    for exchange, due in zip(turn.chain, turn.before, strict=True):
        units = turn.units[exchange.number]
        steps = [said for step in turn.steps[:due] for entry in step.entries(number) for said in entry]
        expected = [*past, prompt, *steps]
        found = align(expected, units, renderer)
        tokens = max(tokens, turn.window(exchange.number))
        told = any(one.fault in TOO_LONG for one in turn.exchanges if one.number < exchange.number)
        felt = sys.maxsize if told else tokens
        replies = [*book.said, *(text for place, text in told_by if place < exchange.number)]
        request = _Request(expected, units, found, prompt.round, renderer, book, exchange.number, felt, replies=replies)
        request.judge(gone)
        summaries.hear(turn, begun, exchange.number)
        begun = exchange.number
        held = [said for at, said in enumerate(expected) if at in found.pairs]
        summaries.judge(units, held, expected, exchange.number, book, lacks=request.summed)
    summaries.hear(turn, begun, sys.maxsize)
    book.said += [text for _, text in told_by]
    _judge_calls(turn, book, renderer)
    _judge_broken(turn, book)
    return tokens


def _judge_calls(turn: RequestTurn, book: Book, renderer: Renderer) -> None:
    """Every call of a reply that the harness went on from has a result."""
    for step in turn.steps:
        there = "\n".join(result.text for result in step.results if result)
        lost = [call for call, result in zip(step.reply.calls, step.results, strict=True) if result is None]
        if all(_called_in(call, there) for call in lost):  # results of a reply may stand in one
            continue
        done = len(step.results) - len(lost)
        declared = renderer.call_limit
        if declared is not None and done >= declared.calls:
            book.bite(declared)
            continue
        what = f"a reply had {len(step.results)} tool calls, and the next request has results of {done}"
        book.find("M17", "calls-not-run", what, owner="harness", request=step.reply.exchange.number)


def _called_in(call: RequestUnit, text: str) -> bool:
    """Whether a text names a call: its tool, and all texts among its arguments."""
    words = call.tool, *strings_of(arguments_of(call))
    return all(word in text or json.dumps(word, ensure_ascii=False) in text for word in words)


def _judge_broken(turn: RequestTurn, book: Book) -> None:
    """No call of a reply that broke off is run."""
    broken = turn.broken
    for exchange in turn.chain if broken else ():
        if any(unit.kind == RESULT and unit.call in broken for unit in turn.units[exchange.number]):
            what = f"a reply broke off within a call, and request {exchange.number} has a result of it"
            book.find("M17", "broken-call-run", what, owner="harness", request=exchange.number)
            return


class _Request:
    """One request, aligned."""

    def __init__(
        self,
        expected: Sequence[Said],
        units: Sequence[RequestUnit],
        found: Alignment,
        number: int,
        renderer: Renderer,
        book: Book,
        request: int,
        tokens: int,
        *,
        replies: Sequence[str] = (),
    ) -> None:
        self.expected, self.units, self.found, self.number = expected, units, found, number
        self.renderer, self.book, self.request, self.tokens = renderer, book, request, tokens
        self.replies = replies
        """What the model has said in the turn so far."""
        self.free = list(found.extra)
        self.lost = False
        self.summed = False
        """Whether a summary stands for what is not there."""

    def judge(self, gone: Collection[str]) -> None:
        """Report what is missing or damaged, then what is there besides."""
        self._missing()
        self._extras(gone)
        self._ids_and_times()
        self._speakers()
        self.book.seen.update(self.expected[at] for at in self.found.pairs)

    def _find(self, must: str, cause: str, what: str, owner: Literal["adapter", "harness"] = "adapter") -> None:
        self.book.find(must, cause, f"{what} (request {self.request})", owner=owner, request=self.request)

    def _missing(self) -> None:
        if not self.found.missing:
            return
        lost: list[Said] = []
        results = sum(one.kind == RESULT for one in self.expected)
        kept = self._kept()
        for at in self.found.missing:
            said = self.expected[at]
            damage = damage_of(said, self.units, self.free, self.renderer)
            if damage.place is not None:
                self.free.remove(damage.place)
            later = sum(
                one.kind == "user" for one in self.expected[at + 1 :]
            )  # an update may say something as the user
            age = max(self.number - said.round, later) if said.round >= 0 else self.number + 1000
            loss = declared_for(
                said,
                damage,
                self.units,
                self.renderer,
                age=age,
                tokens=self.tokens,
                results=results,
                older=bisect_left(kept, at),
            )
            if loss is not None:
                self.book.bite(loss)
                self.summed = self.summed or (isinstance(loss, WindowLimit) and loss.then == "summary")
            elif damage.how == "missing":
                lost.append(said)
            else:
                self._damaged(said, damage)
        self.lost = bool(lost)
        self._lost(lost)

    def _kept(self) -> list[int]:
        """Where, among all that is expected, messages of the user stand that are there and that are said but once."""
        times = Counter(one.text for one in self.expected)
        asked = (
            (at, one.text) for at, one in enumerate(self.expected) if one.kind == "user" and at in self.found.pairs
        )
        return [at for at, text in asked if len(text) >= SHORT and times[text] == 1]

    def _damaged(self, said: Said, damage: Damage) -> None:
        name = _name(said)
        how = DAMAGES.get(damage.how) or f"is cut: {damage.kept:,} of its {len(said.text):,} characters are there"
        how += f", {_short(damage.lost)!r} among them" if damage.lost else ""
        if damage.place is not None and damage.how in ("changed", "added", "blanks"):
            how += f": {contrast(said.text, self.units[damage.place].text)}"
        old = said.origin in ("prompt", "answer", "step") and said.round != self.number
        cause = f"{'own-' if old else ''}{name}-{damage.how}"
        must = "M30" if old else MUST[said.origin]
        shown = said.origin == "step" and said in self.book.seen
        self._find(must, cause, f"{_quoted(said)} {how}", "harness" if old or shown else "adapter")

    def _lost(self, lost: Sequence[Said]) -> None:
        """What is not there at all, by whole turns where whole turns are gone."""
        rounds = {said.round for said in lost if said.origin == "prompt" and said.round != self.number}
        for said in lost:
            here = said.round == self.number
            if said in self.book.seen and said.origin in ("seeded", "update"):
                what = f"{_quoted(said)}, which was there before, is gone"
                self._find("M30", "past-forgotten", what, "harness")
            elif said.origin in ("seeded", "update"):
                tools = "tools-" if said.kind in (CALL, RESULT) else ""
                cause = f"{said.origin}-{tools}missing"
                self._find(MUST[said.origin], cause, f"{_quoted(said)}, {WHOSE[said.origin]}, is not there")
            elif said.origin == "prompt" and here:
                self._find("M13", "prompt-missing", f"{_quoted(said)} is not there")
            elif said.round in rounds:
                turns = self.number - said.round
                what = f"the turn {turns} before this one is not there: {_quoted(said)}"
                self._find("M30", "own-turns-missing", what, "harness")
            else:
                what = f"{_quoted(said)} of {'this turn' if here else 'an earlier turn'} is not there"
                self._find("M30", f"own-{_name(said)}-missing", what, "harness")

    def _extras(self, gone: Collection[str]) -> None:
        """What nobody said: doubled, taken away by an update, or the harness's own."""
        first = next((at for at, unit in enumerate(self.units) if unit.kind != "system"), 0)
        known = {form: said for said in self.expected for form in self.renderer.forms(said) if len(said.text) >= SHORT}
        for at in self.free:
            unit = self.units[at]
            text = self.renderer.unit(unit)
            if at < first or not text.strip() or text in gone:
                continue
            said = known.get(text) or next(
                (said for form, said in known.items() if form in text and said.origin == "prompt"), None
            )
            if said is not None and unit.kind == "assistant" and self._said_again(text):
                continue
            if unit.kind == RESULT and self.renderer.sums_up(self.tokens):  # two may be cut so that they are alike
                continue
            if said is not None and unit.kind != CALL:
                name = f"{said.origin if said.origin != 'step' else _name(said)}-doubled"
                self._find(MUST[said.origin], name, f"{_quoted(said)} is there twice")
            elif not self.renderer.adds and not self.lost and unit.kind in ("user", "assistant", "system"):
                self._find("M7", "text-added", f"a text that nobody said, {_short(unit.text)!r}, is among the messages")
        for at, place in self.found.pairs.items():
            said = self.expected[at]
            if (
                said.origin != "prompt"
                or len(said.text) < SHORT
                or (times := self.units[place].text.count(said.text)) < 2
            ):
                continue
            said_there = [self.expected[one].text for one, where in self.found.pairs.items() if where == place]
            if times > sum(said.text in text for text in said_there):
                self._find("M13", "prompt-doubled", f"{_quoted(said)} is there twice")

    def _said_again(self, text: str) -> bool:
        """Whether the model itself has said it as often as it is there, perhaps with more around it."""
        there = sum(self.renderer.unit(unit) == text for unit in self.units if unit.kind == "assistant")
        return 0 < there <= sum(text in self.renderer.plain(reply) for reply in self.replies)

    def _times(self, at: int) -> set[datetime] | None:
        """The times that a stamp may show; joined messages have one of theirs, None if one of them has no time of its own.

        What is said more than once may be any of these.
        """
        text, found = self.expected[at].text, set[datetime]()
        for said in self.expected:
            if said.text == text and said.time is not None:
                found |= minutes(said.time)
        kind = self.renderer.kind(self.expected[at].kind)
        for said in self.expected[at:]:
            if self.renderer.kind(said.kind) != kind:
                break
            if said.time is None:
                return None
            found |= minutes(said.time)
            if not self.renderer.has("merge"):
                break
        return found

    def _ids_and_times(self) -> None:
        joined = Counter(self.found.pairs.values())
        for at, place in self.found.pairs.items():
            said, unit = self.expected[at], self.units[place]
            renamed = said.kind in (CALL, RESULT) and said.kind == unit.kind and said.call != unit.call
            if renamed and not self.renderer.has("call_id") and said.origin != "step":
                self._find("M7", "call-ids", f"the call {said.call!r} has become {unit.call!r}")
            own = self.renderer.stamped(said.text) is not None
            if own or said.time is None or said.origin not in ("seeded", "update") or joined[place] > 1:
                continue
            shown = self.renderer.stamped(unit.text)
            if shown and (times := self._times(at)) is not None and shown not in times:
                self._find(MUST[said.origin], "times", f"{_quoted(said)} is stamped {shown:%Y-%m-%d %H:%M}")

    def _speakers(self) -> None:
        """Whoever was named once as the speaker of a message is named whenever it is there; all are named, or none.

        What the same person goes on to say may be without the name.
        """
        named, bare = set[str](), list[int]()
        for at, place in self.found.pairs.items():
            said = self.expected[at]
            head = self.renderer.plain(said.text).partition("\n")[0]
            if not said.speaker or not head:
                continue
            # the blanks that a text begins with may stay behind the name
            whole = self.renderer.plain(f"{said.speaker}: {said.text}").partition("\n")[0]
            if any(one in self.units[place].text for one in (whole, f"{said.speaker}: {head}")):
                self.book.named.add(said)
                if said.speaker.lower() not in ROLES:  # else what looks like a name may be the role's
                    named.add(said.kind)
            elif said in self.book.named:
                what = f"{_quoted(said)}, which was shown as said by {said.speaker}, is shown without a name"
                self._find("M30", "speaker-forgotten", what, "harness")
            elif said.speaker != said.kind and self.expected[at - 1].speaker != said.speaker:
                bare.append(at)
        for said in (self.expected[at] for at in bare):
            if said.kind in named and said.origin in ("seeded", "update"):
                what = (
                    f"{_quoted(said)}, said by {said.speaker}, is shown without a name, and what others said has theirs"
                )
                self._find(MUST[said.origin], "speaker-missing", what)


def minutes(time: datetime) -> set[datetime]:
    """As which minutes a time may be shown: with its zone, or without one as the clock of UTC or its own has it."""
    minute = time.replace(second=0, microsecond=0)
    return {minute, minute.replace(tzinfo=None), minute.astimezone(UTC).replace(tzinfo=None)}


def _name(said: Said) -> str:
    """What it is, as part of a cause."""
    if said.origin in ("seeded", "update"):
        return said.origin
    return {"user": "prompt", "assistant": "answer" if said.origin == "answer" else "text"}.get(said.kind, said.kind)


def _quoted(said: Said) -> str:
    return f"{said.kind} {_short(said.text)!r}"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}…"
