"""The errand that writes a file. It is done when reading the file back shows what was written, whatever a tool has said."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import PurePosixPath
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.errands import Attempt, Habits, Result, Steps, as_trials
from claw_adapter.endpoint.reader.inner import unlock
from claw_adapter.endpoint.reader.matching import normalise, readings, within
from claw_adapter.endpoint.reader.paging import plain
from claw_adapter.endpoint.reader.reading import cat, command_forms, look
from claw_adapter.endpoint.reader.refusals import asked_for, carried_out, identifier, says, told_first
from claw_adapter.endpoint.reader.storing import folder_makers, makers, opened, removers, strange_writers
from claw_adapter.endpoint.reader.strangers import targets
from claw_adapter.toolbox.box import Toolbox, named
from claw_adapter.toolbox.candidates import Candidate, JsonObject, filled
from claw_adapter.toolbox.purposes import LATER
from claw_adapter.toolbox.schema import At

__all__ = ["holds", "holds_some", "keeps", "write_file"]

LINE: Final = 200
"""Characters of a line that are compared: tools cut long ones."""
MOST_PIECES: Final = 400
MOST_OPENED: Final = 6
MOST_STRANGERS: Final = 12
"""Ways to write that are tried of tools which do not say that they write."""
TELLING: Final = 12
"""Characters of a line from which on it is no chance that it begins so."""


def write_file(path: str, content: str, workspace: str, box: Toolbox, habits: Habits, *, alike: bool = False) -> Steps:
    """Write a workspace file with the tools for writing, then with a command, then with a patch, until it reads as it should.

    Tools of which nobody says that they write come last. A file in which nothing can be looked for (it has no text) counts as
    written once every way of the first tool was tried, and so does any where nothing on offer can read. Where what stands there
    is `alike` (but for blanks, or further lines), reading it back does not tell: a call that has asked for a look is then made
    again.
    """
    box = habits.box(box)
    back = _ReadBack(path, content, workspace, box, habits, alike=alike)
    tried = False
    waiting = yield from _in_order(back, habits.tools("write", box.write, box.run[:1]))
    for number in range(len(waiting)):
        tool = waiting.pop(next((at for at, one in enumerate(waiting) if says(back.said, one.tool)), 0))
        back.others = waiting
        adds = not (tool.exact or tool.replaces) or (number and named(tool.tool, tool.known) & LATER)
        if adds and back.possible and (yield from back.standing()) is not None:
            continue  # what it adds could not be taken back
        if (yield from back.written_with(tool, "write")):
            return True
        tried = True
        if back.blank or not back.possible:
            break
    for attempt in _commands(path, content, workspace, box, habits):
        if (yield from back.shown_after([attempt])):
            return True
        tried = True
    if back.blank or not back.possible:
        return tried or bool(box.patch)
    yield from as_trials(unlock(box, habits))
    done = yield from as_trials(_by_strangers(back))
    return done or (yield from back.shown_by_command())


def _in_order(back: _ReadBack, tools: list[Candidate]) -> Generator[Attempt, Result, list[Candidate]]:
    """Tools that change what stands in a file before others where there is one, else behind them."""
    if any(one.exact for one in tools) and back.possible:
        before, known = (yield from back.standing()), back.habits.written.get(back.path, "")
        if before is None or not holds(known)(before):
            back.habits.written[back.path] = plain(before)[0] if before is not None else ""
        return sorted(tools, key=lambda one: one.exact == (before is None))
    return tools


def _by_strangers(back: _ReadBack) -> Steps:
    """Write with tools of which nobody says that they write, where a file stands only with such as refuse what does not fit."""
    path, box, habits = back.path, back.box, back.habits
    before = yield from back.standing()
    routes = (
        opened(path, back.content, back.workspace, box, habits, back.shown)
        if before is None or habits.stored[0]
        else iter(())
    )
    for steps in islice(routes, MOST_OPENED):
        if (yield from steps):
            return True
    every = [tool for tool in strange_writers(box, habits) if before is None or tool.exact]
    for text in plain(before) if before is not None else [""]:
        habits.written[path] = text
        for tool in every[:MOST_STRANGERS]:
            if (yield from back.written_with(tool, "write")):
                habits.adopted["write"] = tool
                return True
    return False


@dataclass(slots=True)
class _ReadBack:
    """Writing, and looking whether the file reads as it should."""

    path: str
    content: str
    workspace: str
    box: Toolbox
    habits: Habits
    alike: bool = False
    """Whether what stood there may look the same."""
    looked: str = ""
    """What was shown last."""
    said: str = ""
    """The notice that came last of a call that was to write."""
    others: Sequence[Candidate] = ()
    """Tools that were not tried yet: one that a notice names comes next."""
    folders: set[tuple[str, str]] = field(default_factory=set)
    """Tools and forms of the path for which folders were made."""
    before: tuple[str, bool] | None = None
    """What a first look has shown, and whether that is a file."""

    @property
    def blank(self) -> bool:
        """Whether there is nothing to look for."""
        return not _lines(self.content)

    @property
    def place(self) -> str:
        """The file's path, from the root on where the workspace's is known."""
        return str(PurePosixPath(self.workspace) / self.path) if self.workspace else self.path

    @property
    def possible(self) -> bool:
        """Whether there is anything on offer to look with."""
        return bool(self.box.read or self.box.run)

    def written_with(self, tool: Candidate, kind: str) -> Generator[Attempt, Result, bool]:
        """Write with a tool, under each form of the path and each way to give a long content in pieces."""
        forms = self.habits.forms(kind, tool.forms(self.path, self.workspace, self.habits.styles))
        for number, (form, target) in enumerate(
            forms[: None if tool in self.box.write and not tool.exact else 2 - self.habits.ways]
        ):
            extra = self.habits.extra.get(tool.tool) or self.habits.chosen(tool.known)
            before = self.habits.written.get(self.path, "")
            for calls in _calls(tool, target, self.content, before, self.box.write):
                attempts = [Attempt(kind, one, arguments, form).with_more(extra) for one, arguments in calls]
                if (
                    yield from self.shown_after(
                        attempts, tool, insist=not number and tool.notation == "whole" and not tool.by_lines
                    )
                ):
                    return True
                if any(says(self.said, one.tool) for one in self.others):
                    return False
        return False

    def shown_after(
        self, attempts: Sequence[Attempt], tool: Candidate | None = None, *, insist: bool = False
    ) -> Generator[Attempt, Result, bool]:
        """Make calls that write, and look; one that is to `insist` is made again, then.

        After what its result asks for: arguments, or another tool. And because some tools write over a file only after it was
        looked at, or write into one that another tool has made.
        """
        result = Result("")
        for one in attempts:
            result = yield from carried_out(one, self.habits)
        self.said = result.text if result.notice else ""
        if self.blank:
            return False
        attempt = attempts[0]
        shown = yield from self.shown()
        if shown and self.alike and self.said:
            yield from self._as_said(attempts, result)
            shown = yield from self.shown()
        if not shown and tool is not None:
            again = self._after_removal if self._added_to(self.looked) else self._after_hints
            shown = yield from again(attempts, tool, result, insist=insist)
        if not shown:
            self.habits.refusals[attempt.tool] += 1
            return False
        self.habits.written[self.path] = self.content
        self.habits.worked(attempt)
        return True

    def _as_said(self, attempts: Sequence[Attempt], result: Result) -> Generator[Attempt, Result, None]:
        """Do what the result of a write may have asked for, where looking does not tell: write again, or call what it names."""
        if not any(says(self.said, one.tool) for one in self.box.read):
            yield from told_first(attempts[0], result, self.box, self.habits, self.place)
            return
        for one in attempts:
            yield from carried_out(one, self.habits)

    def _after_removal(
        self, attempts: Sequence[Attempt], tool: Candidate, _said: Result, *, insist: bool
    ) -> Generator[Attempt, Result, bool]:
        """Take the file away where a tool has only added to it, and write anew."""
        del insist
        for remover in removers(self.box, tool):
            forms = dict(remover.forms(self.path, self.workspace, self.habits.styles))
            yield Attempt("make", remover.tool, remover.arguments(forms.get(attempts[0].form, self.path)))
            for one in attempts:
                yield from carried_out(one, self.habits)
            return (yield from self.shown())
        return False

    def _after_hints(
        self, attempts: Sequence[Attempt], tool: Candidate, said: Result, *, insist: bool
    ) -> Generator[Attempt, Result, bool]:
        """Do what a result asks for, and write again."""
        attempt, shown = attempts[0], False
        brought, where = yield from told_first(attempt, said, self.box, self.habits, self.place)
        if brought.text and not where:
            shown = yield from self.shown()
        if not shown and (yield from self._with_folders(attempt, tool)):
            for one in attempts:
                yield from carried_out(one, self.habits)
            shown = yield from self.shown()
        if shown or not (brought.text or insist):
            return shown
        more = asked_for(tool.known, attempt.arguments, said.text) | self._shown_for(tool, attempt)
        made = False
        for maker in makers(self.box, self.habits, tool) if not more and not brought.text else ():
            form = next((text for name, text in maker.forms(self.path, self.workspace) if name == attempt.form), "")
            yield Attempt("make", maker.tool, maker.arguments(form or self.path))
            made = True
        if made or more or brought.text or tool in self.box.write:
            for one in attempts:
                yield from carried_out(one.with_more(more), self.habits)
            shown = yield from self.shown()
        if shown and more:
            self.habits.learn(tool.tool, more)
        return shown

    def _with_folders(self, attempt: Attempt, tool: Candidate) -> Generator[Attempt, Result, bool]:
        """Make the folders of a file, from the outermost on; whether any tool may have done so."""
        folders = [str(one) for one in PurePosixPath(self.path).parents][-2::-1]
        made = False
        for maker in folder_makers(self.box) if folders and attempt.habit not in self.folders else ():
            self.folders.add(attempt.habit)
            for folder in folders:
                forms = dict(
                    replace(tool, target=replace(tool.target, enum=())).forms(
                        folder, self.workspace, self.habits.styles
                    )
                )
                if attempt.form in forms:
                    yield Attempt("make", maker.tool, maker.arguments(forms[attempt.form]))
                    made = True
        return made

    def standing(self) -> Generator[Attempt, Result, str | None]:
        """What a look at the file shows, None where it shows the same as for a name that no file has."""
        if self.before is None:
            yield from self.shown()
            here = self.looked
            nowhere = replace(self, path=f"{self.path}0")
            yield from nowhere.shown()
            self.before = here, _without(here, self.path) != _without(nowhere.looked, nowhere.path)
        return self.before[0] if self.before[1] else None

    def _shown_for(self, tool: Candidate, attempt: Attempt) -> dict[At, JsonValue]:
        """What was shown with the file under the names of further parameters, such as its version."""
        given = {
            item.at: identifier(item, self.looked) for item in tool.known.items if item.name not in attempt.arguments
        }
        return {at: value for at, value in given.items() if value is not None}

    def shown(self) -> Generator[Attempt, Result, bool]:
        for tool in self.habits.tools("read", self.box.read, self.box.run[:1])[:1]:
            for form, target in self.habits.forms(
                "read", (yield from targets(tool, self.path, self.workspace, self.habits))
            ):
                known = self.habits.known(tool.tool, form)
                result = yield from look(tool, "look", form, target, self.box, self.habits, self.path, self.workspace)
                self.looked = result.text
                if self._stands(result.text):
                    self.habits.worked(Attempt("look", tool.tool, {}, form))
                    return True
                if known:
                    return False
        return (yield from self.shown_by_command())

    def shown_by_command(self) -> Generator[Attempt, Result, bool]:
        """Look with a command."""
        for shell in self.box.run[:1]:
            result = yield from cat(shell, "look", self.path, self.workspace, self.box, self.habits)
            self.looked = result.text
            return self._stands(result.text)
        return False

    def _stands(self, text: str) -> bool:
        """Whether a text shows the file as it should be."""
        return holds(self.content)(text) and not self._added_to(text)

    def _added_to(self, text: str) -> bool:
        return keeps(self.habits.written.get(self.path, ""), self.content, text)


def _calls(
    tool: Candidate, target: str, content: str, before: str, others: Sequence[Candidate]
) -> Iterator[list[tuple[str, JsonObject]]]:
    """The calls, each with its tool, that give a content: one, or several where it takes no more at once.

    All but the first add. Nothing says which choice of the tool makes it add, or which other tool does: each is tried.
    """
    name = tool.tool
    if tool.by_lines:
        yield [(name, tool.writes(target, line)) for line in content.splitlines()][:MOST_PIECES]
        return
    longest = tool.content.longest if tool.content is not None else 0
    if tool.content is None or not 0 < longest < len(content):
        yield [(name, tool.writes(target, content, before))]
        return
    pieces = [content[start : start + longest] for start in range(0, len(content), longest)][:MOST_PIECES]
    first = (name, tool.writes(target, pieces[0]))
    for item in tool.known.items:
        choices: Sequence[JsonValue] = item.enum or ((True,) if item.accepts("boolean") and item.types else ())
        for choice in choices:
            yield [first, *((name, filled(tool.writes(target, one), {item.at: choice})) for one in pieces[1:])]
    for other in others:
        if other.tool != name:
            yield [first, *((other.tool, other.writes(target, one)) for one in pieces[1:])]


def _commands(path: str, content: str, workspace: str, box: Toolbox, habits: Habits) -> Iterator[Attempt]:
    """Commands that write."""
    for shell in box.run[:1]:
        for form, language, place in command_forms(shell, path, workspace, habits):
            if command := language.write(place, content):
                yield Attempt("print", shell.tool, shell.arguments(command), form)


def _without(text: str, name: str) -> str:
    return re.sub(r"\d+", "", text.replace(name, ""))


def holds(content: str) -> Callable[[str], bool]:
    """Whether a text shows a file of this content, whatever way its lines are shown."""
    lines = _lines(content)

    def shows(text: str) -> bool:
        known = readings(text)
        return bool(lines) and all(any(within(line, reading) for reading in known) for line in lines)

    return shows


def keeps(old: str, content: str, text: str) -> bool:
    """Whether a text shows a file that holds an old content besides this one."""
    before, after = _lines(old), _lines(content)
    joined = "\n".join(after)
    for reading in readings(text):
        times = min((reading.count(line) // joined.count(line) for line in after), default=0)
        if times and before and all(reading.count(line) > times * joined.count(line) for line in before):
            return True
    return False


def holds_some(texts: Iterable[str]) -> Callable[[str], bool]:
    """Whether a text shows a line of these; any text does where there is none."""
    told = [line for text in texts for line in _lines(text)]
    lines = [line for line in told if len(line) >= TELLING] or told

    def shows(text: str) -> bool:
        known = readings(text)
        return not lines or any(line in reading for line in lines for reading in known)

    return shows


def _lines(content: str) -> list[str]:
    return [normalise(line)[:LINE] for line in content.splitlines() if line.strip()]
