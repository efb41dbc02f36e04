"""What came back of a turn: the final reply, every call with its result, the tokens that were metered."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from claw_adapter.audit.book import Book
from claw_adapter.audit.pages import words_in
from claw_adapter.audit.rendering import Renderer, blackened, without_directives
from claw_adapter.audit.results import whole_in
from claw_adapter.audit.turns import Reply, RequestTurn
from claw_adapter.audit.units import adds_to, begins, call_text
from claw_adapter.protocol import EVENT_CHARACTERS, Event, ReportedUsage, RoundRecord
from claw_adapter.protocol.limits import AnswerLimit, Clip, Drop, Mask, Prune, WindowLimit
from claw_adapter.runs.transcript import Exchange
from claw_adapter.shared import contrast

__all__ = ["ToldEvents", "judge_answer", "judge_events", "judge_unheard", "judge_usage"]


WORDLESS: Final = Drop(what="wordless_reply")
TELLING: Final = 40
"""Characters from which on no two results are the same by chance."""
MOST_SUMS: Final = 1_000
"""Sums of tokens that are thought of where replies broke off."""
SHORTENS: Final = (Clip, Mask, Prune, WindowLimit)
"""Losses by which a result may be shown in part."""
WORD: Final = re.compile(r"\w{2,}")
FEW: Final = 5
"""Words from which on a result is known by them."""
HARDLY: Final = 0.2
"""Share of its words."""
REMARK: Final = 300
"""Characters that a harness may say to the model behind a result."""


def judge_answer(turn: RequestTurn, record: RoundRecord, renderer: Renderer, book: Book) -> None:
    """The text of a turn is that of its final reply, exactly."""
    replies = turn.replies
    if record.error is not None or not replies or turn.chain[-1].finish == "length":
        return
    final, text = replies[-1], record.text
    number = final.exchange.number
    if any(reply.exchange.finish == "length" for reply in replies):
        return
    if final.calls:
        what = f"the turn ended although the last reply (request {number}) asks for tools"
        book.find("M14", "answer-not-final", what, request=number)
    elif text != final.text and not _excused(text, final, renderer, book):
        how, what = _difference(text, final.text, [reply.text for reply in replies[:-1]])
        if text.strip() == _thoughts(final):
            how, what = "thought", "the answer is what the model thought, and not what it said"
        book.find("M14", f"answer-{how}", f"{what} (request {number})", request=number)


def _thoughts(reply: Reply) -> str:
    """What the model said to itself before a reply."""
    return str((reply.exchange.reply or {}).get("reasoning_content") or "").strip()


def _excused(text: str, reply: Reply, renderer: Renderer, book: Book) -> bool:
    final = reply.text
    if renderer.plain(text) == renderer.plain(final):
        return True
    if WORDLESS in renderer.losses and not final.strip() and text.strip() == _thoughts(reply):
        book.bite(WORDLESS)
        return True
    for loss in renderer.losses:
        if (
            isinstance(loss, AnswerLimit)
            and len(text) >= loss.characters * 0.9
            and final.startswith(text[: loss.characters - 100])
        ):
            book.bite(loss)
            return True
        if loss == Drop(what="directives") and without_directives(text) == without_directives(final):
            book.bite(loss)
            return True
    return False


def _difference(text: str, final: str, earlier: Sequence[str]) -> tuple[str, str]:
    if not final.strip():
        return ("earlier" if text in earlier else "invented"), "there is an answer, and the final reply has no words"
    if text.strip() == final.strip():
        return "stripped", "the answer differs from the final reply in blanks at its ends"
    if text and final.startswith(text):
        return "cut", f"the answer has {len(text):,} of the {len(final):,} characters of the final reply"
    if final and final in text:
        return "added", f"the answer has more than the final reply: {contrast(final, text)}"
    if text in earlier:
        return "earlier", "the answer is that of an earlier step"
    return "changed", f"the answer is not what the model said last: {contrast(final, text)}"


def judge_unheard(turn: RequestTurn, record: RoundRecord, book: Book) -> None:
    """Where the last request of an attempt has failed there is no answer."""
    said = next((one.text for one in record.unheard if one.attempt == turn.attempt), "")
    last = turn.chain[-1] if turn.chain else None
    if not said.strip() or last is None or Reply.of(last) is not None:
        return
    earlier = any(said.strip() == reply.text.strip() for reply in turn.replies)
    whose = "the answer is what was said before an earlier call" if earlier else f"there is an answer: {said[:60]!r}"
    book.find(
        "M15",
        "failure-answered",
        f"request {last.number}, the last of the turn, failed, and {whose}",
        request=last.number,
    )


@dataclass(slots=True)
class ToldEvents:
    """How a harness tells of calls, which its turns show one after another; what some turns lack is decided at the end."""

    own: bool = False
    """Whether calls are named as the model names them, in any turn."""
    results: bool = False
    """Whether calls have results, in any turn."""
    strange: list[tuple[str, str]] = field(default_factory=list)
    """Rounds in which no call is one that the model made, with one of them."""
    bare: list[tuple[str, str]] = field(default_factory=list)
    """Rounds in which no call has a result."""

    def finish(self, book: Book) -> None:
        """Find what is not as it is in other turns."""
        for told, cause, found in (
            (self.own, "events-foreign", self.strange), (self.results, "events-results", self.bare),
        ):  # fmt: skip
            for book.round, what in found if told else ():
                book.find("M17", cause, what)


def judge_events(turn: RequestTurn, events: Sequence[Event], renderer: Renderer, book: Book, told: ToldEvents) -> None:
    """Every call that the model made, once, in order, and its result."""
    _judge_told(turn, events, renderer, book)
    made = [renderer.call(call.text) for step in turn.steps for call in step.run]
    calls = [event for event in events if event.kind == "tool_call"]
    shown = [_as_made(renderer.call(call_text(event.name, event.arguments)), made, renderer) for event in calls]
    results = Counter(event.id for event in events if event.kind == "tool_result" and event.id)
    open_calls = [event for event in calls if event.id and event.id not in results]
    told.results = told.results or bool(results)
    if open_calls:
        told.bare.append((book.round, f"{len(open_calls)} of {len(calls)} calls among the events have no result"))
    if not set(shown) & set(made):  # some name tools for people: only their number can be told
        if len(calls) < len(made):
            book.find("M17", "events-missing", f"{len(calls)} of {len(made)} calls of tools are among the events")
        elif shown and made:
            what = f"the call {shown[0][:60]!r} is among the events, and the model made none such in the turn"
            told.strange.append((book.round, what))
        return
    told.own = True
    lost = Counter(made) - Counter(shown)
    if lost:
        what = f"{lost.total()} of {len(made)} calls of tools are not among the events"
        book.find("M17", "events-missing", what)
    elif [text for text in shown if text in set(made)] != made and sorted(shown) == sorted(made):
        book.find("M17", "events-order", "the events have the calls of tools in another order than the model made them")
    others = [text for text in shown if text not in made] if not lost else []
    if others and (foreign := _foreign(others, turn, renderer)):
        what = f"the call {foreign[:60]!r} is among the events, and the model made none such in the turn"
        book.find("M17", "events-foreign", what)
    ids = Counter(event.id for event in calls if event.id)
    doubled = [name for name, times in ids.items() if times > 1]
    if doubled:
        book.find("M17", "events-doubled", f"the call {doubled[0]!r} is among the events {ids[doubled[0]]} times")
    _judge_results(turn, events, book)
    if again := next((name for name, times in results.items() if times > 1), ""):
        book.find("M17", "events-doubled", f"the call {again!r} has {results[again]} results among the events")


def _judge_told(turn: RequestTurn, events: Sequence[Event], renderer: Renderer, book: Book) -> None:
    """Where a turn's calls are told in texts, each result that is among the events stands in one of its requests."""
    if any(step.reply.calls for step in turn.steps) or any(isinstance(loss, SHORTENS) for loss in renderer.losses):
        return
    made = {call.call for reply in map(Reply.of, turn.chain[:-1]) if reply for call in reply.calls}
    told = [text.replace("\\n", "\n") for text in {unit.text for units in turn.units.values() for unit in units}]
    results = [one for one in events if one.kind == "tool_result" and one.id in made and len(one.text) >= TELLING]
    lost = [one for one in results if not any(whole_in(one.text, text) or words_in(one.text, text) for text in told)]
    if lost:
        what = f"{len(lost)} of {len(results)} results of tools among the events are in no request of the turn"
        book.find("M17", "results-missing", f"{what}: {lost[0].text[:60]!r}", owner="harness")


def _foreign(shown: Sequence[str], turn: RequestTurn, renderer: Renderer) -> str:
    """The first of these calls that no reply of the turn has, those to the harness's own requests included."""
    every = [renderer.call(call.text) for reply in map(Reply.of, turn.exchanges) if reply for call in reply.calls]
    return next((text for text in shown if _as_made(text, every, renderer) not in every), "")


def _as_made(shown: str, made: Sequence[str], renderer: Renderer) -> str:
    """A call among the events as the model made it: but for arguments that the harness adds, the end of long ones, a mask."""
    if shown in made:
        return shown
    if whole := next((call for call in made if adds_to(call, shown) or begins(call, shown)), ""):
        return whole
    if Mask() in renderer.losses:
        return next((call for call in made if blackened(call, shown)), shown)
    return shown


def _judge_results(turn: RequestTurn, events: Sequence[Event], book: Book) -> None:
    """Among the events no call has the result of another one, or less of its own than the model was given."""
    given = {
        result.call: result.text
        for step in turn.steps
        for result in step.results
        if result is not None and len(result.text) >= TELLING
    }
    said = {call.call: call.text for step in turn.steps for call in step.reply.calls}
    for event in events:
        own = given.get(event.id or "", "")
        shown = event.text.strip()  # what is put behind it may have its place closer
        if event.kind == "tool_result" and own and shown not in own and own.strip() not in shown:
            other = next((call for call, text in given.items() if text == event.text), "")
            if said.get(other) == said.get(event.id):
                continue  # the same call again, of which one result was shortened
            if other:
                what = f"among the events the call {event.id!r} has the result of {other!r}"
                book.find("M17", "events-results-swapped", what)
                return
        if event.kind == "tool_result" and own and _other(event.text, own):
            what = f"the model was given {own.strip()[:60]!r}, and the events have {event.text.strip()[:60]!r} in its place"
            book.find("M17", "events-results-other", what)
            return
        if event.kind == "tool_result" and own and _cut(event.text, own):
            what = f"of the {len(own):,} characters of a result, the events have {len(event.text):,}"
            book.find("M17", "events-results-cut", what)


def _other(shown: str, given: str) -> bool:
    """Whether a text has hardly a word of what the model was given, of which it may leave out what stands around."""
    mine, theirs = (set(WORD.findall(text)) for text in (given, shown))
    return (
        len(mine) >= FEW
        and len(mine & theirs) < len(mine) * HARDLY
        and len(mine & theirs) < max(len(theirs), 1) * HARDLY
    )


def _cut(shown: str, whole: str) -> bool:
    """Whether a text is the beginning of another one, perhaps with a remark behind it."""
    start = shown[: max(TELLING, int(len(shown) * 0.8))]
    enough = min(len(whole) - REMARK, EVENT_CHARACTERS)
    return len(start) >= TELLING and len(shown) < enough and whole.startswith(start)


def judge_usage(
    turn: RequestTurn,
    reported: ReportedUsage | None,
    declared: str,
    book: Book,
    *,
    before: ReportedUsage | None = None,
    demanded: bool = False,
) -> None:
    """The tokens reported are those that the endpoint gave, in the sense declared; where they are `demanded` there are some.

    A last request may be told as one figure, the tokens in the context, with the reply or before it (ACP's ``usage_update``).
    What has been added up is held against what was reported `before`, in the turn before by the same process; not without.
    """
    if declared == "none":
        return
    if reported is None:
        _judge_unreported(turn, declared, book, demanded=demanded)
        return
    if reported.kind != declared:
        what = f"usage is reported as {reported.kind}, declared is {declared}"
        book.find("M18", "usage-kind", what)
        return
    told = [exchange for exchange in turn.exchanges if exchange.status == 200 and exchange.usage]
    chain = {exchange.number for exchange in turn.chain}
    waited = [talk for talk in turn.beside if talk.steps and talk.last < max(chain, default=0)]
    alone = [talk for talk in waited if not any(talk.first < number < talk.last for number in chain)]
    helped = alone if declared != "last_request" else []
    worked = chain.union(*(talk.requests for talk in helped))
    meanwhile = chain.union(*(range(talk.first, talk.last + 1) for talk in helped))  # titles, for example
    several = (
        told,
        [exchange for exchange in told if exchange.number in worked],
        [exchange for exchange in told if exchange.number in meanwhile],
        [exchange for exchange in told if exchange.failure is None and not exchange.fault],
    )
    counts, main, *others = ([_counts(exchange.usage) for exchange in some] for some in several)
    if not main:
        return
    readings = [_figures(reported)]  # of what is added up also what has come since; a new start begins with nothing
    if declared == "cumulative":
        if before is None:
            return
        readings += [tuple(now - then for now, then in zip(readings[0], _figures(before), strict=True))]
    wanted = {main[-1], counts[-1]} if declared == "last_request" else _sums(turn, (counts, main, *others))
    given = {(sent, said) for i, said, cached in readings for sent in (i, i + cached)}
    sizes = (
        {size for i, o in wanted for size in (i, i + o)}
        if declared == "last_request" and not reported.output
        else set()
    )
    if not given & wanted and reported.input not in sizes:
        sent, said, cached = readings[-1]
        of_them = f", {cached:,} of them cached," if cached else ""
        had = sum(_cached(e.usage) for e in told)
        if had and (sent + had, said) in wanted:
            of_them = f" ({had:,} less than were sent: those that the cache had are input, too)"
        since = " since the turn before" if declared == "cumulative" else ""
        what = (
            f"{sent:,} + {said:,} tokens{of_them} are reported as {declared}{since}; the endpoint gave "
            + " or ".join(f"{i:,} + {o:,}" for i, o in sorted(wanted)[:6])
        )
        book.find("M18", "usage-differs", what)
    elif reported.cached and len(told) == len(turn.exchanges):  # else nobody knows what those that broke off were told
        _judge_cached(several, declared, {cached for _, _, cached in readings}, book)


def _sums(turn: RequestTurn, several: Iterable[Sequence[tuple[int, int]]]) -> set[tuple[int, int]]:
    """What each of these come to, also with what some providers say at the beginning of a reply that breaks off."""
    found = {(sum(sent for sent, _ in some), sum(said for _, said in some)) for some in several}
    for half in turn.exchanges:
        if half.status != 200 and half.reply is not None and half.usage and len(found) < MOST_SUMS:
            found |= {(sent + _counts(half.usage)[0], said) for sent, said in found}
    return found


def _judge_cached(several: Iterable[Sequence[Exchange]], declared: str, told: Collection[int], book: Book) -> None:
    """Tokens that are reported as cached, if any are, are those that the endpoint gave, in some of these requests."""
    figures = [[_cached(exchange.usage) for exchange in some] for some in several if some]
    wanted = {some[-1] if declared == "last_request" else sum(some) for some in figures}
    if not wanted & {*told}:
        what = f"{min(told):,} tokens are reported as cached; the endpoint gave {max(wanted):,}"
        book.find("M18", "cached-differs", what)


def _judge_unreported(turn: RequestTurn, declared: str, book: Book, *, demanded: bool) -> None:
    if demanded and any(exchange.status == 200 and exchange.usage for exchange in turn.chain):
        what = f"no usage is reported; declared is {declared}, and the endpoint gave some"
        book.find("M18", "usage-missing", what)


def _figures(reported: ReportedUsage) -> tuple[int, ...]:
    return reported.input, reported.output, reported.cached


def _cached(usage: Mapping[str, object]) -> int:
    """How many of the tokens that were sent the harness was told to have been cached."""
    return int(str(usage.get("upstream_cached", usage.get("cached")) or 0))


def _counts(usage: Mapping[str, object]) -> tuple[int, int]:
    """What the harness was told of a request: the upstream's counts where it gave any."""
    told = [usage.get(f"upstream_{name}", usage.get(name)) for name in ("input", "output")]
    return int(str(told[0] or 0)), int(str(told[1] or 0))
