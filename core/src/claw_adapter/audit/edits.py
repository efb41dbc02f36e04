"""What edits do and are answered, where what they are to replace does not stand in the file once, to the letter."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from claw_adapter.audit.book import Book
from claw_adapter.audit.course import PLAIN, FileCourse
from claw_adapter.audit.rendering import FILE_ENDS, LINE_BLANKS, Renderer, bare_lines, with_ends
from claw_adapter.audit.results import flat_of, lines_of_text, turned
from claw_adapter.audit.units import tool_named

__all__ = ["Edits"]

DIGITS: Final = re.compile(r"\d+")
BARE: Final = re.compile(r"(?<!\r)\n")
"""A line end that is no CR LF."""


@dataclass(slots=True)
class Edits:
    """Follows the edits of a trial; elsewhere than in certification, nothing is found."""

    strict: bool = True
    _worked: dict[str, set[str]] = field(default_factory=dict)
    """By tool, what it has said of edits that had something to replace, but for the words of the call and numbers."""
    _idle: dict[str, set[str]] = field(default_factory=dict)
    """The same of edits behind which a file was as before."""

    def judge(
        self,
        course: FileCourse,
        number: int,
        files: tuple[Mapping[str, str], Mapping[str, str]],
        renderer: Renderer,
        book: Book,
    ) -> None:
        """Hold the call that comes next, if it is an edit, and its result against its file.

        What it is answered is what is said of one that works only if its new text is in the file behind the turn.

        Args:
            course: what the calls of the turn do.
            number: which of them comes next.
            files: those before the turn, and behind it.
            renderer: the declared renderings.
            book: takes the finding.
        """
        effect, (call, result, exchange) = course.effects[number], course.steps[number]
        if not self.strict or effect is None or effect.old is None or effect.again or effect.line is not None:
            return
        before, after = files
        text, there = course.texts.get(effect.path, [before.get(effect.path)])[-1], after.get(effect.path)
        tool, said = call.tool, result.text
        parts = {effect.path}.union(*effect.changes)
        for part in sorted(parts, key=len, reverse=True):
            said = said.replace(part, "") if part else said
        said = DIGITS.sub("", said).strip()
        last = not course.changes(effect.path, after=number)
        known, cause, what = said in self._worked.get(tool, ()), "", ""
        if text == there and last:
            self._idle.setdefault(tool, set()).add(said)
        if effect.also:
            partly = last and text is not None and there != text and effect.on(text, strict=False) is None
            untold = partly and said in self._idle.get(tool, ())
            cause, what = self._partly(effect.path, result.text, untold=untold)
        elif text is None:
            if effect.old and last and effect.path not in course.texts:
                cause, what = self._of_none(effect.path, there, said, known=known)
        elif effect.old and text.count(effect.old) == 1:
            if effect.new in (there or ""):
                self._worked.setdefault(tool, set()).add(said)
                cause, what = self._turned(effect.path, text, text.replace(effect.old, effect.new), result.text)
        elif known and (_absent(effect.old, text) or (last and there == text)):
            lacks = f"which lacks {effect.old[:50]!r}" if effect.old not in text else "which is as before"
            cause, what = (
                "edit-untold",
                f"an edit of {effect.path}, {lacks}, is answered as one that works: {said[:60]!r}",
            )
        elif (
            last
            and there != text
            and effect.known
            and effect.ended is None
            and not (effect.every and effect.old in text)
        ):
            described = json.dumps(tool_named(exchange.tools, tool))
            doubt = _Doubtful(text, effect.old, effect.new, there or "", described, once=effect.once)
            cause, what = doubt.judged(renderer, known=known)
            what = f"an edit of {effect.path}{what}"
        if cause:
            book.find("M20" if cause == "file-back" else "M17", cause, what, owner="harness", request=exchange.number)

    @staticmethod
    def _partly(path: str, result: str, *, untold: bool) -> tuple[str, str]:
        """The same of a call of which some replacements were made: `untold`, if others are answered so that change nothing."""
        what = f"some replacements in {path} are made, and the answer is that of edits that change nothing: {result[:60]!r}"
        return ("edit-partly", what) if untold else ("", "")

    @staticmethod
    def _turned(path: str, before: str, after: str, result: str) -> tuple[str, str]:
        """The same of an edit that was made, whose result shows what it has changed."""
        old, new = ({one.strip() for one in lines_of_text(text)} for text in (before, after))
        if not turned(flat_of(result), old - new - {""}, new - old - {""}):
            return "", ""
        return "change-turned", f"an edit of {path} is answered by a change the wrong way round: {result[:60]!r}"

    @staticmethod
    def _of_none(path: str, there: str | None, said: str, *, known: bool) -> tuple[str, str]:
        """The same of an edit of a file that is not there."""
        if there is not None:
            return "file-back", f"{path} was not there, and an edit that had text to replace has made it"
        untold = f"an edit of {path}, which is not there, is answered as one that works: {said[:60]!r}"
        return ("edit-untold", untold) if known else ("", "")


@dataclass(frozen=True, slots=True)
class _Doubtful:
    """An edit that programs may refuse or make: its `old` text stands in several places, is empty, or differs in blanks."""

    text: str
    """Of the file before."""
    old: str
    new: str
    there: str
    """The file's text behind it."""
    described: str
    """The tool's definition."""
    once: bool = False
    """Whether it is told not to be made everywhere."""

    def judged(self, renderer: Renderer, *, known: bool) -> tuple[str, str]:
        """The cause of a finding and what it says; empty where that is one of the ways to make such an edit."""
        places = self._places() if self.old else []
        if not places:
            if self.old or self._put_beside() or ("empty" in self.described and self.there.split() == self.new.split()):
                return "", ""
            return "written-changed", " that has nothing to replace has changed what stands there"
        changed = ""
        if not self._made(places) and not self._declared(places, renderer):
            changed = f", where {self.old[:50]!r} stands more than once, or in other blanks, has changed more"
        elif self.once and places[1:] and self.old in self.text and self._made(places, every=True):
            changed = f" has been made in all of {len(places)} places, and it was told not to be"
        if changed:
            return "written-changed", changed
        mixed = "\n" in self.old and not BARE.search(self.text) and BARE.search(self.there)
        if mixed and FILE_ENDS not in renderer.losses:
            return "written-newlines", " has brought a line end that is no CR LF into a file that has no other"
        if known and places[1:] and "first" not in self.described and not self._made(places, every=True):
            return (
                "edit-ambiguous",
                f" has changed some of {len(places)} places that are like {self.old[:50]!r}, and says nothing",
            )
        return "", ""

    def _places(self) -> list[tuple[int, int]]:
        """Where the old text stands; if it does not, where lines stand that are its lines in other blanks."""
        if self.old in self.text:
            return [found.span() for found in re.finditer(re.escape(self.old), self.text)]
        wanted = [line.split() for line in self.old.split("\n")]
        lines = self.text.split("\n")
        starts = [0, *itertools.accumulate(len(line) + 1 for line in lines)]
        ends = {at: at + len(wanted) for at in range(len(lines) - len(wanted) + 1)}
        return [
            (starts[at], starts[end] - 1)
            for at, end in ends.items()
            if [line.split() for line in lines[at:end]] == wanted
        ]

    def _made(self, places: Sequence[tuple[int, int]], *, every: bool = False) -> bool:
        """Whether the new text stands in any of the places, or in every one, in whatever blanks, and all else stays."""
        new = r"\s*" + r"\s+".join(map(re.escape, self.new.split())) + r"\s*"
        pattern, end = "", 0
        for start, behind in places:
            kept = "" if every else f"|{re.escape(self.text[start:behind])}"
            pattern += f"{re.escape(self.text[end:start])}(?:{new}{kept})"
            end = behind
        return re.fullmatch(pattern + re.escape(self.text[end:]), self.there) is not None

    def _declared(self, places: Sequence[tuple[int, int]], renderer: Renderer) -> bool:
        """Whether declared renderings and losses explain what the file is, with the new text in one of the places or all."""
        blanks, ends = (
            way if loss in renderer.losses else str for loss, way in ((LINE_BLANKS, bare_lines), (FILE_ENDS, with_ends))
        )
        for chosen in (places, *([place] for place in places)):
            text = self.text
            for start, end in reversed(chosen):
                text = f"{text[:start]}{self.new}{text[end:]}"
            if ends(blanks(text)) == ends(blanks(self.there)):
                return True
        return False

    def _put_beside(self) -> bool:
        """Whether the new text was put before or behind all that stands there."""
        text, new = self.text.split(), self.new.split()
        return self.there.split() in (new + text, text + new)


def _absent(old: str, text: str) -> bool:
    """Whether a text lacks a word of what is to be replaced, in whatever signs."""
    there = text.translate(PLAIN)
    return any(word not in there for word in old.translate(PLAIN).split())
