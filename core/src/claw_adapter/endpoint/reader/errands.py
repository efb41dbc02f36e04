"""Errands: what the reader does with a harness's tools, one call after the other, each step knowing the last result.

An errand is a generator: it yields attempts and is sent the text of their results. The text of a fragment is never part of a
reading call, so that no echo of a call can be taken for evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.refusals import asked_for, refused
from claw_adapter.endpoint.reader.tools import Candidate

__all__ = ["Attempt", "Errand", "Habits", "Steps", "insisting"]

MOST_TOOLS: Final = 3
MOST_REFUSALS: Final = 2
"""After these another tool is taken first."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One tool call; `kind` and `form` say what is learnt if it works."""

    kind: str
    tool: str
    arguments: dict[str, JsonValue]
    form: str = ""

    @property
    def habit(self) -> tuple[str, str]:
        """Tool and form of the target."""
        return self.tool, self.form


Steps = Generator[Attempt, str, bool]


@dataclass(slots=True)
class Habits:
    """What has worked in this trial, by kind of attempt, is tried first from then on; what was refused twice, last."""

    working: dict[str, tuple[str, str]] = field(default_factory=dict)
    refusals: Counter[str] = field(default_factory=Counter)
    """By tool, since it worked last."""
    extra: dict[str, dict[str, JsonValue]] = field(default_factory=dict)
    """By tool, arguments that it has asked for."""

    def tools(self, kind: str, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates, the one that works first."""
        tool = self.working.get(kind, ("", ""))[0]
        ranked = sorted(candidates, key=lambda one: (one.tool != tool, self.refusals[one.tool] >= MOST_REFUSALS))
        return ranked[:MOST_TOOLS]

    def forms(self, kind: str, forms: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Forms of a target (name and text), the one that works first."""
        form = self.working.get(kind, ("", ""))[1]
        return sorted(forms, key=lambda item: item[0] != form)

    def worked(self, attempt: Attempt) -> None:
        """Remember what has worked."""
        self.working[attempt.kind] = attempt.habit
        self.refusals.pop(attempt.tool, None)


def insisting(
    tool: Candidate, kind: str, form: str, arguments: dict[str, JsonValue], habits: Habits
) -> Generator[Attempt, str, tuple[Attempt, str]]:
    """Make a call, and once more with the arguments that its refusal asks for; returns the last call and its result."""
    attempt = Attempt(kind, tool.tool, {**arguments, **habits.extra.get(tool.tool, {})}, form)
    result = yield attempt
    more = asked_for(tool.known, attempt.arguments, result) if refused(result) else {}
    if more:
        attempt = Attempt(kind, tool.tool, {**attempt.arguments, **more}, form)
        result = yield attempt
        if not refused(result):
            habits.extra.setdefault(tool.tool, {}).update(more)
    return attempt, result


class Errand:
    """An errand under way: `attempt` is the call to make now, None when there is nothing left to try."""

    MOST_REPEATS: Final = 2

    def __init__(self, place: str, steps: Steps, wants: frozenset[str] = frozenset()) -> None:
        self.place = place
        self.wants = wants
        self.success = False
        self.call_id = ""
        self.heard = False
        """Whether a result was anything but a refusal."""
        self.closed = False
        self.dropped = False
        """Whether the harness has lost results: that is no refusal of its tools."""
        self._steps = steps
        self._repeats = 0
        self.attempt: Attempt | None = None
        self._take(lambda: next(steps))

    def advance(self, result: str) -> None:
        """Go on to the next attempt."""
        self.call_id, self._repeats = "", 0
        self.heard |= not refused(result)
        self._take(lambda: self._steps.send(result))

    def lost(self) -> None:
        """The harness came back without a result: make the same call again, but not for ever."""
        self.call_id = ""
        self._repeats += 1
        if self._repeats > self.MOST_REPEATS:
            self.dropped = True
            self.advance("error: no result")

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
