"""Requests without what differs between two runs of the same thing: dates, ids, places, keys."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from typing import Final

from pydantic import JsonValue

from claw_adapter.harness import INSIDE
from claw_adapter.redaction import REDACTED

__all__ = ["BEGINS", "ROOT", "Normaliser"]

JsonObject = dict[str, JsonValue]

BEGINS: Final = r"(?:(?<![\w.@%+~/-])|(?<=\\[nrt]))"
"""A path begins here, or after an escaped end of line."""
ROOT: Final = re.compile(rf"(?:{BEGINS}{INSIDE}|(?:/[\w.@%+~-]+)*/live/[\w.-]+)(?=/(?:workspace|state)(?![\w.-]))")
"""The folder of a trial under way, which holds its workspace and its state directory; in a namespace it is always the same."""

_MONTH: Final = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_DAY: Final = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*"
_CLOCK: Final = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?!\d)"
_RULES: Final = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (re.escape(REDACTED) + r"|\b(?:claw|sk)-[\w-]{8,}", "<key>"),
        (r"\b(127\.0\.0\.1|localhost):\d+", r"\1:<port>"),
        (rf"\b\d{{4}}-\d\d-\d\d(?:[T ]{_CLOCK})?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)\b)?", "<time>"),
        (rf"\b{_DAY},? (?=<time>|{_MONTH}|\d)", ""),
        (rf"\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,?(?: {_CLOCK})?(?: ?[A-Z]{{3,4}})? \d{{4}}\b", "<time>"),
        (rf"\b\d{{1,2}} {_MONTH} \d{{4}}(?: {_CLOCK})?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)\b)?", "<time>"),
        (rf"\b{_CLOCK}(?: ?(?:AM|PM|UTC|GMT)\b)?", "<time>"),
        (r"\b1[6-9]\d{8}(?:\d{3})?(?:\.\d+)?\b", "<time>"),
        (r"\b\d+\.\d+ ?(?:ms|s|sec|seconds)\b", "<duration>"),
        (r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b", "<id>"),
        (r"\b(?:call|toolu|msg|resp|fc|rs|chatcmpl|req|sess)[_-](?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{6,}", "<id>"),
        (r"\b(?=[0-9a-f]*\d)[0-9a-f]{16,}\b", "<id>"),
        (r"/tmp/(?:tmp)?[\w-]{6,}", "/tmp/<id>"),  # noqa: S108  # a pattern, not a file
    )
)


class Normaliser:
    """Normalises texts, messages and requests; digests of messages, which come again and again, are remembered.

    Args:
        roots: folders of trials under way that are known; others are recognised by their form.
    """

    def __init__(self, roots: Iterable[str] = ()) -> None:
        self._roots: list[str] = []
        self._known: dict[str, str] = {}
        for root in roots:
            self.know(root)

    def know(self, root: str) -> None:
        """Take out this folder too, unless its form tells what it is wherever that matters."""
        if root and root not in (*self._roots, str(INSIDE)):
            self._roots = sorted([*self._roots, root], key=len, reverse=True)
            self._known.clear()

    def text(self, text: str) -> str:
        """A text without dates, ids, places and keys."""
        for root in self._roots:
            text = text.replace(root, "<trial>")
        text = ROOT.sub("<trial>", text)
        for pattern, instead in _RULES:
            text = pattern.sub(instead, text)
        return text

    def value(self, value: JsonValue) -> JsonValue:
        """A JSON value with every text in it normalised, and ids of calls left out."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {name: self.value(item) for name, item in value.items() if name not in ("id", "tool_call_id")}
        return value

    def digest(self, value: JsonValue) -> str:
        """Equal for values that differ only in what is normalised away."""
        raw = _canonical(value)
        found = self._known.get(raw_key := hashlib.sha256(raw.encode()).hexdigest())
        if found is None:
            found = self._known[raw_key] = hashlib.sha256(_canonical(self.value(value)).encode()).hexdigest()
        return found

    def digests(self, messages: Sequence[JsonObject], tools: Sequence[JsonObject]) -> tuple[str, ...]:
        """One digest per message of a request, after one for its tools: together, the request's key."""
        return (self.digest(list(tools)), *(self.digest(message) for message in messages))

    def shown(self, value: JsonValue) -> list[str]:
        """A value as lines, for a difference to be shown."""
        lines = json.dumps(self.value(value), indent=1, ensure_ascii=False, sort_keys=True).split("\n")
        return [piece for line in lines for piece in line.replace("\\n", "\n").split("\n")]


def _canonical(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
