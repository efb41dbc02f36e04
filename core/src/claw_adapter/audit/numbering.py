"""Numbers before the lines of a file: a tool that once numbers lines as they are counted does so in every part."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from claw_adapter.audit.results import LEAST, Failed, split_lines

__all__ = ["Numbering"]

ROW: Final = re.compile(r"\W{0,12}(\d{1,6})[^\w\n]{1,4}(\S.*)")
RANK: Final = 8
"""Up to this number, it may be one within something shorter."""
FEW: Final = 3
"""So many right numbers beyond that show that a tool numbers the lines of files."""


@dataclass(slots=True)
class Numbering:
    """What tools say before lines, over the turns of one trial."""

    right: Counter[str] = field(default_factory=Counter)

    def take(self, tool: str, path: str, text: str, shown: str, failed: Failed, request: int) -> None:
        """One reading of a file with this text."""
        places: dict[str, set[int]] = {}
        for number, line in enumerate(split_lines(text), start=1):
            if len(line.strip()) >= LEAST:
                places.setdefault(line.strip(), set()).add(number)
        for row in split_lines(shown):
            found = ROW.fullmatch(row.rstrip()) if row.strip() not in places else None
            line = found[2].strip() if found else ""
            if found is None or line not in places:
                continue
            number = int(found[1])
            if number in places[line]:
                self.right[tool] += number > RANK
            else:
                told = " or ".join(map(str, sorted(places[line])))
                what = f"reading {path} shows its line {told} as line {number}: {line[:80]!r}"
                failed.note("M20", "line-number", path, what, request, unless=lambda: self.right[tool] < FEW)
                return
