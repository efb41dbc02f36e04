"""What commands remove or give another name: done, or refused in words that no command is answered with which has worked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from claw_adapter.audit.book import Book
from claw_adapter.audit.course import Steps, looks
from claw_adapter.audit.units import RequestUnit, arguments_of
from claw_adapter.reading import strings_of

__all__ = ["Removal", "Removals"]

NUMBER: Final = re.compile(r"\d+")
WORD: Final = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Removal:
    """A file that a command removes, or gives a `new` name; its text then, None where that is not known."""

    old: str
    new: str
    text: str | None


@dataclass(slots=True)
class Removals:
    """Follows the removals of a trial: whether a result refuses one is known by those of commands that have worked."""

    silent: set[str] = field(default_factory=set)
    """What commands are answered that print nothing and have worked."""
    doubted: list[tuple[str, str, str, str, int]] = field(default_factory=list)
    """What was not done: the round, the result, cause, what is said of it, and the request."""

    def worked(self, call: RequestUnit, result: RequestUnit) -> None:
        """A command that prints nothing has done what it was to."""
        self.silent.add(_answered(call, result))

    def answers_so(self, call: RequestUnit, result: RequestUnit) -> bool:
        """Whether a result is what commands are answered that print nothing and have worked."""
        return _answered(call, result) in self.silent

    def judge(
        self, steps: Steps, before: Mapping[str, str], after: Mapping[str, str], gone: Mapping[int, Removal], book: Book
    ) -> None:
        """Files that commands of a turn have removed or given another name, and nothing has written under that since.

        Args:
            steps: the calls of the turn with their results.
            before: the workspace's texts before it, by path.
            after: those after it.
            gone: what is to be removed, by the number of the call.
            book: takes what was done in part.
        """
        for at, one in gone.items():
            call, result, exchange = steps[at]
            others = [other for other in steps[at + 1 :] if not looks(other)]
            later = "\n".join(text for other, _, _ in others for text in strings_of(arguments_of(other)))
            there, found = after.get(one.new), dict[str, str]()
            if one.old in before and one.old in after and one.old not in later:
                found["removed-there"] = f"{one.old} was to be removed, and is there after the turn"
            if one.new and one.text is not None and there != one.text and one.new not in later:
                how = "not there" if there is None else "another text"
                found["moved-changed"] = f"{one.old} was to be called {one.new}, and that is {how}"
            if one.old in before and one.old not in after:
                self.worked(call, result)
            untouched = after.get(one.old, "") in (one.text, before.get(one.old)) and there == before.get(one.new)
            for cause, what in found.items():
                said = f"{what}; the result was {result.text.strip()[:60]!r}"
                if untouched and WORD.search(_bare(call, result)):
                    self.doubted.append((book.round, _answered(call, result), cause, said, exchange.number))
                else:
                    book.find("M17", cause, said, owner="harness", request=exchange.number)

    def finish(self, book: Book) -> None:
        """After the last turn: what was answered like a command that has worked was not refused."""
        for name, result, cause, what, request in self.doubted:
            if result in self.silent:
                book.round = name
                book.find("M17", cause, what, owner="harness", request=request)


def _answered(call: RequestUnit, result: RequestUnit) -> str:
    return f"{call.text.partition(' ')[0]} → {_bare(call, result)}"


def _bare(call: RequestUnit, result: RequestUnit) -> str:
    """A result without what its own call says, and without numbers: the same for all commands that print nothing."""
    text = result.text
    for said in sorted(strings_of(arguments_of(call)), key=len, reverse=True):
        text = text.replace(said, "")
    return NUMBER.sub("", text).strip()
