"""What a policy makes of text: rows of listings, ``key: value`` facts, the city, the people and paths of the request."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass

from claw_adapter_forge.surfaces.words import join_words

__all__ = ["Mind", "Row", "Steps", "Traits", "cmd", "facts"]

Steps = Generator[str, str, None]
"""A script in progress: yields a command, is sent what it printed."""

# tools of a harness may trim or indent what a command printed, so blanks at the edges do not count
_ROW = re.compile(r"^\s*\[([a-z]+_\d+)\] (.*(?:\n\s*note: .*)*)", re.MULTILINE)
_OFFICE = re.compile(r'"offices\.([A-Za-z]+)": "([^"]+)"')
_NAME = re.compile(r"(?<![/\w])[A-Za-z]+\b")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]*\w")
_PATH = re.compile(r"/[\w/-]+\.txt")
_MODEL = re.compile(r"\b(?:anthropic|openai|google|moonshot)/[\w.-]*\w")
_DEFAULT = re.compile(r'"agents\.defaults\.model\.primary": "([^"]+)"')
_STATUS = re.compile(r" \((?:active|paused)\)$")
_REF = re.compile(r"\b[A-Z]{2}-\d{4}\b")

_GUESSES = {
    "due": "2026-03-09",
    "slot": "2026-03-10T09:00",
    "schedule": "0 9 * * *",
    "ref": "WK-1000",
    "owner": "Amara",
    "model": "anthropic/claude-opus-4-6",
    "priority": "medium",
    "mode": "live",
    "severity": "sev1",
    "path": "/ops/handoff.txt",
    "target": "#lobby",
    "channel": "discord",
}
"""What one writes who has not looked."""


@dataclass(frozen=True, slots=True)
class Traits:
    """How a policy departs from a careful one.

    `decoy` takes another city's rows for its own, `recreate` takes nothing to be there, and `guess`, if given, is what it
    decides whatever it has read: wet or dry, live or async.
    """

    decoy: bool = False
    recreate: bool = False
    guess: bool | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a listing: its id and all its text."""

    id: str
    text: str

    @property
    def facts(self) -> dict[str, str]:
        """The row's ``key: value`` pairs."""
        return facts(self.text)


def cmd(*words: str) -> str:
    """A command line."""
    return join_words(words)


def facts(text: str) -> dict[str, str]:
    """The ``key: value`` pairs of a note, a mail body or a file."""
    found: dict[str, str] = {}
    for part in re.split(r"[;\n]| \| (?=Note: )", text):
        piece = part.strip().removeprefix("Note: ").removeprefix("note: ")
        key, colon, value = piece.partition(": ")
        if colon:
            found[key.lower()] = _STATUS.sub("", value.strip())
    return found


def _first(pattern: re.Pattern[str], text: str) -> str:
    """The first match, or an empty string."""
    match = pattern.search(text)
    return match[0] if match else ""


class Mind:
    """A reading of the request, and questions to ask of printed text."""

    def __init__(self, request: str, traits: Traits | None = None) -> None:
        self.traits = traits or Traits()
        self.request = request.partition("\n\nConfiguration:")[0].removeprefix("Request:\n")
        self.offices = dict(_OFFICE.findall(request))
        named = (word[0] for word in _NAME.finditer(self.request))
        self.city = next((name for name in named if name in self.offices), "Oslo")
        self.zone = self.offices.get(self.city, "UTC")
        self.to = _first(_ADDRESS, self.request) or "team@example.com"
        self.path = self.path_in(self.request) or _GUESSES["path"]
        self.default_model = ((m := _DEFAULT.search(request)) and m[1]) or ""
        self.model = self.model_in(self.request) or _GUESSES["model"]

    def rows(self, text: str, *words: str) -> list[Row]:
        """The rows about the city (a decoy copier's: about another one) that have all the words."""
        found = [Row(m[1], m[2]) for m in _ROW.finditer(text)]
        wanted = [w.lower() for w in words]
        rows = [r for r in found if all(w in r.text.lower() for w in wanted)]
        if self.traits.decoy:
            others = [r for r in rows if self.city not in r.text and any(c in r.text for c in self.offices)]
            return others or [r for r in rows if self.city in r.text]
        return [r for r in rows if self.city in r.text]

    def row(self, text: str, *words: str) -> Row | None:
        """The first such row."""
        rows = self.rows(text, *words)
        return rows[0] if rows else None

    def has(self, text: str, *words: str) -> bool:
        """Whether there is one about the city (a re-creator never thinks so)."""
        if self.traits.recreate:
            return False
        wanted = [w.lower() for w in words]
        found = [Row(m[1], m[2]) for m in _ROW.finditer(text)]
        return any(self.city in r.text and all(w in r.text.lower() for w in wanted) for r in found)

    def facts(self, row: Row | None) -> dict[str, str]:
        """The facts of a row, none if there is no row."""
        return row.facts if row else {}

    def ref(self, row: Row | None) -> str:
        """The ref a row carries."""
        return (_first(_REF, row.text) if row else "") or _GUESSES["ref"]

    def value(self, known: dict[str, str], key: str, guess: str) -> str:
        """A fact, or what one guesses who has not looked."""
        return known.get(key) or _GUESSES[guess]

    def path_in(self, text: str) -> str:
        """The file that a text names, or an empty string."""
        return _first(_PATH, text)

    def model_in(self, text: str) -> str:
        """The model that a text names, or an empty string."""
        return _first(_MODEL, text)

    def decide(self, fact: bool) -> bool:
        """What a decision comes to: as it was read, or guessed."""
        return fact if self.traits.guess is None else self.traits.guess

    def wet(self, forecast: str) -> bool:
        """Whether the first day of a forecast is rainy."""
        lines = [line for line in forecast.splitlines() if re.match(r"\s*\d{4}-\d\d-\d\d: ", line)]
        return self.decide(bool(lines) and "rainy" in lines[0])

    def path_for(self, listing: str) -> str:
        """The request's file; a decoy copier takes the file of another city that the listing is about."""
        others = [c for c in self.offices if c != self.city and c in listing]
        if not (self.traits.decoy and others):
            return self.path
        return self.path.replace(self.city.lower(), others[0].lower())

    def today(self) -> str:
        """The command that shows the city's day."""
        return cmd("calendar", "today", "--timezone", self.zone)

    def forecast(self, days: int = 1) -> str:
        """The command that shows the city's weather."""
        return cmd("weather", "forecast", "--location", self.city, "--days", str(days))

    def add_task(self, title: str, due: str, priority: str = "") -> str:
        """A new card."""
        extra = ("--priority", priority) if priority else ()
        return cmd("tasks", "add", "--title", title, "--due", due, *extra)

    def add_event(self, title: str, start: str, note: str = "") -> str:
        """A new calendar entry."""
        extra = ("--note", note) if note else ()
        return cmd("calendar", "add-event", "--title", title, "--start", start, *extra)

    def add_cron(self, schedule: str, message: str) -> str:
        """A new recurring check."""
        name = f"{self.city.lower()}-check"
        return cmd("openclaw", "cron", "add", "--name", name, "--cron", schedule, "--message", message)

    def lines(self, ref: str, **facts: str) -> str:
        """Lines ``Label: value`` as the office rules have them."""
        told = {"city": self.city, "ref": ref, **facts}
        return "\n".join(f"{label.capitalize()}: {value}" for label, value in told.items())

    def mail(self, subject: str, body: str) -> str:
        """A mail to the recipient."""
        return cmd("email", "send", "--to", self.to, "--subject", f"{self.city} {subject}", "--body", body)

    def write(self, path: str, content: str) -> str:
        """A new file."""
        return cmd("file", "create", "--path", path, "--content", content)
