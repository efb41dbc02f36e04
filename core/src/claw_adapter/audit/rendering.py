"""Declared renderings, applied to both sides before they are compared."""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from claw_adapter.audit.units import RESULT, RequestUnit, Said
from claw_adapter.protocol import Capabilities
from claw_adapter.protocol.limits import CallLimit, Drop, Loss, Rendering, WindowLimit

__all__ = [
    "ALIKE",
    "MASKED",
    "Renderer",
    "blackened",
    "felt",
    "line_feeds",
    "with_ends",
    "with_floats",
    "without_control",
    "without_directives",
    "without_format",
]

STAMP: Final = re.compile(r"\[(?=[^\]\n]*\d)[^\]\n]{6,60}\]\s?")
MOMENT: Final = re.compile(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)? ?(UTC|Z|[+-]\d{2}:?\d{2})?")
MARK: Final = "[system] "
DIRECTIVE: Final = re.compile(r"^\s*(MEDIA:.*|!\[.*|message\(.*|\[\[.*\]\]|\[media attached: .*\]|\(no output\))\s*$")
CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
ESCAPE: Final = re.compile(r"\\\\u[0-9a-fA-F]{4}")
"""How the six signs of such an escape stand in JSON."""
WRITTEN: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
"""The same in a text that does not stand in JSON."""
LINE_BLANKS_IN_JSON: Final = re.compile(r'(\\\\)|(?: |\\t)+(?=\\n|\\r|")')
"""A backslash of the text itself, behind which a ``t`` is a letter, or blanks at the end of a line."""
AT_ENDS: Final = re.compile(r"[ \t]+(?=\r?\n|\r?$)")
ESCAPES: Final = Drop(what="escapes")
LINE_BLANKS: Final = Drop(what="line_blanks")
CD_HERE: Final = Drop(what="cd_here")
GOES_HERE: Final = re.compile(r'(": ?")cd (?:[^"\\;&|]+) && ')
"""How a command in JSON begins that goes somewhere first."""
FILE_ENDS: Final = Drop(what="file_ends")
LONG_NUMBER: Final = re.compile(r'(?<![\w."])(?:\d{16,30}(?:\.\d+)?|\d\.\d+[eE]\+?\d{2})(?![\w."])')
ENDS: Final = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
"""Line ends, those that only Unicode knows too."""
MASKED: Final = re.compile(r"\*{3,}|…|\.{3}|\[redacted|REDACTED", re.IGNORECASE)
FULL: Final = 0.6
"""Share of a declared window from which on its end may be felt: harnesses count tokens in ways of their own."""
DIRECTIVE_MARK: Final = re.compile(r"\[\[[^\]\n]*\]\]")


class Renderer:
    """What the declared renderings make equal."""

    def __init__(self, capabilities: Capabilities) -> None:
        self.names: frozenset[Rendering] = frozenset(capabilities.renderings)
        self.losses: Sequence[Loss] = capabilities.losses
        self.plain = functools.lru_cache(maxsize=20_000)(self._plain)
        self.bare = functools.lru_cache(maxsize=20_000)(self._bare)

    @property
    def loose(self) -> bool:
        """Whether a text may stand inside a longer one."""
        return bool(self.names & {"merge", "insert", "told"})

    @property
    def adds(self) -> bool:
        """Whether there may be texts that nobody said."""
        return bool(self.names & {"insert", "told"})

    @property
    def call_limit(self) -> CallLimit | None:
        """How many calls of a reply are run, where that is declared."""
        return next((loss for loss in self.losses if isinstance(loss, CallLimit)), None)

    def sums_up(self, tokens: int) -> bool:
        """Whether a conversation with a request of so many tokens may have been summed up, as is declared."""
        limits = (loss for loss in self.losses if isinstance(loss, WindowLimit))
        return any("summary" in (one.then, one.told) and felt(one, tokens) for one in limits)

    def has(self, name: Rendering) -> bool:
        """Whether it is declared."""
        return name in self.names

    def _plain(self, text: str) -> str:
        """A text without what declared renderings may change in it."""
        if "newline" in self.names:
            text = ENDS.sub("\n", text)
        return text.strip() if "trim" in self.names else text

    def _bare(self, text: str) -> str:
        """A request's text, without a stamp if there may be one."""
        text = self.plain(text)
        if "stamp" in self.names and (found := STAMP.match(text)):
            text = self.plain(text[found.end() :])
        return text

    def stamped(self, text: str) -> datetime | None:
        """The time that a stamp shows, to the minute, without a zone where it names none; None without a date."""
        found = STAMP.match(text) if "stamp" in self.names else None
        moment = MOMENT.search(found.group()) if found else None
        if moment is None:
            return None
        zone = (moment[3] or "").replace("UTC", "Z")
        return datetime.fromisoformat(f"{moment[1]}T{moment[2]}{zone}")

    def kind(self, kind: str) -> str:
        """A kind, the same for two where one may be given as the other."""
        return "user" if kind == "system" and "system_as" in self.names else kind

    def forms(self, said: Said) -> tuple[str, ...]:
        """The texts as which something may appear, as itself first."""
        text = self.plain(said.text)
        forms = list(
            dict.fromkeys((text, self.bare(said.text)))
        )  # what begins like a stamp is not stamped once more by all
        if "speaker_as" in self.names and said.speaker:
            forms += dict.fromkeys(self.plain(f"{said.speaker}: {one}") for one in (text, said.text))
        if "system_as" in self.names and said.kind == "system":
            forms += [self.plain(f"{MARK}{form}") for form in forms]
        return tuple(forms)

    def between(self, text: str) -> bool:
        """Whether a piece of a request beside texts that must be there may be there, too."""
        text = STAMP.sub("", text) if "stamp" in self.names else text
        return "insert" in self.names or "told" in self.names or not text.strip()

    def unit(self, unit: RequestUnit) -> str:
        """What a unit of a request is compared by."""
        if unit.kind == RESULT:
            return unit.text
        return self.bare(unit.text)

    def call(self, text: str) -> str:
        """A call among the events, without what it is declared that its arguments lose."""
        ways = dict(ALIKE)
        for loss in (ESCAPES, LINE_BLANKS, CD_HERE):
            text = ways[loss.what](text) if loss in self.losses else text
        return text


def line_feeds(text: str) -> str:
    """A text with line feeds as its line ends."""
    return text.replace("\r\n", "\n")


def with_ends(text: str) -> str:
    """The same, with one behind its last line."""
    text = line_feeds(text)
    return text if text.endswith("\n") else f"{text}\n"


def felt(limit: WindowLimit, tokens: int) -> bool:
    """Whether the end of a declared window may be felt in a request of so many tokens."""
    return tokens >= limit.tokens * FULL


def without_control(text: str) -> str:
    """A text without control characters but line feeds and tabs."""
    return CONTROL.sub("", text).strip()


def without_format(text: str) -> str:
    """A text without the characters of format (joiners, marks of direction, soft hyphens), which nobody sees."""
    return text if text.isascii() else "".join(sign for sign in text if unicodedata.category(sign) != "Cf")


def blackened(text: str, left: str) -> bool:
    """Whether a text is left with marks in the place of parts of it, whose rest is there in order."""
    if MASKED.search(left) is None:
        return False
    place = 0
    for piece in filter(None, MASKED.split(left)):
        at = text.find(piece, place)
        if at < 0 or (not place and at):
            return False
        place = at + len(piece)
    return place > 0


def without_directives(text: str) -> str:
    """A text without the lines that some harnesses take for directives."""
    lines = [DIRECTIVE_MARK.sub("", line) for line in text.splitlines() if not DIRECTIVE.match(line)]
    return "\n".join(lines).strip()


def with_floats(text: str) -> str:
    """A text with its long numbers as a float of 64 bits has them, however they are written."""
    return LONG_NUMBER.sub(lambda found: repr(float(found[0])), text)


def without_escapes(text: str) -> str:
    """A text with the characters that its escapes name in their place."""
    return ESCAPE.sub(_character, text)


def with_characters(text: str) -> str:
    """A text that stands in no JSON, with the characters that its escapes name in their place."""
    return WRITTEN.sub(lambda found: chr(int(found[1], 16)), text)


def without_line_blanks(text: str) -> str:
    """A text that stands in JSON, without blanks at the ends of its lines."""
    return LINE_BLANKS_IN_JSON.sub(r"\1", without_escapes(text))


def bare_lines(text: str) -> str:
    """A text that stands in no JSON, without blanks at the ends of its lines."""
    return AT_ENDS.sub("", text)


def _character(found: re.Match[str]) -> str:
    """What an escape names, as it stands in JSON; half a character stays."""
    sign = chr(int(found[0][-4:], 16))
    return found[0] if "\ud800" <= sign <= "\udfff" else json.dumps(sign, ensure_ascii=False)[1:-1]


def _cached(made: Callable[[str], str]) -> Callable[[str], str]:
    return functools.lru_cache(maxsize=10_000)(made)


ALIKE: Final = [
    ("stripped", str.strip),
    ("newlines", _cached(lambda text: text.replace("\r\n", "\n").replace("\r", "\n").strip())),
    ("unicode", _cached(lambda text: unicodedata.normalize("NFC", text).strip())),
    ("control", _cached(without_control)),
    ("directives", _cached(without_directives)),
    ("long_numbers", _cached(with_floats)),
    ("escapes", _cached(without_escapes)),
    ("blanks", _cached(lambda text: " ".join(text.split()))),
    ("line_blanks", _cached(without_line_blanks)),
    ("cd_here", _cached(lambda text: GOES_HERE.sub(r"\1", text))),
]
"""What two texts may be the same but for, by its name: undeclared, each is a way to damage a text."""
