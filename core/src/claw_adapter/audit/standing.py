"""What stands in front of a conversation, instructions and tools: it is still there behind a restart, and lists are of now."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise, takewhile
from pathlib import PurePosixPath
from typing import Final

from claw_adapter.audit.book import Book
from claw_adapter.audit.commands import told_by
from claw_adapter.audit.places import hidden
from claw_adapter.audit.purpose import reads
from claw_adapter.audit.results import known_lines, lines_of_text, turned, whole_in
from claw_adapter.audit.turns import RequestTurn
from claw_adapter.audit.units import RequestUnit, arguments_of, tool_names
from claw_adapter.runs.transcript import Exchange

__all__ = ["StandingLines", "StandingLists", "StandingTexts", "beside"]

TOOL: Final = "\n"
"""With this the name of a tool is a line that no text can have."""
LEAST: Final = 6
"""Characters of a path by which a line is known to be about a file."""
LISTED: Final = 3
"""Files from which on lines that are nothing but their paths are a list."""
SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n")
SENTENCE_LEAST: Final = 13
"""Characters of a sentence of a prompt, at least."""
LONG: Final = 20
"""Lines of a file from which on it is known to be shown, from its beginning, and characters of a line of the program's own."""
MARKED: Final = 300
"""Characters behind them in which it is said that there is more."""
TAG: Final = re.compile(r"</?[^<>\n]*>")
WORD: Final = re.compile(r"\w")
SHOWN: Final = 40
"""Characters of a text from which on it is known to be a file's."""
BULLET: Final = re.compile(r"^\s*(?:[-*+•]\s+|\d+[.)]\s+)?(?:\./)?")


class StandingLines:
    """Follows the lines of a trial's instructions that name a file or repeat what was said, and the tools offered.

    A line that was in every request of the two rounds before a restart or a failed attempt, about a file that is still there,
    with a sentence of a prompt or with what is to do, and is in none behind it, not with other figures either (dates, ids of
    processes), tells of something that only a process knew. So does a tool that was offered in all of them, and is in none.
    """

    def __init__(self, book: Book) -> None:
        self.book = book
        self._rounds: dict[str, set[str]] = {}
        """What was in every request, of the two last rounds."""
        self._said: set[str] = set()
        """Sentences of the prompts so far."""
        self.noted: Sequence[str] = ()
        """Entries of the list of what is to do."""
        self._process = -1
        self._restarted = False
        """Whether there was a restart, and no request came since."""
        self._own: set[str] = set()
        """Lines of the program's own, of the first request that had some."""

    def judge(
        self,
        turn: RequestTurn,
        prompt: str,
        said: Iterable[str],
        files: Callable[[], Mapping[str, str]],
        former: Iterable[Collection[str]],
        *,
        restarted: bool,
    ) -> None:
        """One turn.

        Args:
            turn: the turn.
            prompt: what was asked.
            said: texts of the conversation before.
            files: gives the texts of the workspace when it began, by path; asked for behind a restart only.
            former: lines that its files had before: what shows a file changes with it.
            restarted: whether the session was closed and opened again before its round.
        """
        anew = turn.attempt > 1 or 0 <= self._process < turn.process  # behind a failed attempt it is opened again
        self._restarted |= anew or (restarted and turn.round not in self._rounds)
        self._process = turn.process
        found = [_instructions(turn.units[one.number]) | _tools(one) for one in turn.chain]
        if not found:
            return
        self._keep(turn, said)
        if self._restarted:
            self._compare(set[str]().union(*found), files(), former, turn.chain[0].number)
            self._rounds, self._restarted = {}, False
        self._said |= {one.strip() for one in SENTENCE.split(prompt) if len(one.strip()) >= SENTENCE_LEAST}
        before = [item for item in self._rounds.items() if item[0] != turn.round]
        self._rounds = dict([*before[-1:], (turn.round, set.intersection(*found))])

    def _keep(self, turn: RequestTurn, said: Iterable[str]) -> None:
        """No request that offers tools is without any instructions where others had some, besides what was said in the past."""
        front = {one.number: _instructions(turn.units[one.number]) for one in turn.chain if one.tools}
        others = [number for number, lines in front.items() if not lines & self._own]
        past = {line for text in said for line in text.splitlines()} if others else set[str]()
        for number in others:
            units, own = turn.units[number], {line for line in front[number] - past if len(line.strip()) >= LONG}
            if self._own and not own and not any(line in unit.text for line in self._own for unit in units):
                what = f"{min(self._own)[:80]!r} and all other instructions, which were in front of requests before, are gone"
                self.book.find("M30", "instructions-gone", what, request=number)
            self._own = self._own or own

    def _compare(
        self, lines: Collection[str], files: Mapping[str, str], former: Iterable[Collection[str]], request: int
    ) -> None:
        if len(self._rounds) < 2:
            return
        shapes = {_shape(line) for line in lines}
        paths = [path for path in files if len(path) >= LEAST]
        texts = set[str]().union(*former, *(text.splitlines() for text in files.values()))
        for line in sorted(set.intersection(*self._rounds.values()) - set(lines)):
            if line.startswith(TOOL):
                cause, name = "tools", f"the tool {line.removeprefix(TOOL)}"
            elif (
                line.strip() in texts
                or _shape(line) in shapes
                or not any(one in line for one in (*paths, *self._said, *self.noted))
            ):
                continue
            else:
                cause, name = "instructions", repr(line.strip()[:80])
            what = f"{name}, in front of all requests of the two rounds before it was opened again, is gone after that"
            self.book.find("M24", f"{cause}-forgotten", what, request=request)


class StandingLists:
    """Follows lists of the whole workspace in the instructions: each is of the time when its turn begins.

    A list is lines that are nothing but paths, of all files that are not hidden. Where one stays what it was while files
    have come or gone, the model is told of a workspace that is not there.
    """

    def __init__(self, book: Book) -> None:
        self.book = book
        self._whole: set[frozenset[str]] = set()
        """Lists of some turn that were whole."""

    def judge(self, turn: RequestTurn, paths: Iterable[str]) -> None:
        """One turn, before which these files were there."""
        there = frozenset(path for path in paths if not hidden(PurePosixPath(path)))
        for exchange in turn.chain[:1]:
            lines = [BULLET.sub("", line).rstrip() for line in _instructions(turn.units[exchange.number])]
            named, text = frozenset(lines), "\n".join(lines)
            old = next((one for one in self._whole if one <= named and one != there), frozenset())
            wrong = {
                "lacks {}, which is there": [path for path in there - named if path not in text],
                "has {}, which is not there": [path for path in old - there if text.count(path) == 1],
            }
            for what, found in wrong.items() if old else ():
                for path in sorted(found)[:1]:
                    said = f"a list of all files in the instructions {what.format(path)}"
                    self.book.find("M20", "instructions-stale", said, request=exchange.number)
            self._whole |= {there} if len(there) >= LISTED and there <= named else set()


class StandingTexts:
    """Follows the files that a harness itself shows, in the instructions or around a prompt: each is as its turn begins.

    A text that a file had before an earlier turn, whole, and nothing of what it is now, tells the model of what is no more.
    So does a line of it, in the instructions beside the file's path or right below, the text of another file, under the name
    of one that the prompt names and that is not there, and a text of before that comes with the reading of another file.
    """

    def __init__(self, book: Book) -> None:
        self.book = book
        self._files: Mapping[str, str] = {}
        self._former: dict[str, set[str]] = {}
        """Texts that files had before earlier turns, and have no longer."""

    def judge(
        self, turn: RequestTurn, prompt: str, files: Mapping[str, str], after: Mapping[str, str] | None = None
    ) -> None:
        """One turn, before which files were so, and behind which they are as `after` has them."""
        for path, text in self._files.items():
            if files.get(path) != text and len(text) >= SHOWN:
                self._former.setdefault(path, set()).add(text)
        former, self._files = self._files, files
        self._mistaken(turn, prompt, files)
        self._cut(turn, prompt, files)
        self._turned(turn, prompt, former)
        for exchange in turn.chain[:1] if self._former else ():
            added, now = beside(turn.units[exchange.number], prompt), {*files.values()}
            for path, texts in self._former.items():
                if path in files and any(_stale(text, files[path], added) for text in texts - now):
                    what = f"beside the prompt the request shows {path} as it was before an earlier turn"
                    self.book.find("M20", "shown-stale", what, request=exchange.number)
            self._mapped(_front(turn.units[exchange.number]), files, exchange.number)
        self._below(turn, files, after or {})

    def _below(self, turn: RequestTurn, files: Mapping[str, str], after: Mapping[str, str]) -> None:
        """No reading shows, beside its file, what another one was of which no call of the turn says anything."""
        every = [(step.reply.exchange, *one) for step in turn.steps for one in step.offered] if self._former else []
        former = [(path, text) for path, texts in self._former.items() for text in texts] if every else []
        shown = [
            (exchange.number, call, result.text, path, text)
            for exchange, call, result in every
            if result is not None and reads(call.tool, exchange.tools)
            for path, text in former
            if whole_in(text, result.text)
        ]
        if not shown:
            return
        called = "\n".join(told_by(arguments_of(call)) for _, call, _ in every)
        there = {line for side in (files, after) for text in side.values() for line in lines_of_text(text)}
        for request, call, flat, path, text in shown:
            gone = path not in called and any(line not in there and line not in called for line in lines_of_text(text))
            asked = told_by(arguments_of(call))
            still = [one for name, one in files.items() if name in asked and one.strip() and after.get(name) == one]
            own = [one for one in still if whole_in(one, flat)]  # of one that is changed, nobody knows when
            apart = bool(own) and not any(whole_in(text, one) for one in own)
            if gone and apart and (path not in files or _stale(text, files[path], flat)):
                what = f"beside the file that was read the result shows {path} as it was before an earlier turn"
                self.book.find("M20", "shown-stale", what, request=request)

    def _mapped(self, front: Iterable[str], files: Mapping[str, str], request: int) -> None:
        """No line of what a file was stands by its path, with none of what it is."""
        rows = list(pairwise([row for text in front for row in (*text.splitlines(), "")]))
        for path, texts in self._former.items():
            places = ["\n".join(two) for two in rows if path in two[0]] if path in files else []
            now = known_lines(files[path]) if places else set()
            for place in places:
                gone = (line for text in texts for line in known_lines(text) - now if line in place)
                old = next((line for line in gone if not any(line in text for text in files.values())), "")
                if old and not any(line in place for line in now):
                    what = f"the instructions say of {path} what it was before an earlier turn: {old[:60]!r}"
                    self.book.find("M20", "shown-stale", what, request=request)

    def _turned(self, turn: RequestTurn, prompt: str, former: Mapping[str, str]) -> None:
        for exchange in turn.chain[:1]:
            added = beside(turn.units[exchange.number], prompt)
            for path, text in self._files.items():
                if (before := former.get(path, text)) == text:
                    continue
                old, new = map(known_lines, (before, text))
                gone, come = old - new, new - old
                if gone and turned(added, gone, come):
                    what = f"beside the prompt the request tells of a change of {path} the wrong way round: {{!r}}"
                    self.book.find("M20", "change-turned", what.format(min(come)[:60]), request=exchange.number)

    def _cut(self, turn: RequestTurn, prompt: str, files: Mapping[str, str]) -> None:
        """No file is shown from its beginning on, in the instructions or beside a prompt with its name, and just ends."""
        for exchange in turn.chain[:1]:
            units = turn.units[exchange.number]
            front, around = _front(units), _around(units, prompt)
            said = "\n".join((*front, *around))
            begun = (path for path, text in files.items() if text.strip() and text.split(maxsplit=1)[0] in said)
            begins = {path: lines for path in begun if (lines := lines_of_text(files[path])) and lines[0] in said}
            long = {path: lines for path, lines in begins.items() if lines[LONG:]}
            beside_it = [(text, path) for text in around for path in long if path in prompt and path in text]
            for text, path in (*beside_it, *((text, path) for text in front for path in long)):
                lines = long[path]
                shown = _begun(lines, text, {other: one[0] for other, one in begins.items() if other != path})
                if LONG <= shown < len(lines) and not any(line in text for line in lines[shown : shown + LONG]):
                    where = "beside the prompt" if (text, path) in beside_it else "in the instructions"
                    what = f"{where} the request shows {shown} lines of {path}, of {len(lines)}, and ends there"
                    self.book.find("M20", "shown-cut", what, request=exchange.number)

    def _mistaken(self, turn: RequestTurn, prompt: str, files: Mapping[str, str]) -> None:
        alike = [(path, "/" + PurePosixPath(path).name) for path, text in files.items() if len(text) >= SHOWN]
        named = [(path, name) for path, name in alike if path not in prompt and name.removeprefix("/") in prompt]
        for exchange in turn.chain[:1] if named else ():
            added = beside(turn.units[exchange.number], prompt)
            for path, name in named:
                asked = next((word for word in prompt.split() if f"/{word}".endswith(name) and word not in files), "")
                if asked in added and asked and path not in added and whole_in(files[path], added):
                    what = f"beside the prompt the request shows {path} as {asked}, which is not there"
                    self.book.find("M20", "shown-mistaken", what, request=exchange.number)


def beside(units: Sequence[RequestUnit], prompt: str) -> str:
    """What stands in the instructions and around a prompt."""
    asked = next((unit.text for unit in reversed(units) if unit.kind == "user" and prompt in unit.text), "")
    return "\n".join((*_front(units), asked.replace(prompt, "\n")))


def _around(units: Sequence[RequestUnit], prompt: str) -> list[str]:
    """The texts around a prompt, and those right before it that no model has said."""
    places = [at for at, unit in enumerate(units) if unit.kind == "user" and prompt in unit.text]
    if not places:
        return []
    before = takewhile(lambda unit: unit.kind in ("user", "system"), reversed(units[: places[-1]]))
    return [units[places[-1]].text.replace(prompt, "\n"), *(unit.text for unit in before)]


def _begun(lines: Sequence[str], text: str, others: Mapping[str, str]) -> int:
    """How many lines a text shows from the first on, in their order; 0 where it says beside them that there is more.

    `others` are other files' first lines, by path: where one is shown as well, what stands at its top is not about this one.
    """
    at, count = 0, 0
    for line in lines:
        place = text.find(line, at)
        if place < 0:
            break
        at, count = place + len(line), count + 1
    if count < LONG:
        return 0
    rest, line = text[at:].lstrip(), "".join(lines[count : count + 1])
    half = sum(1 for _ in takewhile(lambda two: two[0] == two[1], zip(rest, line, strict=False)))
    behind = rest[half:]
    for path, head in others.items():
        mine, shown, _ = behind.partition(head)
        *above, top = mine.rstrip().rsplit("\n", 1) if shown else ("",)  # where nothing else is shown, it has no top
        behind = "".join(above) if path in top else behind
    before = text.partition(lines[0])[0][-MARKED:]
    says = WORD.search(TAG.sub("", behind[:MARKED])) or {str(count), str(len(lines))} & {*re.findall(r"\d+", before)}
    return 0 if says else count


def _stale(text: str, now: str, added: str) -> bool:
    """Whether a text is shown whole, and no line that has come in its place."""
    if not whole_in(text, added):
        return False
    new = [line for line in lines_of_text(now) if line not in text]
    return bool(new) and not any(line in added for line in new)


def _tools(exchange: Exchange) -> set[str]:
    """The names of the tools that are offered."""
    return {f"{TOOL}{name}" for name in tool_names(exchange.tools)}


def _instructions(units: Iterable[RequestUnit]) -> set[str]:
    """The lines before the conversation; what is said in it as the system belongs to it."""
    return {line for text in _front(units) for line in text.splitlines()}


def _front(units: Iterable[RequestUnit]) -> list[str]:
    """The texts before the conversation."""
    return [unit.text for unit in takewhile(lambda unit: unit.kind == "system", units)]


def _shape(line: str) -> str:
    return re.sub(r"[\W\d_]+", "", line)
