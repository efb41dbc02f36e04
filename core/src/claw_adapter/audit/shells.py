"""Where a shell is after a command that has gone to a folder, and what it knows of an exported name: it stays so, or not."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from pydantic import JsonValue

from claw_adapter.audit.commands import asks_for, asks_where, exported_by, went_by
from claw_adapter.audit.places import place_in
from claw_adapter.audit.results import Failed, flat_of
from claw_adapter.patterns import WORKING_FOLDER, key_of
from claw_adapter.reading import strings_of

__all__ = ["ShellPlaces"]

WORD: Final = re.compile(r"\w{5,}")
"""One that nothing else in a result says by chance."""
GOES: Final = re.compile(r"\b(?:cd|pushd|popd)\b")
ANYWHERE: Final = re.compile(r"[*?$`\[]|\b(?:cd|pushd|popd)\s*(?:-|[;&|)]|$)")
"""What goes where its text does not say."""


@dataclass(slots=True)
class _Kept:
    """Whether a shell has kept something over a turn, and then over a restart."""

    turns: int = 0
    """How many have begun since."""
    stayed: bool = False
    """Whether it was still there in a later one."""
    again: bool = False
    """Whether the session was closed and opened again since."""

    def turned(self, *, again: bool) -> None:
        self.turns, self.again = self.turns + 1, self.again or again

    def lost(self, *, there: bool) -> bool:
        """Whether it is gone behind a restart, and was there in a turn before; asked in a later turn."""
        if self.again:
            return self.stayed and not there
        self.stayed = there
        return False


@dataclass(slots=True)
class ShellPlaces:
    """Follows the commands of a trial that go somewhere, or export a name, and those that ask for that.

    Each conversation has a shell of its own: where a sub-agent goes is nobody else's place, and what it exports nobody else's.
    """

    workspace: str
    """The end of the workspace's path."""
    _main: _ShellPlace = field(init=False)
    _beside: dict[int, _ShellPlace] = field(default_factory=dict)
    """Those of the turn's sub-agents, by their first requests."""
    _ended: list[_ShellPlace] = field(default_factory=list)
    """Those of turns before."""

    def __post_init__(self) -> None:
        self._main = _ShellPlace(self.workspace)

    def turned(self, *, again: bool) -> None:
        """A turn begins, behind a restart or not."""
        self._main.turned(again=again)
        self._ended += self._beside.values()
        self._beside = {}

    def follow(self, arguments: dict[str, JsonValue], talk: int | None) -> None:
        """Any command of the conversation, or of one beside it: behind one that goes somewhere nobody knows where it is."""
        own, goes = self._of(talk), [text for text in strings_of(arguments) if GOES.search(text)]
        own.went += goes
        own.went += [
            text for name, text in arguments.items() if isinstance(text, str) and key_of(name) in WORKING_FOLDER
        ]
        if goes and went_by(arguments) is None:
            own.leave()

    def judge(
        self, arguments: dict[str, JsonValue], result: str, failed: Failed, request: int, talk: int | None
    ) -> bool:
        """Whether a call is one of these, of the conversation or of one beside it (`talk`)."""
        own = self._of(talk)
        if asks_where(arguments):
            mine = (own, self._main)  # a sub-agent may begin where its caller is
            others = [one for one in (*self._ended, *self._beside.values()) if one is not own and one.went]
            places = [place for place in own.places(result) if place and not any(one.may_be(place) for one in mine)]
            shared = next((place for place in places if any(one.names(place) for one in others)), "")
            if shared:
                what = f"commands run in {shared}, and another conversation has gone there, not this one"
                failed.note("M17", "shell-shared", shared, what, request)
            if shared or (others and not own.folder):
                return True
        name = asks_for(arguments)
        beside = (one.exports(name) for one in self._beside.values() if name and one is not own)
        if theirs := next((value for value in beside if own.exports(name) != value and value and value in result), ""):
            what = f"{name} is {theirs!r} here, and that was exported in another conversation, which has begun after this one"
            failed.note("M17", "shell-shared", name, what, request)
            return True
        return own.judge(arguments, result, failed, request)

    def _of(self, talk: int | None) -> _ShellPlace:
        return self._main if talk is None else self._beside.setdefault(talk, _ShellPlace(self.workspace))


@dataclass(slots=True)
class _ShellPlace:
    """The same of one conversation."""

    workspace: str
    went: list[str] = field(default_factory=list)
    """Its commands that go anywhere."""
    _went: tuple[str, bool] = ("", True)
    """The folder of the last command that went to one, and whether it worked."""
    _back: bool = False
    """Whether a shell was in the workspace behind one that worked."""
    _place: _Kept = field(default_factory=_Kept)
    _names: dict[str, tuple[str, _Kept]] = field(default_factory=dict)
    """Exported names, with their values."""
    _former: dict[str, str] = field(default_factory=dict)
    """What those had before to which another value was given."""

    def turned(self, *, again: bool) -> None:
        """A turn begins, behind a restart or not."""
        for kept in (self._place, *(kept for _, kept in self._names.values())):
            kept.turned(again=again)

    def judge(self, arguments: dict[str, JsonValue], result: str, failed: Failed, request: int) -> bool:
        """Whether a call is one of these.

        A shell that goes back is not to stay where a command has failed; what stays over turns stays over restarts.
        """
        if (exported := exported_by(arguments)) is not None:
            name, value = exported
            self._former |= {name: self._names[name][0]} if name in self._names else {}
            self._names[name] = value, _Kept()
            return True
        if (name := asks_for(arguments)) in self._names:
            self._shows(name, flat_of(result).replace("\r\n", "\n"), failed, request)
            return True
        if (went := went_by(arguments)) is not None:
            folder = place_in(f"{went[0]}/", self.workspace).rstrip("/")
            self._went, self._place = (folder, went[1]), _Kept()
            return True
        if not self._went[0] or not asks_where(arguments):
            return False
        self._stands(result, failed, request)
        return True

    def _shows(self, name: str, shown: str, failed: Failed, request: int) -> None:
        """A result that shows an exported name's value, or nothing of it."""
        value, kept = self._names[name]
        if value not in shown and any(word in shown for word in WORD.findall(self._former.get(name, ""))):
            what = f"{name} was exported as {value!r}, and later it is what it was before: {shown.strip()[:60]!r}"
            failed.note("M17", "shell-older", name, what, request)
        elif value not in shown and any(word in shown for word in WORD.findall(value)):
            what = f"{name} was exported as {value!r}, and later there is only part of that: {shown.strip()[:60]!r}"
            failed.note("M17", "shell-halved", name, what, request)
        elif kept.turns and kept.lost(there=value in shown):
            what = f"in a turn after a restart {name} is not exported any more, and in the one before it was"
            failed.note("M24", "shell-forgotten", name, what, request)

    def leave(self) -> None:
        """It may be anywhere."""
        self._went, self._place = ("", True), _Kept()

    def names(self, place: str) -> bool:
        """Whether one of its commands that go anywhere has named a folder."""
        name = re.compile(rf"(?<![\w.-]){re.escape(PurePosixPath(place).name)}(?![\w.-])")
        return any(map(name.search, self.went))

    def may_be(self, place: str) -> bool:
        """Whether its commands may have gone to a folder."""
        return self.names(place) or any(map(ANYWHERE.search, self.went))

    def exports(self, name: str) -> str:
        """The value that it has given a name; empty for none."""
        return self._names[name][0] if name in self._names else ""

    @property
    def folder(self) -> str:
        """Where the last command has gone that went anywhere."""
        return self._went[0]

    def places(self, result: str) -> set[str]:
        """The paths that a result shows, from the workspace on."""
        lines = (line.strip() for line in flat_of(result).splitlines() if "/" in line)
        return {place_in(f"{line}/", self.workspace).rstrip("/") for line in lines}

    def _stands(self, result: str, failed: Failed, request: int) -> None:
        (folder, worked), places = self._went, self.places(result)
        if self._place.turns:
            if self._place.lost(there=folder in places or (self._place.again and not places)):
                what = f"in a turn after a restart commands do not run in {folder} any more, and in the one before it they did"
                failed.note("M24", "shell-forgotten", folder, what, request)
        elif worked:
            self._back = "" in places
        elif folder in places and self._back:
            what = (
                f"after a command that failed in {folder} the next one runs there, and after one that worked it did not"
            )
            failed.note("M17", "shell-left", folder, what, request)
