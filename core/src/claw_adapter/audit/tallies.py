"""What tools say of how much a file has, beside the file that they show: its lines, characters or bytes.

What such a number counts is learnt: where it is mostly the file's own, it has to be so always.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Final

from claw_adapter.audit.book import Book
from claw_adapter.audit.pages import NUMBERED
from claw_adapter.audit.remarks import Remark
from claw_adapter.audit.results import LEAST, MARK, Failed, split_lines

__all__ = ["LineNumbers", "Tallies"]

KNOWN: Final = 8
"""Readings at which a number has been the file's."""
KINDS: Final = 4
"""Different counts among them."""
RANKS: Final = 8
"""Up to there a number before a line may be that of the lines shown."""
LINE_ENDS: Final = re.compile(r"\r\n|\r|\n")
SURE: Final = 3
"""Lines with numbers of their own behind which other numbers are wrong ones."""
Place = tuple[str, tuple[str, str], str]
"""The tool, what stands around the number, and what it counts."""


@dataclass(slots=True)
class _Counted:
    right: int = 0
    counts: set[int] = field(default_factory=set)
    wrong: list[tuple[str, str, int]] = field(default_factory=list)
    """What is said, with its round and request."""


@dataclass(slots=True)
class Tallies:
    """Over the turns of one trial."""

    _found: dict[Place, _Counted] = field(default_factory=lambda: defaultdict(_Counted))

    def take(self, tool: str, remark: Remark, path: str, text: str, at: tuple[str, int]) -> None:
        """A reading that shows all of a text; `at` are its round and request."""
        said = defaultdict[tuple[str, str], set[int]](set)
        for around, number in remark.numbers:
            if around not in remark.often:
                said[around].add(number)
        for around, numbers in said.items():
            for what, counts in _counts(text).items():
                entry = self._found[tool, around, what]
                if counts & numbers:
                    entry.right += 1
                    entry.counts.add(max(counts))
                else:
                    told = " and ".join(map(str, sorted(numbers)))
                    entry.wrong.append((f"reading {path} says {told} where it has {min(counts)} {what}", *at))

    def finish(self, book: Book) -> None:
        """After the last turn: a number counts what it is most often; of texts in ASCII characters and bytes are the same."""
        best: dict[tuple[str, tuple[str, str]], _Counted] = {}
        for (tool, around, _), entry in self._found.items():
            if (tool, around) not in best or best[tool, around].right < entry.right:
                best[tool, around] = entry
        for entry in best.values():
            known = entry.right >= KNOWN and len(entry.counts) >= KINDS
            for what, place, request in entry.wrong if known and len(entry.wrong) * 2 <= entry.right else ():
                book.round = place
                book.find("M20", "told-stale", what, owner="harness", request=request)


def _counts(text: str) -> dict[str, set[int]]:
    """How much a text has, by every way in which that is counted."""
    bare = text.removeprefix(MARK)
    lines = {text.count("\n"), len(text.split("\n")), len(text.splitlines()), len(text.splitlines()) + 1}
    ends = (text, bare, text.replace("\r\n", "\n"), bare.replace("\r\n", "\n"))
    forms = {form for one in ends for form in (one, one.rstrip("\n"), one.strip())}
    return {
        "lines": lines,
        "characters": {len(one) for one in forms}
        | {len(one.encode("utf-16-le", "surrogatepass")) // 2 for one in forms},
        "bytes": {len(one.encode("utf-8", "surrogateescape")) for one in forms},
    }


@dataclass(slots=True)
class LineNumbers:
    """Numbers before the lines that a tool shows of files: once they were the lines' own, they are that in parts as well."""

    _right: Counter[str] = field(default_factory=Counter)
    _from_zero: set[str] = field(default_factory=set)

    def take(self, tool: str, path: str, text: str, flat: str, failed: Failed | None, request: int) -> None:
        """A reading of all of a text, or of lines that were asked for: then what is wrong fails (`failed`).

        Some programs also end lines at carriage returns, or where Unicode does.
        """
        numbered = [(found, shown) for shown in flat.splitlines() if (found := NUMBERED.match(shown))]
        places = defaultdict[str, set[int]](set)
        for lines in () if not numbered else (split_lines(text), LINE_ENDS.split(text), text.splitlines()):
            for number, line in enumerate(map(str.strip, lines), start=1):
                places[line].add(number)
        wrong = list[str]()
        if any(int(found[1]) == 0 for found, _ in numbered):
            self._from_zero.add(tool)
        for found, shown in numbered:
            line = shown[found.end() :].strip()
            if len(line) < LEAST or line not in places:
                continue
            if int(found[1]) in places[line]:
                self._right[tool] += int(found[1]) > RANKS
                failed = None  # else a line may be missing between
            else:
                wrong.append(f"line {min(places[line])} as line {found[1]}: {line[:80]!r}")
        if failed is not None and wrong[SURE - 1 :]:
            what = f"reading {path} shows {wrong[0]}"
            failed.note(
                "M20", "read-number", wrong[0], what, request,
                unless=lambda: self._right[tool] < SURE or tool in self._from_zero,
            )  # fmt: skip
