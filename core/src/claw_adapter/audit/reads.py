"""What reading gives: a file as it is at that time, whole, nothing of what was replaced; histories are in `histories`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from pydantic import JsonValue

from claw_adapter.audit import purpose
from claw_adapter.audit.book import Book
from claw_adapter.audit.commands import ShownByCommand, gone_by, newer_by, said_by, shown_by, told_by
from claw_adapter.audit.course import LINE_END, AuditStep, FileCourse, Passage, Steps
from claw_adapter.audit.histories import Histories, HistoryCall, HistoryPage, unlisted
from claw_adapter.audit.listings import folder_in, judge_listing, judge_nowhere
from claw_adapter.audit.mistaken import mistaken
from claw_adapter.audit.pages import broken_line, letters, signs_lost, unfolded, unframed, words_in
from claw_adapter.audit.parts import FileParts, begins_within, from_end, in_lines
from claw_adapter.audit.places import place_in
from claw_adapter.audit.remarks import Claim, Remark, WholeReadings, first_page, folded, points_on
from claw_adapter.audit.rendering import (
    ESCAPES,
    LINE_BLANKS,
    MASKED,
    Renderer,
    bare_lines,
    blackened,
    with_characters,
    without_format,
)
from claw_adapter.audit.results import (
    LEAST,
    MARK,
    Failed,
    asks_for_part,
    bare_ends,
    flat_of,
    lines_in,
    lines_of_text,
    lines_otherwise,
    split_lines,
    whole_in,
)
from claw_adapter.audit.searches import Searches, SearchWorld, search_in
from claw_adapter.audit.shells import ShellPlaces
from claw_adapter.audit.tallies import LineNumbers, Tallies
from claw_adapter.audit.told import ToldCommand
from claw_adapter.audit.units import CALL, RESULT, RequestUnit, arguments_of, call_text, units_of
from claw_adapter.patterns import takes_patterns_in
from claw_adapter.protocol import Session
from claw_adapter.protocol.limits import Clip, Drop, Loss, Mask
from claw_adapter.reading import strings_of
from claw_adapter.runs.transcript import Exchange

__all__ = ["Files", "Reads", "Talks"]

BRIEF: Final = 400
"""Characters up to which a result may be a refusal, or say that nothing has changed."""
SLACK: Final = 0.8
"""What a declared size may leave at least: line numbers and the mark of a cut count, too."""
COMMANDS: Final = Drop(what="command_format")
STALE: Final = "file-stale"
EMPTY: Final = "result-empty"
BROKEN: Final = "line-broken"
WITHHELD: Final = "file-withheld"
STAYS: Final = frozenset(
    {STALE, EMPTY, BROKEN, WITHHELD, "file-changed", "file-blanks", "part-lines-missing", "lines-between-parts"}
)
"""What no other reading mends: the tool has given something else than the file."""


@dataclass(frozen=True, slots=True)
class Files:
    """The workspace around one turn: texts by path."""

    before: Mapping[str, str]
    after: Mapping[str, str]
    older: Mapping[str, frozenset[str]]
    """Lines that a file had in an earlier round, and no longer has; of one that was deleted, all of them."""
    new: Collection[str] = ()
    """Texts that came into its requests."""
    others: Collection[str] = ()
    """Files that are no text, and are there before and after."""
    encoded: Mapping[str, str] = field(default_factory=dict)
    """Texts in another encoding than UTF-8 that are the same before and after, with surrogates for its bytes."""
    told: Sequence[ToldCommand | None] = ()
    """Of each call, what a plan says that its command does."""
    beside: Mapping[int, int] = field(default_factory=dict)
    """The requests of conversations beside this one, each with the first of its own."""

    def versions(self, path: str) -> list[str]:
        """What the file may be in this turn."""
        return list(dict.fromkeys(side[path] for side in (self.before, self.after) if path in side))

    @property
    def gone(self) -> set[str]:
        """Files that were deleted in an earlier round, and are not there."""
        return {path for path in self.older if path not in self.before and path not in self.after}


@dataclass(frozen=True, slots=True)
class Talks:
    """The histories of one round that are read by a tool for them."""

    sessions: Mapping[str, Session]
    older: Mapping[str, frozenset[str]]
    """Texts that a session had in an earlier round, and no longer has."""
    brought: Collection[str]
    """Texts that came with updates."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """One reading of a file: the call, what it gave, what others of this turn gave before it that may be pages, the request."""

    path: str
    label: str
    """What the finding is called after: a command and a tool are two ways, and one does not mend the other."""
    name: str
    arguments: Mapping[str, object]
    result: str
    flat: str
    """The same, of which nothing is quoted."""
    earlier: str
    exchange: Exchange
    true: Sequence[str]
    """What the file may be."""
    versions: Sequence[str]
    """The same, as far as what is declared to be lost leaves it."""
    passed: Sequence[str]
    """What it was earlier in this turn, where the agent has written it."""
    absent: bool
    """Whether it may not have been there yet, or have had no text for a moment."""
    part: bool
    """Whether a part was asked for, or the page behind another one."""
    elsewhere: bool
    """Whether an equal call of this turn has shown it to another conversation."""


@dataclass(frozen=True, slots=True)
class _Around:
    """What is known of a turn while its calls are gone through."""

    course: FileCourse
    files: Files
    talks: Talks
    failed: Failed
    histories: Histories
    named: Collection[str]
    """What calls that may make files have named so far."""


@dataclass(slots=True)
class Reads:
    """Remembers what was read, over the turns of one trial."""

    renderer: Renderer
    book: Book
    workspace: str
    """The end of the workspace's path, by which absolute paths are known."""
    strict: bool = False
    """Whether a refusal is the harness's."""
    whole: dict[str, str] = field(default_factory=dict)
    """Path → the text that was last read whole."""
    shown: WholeReadings = field(default_factory=WholeReadings)
    """What tools say beside files, and beside histories, that they show whole."""
    talks: WholeReadings = field(default_factory=WholeReadings)
    tallies: Tallies = field(default_factory=Tallies)
    numbers: LineNumbers = field(default_factory=LineNumbers)
    searches: Searches = field(init=False)
    shells: ShellPlaces = field(init=False)
    listers: set[str] = field(default_factory=set)
    """Tools that have named what is in a folder."""
    _files: dict[tuple[str, str], tuple[Mapping[str, object], Claim]] = field(default_factory=dict)
    _histories: dict[tuple[str, str], HistoryPage] = field(default_factory=dict)
    """The last pages of files, and of histories, by what they are of and the tool."""
    _turns: list[tuple[str, Failed]] = field(default_factory=list)
    """What failed in the turns, with their rounds."""

    def __post_init__(self) -> None:
        self.searches = Searches(self.renderer.losses, self.strict)
        self.shells = ShellPlaces(self.workspace)

    def judge(self, steps: Steps, files: Files, talks: Talks) -> set[int]:
        """Calls with their results and the requests whose replies they were, of one turn.

        Returns:
            The numbers of those whose results were held against something that is known.
        """
        judged = set[int]()
        failed, earlier = Failed(), dict[str, list[tuple[Mapping[str, object], str]]]()
        histories = Histories(
            self.renderer, self.book, failed, talks.brought, self.strict, talks.sessions, whole=self.talks,
            earlier=self._histories,
        )  # fmt: skip
        parts = FileParts(self.renderer, self.book, failed, self.shown, self._files)
        course = FileCourse.leaving(
            steps, (files.before, files.after), self.workspace, strict=self.strict, losses=self.renderer.losses,
            told=files.told,
        )  # fmt: skip
        refusing, passages, anew = _refusing(course), self._passages(course), course.anew
        named, dropped, elsewhere = set[str](), _dropped(course), _shown_elsewhere()
        around = _Around(course, files, talks, failed, histories, named)
        for at, ((call, result, exchange), passage) in enumerate(zip(steps, passages, strict=True)):
            name, arguments = call.tool, arguments_of(call)
            named.update(_named((call, result, exchange)))
            path, reads = self._path(arguments, files), purpose.reads(name, exchange.tools)
            command = self._command(name, arguments, exchange, files)
            flat = flat_of(result.text) if reads or command else ""
            if command is not None and command.slow and points_on(name, exchange.tools, flat, (), plain=True):
                continue
            if command is not None:
                path, arguments = place_in(command.path, self.workspace), command.arguments
                if self.strict:
                    _encoded(path, files, result.text, failed, exchange.number)
            sure = self._sure(course, path, at, (files.before, files.after), result.text)
            known = passage[path] if sure else self._known(path, passage, files, refusing)
            label = path if command is None else f"{path} by a command"
            gone = path not in files.after and dropped.get(path, exchange.number) < exchange.number
            if path and not gone and self.strict and _unknown(path, known, files, course, at):
                continue
            true, passed = self._true(path, known, files, gone=gone)
            versions = [text.removeprefix(MARK) for text in true]
            versions = self._declared(versions, flat, command=label != path, written=path in course.paths)
            if path and (reads or (command is not None and (versions or gone))):
                before = "\n".join(
                    one for args, one in earlier.get(label, ()) if not _again((args, one), (arguments, flat))
                )
                flat = unfolded(flat, versions)
                paged = parts.take(
                    versions, path, name, arguments, self._pointed_to(call, exchange, flat, versions), exchange.number,
                    exact=command is not None, result=result.text,
                )  # fmt: skip
                reading = _Reading(
                    path, label, name, arguments, result.text, flat, before, exchange, true, versions,
                    passed, known.absent or (exchange.number, path) in anew or dropped.get(path) == exchange.number,
                    paged or asks_for_part(arguments),
                    elsewhere(call.text, files.beside.get(exchange.number), versions, flat),
                )  # fmt: skip
                if command is None and len(true) == 1:
                    asked = failed if in_lines(arguments) or from_end(arguments) else None
                    self.numbers.take(name, path, true[0], flat, asked, exchange.number)
                self._file(reading, files, failed, named)
                earlier.setdefault(label, []).append((arguments, flat))
                if not (in_lines(arguments) or any(whole_in(text, flat) for text in versions)):
                    continue
            elif not self._judged(name, arguments, result.text, passage, exchange, around):
                continue
            judged.add(at)
        shown = "\n".join([*files.new, *(flat_of(result.text) for _, result, _ in steps)]) if failed.refused else ""
        failed.refused = [one for one in failed.refused if not any(lines_in(text, shown) for text in one[2])]
        parts.judge()
        self._histories |= histories.pages
        failed.report(self.book)
        self._turns.append((self.book.round, failed))
        return judged

    def _command(
        self, name: str, arguments: dict[str, JsonValue], exchange: Exchange, files: Files
    ) -> ShownByCommand | None:
        """What a command shows of a file, if a call runs one; wherever that goes, its shell may be then."""
        if not purpose.runs(name, exchange.tools):
            return None
        self.shells.follow(arguments, files.beside.get(exchange.number))
        return shown_by(arguments)

    def _sure(
        self, course: FileCourse, path: str, at: int, sides: tuple[Mapping[str, str], Mapping[str, str]], result: str
    ) -> bool:
        """Whether a file is known in an ordinary run, too, to be then what the calls before have left."""
        return not self.strict and (course.settled(path, at, sides) or course.shown_otherwise(path, at, sides, result))

    def _judged(
        self,
        name: str,
        arguments: dict[str, JsonValue],
        result: str,
        passage: Mapping[str, Passage],
        exchange: Exchange,
        around: _Around,
    ) -> bool:
        """Whether a result that shows no file is held against something that is known."""
        files, failed, request = around.files, around.failed, exchange.number
        flat, runs, reads = flat_of(result), purpose.runs(name, exchange.tools), purpose.reads(name, exchange.tools)
        session = _session(arguments, around.talks.sessions)
        if session is None and not reads and purpose.command_of(name, arguments, exchange.tools) is None:
            _of_histories(name, arguments, flat, around, exchange)
        if (runs and self._ran(arguments, result, flat, around, request)) or self._looked(
            name, arguments, result, passage, files, failed, exchange
        ):
            return True
        if reads and (_mistaken(arguments, flat, files, failed, request, around.named) or self.strict):
            return True
        if session is None:
            return False
        older = around.talks.older.get(session.id, frozenset())
        around.histories.judge(session, arguments, flat, older, request, HistoryCall(name, result, exchange.tools))
        return True

    def _ran(self, arguments: dict[str, JsonValue], result: str, flat: str, around: _Around, request: int) -> bool:
        """Whether a command is one of those whose output is known without a plan."""
        if (newer := newer_by(arguments)) is not None:
            _aged(newer, around.course.paths, flat, around.failed, request)
        elif self.shells.judge(arguments, result, around.failed, request, around.files.beside.get(request)):
            pass
        elif texts := said_by(arguments):
            self._printed(texts, flat, around.failed, request)
        else:
            return False
        return True

    def _looked(
        self,
        tool: str,
        arguments: dict[str, JsonValue],
        result: str,
        passage: Mapping[str, Passage],
        files: Files,
        failed: Failed,
        exchange: Exchange,
    ) -> bool:
        """Whether a call looks for something that is known, or shows what is in a folder."""
        search, request = None, exchange.number
        there, flat = _there(files, passage), flat_of(result)
        paths = {**files.before, **there}
        if seeks := purpose.seeks(tool, exchange.tools):
            patterns = takes_patterns_in(tool, exchange.tools)
            search = search_in(arguments, paths, self.workspace, patterns=patterns)
        folder = folder_in(arguments, paths, self.workspace) if search is None else None
        if search is None and folder is None:
            nowhere = self.strict and tool in self.listers and not seeks
            if nowhere:
                judge_nowhere(arguments, flat, paths, self.workspace, failed, request)
            return nowhere
        texts = {path: one for path, one in there.items() if path not in files.others}
        world = SearchWorld(texts, files.others, files.older, self.workspace)
        if search is not None:
            self.searches.judge(tool, search, flat, world, failed, request)
        elif folder is not None:
            known, looks = self.strict and tool in self.listers, purpose.leaves(tool, exchange.tools)
            named = judge_listing(folder, flat, there, files.gone, failed, request, looks=looks, lists=known)
            if named:
                self.listers.add(tool)
            if looks and (old := next(world.replaced(flat), "")):
                what = f"a list of {folder or 'the workspace'} shows a line that no file has any more: {old[:60]!r}"
                failed.note("M20", "listing-wrong", folder, what, request)
            return looks or named
        return True

    def _printed(self, texts: Sequence[str], flat: str, failed: Failed, request: int) -> None:
        """Whether a result has all that a command was to print."""
        texts = [one for text in texts for one in self._declared([text], flat, command=True)]
        if lost := next((text for text in texts if text not in flat), ""):
            cause = "output-changed" if any(text in flat for text in texts) else "output-missing"
            failed.note("M17", cause, "", f"the output of a command lacks {lost[:60]!r}", request)

    def _passages(self, course: FileCourse) -> Sequence[Mapping[str, Passage]]:
        """What files may be at each call, also where an edit may have taken a line end as well."""
        found = course.through()
        if LINE_END not in self.renderer.losses:
            return found
        other = FileCourse.of(
            course.steps,
            course.before,
            self.workspace,
            strict=self.strict,
            eats=not course.eats,
            losses=self.renderer.losses,
            told=course.told,
        ).through()
        return [_either(*both) for both in zip(found, other, strict=True)]

    def _true(self, path: str, known: Passage, files: Files, *, gone: bool) -> tuple[list[str], list[str]]:
        """What a file may be at a call, and what it was before in the turn; `gone`: a command has removed it."""
        if gone:
            return [], [files.before[path]] if self.strict and path in files.before else []
        now = [text for text in dict.fromkeys(known.now) if text is not None]
        true = files.versions(path) if not now or None in known.now else now
        return true, [text.removeprefix(MARK) for text in known.known]

    def _known(self, path: str, passage: Mapping[str, Passage], files: Files, refusing: Collection[str]) -> Passage:
        """What a file may be in a reply; where it is left as it was, or a change of it was refused, it may be as it is left."""
        left, known = files.after.get(path), passage.get(path, Passage())
        if not self.strict:
            return Passage()
        if files.before.get(path) == left:  # of one that is there neither before nor after, what it is in between
            return Passage(now=known.now if left is None else (*known.now, left), absent=known.absent)
        if path in refusing and left in known.before:
            return Passage([text for text in known.before if text != left], (*known.now, left), known.absent)
        return known

    def finish(self) -> None:
        """After the last turn: whether pages have said that there is more is seen beside what was shown whole."""
        self.tallies.finish(self.book)
        for name, failed in self._turns:
            self.book.round = name
            failed.decided().report(self.book)
            for place, said, _, unless in failed.refused:
                if not unless():
                    self.book.refuse(place, said)

    def _path(self, arguments: dict[str, JsonValue], files: Files) -> str:
        """The file that a call names; the workspace's folder before it is left out."""
        for text in strings_of(arguments):
            tail = place_in(text, self.workspace)
            if tail in files.before or tail in files.after or tail in files.older:
                return tail
        return ""

    def _file(self, reading: _Reading, files: Files, failed: Failed, made: Collection[str]) -> None:
        """One reading of a file; what fails is forgiven if the file is read again in the same turn, also page by page."""
        path, label = reading.path, reading.label
        flat, request = reading.flat, reading.exchange.number
        versions, pages = reading.versions, f"{reading.earlier}\n{flat}"
        read = [at for at, text in enumerate(versions) if whole_in(text, flat)]
        if stale := self._stale(reading, files, whole=bool(read)):
            failed.note("M20", STALE, label, f"reading {label} gives {stale}", request)
        elif read:
            self._whole(reading, read[0])
            failed.mended(label, but=STAYS)
            _bared(label, [versions[at] for at in read], flat, failed, request)
        elif broken := _broken(versions, reading.result):
            what = f"reading {label} breaks the line {broken[:80]!r}, and nothing tells that from an end of a line"
            failed.note("M20", BROKEN, label, what, request)
        elif any(whole_in(text, pages) or _laid_out(text, pages) for text in versions if _shows(text, flat)):
            failed.mended(label, but=STAYS)
        elif not versions:
            _mistaken(reading.arguments, flat, files, failed, request, made)
        elif reading.part or (reading.absent and len(flat) <= BRIEF):
            self._part_refused(reading, files, failed)
        elif len(versions) == 1 and words_in(versions[0], flat) and (lost := signs_lost(versions[0], flat)):
            what = f"reading {label} gives its words, and not its signs: {', '.join(map(ascii, lost[:6]))}"
            failed.note("M20", "file-changed", label, what, request)
        elif there := max(lines_in(text, flat) for text in versions):
            self._part(reading, there, failed)
        elif other := _other(path, flat, files):
            what = f"reading {label} gives {other}"
            failed.note("M20", "file-wrong", label, what, request)
        elif path in self.whole and self.whole[path] not in reading.true and len(flat) <= BRIEF:
            what = f"{path} has changed since it was read, and reading it does not show that"
            failed.note("M20", "file-unchanged", label, what, request)
        elif reading.passed and versions[0].strip():
            what = f"{label} was written in this turn, and reading it gives something else: {flat[:80]!r}"
            failed.note("M20", "file-unwritten", label, what, request)
        else:
            self._unread(reading, files, failed)

    def _whole(self, reading: _Reading, at: int) -> None:
        """One reading shows a file whole, as it is or may be."""
        path, text = reading.path, reading.true[at]
        self.whole[path] = text
        remark = Remark.of(reading.result, split_lines(reading.versions[at]), path)
        self.shown.take(reading.name, remark)
        if len(reading.true) == 1 and reading.label == path and not reading.part:
            self.tallies.take(reading.name, remark, path, text, (self.book.round, reading.exchange.number))

    def _part_refused(self, reading: _Reading, files: Files, failed: Failed) -> None:
        """Lines are asked for that the file has, and nothing of it is shown."""
        texts, flat = reading.versions, reading.flat
        asked = (begins_within(reading.arguments, text) and not _shows(text, flat) for text in texts)
        if reading.part and not self.strict and all(asked):
            self._unread(reading, files, failed)

    def _unread(self, reading: _Reading, files: Files, failed: Failed) -> None:
        """A reading shows nothing of a file; one without a word is nothing where the tool shows no file at all."""
        path, flat, tool, request = reading.path, reading.flat, reading.name, reading.exchange.number
        if self.strict and path in files.before and files.before[path].strip():
            if flat.strip() and len(flat) <= BRIEF and _stands_there(reading):
                return  # whatever it says, the model has the file before it
            cause = WITHHELD if reading.elsewhere else "file-unread"
            failed.note("M20", cause, reading.label, f"{path} cannot be read: {flat[:80]!r}", request)
        elif not self.strict and all(map(str.strip, reading.versions)) and self.whole.get(path) not in reading.true:
            silent, call = lambda: not (flat.strip() or self.shown.known(tool)), call_text(tool, reading.arguments)
            failed.nothing(path, reading.versions, call, flat, request, silent)

    def _pointed_to(self, call: RequestUnit, exchange: Exchange, flat: str, versions: Sequence[str]) -> str:
        """What a reading shows; a few words that show nothing are taken for what an equal call has shown in the request."""
        if not self.strict or len(flat) > BRIEF or not flat.strip() or any(lines_in(text, flat) for text in versions):
            return flat
        units = units_of(exchange.messages)
        equal = {unit.call for unit in units if unit.kind == CALL and unit.text == call.text}
        before = (flat_of(unit.text) for unit in units if unit.kind == RESULT and unit.call in equal)
        return next((one for one in before if any(lines_in(text, one) for text in versions)), flat)

    def _stale(self, reading: _Reading, files: Files, *, whole: bool) -> str:
        """What it gives of an earlier state of the file; nothing where it gives none, or all of the file as well."""
        flat = reading.flat
        for text in reading.passed if not reading.part else ():
            part = any(text.strip() in version for version in reading.versions)  # what was added stands behind it
            if _gone(text, reading.versions, flat) or (not whole and not part and _says(text, flat)):
                return "what it was before an earlier call of the turn changed it"
        older = files.older.get(reading.path, ()) if not whole else ()
        gone = (
            line for line in older if not any(line in version for version in reading.versions)
        )  # or it goes on there
        old = next((line for line in gone if line in flat), "")
        return f"what was replaced: {old[:60]!r}" if old else ""

    def _declared(self, versions: Sequence[str], flat: str, *, command: bool, written: bool = False) -> list[str]:
        """What a file may be as it is shown where something of it is declared to be masked, cut, or left out.

        Of what is `written` in the turn, what is declared to be lost then as well.
        """
        losses, found = self.renderer.losses, list(versions)
        if command and COMMANDS in losses and not any(whole_in(text, flat) for text in found):
            found = self._bitten(COMMANDS, found, [without_format(text) for text in found])
        for drop, way in ((ESCAPES, with_characters), (LINE_BLANKS, bare_lines)) if written else ():
            if drop in losses and not any(whole_in(text, flat) and not bare_ends(text, flat) for text in found):
                found = self._bitten(drop, found, [_by_line(text, flat, way) for text in found])
        for loss in losses if not command else ():
            if isinstance(loss, Clip) and loss.of == "line":
                found = self._bitten(loss, found, [_cut_lines(text, flat, loss.characters) for text in found])
        if Mask() in losses and MASKED.search(flat):
            marked = [line.strip() for line in flat.split("\n") if MASKED.search(line)]
            found = self._bitten(Mask(), found, [_masked(text, flat, marked) for text in found])
        return found

    def _bitten(self, loss: Loss, before: list[str], after: list[str]) -> list[str]:
        if before != after:
            self.book.bite(loss)
        return after

    def _part(self, reading: _Reading, there: int, failed: Failed) -> None:
        """So many of its lines were shown, and not all."""
        versions, flat = reading.versions, reading.flat
        of = {"result", "file"} if reading.label == reading.path else {"result", "command"}
        clips = [loss for loss in self.renderer.losses if isinstance(loss, Clip) and loss.of in of]
        if over := next((clip for clip in clips if _over(clip, versions, (there, len(flat)))), None):
            self.book.bite(over)
        elif len(versions) == 1:  # else the turn changed it, and it may have been something else in between
            call = reading.name, reading.arguments, reading.exchange.tools
            if points_on(reading.name, reading.exchange.tools, flat, versions):
                return
            if other := next(lines_otherwise(versions[0], flat), None):
                what = f"reading {reading.label} gives the line {other[0][:80]!r} as {other[1][:80]!r}"
                failed.note("M20", "file-changed", reading.label, what, reading.exchange.number)
                return
            if folded(versions[0], flat, call):
                return
            claim = first_page(versions[0], reading.result, flat, reading.path, call)
            what = f"reading {reading.label} gives {there} of its {len(lines_of_text(versions[0]))} lines"
            unless = partial(claim.holds, self.shown) if claim else None
            failed.note("M20", "file-cut", reading.label, what, reading.exchange.number, unless)


def _shown_elsewhere() -> Callable[[str, int | None, Sequence[str], str], bool]:
    """Whether a call, by its text, was made in another conversation before, and has shown one of these texts there."""
    talks = dict[str, set[int | None]]()

    def take(call: str, talk: int | None, texts: Sequence[str], flat: str) -> bool:
        shown = talks.setdefault(call, set())
        found = bool(shown - {talk})
        shown.update({talk} if any(whole_in(text, flat) for text in texts) else ())
        return found

    return take


def _again(before: tuple[Mapping[str, object], str], now: tuple[Mapping[str, object], str]) -> bool:
    """Whether a reading is made again, and begins as it did: it is no further page then."""
    return before[0] == now[0] and before[1].lstrip().partition("\n")[0] == now[1].lstrip().partition("\n")[0]


def _shows(text: str, flat: str) -> bool:
    """Whether a result has any line of a text, also one that is broken in a frame: one that has none is no page of it."""
    lines, laid = lines_of_text(text), letters(unframed(flat))
    return any(line in flat or (len(line) >= LEAST and letters(line) in laid) for line in lines)


def _unknown(path: str, known: Passage, files: Files, course: FileCourse, at: int) -> bool:
    """Whether a call of unknown effect has been at a file before that of a number, and it changes or goes later in the turn."""
    touched = bool(known.before) or any(path in said for said in course.said[:at])
    return None in known.now and (course.changes(path, after=at) or (touched and path not in files.after))


def _dropped(course: FileCourse) -> dict[str, int]:
    """Files that a command removes or moves, each with the request whose reply does so first."""
    found = dict[str, int]()
    for (call, _, exchange), told in zip(reversed(course.steps), reversed(course.told), strict=True):
        names = (gone_by(arguments_of(call)) or ())[:1]
        left = told.leaves if told is not None else {}
        found |= dict.fromkeys((*names, *(path for path, text in left.items() if text is None)), exchange.number)
    return found


def _either(one: Mapping[str, Passage], other: Mapping[str, Passage]) -> dict[str, Passage]:
    """What files may be if either is so."""
    return {
        path: Passage(passage.before, list(dict.fromkeys((*passage.now, *other[path].now))), passage.absent)
        for path, passage in one.items()
    }


def _refusing(course: FileCourse) -> set[str]:
    """Files that calls of one reply, or equal ones, were to change, and not all have one result: some may have been refused."""
    results: dict[tuple[str, int], set[str]] = {}
    for number, (_, result, exchange) in enumerate(course.steps):
        if path := course.path(number):
            results.setdefault((path, exchange.number), set()).add(result.text.replace(path, ""))
    again = {course.path(number) for number in course.told_otherwise()}
    return again | {path for (path, _), said in results.items() if len(said) > 1}


def _encoded(path: str, files: Files, result: str, failed: Failed, request: int) -> None:
    """Whether a command shows what is plain of a text that is no UTF-8."""
    lines, flat = lines_of_text(files.encoded.get(path, "")), flat_of(result)
    lost = next((line for line in lines if line.isascii() and line not in flat), "")
    if lost:
        what = f"{path}, which has bytes that are no UTF-8, is shown by a command without its line {lost[:60]!r}"
        failed.note("M20", "command-undecoded", path, what, request)


def _there(files: Files, passage: Mapping[str, Passage]) -> dict[str, Passage]:
    """The files that are there in a reply, and those that may be."""
    others = {path: Passage(now=("",)) for path in files.others}
    sides = {**files.before, **files.after}
    both = files.before.keys() & files.after.keys()
    stays = {path: Passage(now=(text,)) if path in both else Passage() for path, text in sides.items()}
    return {**others, **stays, **passage}


def _aged(newer: tuple[str, str], written: Collection[str], flat: str, failed: Failed, request: int) -> None:
    """Whether a file that was written in the turn is newer than one that was not."""
    path, other = newer
    if path in written and path not in flat:
        what = f"{path} was written, and `find` says that it is no newer than {other}, which was not: {flat[:60]!r}"
        failed.note("M17", "written-time", path, what, request)


def _by_line(text: str, flat: str, way: Callable[[str], str]) -> str:
    """A text with those lines in another form that are not shown as they are."""
    return "\n".join(line if line in flat else way(line) for line in text.split("\n"))


def _masked(text: str, flat: str, marked: Sequence[str]) -> str:
    """A text with those lines as they are shown that are shown with marks in them."""
    lines = text.split("\n")
    shown = [
        next((one for one in marked if line.strip() not in flat and blackened(line.strip(), one)), line)
        for line in lines
    ]
    return "\n".join(shown)


def _cut_lines(text: str, flat: str, characters: int) -> str:
    """A text with those lines up to a size of which a result has only the beginning."""
    least = int(characters * SLACK)
    lines = [
        line[:least] if len(line) > least and line.strip() not in flat and line[:least].strip() in flat else line
        for line in text.split("\n")
    ]
    return "\n".join(lines)


def _gone(text: str, versions: Sequence[str], flat: str) -> bool:
    """Whether a result has a line of a text that no version has."""
    return any(
        len(line) >= LEAST and line in flat and not any(line in one for one in versions) for line in lines_of_text(text)
    )


def _says(text: str, flat: str) -> bool:
    """Whether a result has a text, whole; one of a few signs, which any words may have in them, is all of the result."""
    plain = text.strip()
    return plain == flat.strip() != "" if len(plain) < LEAST else whole_in(text, flat)


def _stands_there(reading: _Reading) -> bool:
    """Whether a result in the request that the reading was asked for in has the whole file as it is."""
    results = (flat_of(unit.text) for unit in units_of(reading.exchange.messages) if unit.kind == RESULT)
    return any(whole_in(text, one) for one in results for text in reading.versions)


def _named(step: AuditStep) -> list[str]:
    """What a call that may make a file names."""
    call, _, exchange = step
    if purpose.leaves(call.tool, exchange.tools):
        return []
    return [word.rstrip(";") for word in told_by(arguments_of(call)).splitlines()]


def _mistaken(
    arguments: Mapping[str, object], flat: str, files: Files, failed: Failed, request: int, made: Collection[str] = ()
) -> bool:
    """Whether what is not there is read, and the result is another file.

    A call before may have made it that names it, or a folder of it (``cp -r``, ``mv``).
    """
    worlds = ({**dict.fromkeys(made, ""), **world} for world in (files.before, files.after))
    found = mistaken(arguments, flat, *worlds)
    folders = {word.strip("/") for word in made} - {""}
    if found is not None and any(f"/{folder}/" in f"/{found[0]}" for folder in folders):
        return False
    if found is not None:
        what = f"{found[0]}, which is not there, is read, and the result is {found[1]}"
        failed.note("M20", "file-mistaken", found[0], what, request)
    return found is not None


def _bared(path: str, read: Sequence[str], flat: str, failed: Failed, request: int) -> None:
    """Whether lines are shown without the blanks at their ends."""
    lines = [bare_ends(text, flat) for text in read]
    if all(lines):
        what = f"reading {path} gives a line without the blanks at its ends: {lines[0][:60]!r}"
        failed.note("M20", "file-blanks", path, what, request)


def _broken(versions: Sequence[str], result: str) -> str:
    """A line that is broken, whichever version it is of."""
    broken = [broken_line(text, result) for text in versions]
    return broken[0] if broken and all(broken) else ""


def _laid_out(text: str, pages: str) -> bool:
    """Whether a text is there, word by word and sign by sign, in whatever frame."""
    return words_in(text, pages) and not signs_lost(text, pages)


def _other(path: str, flat: str, files: Files) -> str:
    """Another file, if a result is that one and not the one that was asked for."""
    for name, text in files.before.items():
        if name != path and lines_in(text, flat) and whole_in(text, flat):
            return name
    return ""


def _session(arguments: dict[str, JsonValue], sessions: Mapping[str, Session]) -> Session | None:
    for text in strings_of(arguments):
        name = re.split(r"[:/]", text)[-1]
        if name in sessions and len(text) < len(name) + 40:
            return sessions[name]
    return None


def _of_histories(tool: str, arguments: dict[str, JsonValue], flat: str, around: _Around, exchange: Exchange) -> None:
    """A result of no one history has nothing that an update took away, but what the model has said; a list has all of them."""
    sessions, files = around.talks.sessions, around.files
    shown = [text for texts in around.talks.older.values() for text in texts if len(text) >= LEAST and text in flat]
    now = [message.text for session in sessions.values() for message in session.messages] if shown else []
    old = next((text for text in shown if not any(text in one for one in now)), "")
    said = (unit.text for unit in units_of(exchange.messages) if unit.kind != RESULT) if old else ()
    if old and not any(old in one for one in (*strings_of(arguments), *said)):
        what = f"{tool} gives what an update took away from a history: {old[:60]!r}"
        around.failed.note("M21", "deleted-there", tool, what, exchange.number)
    elif not any(arguments.values()) and (lost := unlisted(sessions, flat)):
        paths = (*files.before, *files.after)
        others = any(name in path for name in sessions for path in paths)  # then it may be a list of these
        if not others and not points_on(tool, exchange.tools, flat, ()):
            what = f"{tool} names histories, and not {lost}"
            around.failed.note("M22", "history-unlisted", tool, what, exchange.number)


def _over(clip: Clip, versions: Sequence[str], given: tuple[int, int]) -> bool:
    """Whether a file is so large that reading it is cut, by what is declared, and as much as that was given."""
    size, lines = max(map(len, versions)), max(text.count("\n") for text in versions)
    by_lines = clip.lines is not None and lines >= clip.lines <= given[0] / SLACK
    least = min(clip.left or clip.characters, clip.characters)
    return by_lines or (size > clip.characters * SLACK and given[1] >= least * SLACK * SLACK)
