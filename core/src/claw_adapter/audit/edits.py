"""What edits are answered: those that find nothing to replace are not answered as those that have replaced something."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from claw_adapter.audit.book import Book
from claw_adapter.audit.course import PLAIN, FileCourse

__all__ = ["Edits"]

DIGITS: Final = re.compile(r"\d+")


@dataclass(slots=True)
class Edits:
    """Follows the edits of a trial; elsewhere than in certification, nothing is found."""

    strict: bool = True
    _worked: dict[str, set[str]] = field(default_factory=dict)
    """By tool, what it has said of edits that had something to replace, but for the words of the call and numbers."""

    def judge(
        self, course: FileCourse, number: int, files: tuple[Mapping[str, str], Mapping[str, str]], book: Book
    ) -> None:
        """Hold the result of the call that comes next, if it is an edit, against its file.

        What it is answered is what is said of one that works only if its new text is in the file behind the turn.

        Args:
            course: what the calls of the turn do.
            number: which of them comes next.
            files: those before the turn, and behind it.
            book: takes the finding.
        """
        effect, (call, result, exchange) = course.effects[number], course.steps[number]
        if not self.strict or effect is None or not effect.old or effect.again:
            return
        before, after = files
        text = course.texts.get(effect.path, [before.get(effect.path)])[-1]
        if text is None:
            return
        tool, said = call.text.partition(" ")[0], result.text
        for part in sorted((effect.path, effect.old, effect.new), key=len, reverse=True):
            said = said.replace(part, "") if part else said
        said = DIGITS.sub("", said).strip()
        if text.count(effect.old) == 1 and effect.new in after.get(effect.path, ""):
            self._worked.setdefault(tool, set()).add(said)
        elif said in self._worked.get(tool, ()) and _absent(effect.old, text):
            what = f"an edit of {effect.path}, which lacks {effect.old[:50]!r}, is answered as one that works: {said[:60]!r}"
            book.find("M17", "edit-untold", what, owner="harness", request=exchange.number)


def _absent(old: str, text: str) -> bool:
    """Whether a text lacks a word of what is to be replaced, in whatever signs."""
    there = text.translate(PLAIN)
    return any(word not in there for word in old.translate(PLAIN).split())
