"""What files are after each call of a turn, if every call does what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from pydantic import JsonValue

from claw_adapter.audit.commands import gone_by, newer_by, put_by, run_by, said_by, shown_by, told_by
from claw_adapter.audit.looking import only_looks
from claw_adapter.audit.patched import patched_by
from claw_adapter.audit.places import place_in
from claw_adapter.audit.purpose import command_of, leaves, line_behind, writes
from claw_adapter.audit.remarks import points_on
from claw_adapter.audit.rendering import ESCAPES, FILE_ENDS, line_feeds, with_characters, with_ends
from claw_adapter.audit.results import flat_of, whole_in
from claw_adapter.audit.told import ToldCommand
from claw_adapter.audit.units import RequestUnit, arguments_of
from claw_adapter.protocol.limits import Drop, Loss
from claw_adapter.reading import strings_of
from claw_adapter.runs.transcript import Exchange

__all__ = ["LINE_END", "AuditStep", "FileCourse", "Passage", "Steps", "WriteEffect", "effect_of", "looks"]

AuditStep = tuple[RequestUnit, RequestUnit, Exchange]
Steps = Sequence[AuditStep]
"""The calls of a turn with their results, and the requests whose replies they are of."""

PATH: Final = re.compile(r"path|file", re.IGNORECASE)
CONTENT: Final = re.compile(r"content|text|body|data", re.IGNORECASE)
OLD: Final = re.compile(r"old|search|find|before|original", re.IGNORECASE)
NEW: Final = re.compile(r"new|replace|after", re.IGNORECASE)
LINE_END: Final = Drop(what="line_end")
ADDS: Final = re.compile(r"append", re.IGNORECASE)
EVERY: Final = re.compile(r"(replace_?)?all|allow_?multiple|everywhere", re.IGNORECASE)
"""Arguments that say that an edit replaces a text wherever it stands."""


PLAIN: Final = str.maketrans("\u201c\u201d\u2018\u2019\u2013\u2014\u2212\u00a0", "\"\"''--- ")
"""Typographic signs, and the plain ones that models write in their place."""


@dataclass(frozen=True, slots=True)
class WriteEffect:
    """What a call does to a file: all of it is `new`, or `new` comes behind it, or in the place of `old`."""

    path: str
    new: str
    old: str | None = None
    behind: bool = False
    known: bool = True
    """Whether that is all it does: not where an edit says how often it replaces."""
    every: bool = False
    """Whether it replaces the text wherever it stands."""
    once: bool = False
    """Whether it is told not to do that."""
    again: bool = False
    """Whether an equal call of the same reply was before it."""
    eats: bool = False
    """Whether it takes the line end behind a text as well that it takes out."""
    loose: bool = False
    """Whether a text with plain signs may stand for one with typographic ones."""
    escapes: bool = False
    """Whether an escape in the text that it replaces may be a character in the file."""
    also: tuple[tuple[str, str], ...] = ()
    """Further texts that it replaces, with what comes in their places."""
    line: int | None = None
    """Behind which line `new` comes, as lines of its own."""
    ended: bool | None = None
    """Of a patch, or an insertion, whether it ends the last line of a file that had no end; None for what is neither."""

    def on(self, text: str | None, *, strict: bool) -> str | None:
        """The file's text afterwards, from its text before (None: it is not there); None where that cannot be known."""
        if self.behind or self.old is None:
            return f"{text or ''}{self.new}" if self.behind else self.new
        if text is None or not self.known or not (self.old or self.line is not None):
            return None
        if self.also or self.ended is not None:
            return self._each(text) if self.line is None else self._inserted(text, self.line)
        old, new = self.old, self.new
        if not strict and old not in text and _crlf(old) in text:
            old, new = _crlf(old), _crlf(new)
        old = with_characters(old) if self.escapes and old not in text else old
        if self.loose and old not in text and text.translate(PLAIN).count(old) == 1:
            at = text.translate(PLAIN).index(old)
            old = text[at : at + len(old)]
        absent = any(word not in text for word in old.split())  # whatever blanks are between
        if (self.again and old not in text) or (strict and absent):
            return text  # there is nothing, or nothing any more, to replace
        if text.count(old) != 1 and not (self.every and old in text):
            return None
        ends = (f"{old}{end}" for end in ("\r\n", "\n") if self.eats and not (new or old.endswith("\n")))
        return text.replace(next((one for one in ends if one in text), old), new)

    @property
    def changes(self) -> list[tuple[str, str]]:
        """All that it replaces, with what comes in its place."""
        return [(self.old or "", self.new), *self.also]

    def _inserted(self, text: str, line: int) -> str | None:
        """The text with the new lines in it; None where what ends a line is not plain, or there are not so many."""
        rows = text.removesuffix("\n").split("\n") if text else []
        if "\r" in text or self.new.endswith("\n") or line > len(rows):
            return None
        rows[line:line] = self.new.split("\n")
        return "\n".join(rows) + ("\n" if text.endswith("\n") or self.ended else "")

    def _each(self, text: str) -> str | None:
        """The text with all that is to be replaced, if each stands there once; of a patch, as lines."""
        for old, new in self.changes:
            sought = re.escape(old) if self.ended is None else rf"^{re.escape(old)}(?=\r?$)"
            places = list(re.finditer(sought, text, re.MULTILINE))
            if len(places) != 1:
                return None
            text = text[: places[0].start()] + new + text[places[0].end() :]
        return f"{text}\n" if self.ended and not text.endswith("\n") else text


def effect_of(
    name: str,
    arguments: dict[str, JsonValue],
    tools: Sequence[Mapping[str, Any]],
    workspace: str,
    files: Mapping[str, str],
) -> WriteEffect | None:
    """What a call of tool `name` is to write; None where it writes nothing, or nobody can say what.

    A script of the `files` writes what its one command does.
    """
    script = files.get(place_in(run_by(arguments), workspace), "")
    if (said := _said(arguments, script, workspace)) is not None:
        return said
    arguments, also = _several(_flat(arguments))
    path = _path(arguments, workspace)
    texts = {name: value for name, value in arguments.items() if not EVERY.fullmatch(name)}
    content, old, new = (_only(texts, kind) for kind in (CONTENT, OLD, NEW))
    if path is None:
        return None
    if (line := line_behind(name, arguments, tools)) is not None:
        put = [one for one in (content, new) if one is not None]
        return WriteEffect(path, put[0], "", line=line, ended=False) if len(put) == 1 and old is None else None
    if old is not None and new is not None:
        told = [name for name, value in arguments.items() if value is True]
        every = [EVERY.fullmatch(name) is not None for name in told]
        once = any(EVERY.fullmatch(name) and value in (False, "false") for name, value in arguments.items())
        return WriteEffect(path, new, old, known=all(every), every=bool(every), once=once, also=also)
    if content is not None and _adds(name, arguments):
        return WriteEffect(path, content, behind=True)
    return WriteEffect(path, content) if content is not None and writes(name, tools) else None


def _said(arguments: dict[str, JsonValue], script: str, workspace: str) -> WriteEffect | None:
    """What a command, or a patch, says that it does to a file; or a script."""
    if put := put_by({"command": script} if script else arguments):
        return WriteEffect(put.path, put.content, behind=put.behind)
    if (patch := patched_by(arguments)) is not None:
        before, after = patch.changes[0] if patch.changes else (None, patch.text)
        return WriteEffect(place_in(patch.path, workspace), after, before, also=patch.changes[1:], ended=False)
    return None


def _adds(name: str, arguments: Mapping[str, JsonValue]) -> bool:
    """Whether a call puts a text behind what is there: by its tool's name, or by an argument."""
    said = (value for key, value in arguments.items() if ADDS.search(key))
    modes = (value for key, value in arguments.items() if not CONTENT.search(key))
    return bool(ADDS.search(name)) or any(value in (True, "true") for value in said) or "append" in modes


def _crlf(text: str) -> str:
    """A text with the line ends of a file that has CR LF: models write them as line feeds, and tools know that."""
    return line_feeds(text).replace("\n", "\r\n")


def _ended(text: str | None, ends: Callable[[str], str]) -> str | None:
    return text and ends(text)


def _flat(arguments: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The arguments with those of the one thing that is to be done, where a tool takes a list of them."""
    lists = {name: value for name, value in arguments.items() if isinstance(value, list)}
    for name, value in lists.items():
        if len(lists) == 1 and len(value) == 1 and isinstance(item := value[0], dict):
            return {**{key: one for key, one in arguments.items() if key != name}, **item}
    return arguments


def _several(arguments: dict[str, JsonValue]) -> tuple[dict[str, JsonValue], tuple[tuple[str, str], ...]]:
    """The arguments with those of the first replacement, and the others, where they are a list of replacements in one file."""
    lists = [(name, value) for name, value in arguments.items() if isinstance(value, list)]
    name, items = lists[0] if len(lists) == 1 else ("", [])
    changes = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    if len(changes) < 2 or len(changes) < len(items):
        return arguments, ()
    rest = {key: value for key, value in arguments.items() if key != name}
    pairs = [(_only(change, OLD), _only(change, NEW)) for change in changes]
    more = [{key for key in change if not (OLD.search(key) or NEW.search(key))} for change in changes]
    places = {json.dumps([change[key] for key in sorted(keys)]) for change, keys in zip(changes, more, strict=True)}
    if len(places) > 1 or not all(_names_path(key) for keys in more for key in keys):
        return arguments, ()
    also = tuple((old, new) for old, new in pairs[1:] if old is not None and new is not None)
    return ({**rest, **changes[0]}, also) if len(also) == len(pairs) - 1 else (arguments, ())


@dataclass(frozen=True, slots=True)
class Passage:
    """A file's texts, None where they are not known: those it had before a reply, and those it may have in it."""

    before: Sequence[str | None] = ()
    now: Sequence[str | None] = (None,)
    absent: bool = False
    """Whether it is not there when the reply begins; `now` is then what the reply makes of it."""

    @property
    def known(self) -> list[str]:
        """The texts before that are known."""
        return [text for text in self.before if text is not None]


def looks(step: AuditStep) -> bool:
    """Whether a call changes nothing for certain."""
    call, _, exchange = step
    arguments = arguments_of(call)
    shows = shown_by(arguments) or said_by(arguments) or newer_by(arguments)
    if shows or leaves(call.tool, exchange.tools):
        return True
    command = command_of(call.tool, arguments, exchange.tools)
    return command is not None and only_looks(command)


@dataclass(slots=True)
class FileCourse:
    """The files of a workspace through the calls of a turn.

    A call that is made again in a later reply, to the letter, has not done what it was to do the first time, but for a command
    that adds to a file, and perhaps for one that gives a file all its text. Those of one reply are as many as there are.
    """

    steps: Steps
    before: Mapping[str, str]
    effects: list[WriteEffect | None] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    """Of each call that does nobody knows what, all that it says; else nothing."""
    texts: dict[str, list[str | None]] = field(default_factory=dict)
    """Of each file that was written so far: what it was, and what it became; None from where on that is not known."""
    at: int = 0
    strict: bool = False
    """Whether nothing is to be taken for the text that an edit replaces but that text."""
    told: Sequence[ToldCommand | None] = ()
    """Of each call, what a plan says that its command does."""
    sure: list[ToldCommand | None] = field(default_factory=list)
    """Those so far before which files were as they take for given."""
    put_off: set[str] = field(default_factory=set)
    """Files whose writing was answered with the name of another tool, that saves them: until then they are as they were."""
    first: Mapping[int, WriteEffect] = field(default_factory=dict)
    """Calls that give a file all its text, and are made again later: they may have done so already."""
    perhaps: dict[str, str] = field(default_factory=dict)
    """What files may be besides, by such calls."""
    lost: bool = False
    """Whether any file may be anything since a call of which nobody knows what it does."""

    @classmethod
    def of(
        cls, steps: Steps, before: Mapping[str, str], workspace: str, *, strict: bool, eats: bool = False, loose: bool = False,
        ended: bool = False, losses: Collection[Loss] = (), told: Sequence[ToldCommand | None] = (),
    ) -> FileCourse:  # fmt: skip
        """Before the first of these calls."""
        told = told or [None] * len(steps)
        escapes = ESCAPES in losses
        named = [(call.tool, arguments_of(call)) for call, _, _ in steps]
        found = [
            None if known else effect_of(name, arguments, exchange.tools, workspace, before)
            for (name, arguments), (_, _, exchange), known in zip(named, steps, told, strict=True)
        ]
        replies = [exchange.number for _, _, exchange in steps]
        last = {effect: reply for effect, reply in zip(found, replies, strict=True) if effect is not None}
        effects, seen = list[WriteEffect | None](), set[tuple[WriteEffect, int]]()
        for effect, reply in zip(found, replies, strict=True):
            # of two that replace everywhere, the first takes what has a line end behind it, the second the rest
            twice = effect is not None and eats and effect.every
            counts = effect is not None and (effect.behind or twice or last[effect] == reply)
            again = effect is not None and (effect, reply) in seen
            effects.append(
                replace(
                    effect,
                    again=again,
                    eats=eats,
                    loose=loose,
                    escapes=escapes,
                    ended=None if effect.ended is None else ended,
                )
                if effect is not None and counts
                else None
            )
            seen |= {(effect, reply)} if effect is not None else set()
        said = [
            "" if effect or known or looks(step) else told_by(arguments)
            for effect, known, step, (_, arguments) in zip(found, told, steps, named, strict=True)
        ]
        off = {
            effect.path
            for effect, (name, _), (_, result, exchange) in zip(found, named, steps, strict=True)
            if effect is not None and points_on(name, exchange.tools, result.text, [effect.new, effect.path])
        }
        first = {
            number: effect
            for number, (effect, counts) in enumerate(zip(found, effects, strict=True))
            if effect is not None and counts is None and effect.old is None
        }
        return cls(steps, before, effects, said, strict=strict, told=told, put_off=off, first=first)

    @classmethod
    def leaving(
        cls, steps: Steps, sides: tuple[Mapping[str, str], Mapping[str, str]], workspace: str, *, strict: bool,
        losses: Collection[Loss], told: Sequence[ToldCommand | None] = (),
    ) -> FileCourse:  # fmt: skip
        """Before the first of these calls: the way through them that leads from one side to the other.

        That is the one that explains most of what is left: edits may take a text with typographic signs for one with plain
        signs, and line ends as well, if that is declared.
        """
        way = partial(cls.of, steps, sides[0], workspace, strict=strict, losses=losses, told=told)
        plain = way()
        ends = with_ends if FILE_ENDS in losses else line_feeds
        if len(plain.left(sides[1], ends)) == len(plain.texts):
            return way()
        eating = (False, True) if LINE_END in losses else (False,)
        patched = any(effect is not None and effect.ended is not None for effect in plain.effects)
        ending = (False, True) if patched else (False,)
        ways = [
            partial(way, eats=eats, loose=loose, ended=ended)
            for eats in eating
            for loose in (False, True)
            for ended in ending
        ]
        return max(ways, key=lambda one: len(one().left(sides[1], ends)))()

    @property
    def eats(self) -> bool:
        """Whether edits take line ends as well."""
        return any(effect is not None and effect.eats for effect in self.effects)

    def left(self, after: Mapping[str, str], ends: Callable[[str], str]) -> set[str]:
        """To the end: the files that are then as they are afterwards, but for their line ends, which `ends` makes alike."""
        self.end()
        return {path for path, texts in self.texts.items() if _ended(texts[-1], ends) == _ended(after.get(path), ends)}

    def lose(self) -> None:
        """From here on any file may be anything, until a call gives it all its text."""
        self.texts.clear()
        self.lost = True

    def now(self, path: str) -> str | None:
        """What a file is by now; None where it is not there, or that is not known."""
        text = self.texts.get(path, [self.before.get(path)])[-1]
        return text if self.perhaps.get(path, text) == text else None

    def _so_far(self, path: str) -> list[str | None]:
        """What a file was, and what it became; to go on with."""
        return self.texts.setdefault(path, [self.before.get(path), *([None] if self.lost else [])])

    def end(self) -> None:
        """To the end."""
        while self.at < len(self.steps):
            self.go_on()

    def trusted(self, after: Mapping[str, str]) -> list[ToldCommand | None]:
        """To the end: what was said of commands, where files were as that takes for given and are then as it leaves them."""
        self.end()
        wrong = {path for path, texts in self.texts.items() if texts[-1] is not None and texts[-1] != after.get(path)}
        return [None if one is None or wrong & {*one.given, *one.leaves} else one for one in self.sure]

    @property
    def paths(self) -> set[str]:
        """The files that are written in the turn."""
        return set[str]().union(*map(self.changed_by, range(len(self.steps))))

    def changed_by(self, number: int) -> set[str]:
        """The files that a call is known to change."""
        effect, told = self.effects[number], self.told[number]
        return ({effect.path} if effect is not None else set()) | ({*told.leaves} if told is not None else set())

    def changes(self, path: str, *, after: int) -> bool:
        """Whether a call behind that of a number is known to change a file, or names it, and does nobody knows what."""
        later = range(after + 1, len(self.steps))
        return any(path in self.changed_by(number) or self._may_change(path, number) for number in later)

    def _may_change(self, path: str, number: int) -> bool:
        """Whether a call names a file, and does nobody knows what; what only removes it is looked at elsewhere."""
        gone = gone_by(arguments_of(self.steps[number][0]))
        return path in self.said[number] and (gone is None or gone[0] != path)

    def settled(self, path: str, number: int, sides: tuple[Mapping[str, str], Mapping[str, str]]) -> bool:
        """To the end: whether a file is left as the one call makes it that changes it, in a reply before that of a number.

        And nothing behind that, or beside it, may have changed it instead, so that this is what it was already at the number.
        """
        changes = [at for at in range(len(self.steps)) if path in self.changed_by(at)]
        before, after = (side.get(path) for side in sides)
        if len(changes) != 1 or before == after or after is None or self.texts.get(path, [None])[-1] != after:
            return False
        reply = self.steps[changes[0]][2].number
        later = [at for at, (_, _, exchange) in enumerate(self.steps) if exchange.number >= reply and at not in changes]
        known = all(self.effects[at] is not None or looks(self.steps[at]) for at in later)
        return known and path not in self.put_off and reply < self.steps[number][2].number

    def shown_otherwise(
        self, path: str, number: int, sides: tuple[Mapping[str, str], Mapping[str, str]], result: str
    ) -> bool:
        """Whether a result shows a file as it is in the end, and that is not what the one call before it has made of it.

        Nor is it what the file was: then the call may have been refused.
        """
        before, after = (side.get(path) for side in sides)
        changes = [at for at in range(number) if path in self.changed_by(at)]
        if (
            len(changes) != 1
            or after in (None, before)
            or self.steps[changes[0]][2].number >= self.steps[number][2].number
        ):
            return False
        so_far = (self.effects[at] is not None or looks(self.steps[at]) for at in range(number) if at not in changes)
        made = self.effects[changes[0]]
        text = made.on(before, strict=False) if made is not None else None
        otherwise = text not in (None, after) and path not in self.put_off and all(so_far)
        return otherwise and whole_in(after or "", flat_of(result))

    def path(self, number: int) -> str:
        """The file that a call writes; empty for none."""
        effect = self.effects[number]
        return effect.path if effect is not None else ""

    def overwrites(self, number: int) -> bool:
        """Whether a call gives a file all its text."""
        effect = self.effects[number]
        return effect is not None and effect.old is None and not effect.behind

    @property
    def anew(self) -> set[tuple[int, str]]:
        """Replies, with the files that one of their calls writes anew: read beside that, one may be empty for a moment."""
        written = zip(self.steps, self.effects, strict=True)
        return {(exchange.number, one.path) for (_, _, exchange), one in written if one is not None and not one.behind}

    def told_otherwise(self) -> set[int]:
        """Calls that write, with another result than an equal one before: they may have been refused in words."""
        first = dict[str, str]()
        found = set[int]()
        for number, (call, result, _) in enumerate(self.steps):
            if self.path(number) and first.setdefault(call.text, result.text) != result.text:
                found.add(number)
        return found

    def through(self) -> list[dict[str, Passage]]:
        """For each call, what the files were before the reply that it is of, and what they may be in it; by path.

        The calls of one reply have no order: some harnesses run them side by side.
        """
        paths, replies = self.paths, [exchange.number for _, _, exchange in self.steps]
        found: list[dict[str, Passage]] = []
        while len(found) < len(replies):
            start = {path: len(self.texts.get(path, "-")) for path in paths}
            size = sum(reply == replies[len(found)] for reply in replies[len(found) :])
            for _ in range(size):
                self.go_on()
            texts = {path: self.texts.get(path, [self.before.get(path)]) for path in paths}
            found += [{path: self._passage(path, texts[path], at) for path, at in start.items()}] * size
        return found

    def _passage(self, path: str, texts: Sequence[str | None], at: int) -> Passage:
        first = 0 if path in self.before else 1  # what stands for a file that is not there is no text
        if path in self.put_off:
            return Passage(now=texts[first:] or (None,), absent=bool(first))
        perhaps = [self.perhaps[path]] if path in self.perhaps else []
        return Passage(texts[first : at - 1], [*texts[max(first, at - 1) :], *perhaps], absent=at == first)

    def go_on(self) -> None:
        """Past the next call."""
        effect, said, gone = self.effects[self.at], self.said[self.at], gone_by(arguments_of(self.steps[self.at][0]))
        told = self.told[self.at]
        if self.at in self.first:
            self.perhaps[self.first[self.at].path] = self.first[self.at].new
        self.at += 1
        self._tell(told)
        for path in self.paths if said else ():
            if path in said and (path not in self.put_off or gone is not None):
                self._so_far(path).append(None)
        if effect is not None:
            self.perhaps.pop(effect.path, None)
            texts = self._so_far(effect.path)
            unknown = len(texts) > 1 and texts[-1] is None
            whole = effect.old is None and not effect.behind
            texts.append(effect.on(texts[-1], strict=self.strict) if whole or not unknown else None)

    def _tell(self, told: ToldCommand | None) -> None:
        """What a command does of which that was said, if files are as it takes for given."""
        now = {path: self.texts.get(path, [self.before.get(path)])[-1] for path in told.given} if told else {}
        sure = told is not None and now == told.given
        self.sure.append(told if sure else None)
        for path, text in told.leaves.items() if told else ():
            self._so_far(path).append(text if sure else None)


def _path(arguments: dict[str, JsonValue], workspace: str) -> str | None:
    named = [value for key, value in arguments.items() if isinstance(value, str) and _names_path(key)]
    texts = [value for value in arguments.values() if isinstance(value, str)]
    if len(named) != 1 or len(list(strings_of(arguments))) != len(texts):
        return None
    path = place_in(named[0], workspace)
    return None if path.startswith("/") else path


def _only(arguments: Mapping[str, JsonValue], kind: re.Pattern[str]) -> str | None:
    """The one text among the arguments whose name is of a kind."""
    found = [v for k, v in arguments.items() if isinstance(v, str) and kind.search(k) and not _names_path(k)]
    return found[0] if len(found) == 1 else None


def _names_path(argument: str) -> bool:
    """Whether an argument is a path by its name: ``file_text`` is none."""
    return bool(PATH.search(argument)) and not CONTENT.search(argument)
