"""Findings put together by cause while a trial is gone through."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from claw_adapter.audit.records import AuditFinding, Bite, OwnWords, Refusal, Unjudged
from claw_adapter.audit.units import Said

__all__ = ["Book"]


_PAST: Final = {
    ("M7", "seeded-missing"),
    ("M7", "seeded-order"),
    ("M7", "seeded-tools-missing"),
    ("M21", "update-order"),
    ("M30", "past-forgotten"),
}
_STEPS: Final = {("M30", "own-text-missing"), ("M30", "own-call-missing"), ("M30", "own-result-missing")}
FOLLOWS: Final[dict[tuple[str, str], set[tuple[str, str]]]] = {
    **dict.fromkeys([*_PAST], _PAST | {("M30", "own-turns-missing"), ("M21", "update-missing")}),
    ("M21", "update-order"): _PAST
    | {("M30", "own-turns-missing"), ("M21", "update-missing"), ("M22", "history-order")},
    ("M22", "history-times"): {("M22", "history-order")},
    ("M22", "history-missing"): {("M22", "history-tools-missing")},
    ("M22", "history-order"): {("M21", "update-order")},
    ("M21", "update-missing"): {
        ("M30", "past-forgotten"), ("M21", "deleted-there"), ("M22", "history-tools-missing"), ("M22", "history-missing"),
    },
    ("M14", "answer-stripped"): {("M14", "answer-changed"), ("M14", "answer-cut")},
    ("M21", "deleted-there"): _PAST
    | {("M30", "own-turns-missing"), ("M21", "update-missing"), ("M21", "update-doubled")},
    ("M30", "own-prompt-doubled"): {("M13", "prompt-doubled")},
    ("M30", "own-prompt-cut"): {("M13", "prompt-cut"), ("M13", "prompt-missing")},
    ("M13", "prompt-cut"): {("M13", "prompt-missing")},
    ("M30", "own-turns-missing"): {("M13", "prompt-missing")},
    **dict.fromkeys(_STEPS, _STEPS | {("M30", "past-forgotten"), ("M30", "own-turns-missing")}),
}  # fmt: skip
"""What comes of a finding before it, and is no cause of its own: positions of updates count messages, for instance."""
_NOT_RUN: Final = {("M17", "calls-not-run")}
SAME: Final = {
    ("M17", "events-missing"): _NOT_RUN,
    ("M30", "call-order"): _NOT_RUN,
    ("M30", "own-call-missing"): _NOT_RUN,
    ("M30", "result-order"): _NOT_RUN,
    ("M30", "own-result-order"): _NOT_RUN,
    ("M17", "written-once"): _NOT_RUN,
    ("M20", "file-stale"): _NOT_RUN,
    ("M17", "events-results-swapped"): {("M20", "file-wrong")},
    ("M20", "file-back"): {("M20", "workspace-changed"), ("M20", "workspace-added")},
}
"""What is no cause of its own beside another finding, whichever came first: files tell whose results are the wrong ones, and
of calls that say the same nobody knows which one was not run."""


CHARACTERS: Final = 200
"""Of what a harness says by itself, so many are kept."""


@dataclass(slots=True)
class _Entry:
    what: str
    owner: Literal["adapter", "harness"]
    request: int
    rounds: dict[str, None] = field(default_factory=dict)
    times: int = 0

    def add(self, round: str) -> None:  # noqa: A002 - the word there is
        self.rounds[round] = None
        self.times += 1


@dataclass(slots=True)
class Book:
    """One finding per MUST and cause, one line per declared loss."""

    round: str = ""
    """The round that is gone through."""
    _found: dict[tuple[str, str], _Entry] = field(default_factory=dict)
    _bites: dict[str, _Entry] = field(default_factory=dict)
    _refused: dict[str, _Entry] = field(default_factory=dict)
    _unjudged: dict[str, _Entry] = field(default_factory=dict)
    _own: dict[tuple[str, str, str], _Entry] = field(default_factory=dict)
    results: int = 0
    """How many results of tools there were."""
    seen: set[Said] = field(default_factory=set)
    """What has been in a request as it must be."""
    named: set[Said] = field(default_factory=set)
    """What was shown with its speaker's name."""
    said: list[str] = field(default_factory=list)
    """What the model has said in the turns before, to requests of the harness's own too."""
    notes: dict[str, None] = field(default_factory=dict)

    def find(
        self, must: str, cause: str, what: str, *, owner: Literal["adapter", "harness"] = "adapter", request: int = 0
    ) -> None:
        """Something that must hold does not; `what` says how it was seen."""
        self._found.setdefault((must, cause), _Entry(what, owner, request)).add(self.round)

    def bite(self, loss: object) -> None:
        """A declared loss took something away."""
        self._bites.setdefault(str(loss), _Entry("", "harness", 0)).add(self.round)

    def refuse(self, place: str, what: str) -> None:
        """A reading of what is there showed nothing of it."""
        self._refused.setdefault(place, _Entry(what, "harness", 0)).add(self.round)

    def result(self, tool: str, what: str, *, judged: bool) -> None:
        """A call has a result, which was held against something that is known, or not; `what` has both."""
        self.results += 1
        if not judged:
            self._unjudged.setdefault(tool, _Entry(what, "harness", 0)).add(self.round)

    def own(self, kind: tuple[str, str, str], what: str, request: int) -> None:
        """A harness says something by itself: where, in which form and beside what, and as it stands there."""
        self._own.setdefault(kind, _Entry(what, "harness", request)).add(self.round)

    def note(self, text: str) -> None:
        """Something that could not be judged."""
        self.notes[text] = None

    def findings(self) -> tuple[AuditFinding, ...]:
        """What was found, in the order in which it was."""
        return tuple(
            AuditFinding(
                must=must, cause=cause, what=one.what, owner=one.owner, rounds=tuple(filter(None, one.rounds)),
                request=one.request, times=one.times,
            )
            for (must, cause), one in self._found.items()
            if not self._before(must, cause) & FOLLOWS.get((must, cause), set())
            and not self._found.keys() & SAME.get((must, cause), set())
        )  # fmt: skip

    def _before(self, must: str, cause: str) -> set[tuple[str, str]]:
        """What was found before something else was."""
        keys = list(self._found)
        return set(keys[: keys.index((must, cause))])

    def refusals(self) -> tuple[Refusal, ...]:
        """What is there and was not shown, in the order in which it was asked for."""
        return tuple(
            Refusal(place=place, what=one.what, rounds=tuple(one.rounds), times=one.times)
            for place, one in self._refused.items()
        )

    def unjudged(self) -> tuple[Unjudged, ...]:
        """What was held against nothing, by tool, the most first."""
        found = sorted(self._unjudged.items(), key=lambda one: -one[1].times)
        return tuple(
            Unjudged(tool=tool, what=one.what, rounds=tuple(filter(None, one.rounds)), times=one.times)
            for tool, one in found
        )

    def own_words(self) -> tuple[OwnWords, ...]:
        """What the harness says by itself, by kind, in the order in which it was said."""
        return tuple(
            OwnWords(
                where=where,
                form=form,
                beside=beside,
                what=one.what if len(one.what) <= CHARACTERS else f"{one.what[:CHARACTERS]}…",
                rounds=tuple(filter(None, one.rounds)),
                request=one.request,
                times=one.times,
            )
            for (where, form, beside), one in self._own.items()
        )

    def bites(self) -> tuple[Bite, ...]:
        """The declared losses that bit."""
        return tuple(
            Bite(loss=loss, rounds=tuple(filter(None, one.rounds)), times=one.times)
            for loss, one in self._bites.items()
        )
