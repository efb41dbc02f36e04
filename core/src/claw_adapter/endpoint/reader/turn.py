"""One turn of the reader: look at every request, fetch what is missing, write what is asked for, then answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

from claw_adapter.endpoint.events import results
from claw_adapter.endpoint.reader import policy
from claw_adapter.endpoint.reader.errands import Errand
from claw_adapter.endpoint.reader.matching import bare, normalise, shows_part
from claw_adapter.endpoint.reader.memory import Memory
from claw_adapter.endpoint.reader.reading import read_file, read_session
from claw_adapter.endpoint.reader.refusals import says
from claw_adapter.endpoint.reader.sight import Sight
from claw_adapter.endpoint.reader.writing import holds, write_file
from claw_adapter.model import Call, Line, ModelRequest, TurnId
from claw_adapter.protocol.answer_key import NEEDS, AnswerKey, Locator, Seen
from claw_adapter.protocol.gold import RoundEvidence
from claw_adapter.protocol.model import ModelSpec
from claw_adapter.toolbox.box import Toolbox
from claw_adapter.toolbox.candidates import filled

__all__ = ["ReaderTurn"]

KINDS: Final = frozenset(("read", "cat", "session"))
"""Kinds of attempts that show something by themselves."""
RECENT: Final = 3
"""Results that the next one may go on from."""
AT_ONCE: Final = 4
"""Calls in one reply, once a way of reading is known to work."""


class ReaderTurn:
    """The reader in one turn of one round."""

    def __init__(self, spec: ModelSpec, turn: TurnId, answer_key: AnswerKey, memory: Memory) -> None:
        self._spec = spec
        self._turn = turn
        self._answer_key = answer_key
        self._memory = memory
        self._evidence = answer_key.evidence or RoundEvidence()
        self._needed = policy.needed(self._evidence)
        self._texts = {item.id: item.text for item in answer_key.fragments if item.id in self._needed}
        self._sight = Sight(self._texts, memory.matcher, memory.own)
        self._made: set[str] = set()
        """Ids of the turn's calls."""
        self._reading: list[Errand] | None = None
        self._writing: list[Errand] | None = None
        self._proven: tuple[str, ...] = ()
        """Tools that were known to write when writing began."""
        self._calls = 0
        self._trials = self._pages = 0
        """Calls made to find out what tools do, and to read on."""
        self._again: list[Errand] | None = None
        """Errands for what a later request did not show any more."""
        self._known_tools: frozenset[str] = frozenset()
        self._kept = 0
        """Calls that reading leaves to writing."""
        self._unheard: set[str] | None = None
        """What was asked and no request has shown; None before the first one."""
        self._offered = False
        """Whether the turn's requests have offered tools."""
        self._given = ""
        """The answer that was given in words."""

    @property
    def blind(self) -> bool:
        """Whether there is nothing to decide by."""
        return self._answer_key.evidence is None or (bool(self._answer_key.letters) and not self._evidence.options)

    @property
    def seen(self) -> Seen:
        """What of the evidence has been seen, and what it decides."""
        verdicts = policy.decide(self._evidence, self._sight.shown)
        if not self._answer_key.letters and not self.blind:
            verdicts[NEEDS] = "supported" if self._satisfied else "hasty"
        found = tuple(name for name in self._needed if name in self._sight.shown)
        return Seen(needed=self._needed, seen=found, decided=verdicts, calls=self._calls, no_way=self._no_way)

    @property
    def _no_way(self) -> tuple[str, ...]:
        """What no tool on offer has done, although it might have decided the round.

        What tools have shown and no request shows any more is among it. There is nothing of all this where no version of a file
        holds what the round needs: then it is the scenario that does not have it.
        """
        undecided = policy.undecided(self._evidence, self._sight.shown)
        files = {item.path for item in self._answer_key.fragments if item.id in undecided}
        vain = [one for one in self._reading or () if one.open and one.wants & undecided]
        if any(one.place in files and self._is_elsewhere(one) for one in vain):
            return ()
        gone = self._places(self._sight.gone & undecided)
        unread = [e.place for e in vain if e.place not in gone] if self._offered else self._places(undecided)
        spent = 0 < self._budget <= self._calls
        unwritten = [one.place for one in self._writing or () if one.no_way or (spent and not one.over)]
        if not self._offered:
            unwritten = list(self._files())
        unheard = [name for name in self._answer_key.unsaid if name in undecided]
        return (
            *(f"keeping {place}" for place in gone),
            *(f"reading {place}" for place in unread),
            *(f"writing {place}" for place in unwritten),
            *(["hearing what is asked"] if self._unheard else ()),
            *(f"hearing {name}, which was not said, or in a turn that failed" for name in unheard),
        )

    def _places(self, ids: Collection[str]) -> list[str]:
        """Files and sessions that hold these: without tools on offer nobody knows how they are looked up."""
        every = (item.path or item.key or item.session for item in self._answer_key.fragments if item.id in ids)
        return list(dict.fromkeys(filter(None, every))) if self._spec.policy != "hasty" else []

    def _is_elsewhere(self, errand: Errand) -> bool:
        """Whether no version of a file holds what was looked for in it, where anything shows files at all."""
        texts = self._answer_key.texts.get(errand.place, ("",))  # none are known where it is empty
        wanted = {name: self._texts[name] for name in errand.wants & self._sight.missing}
        return bool(texts and wanted and self._memory.habits.ways) and not any(
            self._memory.matcher.found(wanted, text) for text in texts
        )

    def end(self) -> None:
        """Keep in mind which fragments this round has shown, and the calls that it has made."""
        self._memory.issued |= {self._turn.name("call", number + 1) for number in range(self._calls)}
        self._memory.known[self._answer_key.round] = frozenset(self._sight.shown)

    def respond(self, request: ModelRequest) -> tuple[Call, ...] | str:
        """The calls to make, or the answer."""
        if self.blind:
            return self._blind_answer()
        self._sight.look(request.lines, self._made)
        self._hear(request)
        if request.tools and request.params.get("tool_choice") != "none":
            self._offered, box = True, self._memory.box(request.tools)
            self._begin_anew(request, box)
            # reading must leave calls for writing, and for reading back
            files = max(len(self._answer_key.oracle), len(self._answer_key.hasty))
            self._kept = min(2 * files, max(files, self._spec.budget // 2))
            for _ in range(2):  # what has come may leave others to be made
                if calls := self._go_on(self._to_read(box), request, box, self._kept):
                    return calls
            for _ in range(2):
                if calls := self._go_on(self._to_write(box), request, box):
                    return calls
            if calls := self._handed_over(request, box):
                return calls
        self._given = self._answer()
        return self._given

    def _handed_over(self, request: ModelRequest, box: Toolbox) -> tuple[Call, ...]:
        """Where an answer in words was not taken: the call, once, of a tool that takes one text and is named behind it."""
        said = [number for number, line in enumerate(request.lines) if line.role == "assistant"]
        if not self._given or not said or self._given not in request.lines[said[-1]].text:
            return ()
        told = "\n".join(line.text for line in request.lines[said[-1] + 1 :])
        for name, form in box.every:
            if (
                says(told, name)
                and len(form.texts) == 1
                and not any(x.required for x in form.items if x not in form.texts)
            ):
                given = filled({}, {form.texts[0].at: self._given})
                self._calls, self._given = self._calls + 1, ""
                return (Call(self._turn.name("call", self._calls), name, json.dumps(given, ensure_ascii=False)),)
        return ()

    def _hear(self, request: ModelRequest) -> None:
        """Note what of the prompt a request shows, whatever signs and breaks it has been given."""
        if self._unheard is None:
            self._unheard = {bare(normalise(text)) for text in self._answer_key.asked}
            self._memory.habits.learn_roots(
                self._answer_key.workspace, (li.text for li in request.lines if li.role == "system")
            )
        for line in request.lines if self._unheard else ():
            if line.role != "assistant":
                told = [bare(reading) for reading in self._memory.matcher.readings(line.text)]
                self._unheard -= {text for text in self._unheard if any(text in one for one in told)}

    @property
    def _satisfied(self) -> bool:
        return policy.complete([self._evidence.needs], self._sight.shown)

    def _to_read(self, box: Toolbox) -> list[Errand]:
        if self._reading is None:
            self._reading = [] if self._spec.policy == "hasty" else self._plan(box, self._sight.missing)
        elif self._sight.gone and self._again is None and all(one.over for one in self._reading):
            self._again = self._plan(box, self._sight.gone)
            self._reading += self._again
        return self._reading

    def _plan(self, box: Toolbox, ids: Collection[str]) -> list[Errand]:
        """An errand per file and per session that holds something of these; none for what only the conversation has."""
        wanted = [item for item in self._answer_key.fragments if item.id in ids]
        files = _group(wanted, lambda item: item.path)
        sessions = _group(wanted, lambda item: item.key or item.session)
        habits = self._memory.habits
        errands = [
            Errand(
                path,
                read_file(path, self._answer_key.workspace, box, habits),
                self._shows(items),
                _ids(items),
                shows_part(self._answer_key.texts.get(path, ())),
            )
            for path, items in files.items()
            if self._may_look_up(f"file {path}")
        ]
        for name, items in sessions.items():
            if self._may_look_up(f"session {name}"):
                names = list(dict.fromkeys([name, *(item.session for item in items if item.session)]))
                wants = _ids(items)
                steps = read_session(names, box, habits, self._texts_of(wants))
                errands.append(Errand(name, steps, self._shows(items), wants))
        return errands

    def _begin_anew(self, request: ModelRequest, box: Toolbox) -> None:
        """Where tools are offered that were not there before, what has not been done yet is begun anew with them."""
        if box.names - self._known_tools:
            for errands in (self._reading or [], self._writing or []):
                self._harvest(errands, request, box)
            self._reading = self._writing = None
        self._known_tools |= box.names

    def _may_look_up(self, place: str) -> bool:
        first = self._memory.tried.setdefault(place, self._answer_key.round)
        return self._spec.policy != "forgetful" or first == self._answer_key.round

    def _shows(self, items: Iterable[Locator]) -> Callable[[str], bool]:
        texts = {item.id: item.text for item in items}
        return lambda result: bool(self._memory.matcher.found(texts, result))

    def _texts_of(self, wants: frozenset[str]) -> Callable[[], list[str]]:
        return lambda: [self._texts[name] for name in sorted(wants & self._sight.missing)]

    def _to_write(self, box: Toolbox) -> list[Errand]:
        """An errand per file; what no way was known for is tried again once another file has shown one."""
        if self._writing is None:
            self._writing = [self._to_put(path, box) for path in self._files()]
            self._proven = self._memory.habits.proven
        elif self._proven != self._memory.habits.proven and all(one.over for one in self._writing):
            self._proven = self._memory.habits.proven
            self._writing = [self._to_put(one.place, box) if one.no_way else one for one in self._writing]
        return self._writing

    def _to_put(self, path: str, box: Toolbox) -> Errand:
        content = self._files()[path]
        if texts := self._answer_key.texts.get(path):
            self._memory.habits.written.setdefault(path, texts[-1])
        steps = write_file(path, content, self._answer_key.workspace, box, self._memory.habits)
        return Errand(path, steps, holds(content))

    def _files(self) -> Mapping[str, str]:
        return self._answer_key.files(satisfied=self._satisfied)

    def _go_on(self, errands: list[Errand], request: ModelRequest, box: Toolbox, kept: int = 0) -> tuple[Call, ...]:
        """Take in results, and make the next calls of these errands."""
        self._harvest(errands, request, box)
        for errand in errands:
            wanted = self._sight.missing | (self._sight.gone if errand in (self._again or ()) else set())
            if errand.wants and not errand.wants & wanted:
                errand.close()
        room = max(0, self._budget - kept - self._calls)
        ready: list[Errand] = []
        for errand in errands if room else ():
            if errand.attempt is None or errand.attempt.tool not in box.names:
                continue
            if errand.attempt.kind not in self._memory.habits.working or errand.repelled:
                ready = ready or [errand]
                break
            ready.append(errand)
        return tuple(self._call(errand) for errand in ready[: min(1 if self._memory.habits.sequels else AT_ONCE, room)])

    @property
    def _budget(self) -> int:
        """Calls of the turn: finding out what tools do may take half as many again, and so may reading on."""
        most = self._spec.budget // 2
        return self._spec.budget + min(self._trials, most) + min(self._pages, most)

    def _harvest(self, errands: list[Errand], request: ModelRequest, box: Toolbox) -> None:
        waiting = {e.call_id: e for e in errands if e.call_id and e.attempt is not None}
        issued = [Call(i, e.attempt.tool, "") for i, e in waiting.items() if e.attempt is not None]
        found = results(request.lines, issued, self._memory.issued)
        for call_id, errand in waiting.items():
            attempt = errand.attempt
            if attempt is None or attempt.tool not in box.names:
                continue
            if call_id not in found:
                errand.lost()
                continue
            text = found[call_id]
            if not errand.shows(text) and errand.shows(later := _told_beside(request.lines)):  # a receipt only
                text = f"{text}\n{later}"
            self._sight.join(errand.wants, errand.results[-RECENT:], text)
            result = errand.advance(text)
            if result.shows and errand.wants and attempt.kind in KINDS:
                self._memory.habits.worked(attempt)

    def _call(self, errand: Errand) -> Call:
        attempt = errand.attempt
        assert attempt is not None  # noqa: S101  # only open errands come here
        self._calls += 1
        self._trials += attempt.trial
        self._pages += attempt.page
        errand.call_id = self._turn.name("call", self._calls)
        self._made.add(errand.call_id)
        return Call(errand.call_id, attempt.tool, json.dumps(attempt.arguments, ensure_ascii=False))

    def _answer(self) -> str:
        shown = [item for item in self._answer_key.fragments if item.id in self._sight.shown]
        if not self._answer_key.letters:
            return self._own(self._report(shown))
        letters = policy.chosen(self._evidence, policy.decide(self._evidence, self._sight.shown))
        quote = (
            policy.quotation(self._answer_key, shown, self._known_before())
            if self._answer_key.type == "revision"
            else ""
        )
        return self._own("\n".join(filter(None, (policy.sources(shown), quote, policy.boxed(letters)))))

    def _known_before(self) -> set[str]:
        return {name for item, ids in self._memory.known.items() if item != self._answer_key.round for name in ids}

    def _report(self, shown: list[Locator]) -> str:
        text = self._evidence.answer if self._satisfied else self._evidence.hasty_answer
        files = ", ".join(self._files())
        return text or (f"Written: {files}." if files else policy.sources(shown))

    def _blind_answer(self) -> str:
        return f"{policy.BLIND}\n{policy.boxed('A')}" if self._answer_key.letters else policy.BLIND

    def _own(self, text: str) -> str:
        self._memory.own.add(text)
        return text


def _group(items: Iterable[Locator], key: Callable[[Locator], str]) -> dict[str, list[Locator]]:
    groups: dict[str, list[Locator]] = {}
    for item in items:
        if key(item):
            groups.setdefault(key(item), []).append(item)
    return groups


def _ids(items: Iterable[Locator]) -> frozenset[str]:
    return frozenset(item.id for item in items)


def _told_beside(lines: Sequence[Line]) -> str:
    """What a request says in system messages, and in the user's behind the last calls: some agents give results there."""
    last = max((number for number, line in enumerate(lines) if line.calls), default=len(lines))
    told = (
        line for number, line in enumerate(lines) if line.role == "system" or (number > last and line.role == "user")
    )
    return "\n".join(line.text for line in told)
