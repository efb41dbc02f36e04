"""Errands: what the reader does with a harness's tools, one call after the other, each step knowing the last result.

An errand is a generator: it yields attempts and is sent their results. The text of a fragment is never part of a
reading call, so that no echo of a call can be taken for evidence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Final, TypeVar

from pydantic import JsonValue

from claw_adapter.endpoint.reader.shells import Language
from claw_adapter.model import Tool
from claw_adapter.toolbox.box import Toolbox, toolbox
from claw_adapter.toolbox.candidates import Candidate, filled
from claw_adapter.toolbox.places import Style, styles_in, styles_of
from claw_adapter.toolbox.schema import At, Params, invents

__all__ = ["MOST_BUSY", "NOTICE", "Attempt", "Errand", "Habits", "Result", "Steps", "as_pages", "as_trials"]

NOTICE: Final = 200
"""Characters up to which a result may be a notice ("unchanged since last read") or a refusal instead of content."""
MOST_BUSY: Final = 2
"""So often a call that is known to work is made again, for its tool may be busy with another, or for a moment."""
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
    trial: bool = False
    """Whether it is made to find out what a tool does."""
    page: bool = False
    """Whether it is to bring more of what another call has begun to show."""

    def with_more(self, more: Mapping[At, JsonValue]) -> Attempt:
        """The same with further arguments."""
        return replace(self, arguments=filled(self.arguments, more))

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
    part: bool = False
    """Whether it shows anything of the file."""
    notice: bool = True
    """Whether it is short enough for a notice, the place apart that the errand is about."""

    def __add__(self, other: Result) -> Result:
        shows, part = self.shows or other.shows, self.part or other.part
        return Result(f"{self.text}\n{other.text}", shows, part, self.notice and other.notice)


Steps = Generator[Attempt, Result, bool]
T = TypeVar("T")


def as_trials(steps: Generator[Attempt, Result, T]) -> Generator[Attempt, Result, T]:
    """The same steps, each marked as a trial."""
    return _marked(steps, lambda attempt: replace(attempt, trial=True))


def as_pages(steps: Generator[Attempt, Result, T]) -> Generator[Attempt, Result, T]:
    """The same steps, each marked as a page."""
    return _marked(steps, lambda attempt: replace(attempt, page=True))


def _marked(steps: Generator[Attempt, Result, T], mark: Callable[[Attempt], Attempt]) -> Generator[Attempt, Result, T]:
    try:
        attempt = next(steps)
        while True:
            attempt = steps.send((yield mark(attempt)))
    except StopIteration as end:
        found: T = end.value
        return found


@dataclass(slots=True)
class Habits:
    """What has worked in this trial, by kind of attempt, is tried first from then on; what was refused twice, last."""

    working: dict[str, tuple[str, str]] = field(default_factory=dict)
    refusals: Counter[str] = field(default_factory=Counter)
    """By tool, calls that have shown nothing since it worked last."""
    extra: dict[str, dict[At, JsonValue]] = field(default_factory=dict)
    """By tool, arguments that it has asked for."""
    adopted: dict[str, Candidate] = field(default_factory=dict)
    """By kind, a stranger that turned out to do it."""
    inside: dict[str, list[Tool]] = field(default_factory=dict)
    """By tool, those that it calls."""
    styles: list[Style] = field(default_factory=list)
    """Styles in which results have named files."""
    fields: dict[str, str] = field(default_factory=dict)
    """By the name under which a listing gives it, what of a file that is: ``path``, ``name`` or ``folder``."""
    listings: dict[str, str] = field(default_factory=dict)
    """By tool, what it has listed."""
    paging: dict[str, str] = field(default_factory=dict)
    """By tool, the way by which it has shown more."""
    sequels: dict[str, tuple[str, Params]] = field(default_factory=dict)
    """By tool, the one that brings what it has begun."""
    written: dict[str, str] = field(default_factory=dict)
    """By file, the content that it was given last."""
    language: Language | None = None
    """What the adopted tool for commands speaks."""
    stored: tuple[str, str] = "", ""
    """The tool that opens a file, and the one that is given its text then."""
    asked: set[tuple[str, str]] = field(default_factory=set)
    """By tool, what was asked for to be offered tools."""
    harmless: dict[str, bool] = field(default_factory=dict)
    """By call, whether one of unknown purpose has shown a scratch file twice."""
    puzzled: bool = False
    """Whether the strangers were all tried in vain."""

    def box(self, box: Toolbox) -> Toolbox:
        """The tools with those inside others, and with the strangers that are known by now."""
        own = toolbox(box.tools, self.inside) if self.inside else box
        for kind, made in self.adopted.items():
            own = own.with_first(kind, made)
        return own

    def tools(self, kind: str, candidates: Sequence[Candidate], instead: Sequence[Candidate] = ()) -> list[Candidate]:
        """The candidates, the one that works first; those given up not at all where one is known that can be used `instead`."""
        tool = self.working.get(kind, ("", ""))[0]
        possible = [one for one in candidates if not invents(one.fixed)]
        ranked = sorted(possible, key=lambda one: (one.tool != tool, self._given_up(one)))[:MOST_TOOLS]
        shown = {self.working[kind][0] for kind in SHOWING if kind in self.working}
        if any(one.tool in shown for one in instead):
            return [one for one in ranked if not self._given_up(one)]
        return ranked

    def _given_up(self, one: Candidate) -> bool:
        return self.refusals[one.tool] >= MOST_REFUSALS

    def forms(self, kind: str, forms: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Forms of a target (name and text), the one that works first."""
        form = self.working.get(kind, ("", ""))[1]
        others = {self.working[kind][1] for kind in SHOWING if kind in self.working}
        return sorted(forms, key=lambda item: (item[0] != form, item[0] not in others))

    def known(self, tool: str, form: str) -> bool:
        """Whether a tool has shown something, its target written so."""
        return any(self.working.get(kind) == (tool, form) for kind in SHOWING)

    @property
    def ways(self) -> bool:
        """Whether anything is known to show files."""
        return any(kind in self.working for kind in SHOWING)

    @property
    def proven(self) -> tuple[str, ...]:
        """Strangers that have turned out to write."""
        return (*(one.tool for kind, one in self.adopted.items() if kind == "write"), *self.stored)

    @property
    def tools_known(self) -> set[str]:
        """Tools that have worked for anything."""
        return {tool for tool, _ in self.working.values()}

    def learn(self, tool: str, more: Mapping[At, JsonValue]) -> None:
        """Remember arguments that a call has worked with, once they were asked for."""
        self.extra.setdefault(tool, {}).update(more)

    def unlearn(self, tool: str, before: tuple[str, Params] | None) -> None:
        """What was taken for the tool that goes on with a tool's results does not do so."""
        self.sequels.pop(tool, None)
        if before is not None:
            self.sequels[tool] = before

    def chosen(self, known: Params) -> dict[At, JsonValue]:
        """Values that other tools have worked with, for parameters of the same name with the same choices."""
        values = {(at, str(value)): value for more in self.extra.values() for at, value in more.items()}
        return {
            item.at: value
            for item in known.items
            for (at, _), value in values.items()
            if at == item.at and value in item.enum
        }

    def learn_styles(self, path: str, said: str, echoed: Collection[str] = ()) -> None:
        """Keep in mind how a result names a file, or else says that files are named."""
        found = styles_of(path, said) or (styles_in(said, echoed) if len(said) < 3 * NOTICE else [])
        self.styles += [style for style in found if style not in self.styles][:MOST_TOOLS]

    def learn_roots(self, workspace: str, texts: Iterable[str]) -> None:
        """Keep in mind where else an agent says that a folder with the workspace's name lies."""
        folder = re.escape(PurePosixPath(workspace).name) if workspace else "(?!)"
        for root in (
            root for text in texts for root in re.findall(rf"(?<![\w/.-])/[\w./+@=-]*/{folder}(?![\w/-])", text)
        ):
            if root != workspace and (f"{root}/", "/") not in self.styles:
                self.styles.append((f"{root}/", "/"))

    def worked(self, attempt: Attempt) -> None:
        """Remember what has worked."""
        self.working[attempt.kind] = attempt.habit
        self.refusals.pop(attempt.tool, None)


class Errand:
    """An errand under way: `attempt` is the call to make now, None when there is nothing left to try.

    It begins when it is first looked at, so that it knows what those before it have learnt. A call for which a value would have
    to be made up is not made.
    """

    MOST_REPEATS: Final = 2

    def __init__(
        self,
        place: str,
        steps: Steps,
        shows: Callable[[str], bool],
        wants: frozenset[str] = frozenset(),
        part: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.place = place
        self.wants = wants
        self.shows = shows
        """Whether a text shows what it is about."""
        self._part = part
        self.success = False
        self.call_id = ""
        self.repelled = False
        """Whether the last result was a mere notice that shows nothing."""
        self.closed = False
        self.dropped = False
        """Whether results did not come: that says nothing of what tools do."""
        self._steps = steps
        self._repeats = 0
        self._begun = False
        self._attempt: Attempt | None = None
        self.results: list[str] = []
        """Of all its calls."""

    @property
    def attempt(self) -> Attempt | None:
        """The call to make now."""
        if not self._begun:
            self._take(lambda: next(self._steps))
        return self._attempt

    def advance(self, text: str) -> Result:
        """Take in what the call brought, and go on to the next attempt."""
        self.call_id, self._repeats = "", 0
        self.results.append(text)
        shows = self.shows(text)
        result = Result(text, shows, shows or self._part(text), len(text.replace(self.place, "")) < NOTICE)
        self.repelled = not result.shows and result.notice
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
        return self.attempt is None and self.open

    @property
    def open(self) -> bool:
        """Whether it has not been done, whether there is anything left to try or not."""
        return not self.success and not self.closed

    @property
    def over(self) -> bool:
        """Whether it has come to its end, or was closed."""
        return self._begun and self._attempt is None

    def close(self) -> None:
        """There is no need for it any more."""
        self._steps.close()
        self._begun, self._attempt, self.closed = True, None, True

    def _take(self, step: Callable[[], Attempt]) -> None:
        self._begun = True
        try:
            self._attempt = step()
            while invents(self._attempt.arguments):
                self._attempt = self._steps.send(Result(""))
            if self.dropped and self._attempt.trial:
                self._steps.close()
                self._attempt = None
        except StopIteration as end:
            self._attempt, self.success = None, bool(end.value)
