"""A model that plays a plan: for each round the replies it gives, whose tools are named by purpose, for any harness.

Items of `ModelSpec.script`::

    {"round": "r3", "mark": "words of the prompt", "replies": [
        {"text": "I look.", "uses": [{"kind": "read", "target": "a.md"}, {"kind": "history", "target": "s1"}]},
        {"text": "Done."}]}

All `uses` of a reply are asked for at once; what a result does not show to be done is tried in another way, and what no
tool can do is passed over. What is the harness's own affair (a title, a guard, a summary) is answered aside and uses nothing
up: a request with neither the mark nor a result of this turn, and one without tools where others had some, before all is said.
Every attempt at a round begins anew; in the first one, a reply with `hang` never comes.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import posixpath
import re
import shlex
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from pydantic import Field, TypeAdapter, ValidationError

from claw_adapter.endpoint.dialects import DIALECTS
from claw_adapter.endpoint.events import results
from claw_adapter.endpoint.faults import FaultKind, FaultRule, broken_call, raise_fault
from claw_adapter.endpoint.reader.background import begin, follow
from claw_adapter.endpoint.reader.errands import Attempt, Errand, Habits, Steps
from claw_adapter.endpoint.reader.parts import (
    SearchPlace,
    append_to,
    edit_at_once,
    edit_file,
    insert_behind,
    list_folder,
    read_pages,
    search_files,
)
from claw_adapter.endpoint.reader.reading import read_file, read_session
from claw_adapter.endpoint.reader.todos import note_todos
from claw_adapter.endpoint.reader.writing import holds, holds_some, write_file
from claw_adapter.errors import EndpointError
from claw_adapter.model import Call, CallDelta, Delta, Model, ModelRequest, TurnId
from claw_adapter.patterns import WORKING_FOLDER
from claw_adapter.protocol.answer_key import AnswerKey
from claw_adapter.protocol.base import Record
from claw_adapter.protocol.capabilities import SubAgent
from claw_adapter.protocol.model import ModelSpec
from claw_adapter.reading import strings_of
from claw_adapter.toolbox.box import Toolbox, toolbox
from claw_adapter.toolbox.candidates import filled
from claw_adapter.toolbox.patches import notations_for

__all__ = ["CommandEffect", "Deed", "PlayedModel", "PlayedReply", "PlayedRound", "ToolUse", "parse_script"]

ASIDE: Final = "Noted."
UNDONE: Final = "Some of that has been done, and some is still to be done."
"""What is said where a reply without calls is asked for while work is under way; some take that for the answer."""
SUMS: Final = re.compile(r"summar|compact|checkpoint|condens|hand-?off|recap", re.IGNORECASE)
"""Words with which programs ask for a summary."""
SIGNED: Final = "c2lnbmVk"
"""What a provider signs thoughts with."""
HERE: Final = "END_OF_TEXT"
LARGE: Final = 20_000
"""Characters of a text from which on what was written is not read again at once."""
MOST_PIECES: Final = 60
"""Pieces in which the arguments of a call come."""
MOST_TRIES: Final = 6
"""Calls that are made for one purpose."""
MOST_READS: Final = 30
"""The same where all of something has to come back, page by page."""


class CommandEffect(Record):
    """What a command does where files are as `given`: what it `leaves` of those that it changes, and all that it prints.

    None stands for a file that is not there. A patch has parts that do not fit the files `misses`: these stay as they are.
    """

    given: dict[str, str | None] = Field(default_factory=dict)
    leaves: dict[str, str | None] = Field(default_factory=dict)
    misses: tuple[str, ...] = ()
    prints: str = ""


class ToolUse(Record):
    """A purpose: reading, writing, running a command (`target`), reading a session, known by one of `names`.

    A file is also read by ``pages`` of so many lines, each from one of `starts` on, or shown by a command (``cat``), whole
    where there are no `starts`; ``edit`` puts the `content` in the place of `wanted`, ``edits`` each of the `names` in that of
    one of them, by one call, ``insert`` puts the `content` behind the first of the lines `starts`, and ``patch`` gives a tool
    for that the `content` (or, if it takes diffs, the first of the `names`); ``print`` has a command say the `target`, and
    the `content` where errors go; ``put`` writes a file by a command, ``add`` adds a line to one, ``append`` puts the `content`
    behind one with a tool;
    ``newer`` asks a command whether the target was changed later than the file `content`;
    ``search`` looks for the `content` in the files of a folder, and ``find`` for files whose names are as that pattern says;
    ``list`` shows what is in a folder ("" is the workspace), ``count`` has a command count what is in the workspace; ``drop``
    removes a file by a command, ``move`` gives it another path, the `content`; ``folder`` makes a folder by a command;
    ``program`` runs a script, the first of `needs`, that writes the `content` into the target, ``status`` one, the target, that
    says nothing; ``go`` has a command go to a folder ("" is the workspace) and end with a status, ``where`` one say where;
    ``stray`` calls a tool of that name, which is none, ``bent`` the tool for reading without its path, or (`target`: null) with
    that for it;
    ``begin`` has a command, the target, go on in the background, and ``follow`` asks what it has printed by then;
    ``todo`` gives a tool for that a list of what is to do, its `names`; ``delegate`` gives the target to the `tool` that is
    named, and another agent that works for it then is told the `replies`.
    """

    kind: Literal[
        "read", "write", "run", "history", "pages", "cat", "print", "edit", "put", "add", "list", "drop", "move", "stray",
        "newer", "status", "folder", "count", "program", "search", "find", "go", "where", "bent", "todo", "append",
        "delegate", "edits", "patch", "insert", "begin", "follow",
    ]  # fmt: skip
    target: str
    content: str = ""
    names: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    """Files that have to be there, and folders, with a stroke at the end, that have to be made before."""
    wanted: tuple[str, ...] = ()
    """Texts of what is to be read; a result that has a line of them shows it, and any result does where there are none."""
    whole: bool = False
    """It is read on, by pages and searches, until every one of `wanted` has come back."""
    starts: tuple[int, ...] = ()
    """The first line of each page, counted from 1."""
    page: int = 0
    """Lines of a page."""
    delay: float = 0.0
    """Seconds that a command takes before it shows anything."""
    within: int = 0
    """Seconds that the command may take; told to a tool that asks for that and says in which unit."""
    over: bool = False
    """It takes longer: it is run only where that can be told."""
    exit: int = 0
    """The status with which a command ends that has shown something."""
    missed: bool = False
    """An edit's text is not in the file, or not once, or the file has gone: it may be refused, or nothing is to be replaced."""
    here: bool = False
    """A command writes a text as a here-document."""
    effect: CommandEffect | None = None
    """What the command does that is run, or the patch that is given, where that is known."""
    inside: bool = False
    """A command goes to the file's folder first, from wherever it is, and says nothing of going back."""
    apart: bool = False
    """A command runs in the file's folder by an argument of the call, with a tool that takes one for that."""
    every: bool = False
    """An edit replaces the text wherever it stands, with a tool that can be told so."""
    once: bool = False
    """An edit is told not to do that, with a tool that can be told so."""
    absolute: bool = False
    """The tool is given the whole path."""
    by: str = ""
    """The tool is given this path, a link to the target."""
    alone: bool = False
    """The target of a search is one file."""
    any_case: bool = False
    """A search takes capitals for small letters, with a tool that can be told so."""
    around: int = 0
    """A search shows so many lines before and behind what it finds, with a tool that can be told so."""
    suffixes: tuple[str, ...] = ()
    """A search looks only at files whose names end so, with a tool that can be told so."""
    pattern: bool = False
    """What is looked for is a regular expression, with a tool that says that it takes such."""
    alike: bool = False
    """What is written differs from what stands there in blanks alone, or is some of its lines."""
    tool: SubAgent | None = None
    """The tool to which the target is given, by its name."""
    replies: tuple[PlayedReply, ...] = ()
    """What the model says to that agent, in a conversation of its own."""


class PlayedReply(Record):
    """One reply; without `uses` it ends the turn."""

    text: str = ""
    thought: str = ""
    """What a reasoning model says to itself before."""
    uses: tuple[ToolUse, ...] = ()
    finish: Literal["stop", "length", "content_filter"] = "stop"
    hang: bool = False
    """In the first attempt it never comes."""
    piece: int = 40
    """Characters of text, or of a call's arguments, in one piece of the stream."""
    woven: bool = False
    """Whether the pieces of several calls come by turns, each with its call's number."""
    delay: float = 0.0
    """Seconds before it comes."""
    pause: float = 0.0
    """Seconds in the middle of its text."""
    fault: FaultKind | None = None
    """The request fails instead; so do the next, `times` in all, for good if that is 0."""
    times: int = 1
    broken: bool = False
    """Behind its calls comes one whose arguments are no JSON; where the reply is asked for again, it does not."""
    cut: bool = False
    """Its last call breaks off in the middle of its arguments, as at a limit of tokens; it is not made again."""


class PlayedRound(Record):
    """What is said in one round; `aside` is what to requests beside the conversation, as for a title or a summary."""

    round: str
    mark: str
    replies: tuple[PlayedReply, ...]
    aside: str = ASIDE
    sums: bool = False
    """Whether the conversation is to be summed up in it, which may be asked for with tools offered, and in other words."""


_SCRIPT: TypeAdapter[tuple[PlayedRound, ...]] = TypeAdapter(tuple[PlayedRound, ...])


def parse_script(spec: ModelSpec) -> tuple[PlayedRound, ...]:
    """The rounds of a script.

    Raises:
        EndpointError: it is not of the form above.
    """
    try:
        return _SCRIPT.validate_python(spec.script)
    except ValidationError as error:
        raise EndpointError(f"a script item has no known form: {error}", where=f"model {spec.name}") from None


@dataclass(slots=True)
class Deed:
    """What became of a purpose: the calls made, what came back, and whether that is done."""

    use: ToolUse
    errand: Errand | None = None
    attempts: list[Attempt] = field(default_factory=list)
    results: list[str] = field(default_factory=list)

    @property
    def possible(self) -> bool:
        """Whether the harness offered any tool for it."""
        return bool(self.attempts)

    @property
    def text(self) -> str:
        """Everything that came back."""
        return "\n".join(self.results)

    @property
    def next(self) -> Attempt | None:
        """The call to make now."""
        most = MOST_READS if self.use.whole or self.use.starts or self._in_parts else MOST_TRIES
        return self.errand.attempt if self.errand is not None and len(self.attempts) < most else None

    @property
    def _in_parts(self) -> bool:
        """Whether a file was not shown at once, and then, with further arguments, some of it: not if it is another text."""
        if self.errand is None or self.use.kind != "read" or len(self.attempts) < 2 or not self.results:
            return False
        first, last = ({*one.arguments} for one in (self.attempts[0], self.attempts[-1]))
        shown = [*map(self.errand.shows, self.results)]
        return first < last and not shown[0] and any(shown)

    def missing(self) -> list[str]:
        """What has to come back yet."""
        if self.use.whole:
            return [text for text in self.use.wanted if text not in self.text]
        return [text for text in self.use.wanted if not holds(text)(self.text)] if self._in_parts else []


class PlayedModel(Model):
    """Plays rounds in `workspace`, which a run names with each round."""

    def __init__(self, rounds: tuple[PlayedRound, ...], workspace: str = "") -> None:
        self._rounds = {item.round: item for item in rounds}
        self._habits = Habits()
        self._workspace = workspace
        self._offered = False
        """Whether any request so far had tools."""
        self.issued: list[Call] = []
        """Calls of the turn under way."""
        self._earlier: set[str] = set()
        """Ids of calls of turns before."""
        self._reset(TurnId(""))

    def _reset(self, turn: TurnId) -> None:
        self._turn = turn
        self._at = self._calls = self._failed = 0
        self._open: list[Deed] = []
        self._beside: list[PlayedModel] = []
        """Those who play what sub-agents are told."""
        self._earlier |= {call.id for call in self.issued}
        self.issued = []
        self._last = PlayedReply(text=ASIDE)
        self._said = ""
        """The last words of the user in the turn's conversation."""
        self.deeds: list[Deed] = []
        """Those of the turn under way."""

    def begin(self, turn: TurnId, answer_key: AnswerKey | None) -> None:
        """Every attempt starts with the first reply."""
        self._reset(turn)
        if answer_key is not None:
            self._workspace = answer_key.workspace

    async def answer(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """Play on, in the conversation or in that of a sub-agent."""
        other = self._helper(request) if self._beside else None
        async for delta in self._play(request) if other is None else other.answer(request):
            yield delta

    async def _play(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        played = self._rounds.get(self._turn.round)
        if played is None or self._sums(played, request) or not self._carries(played, request):
            yield Delta(text=played.aside if played is not None else ASIDE, finish="stop")
            return
        self._harvest(request)
        if self._open and self._offered and not request.tools:
            # for a summary, behind which work goes on, or a last word
            yield Delta(text=UNDONE, finish="stop")
            return
        reply = PlayedReply() if self._open else self._reply(played, request)
        if reply.hang and self._turn.attempt == 1:
            await self.hold()
        await self.wait(reply.delay)
        if reply.fault is not None:
            yield self._fail(reply, reply.fault, request)
        elif not self._open:
            self._last = reply
        if reply.thought:
            yield Delta(extra={"reasoning_content": reply.thought})
            yield Delta(extra={"reasoning_signature": SIGNED})
        for start in range(0, len(reply.text), reply.piece):
            if start <= len(reply.text) // 2 < start + reply.piece:
                await self.wait(reply.pause)
            yield Delta(text=reply.text[start : start + reply.piece])
        calls = [self._call(at, deed, deed.next) for at, deed in enumerate(self._open) if deed.next is not None]
        if reply.cut and calls:
            half = calls[-1].arguments[: len(calls[-1].arguments) // 2].rstrip("\\")
            calls[-1] = replace(calls[-1], arguments=half)
            self._open.pop()
        pieces = [list(_pieces(call, reply.piece)) for call in calls]
        rows = itertools.zip_longest(*pieces) if reply.woven else pieces
        for piece in (one for row in rows for one in row if one is not None):
            yield Delta(calls=(piece,))
        if reply.broken and calls:
            last = broken_call(request, self._turn.name("call_broken", self._at))
            yield replace(last, calls=tuple(replace(call, index=len(calls)) for call in last.calls))
        yield Delta(finish=reply.finish if reply.cut or not (self._open or reply.fault) else "tool_calls")

    async def wait(self, seconds: float) -> None:
        """Let so many seconds pass."""
        await asyncio.sleep(seconds)

    async def hold(self) -> None:
        """Never come back."""
        await asyncio.Event().wait()

    def _sums(self, played: PlayedRound, request: ModelRequest) -> bool:
        """Whether a request asks for a summary: by its last words, which are not those of the turn."""
        line = request.lines[-1] if request.lines else None
        if not played.sums or line is None or line.role != "user" or line.text == self._said:
            return False
        if SUMS.search(line.text.rpartition(played.mark)[2].removeprefix(self._said)) and (
            self._said or played.mark not in line.text
        ):
            return True
        self._said = line.text
        return False

    def _carries(self, played: PlayedRound, request: ModelRequest) -> bool:
        """Whether a request carries the turn on."""
        self._offered = self._offered or bool(request.tools)
        marked = any(played.mark in line.text for line in request.lines)
        if (
            not request.tools and self._offered
        ):  # when all is said, or nothing works, some ask once more for a last word
            last = all(reply.fault is not None for reply in played.replies[self._at : self._at + 1])
            done = bool(results(request.lines, self.issued, self._earlier))  # and some leave the tools out for it
            return marked and (last or (done and _last_said(played.replies[self._at :]) is not None))
        return marked or bool(results(request.lines, self.issued, self._earlier))

    def _helper(self, request: ModelRequest) -> PlayedModel | None:
        """Whose request it is: the task that was given last stands in it, or else results of calls by that one.

        If it has results of the conversation's own calls as well, the task is in what the user says last.
        """
        forked = bool(results(request.lines, self.issued, self._earlier))
        said = [line.text for line in request.lines if line.role == "user"][-1 if forked else 0 :]
        places = {at: one for one in self._beside for at, text in enumerate(said) if one.is_marked(text)}
        by_results = (one for one in self._beside if results(request.lines, one.issued))
        return places[max(places)] if places else next(by_results, None)

    def is_marked(self, text: str) -> bool:
        """Whether a text has a mark of these rounds."""
        return any(played.mark in text for played in self._rounds.values())

    def _reply(self, played: PlayedRound, request: ModelRequest) -> PlayedReply:
        """The next reply of which something can be done; at the end the last one without calls, again and again."""
        if not request.tools and (said := _last_said(played.replies[self._at :])) is not None:
            return said  # perhaps it is about a title: nothing is used up
        while self._at < len(played.replies):
            reply = played.replies[self._at]
            if reply.hang and self._turn.attempt == 1:
                return reply
            if reply.fault is None:
                self._at += 1
            self._open = self._opened(reply, toolbox(request.tools))
            if self._open or not reply.uses:
                return reply
        return self._last

    def _fail(self, reply: PlayedReply, fault: FaultKind, request: ModelRequest) -> Delta:
        """Raise the fault, or call a tool as nobody can."""
        self._failed += 1
        if reply.times and self._failed >= reply.times:
            self._at, self._failed = self._at + 1, 0
        dialect = next(one for one in DIALECTS if one.name == request.dialect)
        raise_fault(FaultRule(at="every 1", kind=fault), dialect)
        return broken_call(request, self._turn.name("call_broken", self._at))

    def _call(self, index: int, deed: Deed, attempt: Attempt) -> CallDelta:
        self._calls += 1
        deed.attempts.append(attempt)
        call_id = self._call_id()
        if deed.errand is not None:
            deed.errand.call_id = call_id
        self.issued.append(Call(call_id, attempt.tool, ""))
        return CallDelta(index, call_id, attempt.tool, json.dumps(attempt.arguments, ensure_ascii=False))

    def _call_id(self) -> str:
        """An id of its own, as some provider makes them: by turns, those of a turn are alike, or not at all."""
        turn = self._turn.name("call", 0)
        return f"{turn}_{self._calls}" if int(turn[-1], 16) % 2 else self._turn.name("call", self._calls)

    def _harvest(self, request: ModelRequest) -> None:
        """Close what has been done, go on with what was refused; a failed request is only asked again."""
        asked = [(deed, deed.errand) for deed in self._open if deed.errand is not None]
        if not all(deed.attempts for deed, _ in asked):
            return  # whoever asked has hung up before the calls came
        calls = [Call(errand.call_id, deed.attempts[-1].tool, "") for deed, errand in asked]
        found = results(request.lines, calls)
        if asked and not found and request.lines and request.lines[-1].role != "tool":
            return  # the reply with the calls has not reached the harness
        self._open = [deed for deed, errand in asked if self._goes_on(deed, errand, found.get(errand.call_id))]

    def _goes_on(self, deed: Deed, errand: Errand, result: str | None) -> bool:
        """Take in what a call brought; whether there is another one to make."""
        if result is None:
            errand.lost()
            return deed.next is not None
        deed.results.append(result)
        if errand.advance(result).shows and deed.use.kind not in ("write", "edit", "edits", "patch"):
            self._habits.worked(deed.attempts[-1])
            if not deed.missing() and not deed.use.starts:
                return False
        return deed.next is not None

    def _opened(self, reply: PlayedReply, box: Toolbox) -> list[Deed]:
        deeds = [Deed(use) for use in reply.uses]
        for deed in deeds:
            deed.errand = Errand(deed.use.target, self._ways(deed, box), _shows(deed.use))
            if deed.use.kind == "delegate":
                self._beside.append(self._other(deed.use))
        self.deeds += deeds
        return [deed for deed in deeds if deed.next is not None]

    def _other(self, use: ToolUse) -> PlayedModel:
        """Who plays what a sub-agent is told, with ids of its own."""
        turn = replace(self._turn, round=f"{self._turn.round}/{len(self._beside) + 1}")
        other = PlayedModel((PlayedRound(round=turn.round, mark=use.target, replies=use.replies),), self._workspace)
        other.begin(turn, None)
        return other

    def _ways(self, deed: Deed, box: Toolbox) -> Steps:
        use, habits = deed.use, self._habits
        path = posixpath.join(self._workspace, use.target) if use.absolute else use.by or use.target
        ways: Steps
        match use.kind:
            case "read":
                if use.whole and "read" in habits.working:
                    box = replace(box, run=())  # what it leaves out is to be found, not to be got otherwise
                ways = read_file(path, self._workspace, box, habits)
            case "write" | "append" | "edit" | "edits" | "insert":
                ways = self._writes(use, path, box)
            case "history":
                ways = read_session(use.names or (use.target,), box, habits, deed.missing)
            case "pages":
                ways = read_pages(use.target, self._workspace, box, habits, use.starts, use.page)
            case "list":
                ways = list_folder(path, self._workspace, box, habits)
            case "search" | "find":
                by_name = use.kind == "find"
                place = SearchPlace(use.target, use.alone, use.suffixes, use.around, use.any_case)
                ways = search_files(
                    use.content, place, self._workspace, box, habits, by_name=by_name, regular=use.pattern
                )
            case "run":
                ways = _commanded([use.target], box, use.within, over=use.over)
            case "begin" | "follow":
                ways = begin(use.target, box) if use.kind == "begin" else follow(self._begun(use.target), box)
            case "todo" | "stray" | "bent" | "delegate" | "patch":
                ways = note_todos(use.names, box) if use.kind == "todo" else _called(use, box)
            case _:
                ways = _shelled(use, self._workspace, box)
        return ways

    def _begun(self, command: str) -> str:
        """What was answered when a command began."""
        deeds = (one for one in self.deeds if one.use.kind == "begin" and one.use.target == command)
        return next((one.text for one in deeds if one.results), "")

    def _writes(self, use: ToolUse, path: str, box: Toolbox) -> Steps:
        """All of a file, what comes behind it, or in the place of some of it."""
        if use.kind == "edit":
            every = True if use.every else False if use.once else None
            return edit_file(path, use.wanted[0], use.content, self._workspace, box, self._habits, every=every)
        if use.kind == "edits":
            changes = list(zip(use.wanted, use.names, strict=True))
            return edit_at_once(path, changes, self._workspace, box, self._habits)
        if use.kind == "insert":
            return insert_behind(path, use.starts[0], use.content, self._workspace, box, self._habits)
        if use.kind == "append":
            return append_to(path, use.content, self._workspace, box, self._habits)
        ways = write_file(path, use.content, self._workspace, box, self._habits, alike=use.alike)
        return _once(ways, use.content) if len(use.content) > LARGE else ways


def _pieces(call: CallDelta, size: int) -> Iterator[CallDelta]:
    """A call whose arguments come in pieces of so many characters, or in as many as a long text is worth."""
    size = max(size, len(call.arguments) // MOST_PIECES + 1)
    yield replace(call, arguments=call.arguments[:size])
    for start in range(size, len(call.arguments), size):
        yield replace(call, arguments=call.arguments[start : start + size])


def _last_said(replies: Sequence[PlayedReply]) -> PlayedReply | None:
    """The reply in words that these come to, if nothing is to happen on the way."""
    if not replies or any(reply.fault is not None or reply.hang for reply in replies):
        return None
    return replies[-1]


def _shows(use: ToolUse) -> Callable[[str], bool]:
    """Whether a result shows that this has been done, or some of what is to be read."""
    return holds(use.content) if use.kind == "write" else holds_some(use.wanted)


def _commands(use: ToolUse, workspace: str) -> list[str]:
    """The commands that show a file, or lines of it, that print something, or write it into a file."""
    target, content = shlex.quote(use.target), shlex.quote(use.content)
    text = f"cat > {target} <<'{HERE}'\n{use.content}\n{HERE}" if use.here else f"printf '%s\\n' {content} > {target}"
    single = {
        "add": f"printf '%s\\n' {content} >> {target}",
        "drop": f"rm {target}",
        "move": f"mv {target} {content}",
        "newer": f"find {target} -newer {content}",
        "count": f'echo "$(ls -A {shlex.quote(workspace)} | wc -l) entries"',
        "status": f"sh {target}",
        "folder": f"mkdir -p {target}",
        "program": " ".join(map(shlex.quote, ("sh", *use.needs[:1]))),
        "go": f"cd {target if use.target else shlex.quote(workspace)} && {'false' if use.exit else 'true'}",
        "where": "pwd",
        "print": f"echo {target}; printf '%s\\n' {content} >&2",
        "put": text,
    }
    if use.kind in single:
        return [single[use.kind]]
    wait = f"sleep {use.delay} && " if use.delay else ""
    end = f"; exit {use.exit}" if use.exit else ""
    if use.inside:
        folder, _, name = use.target.rpartition("/")
        return [f"cd {shlex.quote(posixpath.join(workspace, folder))} && cat {shlex.quote(name)}"]
    return [f"{wait}sed -n '{at},{at + use.page - 1}p' {target}" for at in use.starts] or [f"{wait}cat {target}{end}"]


def _once(ways: Steps, content: str) -> Steps:
    """Until the content was given to a tool: reading all of it again would take as much of the window once more."""
    attempt = next(ways, None)
    while attempt is not None:
        result = yield attempt
        try:
            attempt = None if content in strings_of(dict(attempt.arguments)) else ways.send(result)
        except StopIteration:
            return True
    return True


def _called(use: ToolUse, box: Toolbox) -> Steps:
    """A call of a tool that is named, or as no tool takes it; once."""
    if use.tool is not None and use.tool.tool in box.names:
        yield Attempt("delegate", use.tool.tool, {**use.tool.arguments, use.tool.task: use.target})
    if use.kind == "stray":
        yield Attempt("stray", use.target, {"path": use.content})
    for tool in box.patch[: use.kind == "patch"]:
        notation, *_ = notations_for(f"{tool.known.description} {tool.target.description}", path_given=False)
        for text in (use.content,) if notation == "patch" else use.names if notation in ("git", "unified") else ():
            yield Attempt("patch", tool.tool, tool.arguments(text))
    for tool in box.read[:1] if use.kind == "bent" else ():
        yield Attempt("stray", tool.tool, filled(tool.fixed, {tool.target.at: None}) if use.target == "null" else {})
    return True


def _shelled(use: ToolUse, workspace: str, box: Toolbox) -> Steps:
    """By commands; one that is to run apart is told so by an argument: a shell that goes there first may stay there."""
    if not use.apart:
        return (yield from _commanded(_commands(use, workspace), box, use.within))
    folder, _, name = use.target.rpartition("/")
    for shell in box.run[:1]:
        place = shell.known.one_of(WORKING_FOLDER, "string")
        if place is not None and place is not shell.target:
            told = {place.at: posixpath.join(workspace, folder) if place.absolute else folder}
            (command,) = _commands(use.model_copy(update={"target": name}), workspace)
            yield Attempt("run", shell.tool, shell.arguments(command, told))
    return True


def _commanded(commands: Sequence[str], box: Toolbox, within: int, *, over: bool = False) -> Steps:
    for shell in box.run[:1]:
        limit = shell.known.lasting(within)
        for command in commands if limit or not over else ():
            yield Attempt("run", shell.tool, shell.arguments(command, limit))
    return True
