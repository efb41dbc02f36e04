"""One trial gone through: from scenario, transcript, journal and traces to findings. Pure: nothing is started or written."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from claw_adapter.audit.answered import is_answered, judge_count, judge_status, judge_stopped, judge_told
from claw_adapter.audit.answers import ToldEvents, judge_answer, judge_events, judge_unheard, judge_usage
from claw_adapter.audit.asked import ModelAsked
from claw_adapter.audit.background import judge_begun
from claw_adapter.audit.book import Book
from claw_adapter.audit.conversation import judge_requests
from claw_adapter.audit.course import AuditStep, FileCourse, Steps, looks
from claw_adapter.audit.damage import damage_of
from claw_adapter.audit.edits import Edits
from claw_adapter.audit.helped import judge_helped
from claw_adapter.audit.links import LINKS, Links, links_of
from claw_adapter.audit.notices import ChangeNotices
from claw_adapter.audit.own import OwnWordsHeard, doubted
from claw_adapter.audit.past import Past
from claw_adapter.audit.reads import Files, Reads, Talks
from claw_adapter.audit.records import TrialAudit
from claw_adapter.audit.removals import Removals
from claw_adapter.audit.rendering import Renderer
from claw_adapter.audit.results import known_lines
from claw_adapter.audit.standing import StandingLines, StandingLists, StandingTexts
from claw_adapter.audit.summaries import Summaries
from claw_adapter.audit.todos import TodoLists
from claw_adapter.audit.told import ToldCommand, told_of
from claw_adapter.audit.turns import ChainStep, Reply, RequestTurn, turns_of
from claw_adapter.audit.units import CALL, RESULT, RequestUnit, Said, arguments_of, units_of
from claw_adapter.audit.untouched import Untouched
from claw_adapter.audit.words import KnownLines, ScenarioLines
from claw_adapter.audit.writes import WrittenFiles, judge_writes
from claw_adapter.protocol import (
    Capabilities,
    Event,
    Gold,
    ReportedUsage,
    RoundRecord,
    Scenario,
    Session,
    SubAgent,
    TrialSpec,
)
from claw_adapter.reading import strings_of
from claw_adapter.runs.transcript import Exchange
from claw_adapter.workspace.tree import Tree

__all__ = ["TrialFacts", "audit_trial", "calls_of"]

KEY: Final = re.compile(r"(?<![\w-])claw-[A-Za-z0-9_-]{32}(?![\w-])")
"""The endpoint's key of a trial."""
MUST: Final = {"later": ("M21", "later-words"), "gold": ("M9", "gold-words"), "other": ("M25", "other-words")}
WHAT: Final = {
    "later": "what comes in a later round",
    "gold": "what only the checks know",
    "other": "what another scenario says",
}


@dataclass(frozen=True, slots=True)
class TrialFacts:
    """What a run folder, and the scenario, say of a trial."""

    spec: TrialSpec
    harness: str
    """Its label, with those of overlays."""
    scenario: Scenario
    gold: Gold
    capabilities: Capabilities
    rounds: Sequence[RoundRecord]
    """The records that count."""
    exchanges: Sequence[Exchange]
    events: Callable[[RoundRecord], Sequence[Event]]
    files: Callable[[str], Mapping[str, str]]
    """The text files of a snapshot, by its digest."""
    encoded: Callable[[str], Mapping[str, str]]
    """Those in another encoding than UTF-8, with surrogates for its bytes."""
    trees: Callable[[str], Tree]
    """All entries of a snapshot, by its digest."""
    kept: Callable[[str], Iterable[tuple[str, str]]]
    """The files of a checkpoint, by its digest, each with the blobs in which it differs from the one before."""
    blob: Callable[[str], bytes]
    base: str
    """The snapshot with which the trial began; empty if that is not known."""
    others: Mapping[str, set[str]] = field(default_factory=dict)
    """Lines of the run's other scenarios."""
    lines: ScenarioLines | None = None
    """Lines of its own, where they were found before."""
    notes: tuple[str, ...] = ()
    restarts: Collection[str] = ()
    """Rounds before which the session was closed and opened again, beside those that another process of ours went on with."""
    told: Mapping[str, Sequence[ToldCommand]] = field(default_factory=dict)
    """By round, what its commands do, as far as a plan says so."""
    strict: bool = False
    """Whether the model asks only for what is there, in every way there is, so that a refusal is the harness's."""


def audit_trial(facts: TrialFacts) -> TrialAudit:
    """What must hold after every action, and does not; one finding per cause."""
    ledger = _Ledger(facts)
    ledger.go_through()
    book = ledger.book
    return TrialAudit(
        trial=facts.spec.id,
        harness=facts.harness,
        findings=book.findings(),
        bites=book.bites(),
        refused=book.refusals(),
        results=book.results,
        unjudged=book.unjudged(),
        own_words=doubted(book.own_words()),
        requests=ledger.requests,
        rounds=ledger.rounds,
        notes=(*facts.notes, *book.notes),
    )


def calls_of(facts: TrialFacts) -> list[tuple[RoundRecord, Steps]]:
    """The calls of each round that counts, with their results and the requests whose replies they were of."""
    ledger = _Ledger(facts)
    ledger.go_through()
    return ledger.worked


class _Ledger:
    def __init__(self, facts: TrialFacts) -> None:
        self.facts = facts
        self.book = Book()
        self.renderer = Renderer(facts.capabilities)
        self.largest = 0
        self.summaries = Summaries(self.facts.strict)
        self.past = Past(facts.scenario)
        self.words = KnownLines(
            facts.scenario, facts.lines or ScenarioLines.of(facts.scenario, facts.gold), facts.others
        )
        self.standing = StandingLines(self.book)
        self.lists, self.texts = StandingLists(self.book), StandingTexts(self.book)
        self.own = OwnWordsHeard(self.book)
        self.todos, self.notices = TodoLists(self.book), ChangeNotices(self.book)
        overlaid = bool(facts.spec.overlays)
        self.asked = ModelAsked(facts.spec.model.name, facts.capabilities, self.book, overlaid=overlaid)
        self.reads = Reads(self.renderer, self.book, f"/{facts.spec.id}/workspace", facts.strict)
        base = facts.trees(facts.base) if facts.base else {}
        self.untouched = Untouched(base, facts.capabilities.memory_files, self.book)
        self.judged: set[str] = set()
        """Ids of calls whose results were held against something, of the turn that is gone through."""
        self.requests = self.rounds = 0
        self.worked: list[tuple[RoundRecord, Steps]] = []
        """The calls of each round that counts, with their results."""
        self._tools = any(exchange.tools for exchange in facts.exchanges)
        self._acted = self.facts.scenario.manifest.environment is not None
        """Whether something beside updates and the harness may have changed files so far."""
        self._told = ToldEvents()
        self._reported: tuple[tuple[int, int], ReportedUsage | None] = (-1, -1), None
        """What the last turn without an error reported, with the process and the number of its round."""
        self._older: dict[str, set[str]] = {}
        self._searched: set[str] = set()
        self._taken_in: set[str] = set()
        """Snapshots whose files were searched for a key, and whose lines are among the older ones."""
        self._delivered: set[str] = set()
        self._leave: set[str] = set()
        """How tools are called that show files and leave them where they are."""
        self._removals = Removals()
        self._edits = Edits(strict=self.facts.strict)

    def go_through(self) -> None:
        """Every round in order, failed attempts included."""
        turns: dict[str, list[RequestTurn]] = {}
        for turn in turns_of(self.facts.exchanges):
            turns.setdefault(turn.round, []).append(turn)
        records = {record.index: record for record in self.facts.rounds}
        filled, process = False, 0
        for number, item in enumerate(self.facts.scenario.rounds):
            record = records.get(number)
            if record is None:
                break
            self.book.round = item.id
            if self.past.apply(item.updates, number):
                # the conversation may begin anew, with what there was at first, or go on with what it has
                self.summaries = Summaries(self.facts.strict, shown=self.summaries.shown, before=self.summaries.held)
            mine = [turn for turn in turns.get(item.id, []) if turn.process >= process]
            if mine and not filled:
                for turn in mine:
                    for exchange in turn.exchanges:
                        self.past.fill_roster(units_of(exchange.messages))
                filled = True
            for turn in mine:
                self._turn(turn, record, number, last=turn is mine[-1])
            if not mine:
                self._silent(record)
            last = mine[-1] if mine else None
            process = max(process, last.process) if last else process
            self._workspace(record, mine)
            if record.error is None and record.snapshot:
                self.notices.leave(self.facts.files(record.snapshot))
            self._close(record, last, number)
        self.reads.finish()
        self._told.finish(self.book)
        self.notices.finish()
        self._removals.finish(self.book)

    def _workspace(self, record: RoundRecord, turns: Sequence[RequestTurn]) -> None:
        """Nothing but updates and calls has changed a file."""
        if not (record.before and record.snapshot and self.facts.base):
            return
        replies = [reply for turn in turns for reply in filter(None, map(Reply.of, turn.exchanges))]
        self._acted = self._acted or not turns or any(reply.calls for reply in replies)
        before, after = self.facts.trees(record.before), self.facts.trees(record.snapshot)
        if self.facts.strict or not self._acted:  # else something that the agent has begun may go on beside
            self.untouched.updated(before, self.facts.scenario.expand(record.updates))
            said = [text for reply in replies for text in _written(reply)]
            said += [file for path, file in links_of(before, after).items() if any(path in text for text in said)]
            told = [one for one in self.facts.told.get(record.round, ()) if one.command in said]
            self.untouched.worked(after, [*said, *(path for one in told for path in one.leaves)])

    def _by_links(self, record: RoundRecord) -> Links:
        before, after = record.before, record.snapshot
        trees = self.facts.trees(before), self.facts.trees(after)
        files = self.facts.files(before), self.facts.files(after)
        return Links(self.reads.workspace, trees, files, LINKS if LINKS in self.renderer.losses else None)

    def _silent(self, record: RoundRecord) -> None:
        if record.error is not None:
            return
        if self.facts.exchanges:
            self.asked.unasked()
        else:
            self.book.note("there is no transcript of its requests")

    def _turn(self, turn: RequestTurn, record: RoundRecord, number: int, *, last: bool) -> None:
        """One attempt; what came back is known of the last one only."""
        past = self.past.said()
        turn.follow(record.prompt, past, self.renderer, tools=self._tools)
        self.asked.judge(turn, record)
        self.asked.keys(turn)
        if turn.exchanges and not turn.chain and last and record.error is None:
            what = "no request of the turn has what was asked"
            self.book.find("M13", "prompt-missing", what, request=turn.exchanges[0].number)
            return
        prompt = Said("user", record.prompt, "prompt", number)
        summaries = self.summaries.copy()
        self.largest = judge_requests(
            turn, past, prompt, self.past.gone, self.renderer, self.book, summaries, self.largest
        )
        if record.error is None and last:  # else the conversation goes on from where it was before
            self.summaries = summaries
        self.requests += len(turn.chain)
        restarted = record.round in self.facts.restarts
        self.standing.noted = self.todos.entries
        self.standing.judge(
            turn,
            record.prompt,
            (one.text for one in past),
            lambda: self.facts.files(record.before) if record.before else {},
            self._older.values(),
            restarted=restarted,
        )
        if record.before:
            tree = self.facts.trees(record.before)
            self.lists.judge(turn, (path for path, entry in tree.items() if entry.kind == "file"))
            if not self.renderer.has("told"):  # else what was read before stands there as well
                files = self.facts.files(record.before)
                if not self.renderer.sums_up(self.largest):  # else a summary may say what files were then
                    after = self.facts.files(record.snapshot) if record.snapshot else {}
                    self.texts.judge(turn, record.prompt, files, after)
                self.notices.judge(turn, record.prompt, files, restarted=restarted)
        if self.facts.strict and not self.renderer.has("told"):
            self.todos.judge(turn, record.prompt, counts=last and record.error is None)
        self._gone(turn)
        self._words(turn, number)
        judge_unheard(turn, record, self.book)
        helped = judge_helped(turn, self.facts.capabilities, self.book)
        if last:
            self.rounds += 1
            self._came_back(turn, record)
            self.reads.shells.turned(again=restarted)
            self._read(turn, record, number, helped)
        if not self.facts.strict:  # nobody looks at them in a certification
            self._own_words(turn, record, number)

    def _came_back(self, turn: RequestTurn, record: RoundRecord) -> None:
        judge_answer(turn, record, self.renderer, self.book)
        if record.error is None:
            judge_events(turn, self.facts.events(record), self.renderer, self.book, self._told)
        reported, declared = record.usage.reported, self.facts.capabilities.usage
        before = self._reported[1] if self._reported[0] == (turn.process, record.index - 1) else None
        demanded = self.facts.strict and record.error is None
        judge_usage(turn, reported, declared, self.book, before=before, demanded=demanded)
        if record.error is None:
            self._reported = (turn.process, record.index), reported

    def _gone(self, turn: RequestTurn) -> None:
        """What an update took away is in no request any more."""
        kept = {said.text for said in self.past.said()}
        for exchange in turn.chain:
            texts = [unit.text for unit in turn.units[exchange.number] if unit.kind != CALL]
            for text in self.past.gone:
                if len(text) >= 12 and text not in kept and any(text in one for one in texts):
                    what = f"a message that an update took away is in request {exchange.number}: {text[:60]!r}"
                    self.book.find("M21", "deleted-there", what, request=exchange.number)

    def _words(self, turn: RequestTurn, number: int) -> None:
        """What is new in the requests of a turn, beside what the model said itself."""
        texts = []
        for exchange in turn.exchanges:
            for unit in turn.units[exchange.number]:
                if unit.kind not in (CALL, "assistant") and unit.text not in self._delivered:
                    self._delivered.add(unit.text)
                    texts.append(unit.text)
            if (reply := Reply.of(exchange)) is not None:
                calls = ["\n".join(strings_of(arguments_of(call))) for call in reply.calls]
                self.words.visible([reply.text, *strings_of(dict(exchange.reply or {})), *calls])
                self.words.called(calls)
        self.words.visible([self.facts.rounds[number].prompt] if number < len(self.facts.rounds) else [])
        for found in self.words.judge(texts, number):
            must, cause = MUST[found.why]
            what = f"a request has {WHAT[found.why]}: {found.line[:60]!r}"
            self.book.find(must, cause, what, request=turn.exchanges[0].number)

    def _read(self, turn: RequestTurn, record: RoundRecord, number: int, helped: Collection[str]) -> None:
        """What the tools gave, only where the workspace of the time is known; of sub-agents `helped` was judged before."""
        made = [(call, result, step.reply.exchange) for step in turn.steps for call, result in self._run(step)]
        steps, others = _in_line(turn, made, self.facts.capabilities.sub_agent, strict=self.facts.strict)
        self.worked.append((record, steps))
        if record.before and record.snapshot:
            steps, refused = self._by_links(record).followed(steps, self.book)
            others = [*others, *refused]
        judged = self._held(steps, turn, record, number) if record.before and steps else set()
        for at, (call, result, exchange) in enumerate([*steps, *others]):
            said = f"{call.text[:150]} → {result.text.strip()[:60]!r}, request {exchange.number}"
            self.book.result(call.tool, " ".join(said.split()), judged=at in judged or call.call in helped)
        self.judged = {steps[at][0].call for at in judged}.union(helped)

    def _own_words(self, turn: RequestTurn, record: RoundRecord, number: int) -> None:
        """What the harness says by itself, beside all that it was given and that the model and its calls have said."""
        sessions = self.words.worlds[number].sessions.values()
        self.own.call(name for session in sessions for name in _names(session))
        for message in (message for session in sessions for message in session.messages):
            self.own.learn(message.role, [message.text], message.speaker or "")
        for said in (said for said in self.past.said() if said.origin in ("seeded", "update")):
            self.own.learn("tool" if said.kind == RESULT else said.kind, [said.text], said.speaker)
        self.own.learn("user", [record.prompt])
        replies = list(filter(None, map(Reply.of, turn.exchanges)))
        self.own.learn("assistant", (text for one in replies for text in _uttered(one)))
        written = [text for one in replies for text in _written(one)]
        self.own.learn("tool", (one.prints for one in self.facts.told.get(record.round, ())))
        before, after = (self.facts.files(one) if one else {} for one in (record.before, record.snapshot))
        self.own.files(before, after, written)
        self.own.hear(turn, record.prompt, self.judged)
        self.judged = set()

    def _held(self, steps: Steps, turn: RequestTurn, record: RoundRecord, number: int) -> set[int]:
        """Which results were held against something that is known."""
        before, after = self.facts.files(record.before), self.facts.files(record.snapshot)
        older = {
            path: frozenset(lines - known_lines(before.get(path, "")) - known_lines(after.get(path, "")))
            for path, lines in self._older.items()
        }
        world = self.words.worlds[number]
        native = self.facts.capabilities.seed_history == "native"
        main = self.facts.scenario.main.id
        sessions = {name: one for name, one in world.sessions.items() if native and name != main}
        talks = Talks(sessions, self._former(number), self._brought(number))
        first, *others = ({unit.text for unit in turn.units[exchange.number]} for exchange in turn.chain)
        told = told_of(steps, self.facts.told.get(record.round, ()))
        sure = self._trusted(steps, before, after, told) if any(told) else told
        judged = {number for number, one in enumerate(sure) if one is not None}
        if record.error is None:  # else the workspace has been put back
            judged |= self._wrote(steps, record, before, after, told)  # what is read follows from it, and comes behind
            judge_told(steps, sure, after, self._removals, self.renderer.losses, self.book)
            judged |= judge_begun(steps, told, after, self.renderer.losses, self.book)
        left = self.facts.encoded(record.snapshot)
        encoded = {path: text for path, text in self.facts.encoded(record.before).items() if left.get(path) == text}
        new = set[str]().union(*others) - first
        trees = self.facts.trees(record.before), self.facts.trees(record.snapshot)
        files = ({path for path, entry in tree.items() if entry.kind == "file"} for tree in trees)
        binary = set.intersection(*files) - before.keys() - after.keys()
        beside = {exchange.number: talk.first for talk in turn.beside for _, _, exchange in talk.steps}
        return judged | self.reads.judge(steps, Files(before, after, older, new, binary, encoded, sure, beside), talks)

    def _trusted(
        self, steps: Steps, before: Mapping[str, str], after: Mapping[str, str], told: Sequence[ToldCommand | None]
    ) -> Sequence[ToldCommand | None]:
        """What a plan says of commands, where files were as it takes for given, and are as it says afterwards."""
        course = FileCourse.leaving(
            steps,
            (before, after),
            self.reads.workspace,
            strict=self.facts.strict,
            losses=self.renderer.losses,
            told=told,
        )
        return course.trusted(after)

    def _wrote(
        self, steps: Steps, record: RoundRecord, before: Mapping[str, str], after: Mapping[str, str],
        told: Sequence[ToldCommand | None],
    ) -> set[int]:  # fmt: skip
        encoded = self.facts.encoded(record.before)
        files = WrittenFiles(
            {**before, **encoded},
            {**after, **self.facts.encoded(record.snapshot)},
            self.reads.workspace,
            gone=frozenset(self._older),
            encoded=encoded.keys(),
            barred=self._executable(record.before) - self._executable(record.snapshot),
            tree=self.facts.trees(record.snapshot),
            leave=self._leave,
            removals=self._removals,
            edits=self._edits,
            told=told,
        )
        known = judge_writes(steps, files, self.renderer, self.book, strict=self.facts.strict)
        if self.facts.strict:
            judge_count(steps, self.facts.trees(record.before), files.tree, self.book)
            judge_status(steps, before, after, self.book)
            judge_stopped(steps, told, after, self.renderer.losses, self.book)
            known |= {at for at, (call, _, _) in enumerate(steps) if is_answered(arguments_of(call))}
        return known

    def _executable(self, snapshot: str) -> set[str]:
        return {path for path, entry in self.facts.trees(snapshot).items() if entry.executable}

    def _run(self, step: ChainStep) -> list[tuple[RequestUnit, RequestUnit]]:
        """The calls of a reply with their results; those beyond a declared limit are not run, whatever they are given.

        Nor are those of tools that were not offered.
        """
        most = self.renderer.call_limit
        every = step.offered
        if most is not None:
            if any(result is not None for _, result in every[most.calls :]):  # without one it has bitten already
                self.book.bite(most)
            every = every[: most.calls]
        return [(call, result) for call, result in every if result is not None]

    def _former(self, number: int) -> dict[str, frozenset[str]]:
        """Texts that a history had in an earlier round and has no longer."""
        now = self.words.worlds[number].sessions
        found: dict[str, set[str]] = {}
        for world in self.words.worlds[:number]:
            for name, session in world.sessions.items():
                if session is not now.get(name):
                    left = {m.text for m in now[name].messages} if name in now else set()
                    found.setdefault(name, set()).update({m.text for m in session.messages} - left)
        return {name: frozenset(texts) for name, texts in found.items()}

    def _brought(self, number: int) -> set[str]:
        """Texts of histories that updates have brought."""
        base = {message.text for session in self.words.lines.begun.sessions.values() for message in session.messages}
        now = self.words.worlds[number].sessions
        return {message.text for session in now.values() for message in session.messages} - base

    def _close(self, record: RoundRecord, turn: RequestTurn | None, number: int) -> None:
        """After a round: the conversation has grown by it, the workspace is searched for a key."""
        if record.checkpoint is not None:
            replies = turn.replies if turn else []
            answer = replies[-1].text if replies and not replies[-1].calls else record.text
            prompt = _delivered(turn, record.prompt, self.renderer) if turn else record.prompt
            self.past.add(prompt, turn, answer, number)
        for name, blob in self.facts.kept(record.checkpoint or ""):
            if _new((blob,), self._searched) and KEY.search(self.facts.blob(blob).decode("utf-8", "replace")):
                what = f"the endpoint's key stands in the checkpoint, in {name}"
                self.book.find("M27", "key-in-checkpoint", what)
        for snapshot in _new((*record.left, record.snapshot), self._searched):
            for path, text in self.facts.files(snapshot).items():
                if KEY.search(text):
                    self.book.find("M27", "key-in-workspace", f"the endpoint's key stands in the workspace, in {path}")
        for side in _new((record.before, record.snapshot), self._taken_in):
            for path, text in self.facts.files(side).items():
                if not self.untouched.private(path):
                    self._older.setdefault(path, set()).update(known_lines(text))


def _in_line(turn: RequestTurn, steps: Steps, helper: SubAgent | None, *, strict: bool) -> tuple[Steps, Steps]:
    """The calls of a turn in the order in which they were made, and those of which that order is not known.

    Conversations beside this one have one order with it if they begin and end between two of its requests, one after the
    other, and only look, or are those of the `helper` that is waited for. Then the call that has begun one does nothing else.
    Where what they do is known (`strict`), helpers that work side by side have the order of their requests.
    """
    talks = [talk for talk in turn.beside if talk.steps]
    beside = [one for talk in talks for one in talk.steps]
    chain = [exchange.number for exchange in turn.chain]
    known = strict and helper is not None
    alone = known or all(one.last < other.first for one, other in pairwise(talks))
    begun = list[AuditStep]()
    for talk in talks if alone else ():
        at = bisect_left(chain, talk.first)
        doing = [one for one in steps if at and one[2].number == chain[at - 1] and not looks(one)]
        waited = bool(doing) and helper is not None and all(one[0].tool == helper.tool for one in doing)
        alone = alone and at == bisect_left(chain, talk.last) and (len(doing) == 1 or (known and waited))
        alone = alone and (waited or all(looks(one) for one in talk.steps))
        begun += [one for one in doing if one not in begun]
    if not alone:
        return steps, beside
    return sorted([*(one for one in steps if one not in begun), *beside], key=lambda step: step[2].number), begun


def _written(reply: Reply) -> list[str]:
    """What the model says in the arguments of its calls."""
    return [text for call in reply.calls for text in strings_of(arguments_of(call))]


def _names(session: Session) -> Iterator[str]:
    """What a history is called, and who speaks in it."""
    yield from (session.id, session.channel, session.title, *session.participants)
    yield from {message.speaker for message in session.messages if message.speaker}


def _uttered(reply: Reply) -> Iterator[str]:
    """What the model says beside its calls, thoughts included."""
    yield from strings_of({key: one for key, one in (reply.exchange.reply or {}).items() if key != "tool_calls"})


def _new(snapshots: Iterable[str], seen: set[str]) -> list[str]:
    """Those not seen yet, which they are now."""
    found = [snapshot for snapshot in dict.fromkeys(snapshots) if snapshot and snapshot not in seen]
    seen.update(found)
    return found


def _delivered(turn: RequestTurn, prompt: str, renderer: Renderer) -> str:
    """A prompt as it came in the first request: what was done to it is a finding of its own round only."""
    if not turn.chain:
        return prompt
    asked = renderer.plain(prompt)
    units = turn.units[turn.chain[0].number]
    places = [at for at, unit in reversed(list(enumerate(units))) if unit.kind == "user"]
    if any(renderer.bare(units[at].text) == asked for at in places) or renderer.loose:
        return prompt
    found = damage_of(Said("user", prompt, "prompt"), units, places, renderer)
    return units[found.place].text if found.place is not None else prompt
