"""What writing leaves: the file that calls were to make or to change, with the texts that the model gave them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import PurePosixPath
from typing import Final

from claw_adapter.audit.book import Book
from claw_adapter.audit.commands import gone_by, put_by, told_by
from claw_adapter.audit.course import LINE_END, AuditStep, FileCourse, Steps, looks
from claw_adapter.audit.damage import DAMAGES
from claw_adapter.audit.edits import Edits
from claw_adapter.audit.places import place_in
from claw_adapter.audit.purpose import leaves
from claw_adapter.audit.removals import Removal, Removals
from claw_adapter.audit.rendering import (
    ALIKE,
    ESCAPES,
    FILE_ENDS,
    LINE_BLANKS,
    Renderer,
    bare_lines,
    line_feeds,
    with_characters,
    with_ends,
    without_control,
)
from claw_adapter.audit.results import MARK, flat_of, whole_in
from claw_adapter.audit.told import ToldCommand
from claw_adapter.audit.units import RequestUnit, arguments_of, tool_names
from claw_adapter.protocol.limits import Drop
from claw_adapter.reading import strings_of
from claw_adapter.runs.transcript import Exchange
from claw_adapter.shared import contrast, shared
from claw_adapter.workspace.tree import Entry

__all__ = ["WrittenFiles", "judge_writes"]

SETTING: Final = re.compile(r"[\w.+-]{1,20}")
WORD: Final = re.compile(r"[A-Z]?[a-z]{3,}")
DIGITS: Final = re.compile(r"\d+")
HOW: Final = DAMAGES | {
    "mark": "has lost the byte order mark before them, or got one",
    "stripped": "has lost blanks at its ends, or got some",
    "other_bytes": "has others for bytes that are no UTF-8",
    "changed": "has others",
    "missing": "is not as the call said at all",
}


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """The workspace around a turn: texts by path, with surrogates for bytes that are no UTF-8, and the end of its path."""

    before: Mapping[str, str]
    after: Mapping[str, str]
    workspace: str
    gone: frozenset[str] = frozenset()
    """Files that were there in an earlier round."""
    encoded: Collection[str] = ()
    """Those that were in another encoding than UTF-8."""
    barred: Collection[str] = ()
    """Those that could be executed before and cannot any more."""
    tree: Mapping[str, Entry] = field(default_factory=dict)
    """All that is there afterwards, what is no text included."""
    leave: set[str] = field(default_factory=set)
    """Calls, without the path, that have shown a file and left it where it is, in turns before too."""
    removals: Removals = field(default_factory=Removals)
    """What commands of the trial were to remove."""
    edits: Edits = field(default_factory=Edits)
    """What edits of the trial were answered."""
    told: Sequence[ToldCommand | None] = ()
    """Of each call, what a plan says that its command does."""

    def lacks(self, path: str) -> bool:
        """Whether a file is not there at all, nor behind a link."""
        ways = {path, *map(str, PurePosixPath(path).parents)}
        return path not in self.after and not any(way in self.tree and self.tree[way].kind != "folder" for way in ways)


def judge_writes(
    steps: Steps,
    files: WrittenFiles,
    renderer: Renderer,
    book: Book,
    *,
    strict: bool,
) -> set[int]:
    """Every file that was written in a turn, or in which a text that stands once in it was replaced.

    Args:
        steps: the calls of a turn with their results.
        files: the workspace before and after.
        renderer: the declared renderings.
        book: takes the findings.
        strict: nothing but these calls can have changed a file, and none is meant to be refused.

    Returns:
        The numbers of the calls of which it is known what they leave.
    """
    course = FileCourse.leaving(
        steps, (files.before, files.after), files.workspace, strict=strict, losses=renderer.losses, told=files.told
    )
    if course.eats:
        book.bite(LINE_END)
    asked, settled, gone = dict[str, int](), set[str](), dict[int, Removal]()
    left = dict[str, str | None]()
    for number, (call, result, exchange) in enumerate(steps):
        files.leave.update(_left_there((call, result, exchange), files))
        effect = course.effects[number]
        if strict and (names := gone_by(arguments_of(call))) is not None:
            gone[number] = Removal(*names, course.now(names[0]))
        files.edits.judge(course, number, (files.before, files.after), renderer, book)
        course.go_on()
        asked |= dict.fromkeys(course.changed_by(number), exchange.number)
        if effect is not None:
            settled |= {effect.path} if effect.old is None and _settings(call, effect.new, effect.path) else set()
        elif not strict and not looks((call, result, exchange)):
            left |= {path: texts[-1] for path, texts in course.texts.items()}
            course.lose()  # whatever it was, it may have gone on with the files
    _judge_missed(course, files, book)
    if strict:
        _judge_modes(course, files, renderer, asked, book)
        _learn_silence(steps, files, course)
        files.removals.judge(steps, files.before, files.after, gone, book)
    _judge_deleted(steps, files, course, book, strict=strict)
    otherwise = course.told_otherwise()
    others = [one for number, one in enumerate(steps) if number not in otherwise]
    told = _written_by(others, files, strict=strict) if otherwise else {}
    for path, (_, *texts) in course.texts.items():
        there, must = files.after.get(path), texts[-1]
        if otherwise and there == told.get(path, ""):
            continue  # what was called again was refused in words
        if must is not None and there != must and (made := _not_again(steps, course, files, path)) is not None:
            what = f"{path}: the call {made.text[:60]!r} was made again with the same result, and has done nothing then"
            book.find("M17", "written-once", what, owner="harness", request=asked[path])
        elif must is not None and there != must and (last := _told_last(path, course)) is not None:
            _judge_left(path, must, texts, last, course, files, book)
        elif must is not None and there != must and there not in texts[:-1]:
            _judge_text(
                path, must, steps, files, renderer, book, request=asked[path], settled=path in settled, strict=strict
            )
    known = {path for path, texts in course.texts.items() if texts[-1] is not None}
    known |= {path for path, text in left.items() if text is not None and text == files.after.get(path)}
    held = {number for number in range(len(steps)) if (mine := course.changed_by(number)) and mine <= known}
    edits = {number for number, effect in enumerate(course.effects) if strict and effect and effect.old is not None}
    return held | edits | gone.keys()


def _told_last(path: str, course: FileCourse) -> int | None:
    """The last call that was to change a file, if a plan says what its command does."""
    last = max(number for number in range(len(course.steps)) if path in course.changed_by(number))
    return None if course.told[last] is None else last


def _judge_left(
    path: str, must: str, states: Sequence[str | None], last: int, course: FileCourse, files: WrittenFiles, book: Book
) -> None:
    """A file that is not as a command, or a patch, leaves it.

    Where it has done nothing there, it was answered as one that has worked, or has changed others and does not name this one.
    """
    (call, result, exchange), told = course.steps[last], course.told[last]
    there, said = files.after.get(path), repr(told.command[:80]) if told is not None else ""
    if there != files.before.get(path) and there not in states[:-1]:
        how = "is not there" if there is None else contrast(must, there)
        what = f"after {said} {path} is not as that leaves it: {how}"
        book.find("M17", "command-left-otherwise", what, owner="harness", request=exchange.number)
    elif files.removals.answers_so(call, result) or (_done(told, files) and not _told_of(told, path, result)):
        what = f"{said} was to change {path}, which is as before; the result was {result.text.strip()[:60]!r}"
        book.find("M17", "command-undone", what, owner="harness", request=exchange.number)


def _judge_missed(course: FileCourse, files: WrittenFiles, book: Book) -> None:
    """A patch that goes on behind a part that does not fit names the file of that part."""
    for (_, result, exchange), told in zip(course.steps, course.sure, strict=True):
        missed = told.misses if told is not None else ()
        path = next((one for one in missed if _done(told, files, behind=one) and not _names(result, one)), "")
        if told is not None and path:
            what = f"a part of {told.command[:60]!r} does not fit {path}, and the result does not name that"
            book.find("M17", "patch-untold", what, owner="harness", request=exchange.number)


def _done(told: ToldCommand | None, files: WrittenFiles, behind: str = "") -> bool:
    """Whether a command that nobody has stopped has left a file as it was to, one that it names behind a certain one."""
    if told is None or told.stopped:
        return False
    done = [path for path, text in told.leaves.items() if files.after.get(path) == text != files.before.get(path)]
    return any(told.command.find(path) >= told.command.find(behind) for path in done)


def _told_of(told: ToldCommand | None, path: str, result: RequestUnit) -> bool:
    """Whether a result names a file that was not changed, or one before it, at which a patch has ended."""
    missed = told.misses if told is not None else ()
    before = (one for one in missed if told is not None and told.command.find(one) < told.command.find(path))
    return any(_names(result, one) for one in (path, *before))


def _names(result: RequestUnit, path: str) -> bool:
    return PurePosixPath(path).name in result.text


def _learn_silence(steps: Steps, files: WrittenFiles, course: FileCourse) -> None:
    """What commands are answered that have written a file, and print nothing."""
    for call, result, _ in steps:
        if put := put_by(arguments_of(call)):
            path = place_in(put.path, files.workspace)
            if path in course.texts and course.texts[path][-1] == files.after.get(path, ""):
                files.removals.worked(call, result)


def _judge_text(
    path: str, must: str, steps: Steps, files: WrittenFiles, renderer: Renderer, book: Book, *, request: int, settled: bool,
    strict: bool,
) -> None:  # fmt: skip
    """A file that is not as its calls said; `settled`: a word among their arguments may say how it is written."""
    there = files.after.get(path)
    demanded = strict and path not in files.encoded  # what is no UTF-8 may be refused
    demanded = demanded and (bool(must) or not _refused(path, steps, files))  # and so may what leaves no text
    demanded = demanded or (files.lacks(path) and _shown_as_there(path, must, steps, files))
    how = _how_written(path, must, files, "missing" if demanded else "", strict=strict)
    if settled and (how in dict(ALIKE) or line_feeds(must) in line_feeds(there or "")):
        return
    if how and (lost := _lost(must, there or "", renderer)):
        for loss in lost:
            book.bite(loss)
    elif how and not _declared(how, must, there or "", renderer):
        said = HOW.get(how, how) if there is not None else "is not there"
        what = f"{path} was to be written with {len(must):,} characters, and {said}"
        if there is not None and how != "missing":
            what += f": {contrast(must, there)}"
        changes = [step for step in steps if path in step[0].text and not _leaves(step)]
        if how == "missing" and changes:
            what += f"; the last result of a call that was to change it is {changes[-1][1].text.strip()[:80]!r}"
        if must == files.before.get(path):
            what = f"{path} was to stay as it is, for it has not what an edit was to replace, and {said}"
        book.find("M17", f"written-{how}", what, owner="harness", request=request)


def _refused(path: str, steps: Steps, files: WrittenFiles) -> bool:
    """Whether the last call that names a file has another result than calls of its tool that have written theirs."""
    results = dict[str, list[str]]()
    last = ("", "")
    for call, result, exchange in steps:
        name, ways = call.tool, _ways(call, files.workspace)
        said = DIGITS.sub("", reduce(lambda text, way: text.replace(way, ""), ways, result.text))
        if path in ways and not leaves(name, exchange.tools):
            last = name, said
        elif any(files.after.get(way) and files.after[way] in ways for way in ways):
            results.setdefault(name, []).append(said)
    return bool(last[1].strip()) and last[1] not in results.get(last[0], [])


def _how_written(path: str, must: str, files: WrittenFiles, refused: str, *, strict: bool) -> str:
    """What became of the text of a file; `refused` where it is as before, nothing where only its line ends were made one.

    Where all of them were CR LF before, they are not to become others, if only calls can have changed it.
    """
    before, there = files.before.get(path), files.after.get(path)
    if there is None or there == before:
        return refused
    lost = strict and before and "\r\n" in before and not _mixed(before) and "\r\n" not in there
    evened = _mixed(must) and not (_mixed(there) or lost) and line_feeds(there) == line_feeds(must)
    return "" if evened else _how(must, there)


def _judge_modes(
    course: FileCourse, files: WrittenFiles, renderer: Renderer, asked: Mapping[str, int], book: Book
) -> None:
    """Files in which something was replaced, or that were written over, and that could be executed before.

    Nothing else has taken that away: of those that were written over, nobody's command has done anything to them.
    """
    edited = {effect.path for effect in course.effects if effect and effect.old is not None}
    left = {path for told in course.told if told is not None for path in told.leaves}
    over = {path for path, texts in course.texts.items() if None not in texts and path not in left}
    for path in sorted((edited | over) & {*files.barred}) if Drop(what="executable") not in renderer.losses else ():
        what = f"a line of {path} was to be replaced" if path in edited else f"{path} was written over"
        book.find(
            "M17", "written-mode", f"{what}, and it can no longer be executed", owner="harness", request=asked[path]
        )


def _not_again(steps: Steps, course: FileCourse, files: WrittenFiles, path: str) -> RequestUnit | None:
    """A call that was made before and has the same result, if a file is as it were had such calls done nothing.

    Either those of one reply, or of all the turn; from the second on, or from a later one. Of whole texts that calls of one
    reply give a file, any may be the last.
    """
    same = [(call.text, result.text) for call, result, _ in steps]
    mine = [one for number, one in enumerate(same) if course.path(number) == path]
    for most, within in itertools.product(range(1, max(map(same.count, mine), default=1)), (True, False)):
        kept, left = list[int](), list[int]()
        for number, (_, _, exchange) in enumerate(steps):
            before = [steps[one][2].number for one in kept if same[one] == same[number]]
            again = before.count(exchange.number) if within else len(before)
            sure = not (course.overwrites(number) and exchange.number in before)
            (left if again >= most and sure and course.path(number) == path else kept).append(number)
        once = _written_by([steps[one] for one in kept], files, strict=course.strict) if left else {}
        if left and once.get(path) == files.after.get(path, ""):
            return steps[left[0]][0]
    return None


def _written_by(steps: Steps, files: WrittenFiles, *, strict: bool) -> dict[str, str | None]:
    """What these calls leave of each file that they write; None where that is not known."""
    course = FileCourse.of(steps, files.before, files.workspace, strict=strict)
    for _ in steps:
        course.go_on()
    return {path: texts[-1] for path, texts in course.texts.items()}


def _settings(call: RequestUnit, text: str, path: str) -> list[str]:
    """Words among the arguments of a call, beside a text and a path: they may say how a file is written, or where."""
    said = [one for one in strings_of(arguments_of(call)) if one != text and not one.endswith(path)]
    return [one for one in said if SETTING.fullmatch(one)]


def _leaves(step: AuditStep) -> bool:
    """Whether a call is of a tool that leaves files as they are."""
    return leaves(step[0].tool, step[2].tools)


def _left_there(step: AuditStep, files: WrittenFiles) -> list[str]:
    """The call without the path of a file that it has shown and that is there after the turn."""
    call, result, _ = step
    ways = _ways(call, files.workspace).items() if _leaves(step) else ()
    return [way for place, way in ways if (text := files.after.get(place)) and whole_in(text, flat_of(result.text))]


def _ways(call: RequestUnit, workspace: str) -> dict[str, str]:
    """The places that a call names, each with the call without it."""
    return {place_in(one, workspace): call.text.replace(one, "") for one in strings_of(arguments_of(call))}


def _shown_as_there(path: str, text: str, steps: Steps, files: WrittenFiles) -> bool:
    """Whether a file that is not there was read as it was written, by a tool that leaves files where they are.

    Then its writing was not refused; but a word of another tool's name in the result may say that this one is to follow.
    """
    by, shown, last = set[str](), False, steps[0]
    for step in steps:
        ways = _ways(step[0], files.workspace)
        if path in ways and _leaves(step):
            by.add(ways[path])
            shown = shown or whole_in(text, flat_of(step[1].text))
        elif path in ways:
            by, shown, last = set(), False, step
    if not shown or not by <= files.leave or text not in strings_of(arguments_of(last[0])):
        return False
    return not (_settings(last[0], text, path) or _names_a_tool(*last, path))


def _names_a_tool(call: RequestUnit, result: RequestUnit, exchange: Exchange, path: str) -> bool:
    """Whether a result has a word of another tool's name, in whatever form: "not saved" of ``save_buffer``."""
    own = set(WORD.findall(call.tool.lower()))
    words = {word.lower() for name in tool_names(exchange.tools) for word in WORD.findall(name)} - own
    said = WORD.findall(result.text.replace(path, "").lower())
    return any(one.startswith(word) for one in said for word in words)


def _judge_deleted(
    steps: Steps,
    files: WrittenFiles,
    course: FileCourse,
    book: Book,
    *,
    strict: bool,
) -> None:
    """Files that were deleted, and are there again although nothing has written them."""
    said = "\n".join(told_by(arguments_of(step[0])) for step in steps if not looks(step))
    for path in files.gone & files.after.keys() - files.before.keys() - course.texts.keys():
        if path in said:
            continue  # some tool may have written it
        if strict or all(map(_leaves, steps)):
            book.find("M20", "file-back", f"{path}, which was deleted, is there again after the turn", owner="harness")


def _mixed(text: str) -> bool:
    """Whether it has line ends of both kinds."""
    return "\r\n" in text and "\n" in text.replace("\r\n", "")


def _how(must: str, there: str) -> str:
    """What became of a text; empty if the file is quite another one, for then somebody else has written it."""
    if _decoded(must) == there:
        return "other_bytes"
    if with_characters(must) == with_characters(there):
        return "escapes"
    if must.startswith(MARK) != there.startswith(MARK):
        return "mark" if _how(must.removeprefix(MARK), there.removeprefix(MARK)) else ""
    for how, alike in ALIKE:
        if alike(must) == alike(there):
            return how
    kept = sum(shared(must, there))
    return "changed" if kept * 2 >= max(len(must), 1) or _near(must, there) else ""


def _lost(must: str, there: str, renderer: Renderer) -> list[Drop]:
    """The declared losses that a text has suffered, one or all; one that has lost blanks may have lost escapes, too."""
    ways: Sequence[tuple[Drop, Callable[[str], str]]] = (
        (Drop(what="other_bytes"), _decoded),
        (ESCAPES, with_characters),
        (LINE_BLANKS, lambda text: bare_lines(with_characters(text))),
        (FILE_ENDS, with_ends),
    )
    lacks = must.endswith("\n") and not there.endswith("\n")
    ways = [one for one in ways if one[0] in renderer.losses and not (one[0] == FILE_ENDS and lacks)]
    for some in (*([one] for one in ways), ways):
        texts = (reduce(lambda said, one: one[1](said), some, text) for text in (must, there))
        if some and len({*texts}) == 1:
            return [loss for loss, _ in some]
    return []


def _decoded(text: str) -> str:
    """With the sign of replacement for bytes that are no UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _near(must: str, there: str) -> bool:
    """Whether most words of a text are those of another one."""
    words = set(re.findall(r"\w+", must))
    return bool(words) and len(words & set(re.findall(r"\w+", there))) * 2 > len(words)


def _declared(how: str, must: str, there: str, renderer: Renderer) -> bool:
    """Whether that is a declared loss; renderings are about what the model is shown, and excuse nothing in a file."""
    lost = how == "control" and Drop(what="control") in renderer.losses
    return lost and without_control(must) == without_control(there)
