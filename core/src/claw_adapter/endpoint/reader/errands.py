"""Errands: what the reader does with a harness's tools, one call after the other, each step knowing the last result.

An errand is a generator: it yields attempts and is sent their results. The text of a fragment is never part of a
reading call, so that no echo of a call can be taken for evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.refusals import NOTICE
from claw_adapter.endpoint.reader.tools import Candidate

__all__ = ["Attempt", "Errand", "Habits", "Result", "Steps"]

MOST_TOOLS: Final = 3
SHOWING: Final = ("read", "look", "cat", "print")
"""Kinds of attempts that show what stands in files, or are known by it."""
MOST_REFUSALS: Final = 2
"""After these another tool is taken first."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One tool call; `kind` and `form` say what is learnt if it works."""

    kind: str
    tool: str
    arguments: dict[str, JsonValue]
    form: str = ""

    def with_more(self, more: dict[str, JsonValue]) -> Attempt:
        """The same with further arguments."""
        return Attempt(self.kind, self.tool, {**self.arguments, **more}, self.form)

    @property
    def habit(self) -> tuple[str, str]:
        """Tool and form of the target."""
        return self.tool, self.form


@dataclass(frozen=True, slots=True)
class Result:
    """What a call brought."""

    text: str
    shows: bool = False
    """Whether it shows what the errand is about, or some of it."""

    def __add__(self, other: Result) -> Result:
        return Result(f"{self.text}\n{other.text}", self.shows or other.shows)


Steps = Generator[Attempt, Result, bool]


@dataclass(slots=True)
class Habits:
    """What has worked in this trial, by kind of attempt, is tried first from then on; what was refused twice, last."""

    working: dict[str, tuple[str, str]] = field(default_factory=dict)
    refusals: Counter[str] = field(default_factory=Counter)
    """By tool, calls that have shown nothing since it worked last."""
    extra: dict[str, dict[str, JsonValue]] = field(default_factory=dict)
    """By tool, arguments that it has asked for."""

    def tools(self, kind: str, candidates: Sequence[Candidate], instead: Sequence[Candidate] = ()) -> list[Candidate]:
        """The candidates, the one that works first; those given up not at all where one is known that can be used `instead`."""
        tool = self.working.get(kind, ("", ""))[0]
        ranked = sorted(candidates, key=lambda one: (one.tool != tool, self._given_up(one)))[:MOST_TOOLS]
        shown = {self.working[kind][0] for kind in SHOWING if kind in self.working}
        if any(one.tool in shown for one in instead):
            return [one for one in ranked if not self._given_up(one)]
        return ranked

    def _given_up(self, one: Candidate) -> bool:
        return self.refusals[one.tool] >= MOST_REFUSALS

    def forms(self, kind: str, forms: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Forms of a target (name and text), the one that works first."""
        form = self.working.get(kind, ("", ""))[1]
        return sorted(forms, key=lambda item: item[0] != form)

    def known(self, tool: str, form: str) -> bool:
        """Whether a tool has shown something, its target written so."""
        return any(self.working.get(kind) == (tool, form) for kind in SHOWING)

    def learn(self, tool: str, more: dict[str, JsonValue]) -> None:
        """Remember arguments that a call has worked with, once they were asked for."""
        self.extra.setdefault(tool, {}).update(more)

    def worked(self, attempt: Attempt) -> None:
        """Remember what has worked."""
        self.working[attempt.kind] = attempt.habit
        self.refusals.pop(attempt.tool, None)


class Errand:
    """An errand under way: `attempt` is the call to make now, None when there is nothing left to try."""

    MOST_REPEATS: Final = 2

    def __init__(
        self, place: str, steps: Steps, shows: Callable[[str], bool], wants: frozenset[str] = frozenset()
    ) -> None:
        self.place = place
        self.wants = wants
        self._shows = shows
        self.success = False
        self.call_id = ""
        self.heard = False
        """Whether a result was longer than a notice."""
        self.repelled = False
        """Whether the last result was a mere notice that shows nothing."""
        self.closed = False
        self.dropped = False
        """Whether the harness has lost results: that is no refusal of its tools."""
        self._steps = steps
        self._repeats = 0
        self.attempt: Attempt | None = None
        self._take(lambda: next(steps))

    def advance(self, text: str) -> Result:
        """Take in what the call brought, and go on to the next attempt."""
        self.call_id, self._repeats = "", 0
        self.heard |= len(text) >= NOTICE
        result = Result(text, self._shows(text))
        self.repelled = not result.shows and len(text) < NOTICE
        self._take(lambda: self._steps.send(result))
        return result

    def lost(self) -> None:
        """The harness came back without a result: make the same call again, but not for ever."""
        self.call_id = ""
        self._repeats += 1
        if self._repeats > self.MOST_REPEATS:
            self.dropped = True
            self.advance("")

    @property
    def no_way(self) -> bool:
        """Whether everything was tried, and no tool has done it."""
        return self.attempt is None and not self.success and not self.dropped and not self.closed

    def close(self) -> None:
        """There is no need for it any more."""
        self._steps.close()
        self.attempt, self.closed = None, True

    def _take(self, step: Callable[[], Attempt]) -> None:
        try:
            self.attempt = step()
        except StopIteration as end:
            self.attempt, self.success = None, bool(end.value)
