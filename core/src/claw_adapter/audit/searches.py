"""What a tool that searches finds: files that have a text or a name now, all of them, and none that no longer has it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath
from typing import Final

from pydantic import JsonValue

from claw_adapter.audit.course import Passage
from claw_adapter.audit.listings import names_in
from claw_adapter.audit.places import hidden, place_in
from claw_adapter.audit.results import LEAST, Failed, lines_of_text, split_lines
from claw_adapter.patterns import ANY_CASE, LINES_AROUND, as_text, key_of
from claw_adapter.protocol.limits import Clip, Loss
from claw_adapter.reading import strings_of

__all__ = ["Search", "SearchWorld", "Searches", "is_due", "search_in"]

PLAIN: Final = re.compile(r"-{0,2}\w+(?: \w+)*")
"""What is the same as a text and as a regular expression."""
BY_NAME: Final = re.compile(r"\*\*/((?:\*\.|\.)?\w[\w.-]*)")
"""A pattern of names, of files anywhere below: of one name, a hidden one too, or of all that end so."""
REGULAR: Final = re.compile(r"\w{4,}(?:\[0-9\]\+)?(?:\|\w{4,}(?:\[0-9\]\+)?)*")
"""A regular expression that is the same in every dialect: words, perhaps with digits behind, of which any is found."""
BROKEN: Final = re.compile(r"[(\[]\w{4,}")
"""What is a text, and no regular expression in any dialect with groups, or in any with classes."""
HERE: Final = re.compile(r"(\w[\w./ -]*)/(\*\.\w+)")
"""The same, of files right in a folder."""
AMONG: Final = re.compile(r"(?:\*\*/)?\*\.(?:(\w+)|\{(\w+(?:,\w+)*)\})")
"""A pattern of names that end in one of some ways."""
HIDDEN: Final = re.compile(r"(?:^|[\s/\"'])\.\w", re.MULTILINE)
"""The path of something hidden."""
WORDS: Final = re.compile(r"\w+")
NUMBER: Final = re.compile(r"\d+")
SHORT: Final = 4
"""Characters of what is looked for, at least: in less, there may be some of it anywhere."""
MOST: Final = 8
"""Lines that are shown, or whose files are, without any being left out."""
FEW: Final = 3
"""Lines with the right numbers behind which other numbers are wrong ones."""
LINE: Final = 200
"""Characters of a line that is shown whole."""
NUMBERED: Final = re.compile(r"(?<!\d)(\d{1,6})[^\w\n]{0,4}$")
"""A number right before a line, where some tools say which line of its file it is."""
CONTROL: Final = re.compile(r"[^\S \t\n\r]|[\x00-\x08\x0e-\x1f\x7f]")
"""What stands in no plain text."""


@dataclass(frozen=True, slots=True)
class Search:
    """What a call looks for, a text or (`by_name`) a pattern of names, in a folder or a file: "" is the workspace."""

    text: str
    folder: str
    by_name: bool
    narrow: bool
    """Whether it says more than that: what is left out may be left out for this."""
    said: tuple[str, ...] = field(default=(), compare=False)
    """All that the call says, the longest first."""
    suffixes: tuple[str, ...] = ()
    """How the names of all files end at which it looks; empty: in any way."""
    regular: bool = False
    """Whether the text is a regular expression."""
    right: bool = False
    """Whether only files right in the folder are looked for."""
    any_case: bool = False
    """Whether capitals are the same as small letters."""
    around: int = 0
    """Lines before and behind one that is found, which are to be shown as well."""
    broken: bool = False
    """Whether the text is to be a regular expression, and is none: it may be refused, or looked for as it is."""

    def has(self, text: str, *, any_case: bool = False) -> bool:
        """Whether it finds something in a text."""
        any_case = any_case or self.any_case
        if self.regular:
            return re.search(self.text, text, re.IGNORECASE if any_case else 0) is not None
        return self.text.casefold() in text.casefold() if any_case else self.text in text

    def looks_at(self, path: str) -> bool:
        """Whether the names of files that are looked at end so."""
        return not self.suffixes or PurePosixPath(path).suffix[1:] in self.suffixes

    def finds(self, path: str, text: str) -> bool:
        """Whether a file is to be found, which has this text."""
        if not self.looks_at(path) or (self.right and str(PurePosixPath(path).parent) != self.folder):
            return False
        if not self.by_name:
            return self.has(text)
        name = PurePosixPath(path).name
        return name.endswith(self.text[1:]) if self.text.startswith("*") else name == self.text


def search_in(
    arguments: Mapping[str, JsonValue], paths: Collection[str], workspace: str, *, patterns: bool | None
) -> Search | None:
    """What a call looks for, if that is plain, and nothing else can be meant; else None.

    Of a tool that takes `patterns`, what is none, has each of its signs escaped or is of plain alternatives; of one that takes
    texts, any; where that is not known, words.
    """
    texts = sorted(strings_of(dict(arguments)), key=len, reverse=True)
    folders = ["", *(str(parent) for path in paths for parent in PurePosixPath(path).parents)]
    places = {text: place_in(f"{text.rstrip('/')}/", workspace).rstrip("/") for text in texts}
    inside = ["" if places[text] == "." else places[text] for text in texts if places[text] in {*folders, *paths}]
    sought = [text for text in texts if places[text] not in {*folders, *paths}]
    among = [found for text in sought if (found := AMONG.fullmatch(text))] if len(sought) == 2 else []
    sought = [text for text in sought if len(among) != 1 or text != among[0][0]]
    if len(sought) != 1 or len(inside) > 1 or len(sought[0]) < SHORT:
        return None
    here = HERE.fullmatch(sought[0])
    by_name = BY_NAME.fullmatch(f"**/{here[2]}" if here else sought[0])
    if here:
        inside = ["/".join(filter(None, (*inside, here[1])))]
        if inside[0] not in folders:
            return None
    regular = patterns is True and by_name is None and as_text(sought[0]) is None
    told = by_name[1] if by_name else _meant(sought[0], patterns)
    if not told or (by_name and (among or {*inside} & {*paths})):
        return None
    any_case = any(value is ANY_CASE.get(key_of(name)) for name, value in arguments.items() if value is not None)
    narrow = len(arguments) > len(texts) + any_case
    around = next((n for name, n in arguments.items() if type(n) is int and key_of(name) in LINES_AROUND), 0)
    suffixes = tuple((among[0][1] or among[0][2]).split(",")) if among else ()
    search = Search(
        told, "".join(inside), by_name is not None, narrow, tuple(texts), suffixes, regular, here is not None
    )
    broken = patterns is True and BROKEN.fullmatch(sought[0]) is not None
    return replace(search, any_case=any_case, around=around, broken=broken, regular=regular and not broken)


def _meant(sought: str, patterns: bool | None) -> str | None:
    """The text, or the regular expression, that a call looks for, where it can be no other."""
    if patterns and (REGULAR.fullmatch(sought) or BROKEN.fullmatch(sought)):
        return sought
    if PLAIN.fullmatch(sought) or patterns is None:
        return sought if PLAIN.fullmatch(sought) else None
    return (as_text(sought) if patterns else sought) if sought.isprintable() else None


@dataclass(frozen=True, slots=True)
class SearchWorld:
    """The workspace when a call is made.

    Args:
        there: the files that are texts, with what they are.
        others: those that are none.
        older: of each file, lines that it had in an earlier round, and no longer has.
        end: how the workspace's path ends.
    """

    there: Mapping[str, Passage]
    others: Collection[str]
    older: Mapping[str, Collection[str]]
    end: str

    def texts(self, path: str) -> list[str]:
        """What a file may be, where that is known; nothing of one that may not be there."""
        passage = self.there.get(path, Passage())
        texts = [text for text in passage.now if text is not None]
        return texts if len(texts) == len(passage.now) and not passage.absent else []

    def replaced(self, flat: str, search: Search | None = None) -> Iterator[str]:
        """Lines that a result shows, such as are looked for, and no file has any more.

        None where it is not known what files have, or where something hidden is shown, which may be a harness's own.
        """
        if HIDDEN.search(flat) or any(None in passage.now for passage in self.there.values()):
            return
        now = [one for passage in self.there.values() for one in passage.now if one is not None]
        past = {line for lines in self.older.values() for line in lines}
        past |= {line for passage in self.there.values() for one in passage.known for line in lines_of_text(one)}
        sought = (line for line in sorted(past) if search is None or search.has(line))
        shown = (line for line in sought if len(line) >= LEAST and line in flat)
        yield from (line for line in shown if not any(line in one for one in (*now, *self.there, *self.others)))

    @property
    def gone(self) -> set[str]:
        """Files that were deleted in an earlier round."""
        return {path for path in self.older if path not in self.there and path not in self.others}

    def times(self, search: Search) -> int:
        """How many lines, or names, there are to be found, for a search that looks at no case."""
        if search.by_name:
            return sum(search.finds(path, "") for path in self.there)
        paths = filter(search.looks_at, self.there)
        lines = (line for path in paths for one in self.texts(path) for line in one.splitlines())
        return sum(search.has(line, any_case=True) for line in lines)

    def named(self, paths: Iterable[str], flat: str) -> list[str]:
        """Those that a result names so that no other can be meant: by its path, or by a name that no other has."""
        times = Counter(PurePosixPath(one).name for one in (*self.there, *self.others, *self.gone))
        names = ((path, PurePosixPath(path).name) for path in paths)
        return [path for path, name in names if path in flat or (times[name] == 1 and names_in(name, flat, times))]


@dataclass(slots=True)
class Searches:
    """What tools have found over a trial: which of them search texts, or names, and where, only that shows."""

    losses: Collection[Loss] = ()
    strict: bool = True
    """Whether what is missing counts: elsewhere what is ignored, and why, nobody knows."""
    reached: dict[tuple[str, bool], tuple[set[str], set[str]]] = field(default_factory=dict)
    """By tool, and whether by names: the folders in which it has found files, and their suffixes."""
    nothing: set[tuple[str, str]] = field(default_factory=set)
    """Tools, with what they have said where there was nothing to be found, but for the words of the call."""
    beside: dict[str, set[str]] = field(default_factory=dict)
    """By tool, what it says beside results of which nothing is left out, without its numbers."""
    numbered: Counter[str] = field(default_factory=Counter)
    """How many lines tools have shown behind the numbers that they have in their files."""

    def judge(self, tool: str, search: Search, flat: str, world: SearchWorld, failed: Failed, request: int) -> None:
        """Hold a result against the files; what is missing counts if the tool turns out to find files such as that.

        Args:
            tool: its name.
            search: what was looked for.
            flat: the result.
            world: what there is to be found.
            failed: where findings go.
            request: the number of the request that the call came with.
        """
        if search.broken:
            self._broken(tool, search, flat, world, failed, request)
            return
        found = [path for path in world.there if is_due(search, path, world.texts(path))]
        shown = world.named(found, _unasked(search, flat))
        if search.folder not in world.there:  # a refusal may name the only file that was asked for
            self._reach(tool, search, shown)
        if old := next(_stale(search, flat, world), ""):
            what = f"a search for {search.text!r} shows what is not there any more: {old[:80]!r}"
            failed.note("M20", "search-stale", search.text, what, request)
        times = world.times(search)
        if not times:
            self.nothing.add((tool, _masked(search, flat)))
        if self._cut(flat):
            return
        few = self.strict and times <= MOST
        if not (few and search.folder in world.there):
            self._lines_left_out(tool, search, flat, {path: world.texts(path) for path in found}, few, failed, request)
        if few:
            self._few(tool, search, flat, world, found, failed, request)
        elif self.strict:
            self._ends(tool, search, flat, (found, shown), failed, request)

    def _few(
        self,
        tool: str,
        search: Search,
        flat: str,
        world: SearchWorld,
        found: Sequence[str],
        failed: Failed,
        request: int,
    ) -> None:
        """Of a few files, and lines in them, none is left out."""
        self._count(tool, search, flat, [world.texts(path) for path in found], failed, request)
        self._around(search, flat, [world.texts(path) for path in found], failed, request)
        if search.narrow:
            return
        if search.folder in world.there:
            self._alone(tool, search, flat, world.texts(search.folder) if found else (), failed, request)
            return
        for path in found:
            if not names_in(PurePosixPath(path).name, flat, ()):
                what = f"a search for {search.text!r} in {search.folder or 'the workspace'} does not find {path}"
                failed.note(
                    "M20", "search-missing", path, what, request, unless=partial(self._beyond, tool, search, path)
                )

    def _lines_left_out(
        self,
        tool: str,
        search: Search,
        flat: str,
        texts: Mapping[str, Sequence[str]],
        few: bool,
        failed: Failed,
        request: int,
    ) -> None:
        """Of the lines of one file none is left out beside others of it; of many, but where something is said besides.

        That is a number of them, or what the tool does not say beside results of which nothing is left out.
        """
        if search.narrow or search.by_name:
            return
        files = [{*_lines(search, every)} for every in texts.values()]
        known = set[str]().union(*files)
        beside = [_unnamed(line, texts) for line in flat.splitlines() if not any(one in line for one in known)]
        said = {NUMBER.sub("#", _masked(search, line)) for line in beside if WORDS.search(line)}
        left = [(lines, lost) for lines in files if (lost := {line for line in lines if line not in flat})]
        if not left:
            self.beside.setdefault(tool, set()).update(said)
        lines, lost = next(((lines, lost) for lines, lost in left if len(lost) < len(lines)), (known, known))
        if not left or lost == lines:
            return
        sizes = {len(lines), len(lost), len(known), sum(len(one) for _, one in left)}
        if not few and any(int(number) in sizes for line in beside for number in NUMBER.findall(line)):
            return
        line = min(lost)
        what = (
            f"a search for {search.text!r} shows {len(lines) - len(lost)} of a file's {len(lines)} lines that have it,"
            f" and says of no more: not {line[:80]!r}"
        )
        if few or not said:
            failed.note("M20", "search-missing", line, what, request)
        else:
            news = partial(self._says_news, tool, said)
            failed.note("M20", "search-missing", line, what, request, unless=news)

    def _says_news(self, tool: str, said: Collection[str]) -> bool:
        """Whether some of this is said beside no result of which nothing is left out, or there was no such result."""
        return tool not in self.beside or not self.beside[tool].issuperset(said)

    def _ends(
        self,
        tool: str,
        search: Search,
        flat: str,
        files: tuple[Sequence[str], Sequence[str]],
        failed: Failed,
        request: int,
    ) -> None:
        """Of many files (all, and those that are shown) none is left out but where something is said besides."""
        found, shown = files
        lost = [path for path in sorted({*found} - {*shown}) if not self._beyond(tool, search, path)]
        lines = [line for line in flat.splitlines() if line.strip()]
        if search.narrow or not lost or not len(lines) >= len(shown) > MOST or _says_more(search, lines, found):
            return
        what = (
            f"a search for {search.text!r} shows {len(shown)} of {len(found)} files, and says of no more: not {lost[0]}"
        )
        failed.note("M20", "search-missing", search.folder, what, request)

    def _alone(self, tool: str, search: Search, flat: str, texts: Sequence[str], failed: Failed, request: int) -> None:
        """In one file something is found, or nothing is said that is said where there is nothing."""
        lines = [*_lines(search, texts)] if texts else []
        lost = [line for line in lines if line not in flat]
        what = f"a search for {search.text!r} in {search.folder} does not show {lost[0][:80]!r}" if lost else ""
        if lost and len(lost) < len(lines):
            failed.note("M20", "search-missing", lost[0], what, request)
        elif lost and PurePosixPath(search.folder).name not in (said := _masked(search, flat)):
            unless = partial(self._refuses, tool, search, said)
            failed.note("M20", "search-missing", search.folder, what, request, unless=unless)

    @staticmethod
    def _around(search: Search, flat: str, texts: Sequence[Sequence[str]], failed: Failed, request: int) -> None:
        """Of the lines around those that are found, all are shown, or none."""
        for (text,) in (one for one in texts if len(one) == 1 and search.around):
            lines = text.splitlines()
            places = [at for at, line in enumerate(lines) if search.has(line)]
            near = {n for at in places for n in range(at - search.around, at + search.around + 1)}
            beside = [line for n, line in enumerate(lines) if n in near - {*places} and LEAST <= len(line) <= LINE]
            lost = [line for line in beside if line not in flat]
            if 0 < len(lost) < len(beside):
                what = f"a search for {search.text!r} shows lines around it, and not {lost[0][:80]!r}"
                failed.note("M20", "search-missing", lost[0], what, request)

    def _broken(self, tool: str, search: Search, flat: str, world: SearchWorld, failed: Failed, request: int) -> None:
        """Of what is no regular expression, and stands in files, nobody says that there is none of it."""
        said = _masked(search, flat)
        if world.times(search):
            what = (
                f"a search for {search.text!r}, no regular expression, is answered as if no file had it: {said[:60]!r}"
            )
            failed.note(
                "M20", "search-missing", search.text, what, request, unless=lambda: (tool, said) not in self.nothing
            )

    def _refuses(self, tool: str, search: Search, said: str) -> bool:
        """Whether these are not the words for nothing, or the file is such as the tool has never found."""
        return (tool, said) not in self.nothing or self._beyond(tool, search, search.folder)

    def _count(
        self, tool: str, search: Search, flat: str, texts: Sequence[Sequence[str]], failed: Failed, request: int
    ) -> None:
        """The number before a line is that of the line in its file, where the tool turns out to say such numbers."""
        places: dict[str, set[int]] = {}
        for every in texts:
            for line in _lines(search, every):
                numbers = {n for text in every for n, one in enumerate(split_lines(text), 1) if line in one}
                places.setdefault(line, set()).update(numbers)
        longer = {one for every in texts for text in every for one in lines_of_text(text) if search.has(one)}
        for shown in flat.splitlines():
            line = max((one for one in longer if one in shown), key=len, default="")  # one may stand within another
            line = line if line in places else ""
            number = NUMBERED.search(shown.partition(line)[0]) if line else None
            if number is not None and int(number[1]) in places[line]:
                self.numbered[tool] += int(number[1]) > MOST  # up to there it may be a rank
            elif number is not None:
                told = "line " + " or ".join(map(str, sorted(places[line])))
                what = f"a search for {search.text!r} shows {told} as line {number[1]}: {line[:80]!r}"
                failed.note("M20", "search-number", line, what, request, unless=lambda: self.numbered[tool] < FEW)

    def _reach(self, tool: str, search: Search, shown: Collection[str]) -> None:
        """The tool is known to find such files from now on."""
        for path in shown:
            if search.by_name or not search.has(path):
                folders, suffixes = self.reached.setdefault((tool, search.by_name), (set(), set()))
                folders.add(str(PurePosixPath(path).parent))
                suffixes.add(PurePosixPath(path).suffix)

    def _beyond(self, tool: str, search: Search, path: str) -> bool:
        """Whether a file is such as the tool has never found: some leave out folders, or kinds of files."""
        folders, suffixes = self.reached.get((tool, search.by_name), (set(), set()))
        pure = PurePosixPath(path)
        return str(pure.parent) not in folders or pure.suffix not in suffixes

    def _cut(self, flat: str) -> bool:
        clips = (loss.characters for loss in self.losses if isinstance(loss, Clip) and loss.of == "result")
        return any(2 * len(flat) > characters for characters in clips)


def _says_more(search: Search, lines: Collection[str], paths: Collection[str]) -> bool:
    """Whether a result has a line that names no file and shows nothing found, or one that is like no other."""
    shapes = Counter(WORDS.sub("x", line) for line in lines)
    names = [PurePosixPath(path).name for path in paths]
    besides = (line for line in lines if not search.has(line) and not any(name in line for name in names))
    return min(shapes.values()) == 1 or any(besides)


def _unnamed(line: str, paths: Iterable[str]) -> str:
    """A line without the path, or the name, of the file that it names."""
    named = (name for path in paths for name in (path, PurePosixPath(path).name) if name in line)
    return line.replace(max(named, key=len, default=""), "")


def _unasked(search: Search, flat: str) -> str:
    """A result without the pattern that it may repeat."""
    for text in search.said if search.by_name else ():
        flat = flat.replace(text, "…") if "*" in text else flat
    return flat


def _masked(search: Search, flat: str) -> str:
    """A result without the words of the call."""
    for text in search.said:
        flat = flat.replace(text, "…") if len(text) >= SHORT else flat
    return flat


def is_due(search: Search, path: str, texts: Collection[str]) -> bool:
    """Whether a file is to be found, whatever it may be: it is not hidden, and, where its text is looked at, a plain one.

    Who says a hidden name, or a hidden folder, means it.
    """
    pure = PurePosixPath(path)
    if not texts or (search.folder and not pure.is_relative_to(search.folder)):
        return False
    below = pure.relative_to(search.folder)
    if hidden(below.parent if search.by_name and search.text.startswith(".") else below):
        return False
    return all(search.finds(path, text) and (search.by_name or not CONTROL.search(text)) for text in texts)


def _lines(search: Search, texts: Sequence[str]) -> Iterator[str]:
    """The lines, short enough to be shown whole, that have what is looked for in whatever the file may be."""
    first, *others = map(lines_of_text, texts if not search.by_name else ("",))
    for line in first:
        if search.has(line) and LEAST <= len(line) <= LINE and all(line in other for other in others):
            yield line


def _stale(search: Search, flat: str, world: SearchWorld) -> Iterator[str]:
    """Lines with what is looked for that no file has any more; and files, named on lines of their own, that lack it now."""
    if not search.by_name:
        yield from world.replaced(flat, search)
    gone = world.gone
    for line in flat.splitlines():
        place = place_in(line.strip().removesuffix(":"), world.end)
        meant = [path for path in {place, f"{search.folder}/{place}"} if path in gone or path in world.there]
        if meant and all(path in gone or _lacks(search, path, world) for path in meant):
            yield place


def _lacks(search: Search, path: str, world: SearchWorld) -> bool:
    """Whether neither a file's text, whatever it may be, nor its path has what is looked for, in whatever case."""
    texts = world.texts(path)
    has = any(search.has(one, any_case=True) for one in (path, *texts))
    return bool(texts) and not search.by_name and not has
