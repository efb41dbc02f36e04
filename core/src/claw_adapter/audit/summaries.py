"""Whether a summary stays that stands for what a conversation no longer has, and was made of that."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from claw_adapter.audit.book import Book
from claw_adapter.audit.results import LEAST, flat_of, split_lines
from claw_adapter.audit.turns import RequestTurn
from claw_adapter.audit.units import CALL, RESULT, RequestUnit, Said, arguments_of
from claw_adapter.reading import strings_of

__all__ = ["Summaries"]


@dataclass(slots=True)
class Summaries:
    """What the model has said when a harness asked it to sum the conversation up."""

    strict: bool = False
    """Whether it is known that a summary can be used as it was written."""
    held: tuple[str, ...] = ()
    """The lines of that one of them which was in a request last, as far as they were there first."""
    new: list[str] = field(default_factory=list)
    """Those asked for since, which are in none so far."""
    told: list[RequestUnit] = field(default_factory=list)
    """What was in the requests for those that were asked for since the last request of the conversation."""
    shown: Sequence[Said] = ()
    """What that had of all that it was to have."""
    beside: bool = False
    """Whether anything was asked for beside the conversation since: that may have been another one."""
    others: bool = False
    """Whether that was something else than a summary."""
    before: tuple[str, ...] = ()
    """What was held when an update changed the past, since the last request: what it stands for may not be found any more."""

    def copy(self) -> Summaries:
        """One that may go on otherwise."""
        return replace(self, new=[*self.new], told=[*self.told])

    def hear(self, turn: RequestTurn, after: int, before: int) -> None:
        """What a turn has asked for beside the conversation between two of its requests, by their numbers."""
        asked = {one.exchange.number: one for one in turn.summed}
        for number in (one.number for one in turn.exchanges if after < one.number < before):
            self.beside = True
            if number in asked:
                self.new.append(asked[number].text)
                self.told += turn.units[number]
            else:
                self.others = True

    def judge(
        self,
        units: Sequence[RequestUnit],
        there: Sequence[Said],
        due: Sequence[Said],
        request: int,
        book: Book,
        *,
        lacks: bool,
    ) -> None:
        """A request of the conversation, which has what is `there` of all that is `due`.

        It may lack messages that a summary may stand for (`lacks`). What a harness leaves out of a summary from the beginning,
        or puts in its place, is its own affair, and so is what another one has come for.
        """
        unsure, self.beside = self.beside or bool(self.new), False
        text = "\n".join(unit.text for unit in units)
        if self.told and not self.others:
            self._without(text, there, due, request, book)
            if self.strict and lacks:
                self._unused(text, there, due, request, book)
        elif lacks and not unsure and any(line in text for line in self.before):
            self._unasked(text, there, due, request, book)
        self.told, self.others, self.before, self.shown = [], False, (), there
        found = [tuple(line for line in _lines(one) if line in text) for one in self.new]
        if shown := next(filter(None, reversed(found)), ()):
            self.held, self.new = shown, []
        elif lost := next((line for line in self.held if lacks and line not in text), ""):
            if unsure:
                self.held = ()
                return
            what = f"{lost[:60]!r} of a summary, and what it stands for, was there before and is gone"
            book.find("M30", "summary-forgotten", f"{what} (request {request})", owner="harness", request=request)

    def _unused(self, text: str, there: Sequence[Said], due: Sequence[Said], request: int, book: Book) -> None:
        """Where messages go for which a summary was asked, it comes, some of it, or the one before it stays."""
        gone = [line for lines in self._gone(there, due, but=(RESULT, CALL)) for line in lines]
        said = [line for one in self.new for line in _lines(one)]
        if gone and said and not any(line in text for line in (*said, *self.held)):
            what = (
                f"{gone[0][:60]!r}, which was there before, is gone, and no line of the summary came: {said[0][:60]!r}"
            )
            book.find("M30", "summary-unused", f"{what} (request {request})", owner="harness", request=request)

    def _unasked(self, text: str, there: Sequence[Said], due: Sequence[Said], request: int, book: Book) -> None:
        """Beside a summary of before, no message goes for which none was asked that could stand for it."""
        others = {line for one in there for line in _lines(one.text)}
        for gone in self._gone(there, due, but=(RESULT, CALL)):
            lines = [line for line in gone if line not in others]
            if lines and not any(line in text for line in lines):
                what = f"{lines[0][:60]!r}, which was there before, is gone, and no summary was asked for since"
                book.find("M30", "summary-missing", f"{what} (request {request})", owner="harness", request=request)
                return

    def _gone(self, there: Sequence[Said], due: Sequence[Said], *, but: Collection[str] = (RESULT,)) -> list[list[str]]:
        """The lines of what the last request had, and this one has not, of all that is due."""
        away = {(one.kind, one.text) for one in due if one.kind not in but} - {(one.kind, one.text) for one in there}
        gone = [one for one in self.shown if (one.kind, one.text) in away]
        return [_given(one) if one.kind == CALL else _lines(one.text) for one in gone]

    def _without(self, text: str, there: Sequence[Said], due: Sequence[Said], request: int, book: Book) -> None:
        """What goes with a summary was in a request for it, at least some line of each message and call.

        So was the summary before it, if that goes, or what the conversation begins with, for which it stood.
        """
        told = "\n".join(flat_of(unit.text) for unit in self.told)
        gone = self._gone(there, due)
        begins = next((lines for one in due if (lines := _lines(one.text))), [])
        if self.held and not (any(line in text for line in self.held) or any(line in told for line in begins)):
            gone.append([*self.held])
        for lines in gone:
            if lines and not any(line in told for line in lines):
                what = f"the conversation was summed up without {lines[0][:60]!r}, which was there before and is gone"
                book.find("M30", "summary-without", f"{what} (request {request})", owner="harness", request=request)
                return


def _given(said: Said) -> list[str]:
    """The lines of what a call is given, and its own one; nothing where these may stand there in another order."""
    arguments = arguments_of(RequestUnit(CALL, said.text))
    given = [line for text in strings_of(arguments) for line in _lines(text)]
    return [*_lines(said.text), *given] if given or len(arguments) < 2 else []


def _lines(summary: str) -> list[str]:
    return [line for line in map(str.strip, split_lines(flat_of(summary))) if len(line) >= LEAST]
