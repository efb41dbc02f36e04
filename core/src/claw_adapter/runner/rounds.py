"""One round (docs/architecture.md): updates, prompt, turn, snapshot, score, feedback; and what happens when a turn fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from pydantic_core import PydanticSerializationError

from claw_adapter.crashpoints import crashpoint
from claw_adapter.drivers.waiting import timeout, to_thread
from claw_adapter.endpoint import RoundMeter
from claw_adapter.errors import AdapterError, ClawError, HarnessOverLimits
from claw_adapter.folders import opened, remove_tree
from claw_adapter.harness import Conversation
from claw_adapter.protocol import (
    Checkpoint,
    EnvironmentChange,
    Failure,
    Round,
    RoundRecord,
    Score,
    Session,
    SessionChange,
    TurnResult,
    UnheardAnswer,
    Usage,
)
from claw_adapter.protocol.answer_key import NEEDS, AnswerKey
from claw_adapter.question import EnvironmentStates, QuestionType, ScoringContext
from claw_adapter.questions import teach, teaching_needs_workspace
from claw_adapter.questions.types import question_type
from claw_adapter.reading import without_halves
from claw_adapter.runner.blame import alike, attributed, no_way, without_outages
from claw_adapter.runner.context import told_workspace
from claw_adapter.runner.happening import happening, restarted
from claw_adapter.runner.headroom import refuse_shortage
from claw_adapter.runner.prompt import compat_feedback, compose, with_feedback
from claw_adapter.runner.redacting import CheckpointRedactor
from claw_adapter.runner.stopping import check_stopped
from claw_adapter.runner.trial import LATE_SECONDS, Trial
from claw_adapter.runs.checkpoints import Saved, save_checkpoint
from claw_adapter.scenario import make_answer_key, worlds
from claw_adapter.scenario.traits import round_traits
from claw_adapter.workspace.files import current

__all__ = ["RoundRunner"]

R = TypeVar("R", TurnResult, Session)


class _Hopeless(Exception):
    """The conversation cannot be opened, and trying again will not help."""

    def __init__(self, error: ClawError) -> None:
        super().__init__(str(error))
        self.error = error


@dataclass(slots=True)
class _Clock:
    """Adds up the time inside its ``with`` blocks."""

    seconds: float = 0.0
    _began: float = 0.0

    def __enter__(self) -> None:
        self._began = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.monotonic() - self._began


def _writable(turn: TurnResult) -> TurnResult:
    """A turn that can be written down, whatever an agent has said."""
    try:
        turn.model_dump_json()
    except PydanticSerializationError:
        return _without_halves(turn)
    return turn


def _without_halves(record: R) -> R:
    """A record with question marks for halves of surrogate pairs, which JSON can say and no file can hold."""
    return type(record).model_validate(without_halves(record.model_dump(mode="json")))


@dataclass(frozen=True, slots=True)
class _State:
    """Snapshots of the workspace and, where there is one, of the environment, by their digests in the store."""

    workspace: str
    environment: str


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is kept of a turn: the checkpoint, and the state after it."""

    saved: Saved
    state: _State


@dataclass(slots=True)
class _Sent:
    """What became of sending a prompt once; `seconds` were spent in the adapter."""

    turn: TurnResult
    meter: RoundMeter
    kept: _Kept | None
    seconds: float
    answer_key: AnswerKey | None
    unheard: str
    """What the harness gave as the answer although the last request had failed."""


@dataclass(slots=True)
class _Attempts:
    """What became of sending one prompt, possibly several times."""

    last: _Sent
    number: int
    earlier: list[Failure]
    seconds: float
    left: list[str] = field(default_factory=list)
    """The workspace as each failed attempt left it."""
    unheard: list[UnheardAnswer] = field(default_factory=list)


class RoundRunner:
    """Runs the rounds of one trial, in order."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self._answers = {record.round: record.score.answer for record in trial.journal.rounds}
        self._unsaid: list[str] = []
        """Rounds of which the harness has heard no feedback."""
        for record in trial.journal.rounds:
            self._note_unsaid(record.index, unscored=record.score.value is None, failed=record.error is not None)
        self._worlds = worlds(trial.scenario) if trial.gold.evidence else []
        self._redacting = CheckpointRedactor(trial.services.redactor)
        self._copy = trial.live / "check"
        """Where the copy of the workspace is laid that checks look at."""

    async def run(self, index: int) -> RoundRecord:
        """Run one round to its record; nothing is journalled here."""
        trial, item = self.trial, self.trial.scenario.rounds[index]
        question = question_type(item.type)
        started = time.monotonic()
        changes = await to_thread(trial.world.apply, item.updates) if item.updates else []
        before = await self._snapshot() if item.updates else _State(trial.last_snapshot, trial.last_state)
        prompt = compose(
            item, question, self._feedback(index), updated=bool(item.updates), compat=trial.spec.settings.compat
        )
        if trial.environment and (told := trial.environment.prompt(item)):
            prompt = f"{prompt}\n\n{told}"
        crashpoint("before-send")
        tried = await self._attempts(index, prompt, changes, before)
        crashpoint("answered")
        kept = tried.last.kept
        after = kept.state if kept else await self._snapshot()
        if kept:
            trial.keep(kept.saved)
        checked = time.monotonic()
        turn, meter = tried.last.turn, tried.last.meter
        events = turn.events or meter.events
        if events is not turn.events:
            turn = turn.model_copy(update={"events": events})
        score, feedback, taught = Score(value=None), "", dict[str, bool]()
        missed = meter.seen.no_way if turn.error is None and meter.seen is not None else ()
        if not missed:
            score, feedback, taught = await self._judge(item, question, turn, before, after)
            missed = self._unwritten(tried.last, score)
        if missed:
            score, feedback, taught = Score(value=None, cause=no_way(missed)), "", {}
        self._refuse_shortage(score.cause)
        if question.needs_workspace and score.value != 1:  # a check that could not write, for instance
            trial.services.headroom.require()
        check_seconds = time.monotonic() - checked if question.needs_workspace or taught else 0.0
        crashpoint("scored")
        self._answers[item.id] = score.answer
        self._note_unsaid(index, unscored=score.value is None, failed=turn.error is not None)
        return RoundRecord(
            index=index,
            round=item.id,
            type=item.type,
            attempts=tried.number,
            earlier_failures=tuple(tried.earlier),
            unheard=tuple(tried.unheard),
            updates=tuple(update.id for update in trial.scenario.expand(item.updates)),
            traits=round_traits(item, trial.scenario, trial.gold),
            prompt=prompt,
            text=turn.text,
            error=turn.error,
            score=score,
            feedback=feedback,
            taught=taught,
            usage=Usage(
                rendered=meter.rendered, reported=turn.usage, metered=meter.metered, overlay=trial.take_spent()
            ),
            timing=without_outages(turn.timing, meter.metered.held),
            overhead=max(time.monotonic() - started - tried.seconds - check_seconds, 0.0),
            evidence=meter.seen,
            tool_calls=sum(event.kind == "tool_call" for event in events),
            first=meter.first,
            events=trial.services.store.put_json([event.model_dump(mode="json") for event in events]),
            before=before.workspace,
            snapshot=after.workspace,
            left=tuple(tried.left),
            checkpoint=kept.saved.digest if kept else None,
            environment=EnvironmentChange(before=before.environment, after=after.environment)
            if trial.environment
            else None,
        )

    def _note_unsaid(self, index: int, *, unscored: bool, failed: bool) -> None:
        """There is no feedback on an unscored round, and what was said in a turn that failed was taken back with it."""
        rounds = self.trial.scenario.rounds
        self._unsaid += [rounds[index].id] if unscored else []
        self._unsaid += [rounds[index - 1].id] if failed and index else []

    def _unwritten(self, sent: _Sent, score: Score) -> tuple[str, ...]:
        """What the reader was content with and the workspace does not have, in a round that is not right."""
        seen, key = sent.meter.seen, sent.answer_key
        if seen is None or key is None or score.value is None or score.value >= 1:
            return ()
        files = key.files(satisfied=seen.decided.get(NEEDS) == "supported")
        return tuple(f"writing {path}" for path, text in files.items() if not alike(text, self._text_of(path)))

    def _feedback(self, index: int) -> str:
        if not index:
            return ""
        record, rounds = self.trial.journal.rounds[index - 1], self.trial.scenario.rounds
        if self.trial.spec.settings.compat:
            return compat_feedback(rounds[index - 1], record, rounds[index], self.trial.gold)
        return record.feedback

    async def deliver_last_feedback(self) -> None:
        """The last round's feedback goes out too, under the same deadline, unscored."""
        rounds = self.trial.journal.rounds
        crashpoint("feedback")
        if rounds and rounds[-1].feedback:
            text = with_feedback(rounds[-1].feedback, self.trial.scenario.manifest.language)
            await self._turn(text, f"{rounds[-1].round}-feedback", None, 1, [])

    async def _attempts(self, index: int, prompt: str, changes: list[SessionChange], before: _State) -> _Attempts:
        """Send until a turn succeeds or the attempts are used up; every new attempt starts from the state before.

        A turn that its harness gave up while the provider was away is no attempt.
        """
        trial = self.trial
        earlier: list[Failure] = []
        left: list[str] = []
        unheard: list[UnheardAnswer] = []
        seconds, number, outages = 0.0, 1, 0
        trial.pending += changes
        while True:
            if earlier or outages:
                await trial.reset(before.workspace, before.environment)
            sent = await self._turn(prompt, trial.scenario.rounds[index].id, index, number + outages, changes)
            seconds += sent.seconds
            error = sent.turn.error
            if error is None:
                return _Attempts(sent, number, earlier, seconds, left, unheard)
            if sent.unheard:
                unheard.append(UnheardAnswer(attempt=number + outages, text=sent.unheard))
            if stays := await trial.drop():
                sent = replace(sent, turn=sent.turn.model_copy(update={"error": stays}))
                break
            if error.kind != HarnessOverLimits.__name__:  # what is more than it may have is not kept either
                left.append(await to_thread(trial.world.snapshots.take, trial.world.workspace, passing=True))
            if sent.meter.retry_in is not None:
                outages += 1
                await asyncio.sleep(sent.meter.retry_in)
                seconds += sent.meter.retry_in
                continue
            if not error.passing or number == trial.spec.settings.attempts:
                break
            earlier.append(error)
            number += 1
        await trial.reset(before.workspace, before.environment)
        return _Attempts(sent, number, earlier, seconds, left, unheard)

    async def _turn(
        self, prompt: str, round_id: str, index: int | None, number: int, changes: Sequence[SessionChange]
    ) -> _Sent:
        """Open if needed, bring the sessions up to date, send one prompt, checkpoint; a broken adapter is a failed turn."""
        trial, endpoint = self.trial, self.trial.services.endpoint
        answer_key = None
        if index is not None:
            answer_key = make_answer_key(
                trial.scenario,
                trial.gold,
                index,
                session_key=trial.harness.session_key,
                history_files=trial.world.files,
                workspace=str(told_workspace(trial.harness, trial.spec.settings.isolation, trial.world.workspace)),
                states=self._worlds,
                unsaid=self._unsaid,
                prompt=prompt,
                history_text=self._text_of,
            )
        deadline, clock, kept = trial.spec.settings.deadline, _Clock(), None
        closing: asyncio.Task[RoundMeter] | None = None
        try:
            with clock:
                await restarted(trial, round_id, number)
                conversation = await self._synced(changes)
            await endpoint.begin_round(trial.spec.id, round_id, answer_key, number)
            with clock:
                async with (
                    timeout(deadline + LATE_SECONDS, self._unended(deadline)),
                    happening(trial, conversation, round_id, number),
                ):
                    turn = await conversation.send(prompt, deadline)
            closing = asyncio.create_task(endpoint.end_round(trial.spec.id))
            await asyncio.sleep(0)  # lets the request go out, so that the endpoint sums up while we go on
            if turn.error is None and index is not None:
                with clock:
                    checkpoint = await self._checkpoint(conversation)
                await self._refuse_excess()
                kept = await self._keep(checkpoint)
        except _Hopeless as hopeless:
            raise hopeless.error from None
        except ClawError as error:
            turn = TurnResult(error=Failure.of(error))
        except Exception as error:  # noqa: BLE001 - whatever an adapter raises is a failure of the adapter
            turn = TurnResult(error=Failure.of(error))
        meter = await (closing or endpoint.end_round(trial.spec.id))
        trial.note(meter)
        said, turn = turn, attributed(turn, meter)
        unheard = trial.services.redactor.record(_writable(said)).text if turn.error is not None else ""
        if (turn.error is not None or trial.watched.over) and (over := await trial.services.bounds.look(trial.watched)):
            turn = TurnResult(error=Failure.of(over))
        self._refuse_shortage(turn.error)
        if turn.error is not None:
            await check_stopped(trial.services.endpoint)
        turn = trial.services.redactor.record(_writable(turn))
        return _Sent(turn, meter, kept if turn.error is None else None, clock.seconds, answer_key, unheard)

    async def _refuse_excess(self) -> None:
        """What is more than the harness may have is not kept.

        Raises:
            HarnessOverLimits: it is.
        """
        if over := await self.trial.services.bounds.look(self.trial.watched):
            raise over

    def _refuse_shortage(self, failure: Failure | None) -> None:
        """What fails while the machine is short of something is no round's.

        Raises:
            MachineError: it is.
        """
        refuse_shortage(failure and self.trial.services.headroom.blamed(failure))

    def _text_of(self, path: str) -> str | None:
        """What a file of the workspace holds where it lies, which is not where a harness in a box knows it."""
        try:
            with opened(self.trial.world.workspace) as root:
                content = current(root, path)
        except OSError:
            return None
        return None if content is None else content.decode("utf-8", "replace")

    async def _checkpoint(self, conversation: Conversation) -> Checkpoint:
        async with timeout(self.trial.spec.settings.deadline, self.trial.late("checkpoint() did not come back")):
            checkpoint = await conversation.checkpoint()
        if not checkpoint.sessions:
            raise AdapterError("the checkpoint has no session", where=f"harness {self.trial.spec.harness.label}")
        if self.trial.overlays is not None:
            checkpoint = checkpoint.model_copy(update={"overlays": await self.trial.overlays.checkpoint()})
        return self._redacting.record(checkpoint)

    def _unended(self, deadline: float) -> Callable[[], ClawError]:
        where = f"harness {self.trial.spec.harness.label}"
        said = f"send() did not come back {LATE_SECONDS:g} s after its deadline of {deadline:g} s"
        return lambda: AdapterError(said, where=where)

    async def _synced(self, changes: Sequence[SessionChange]) -> Conversation:
        """The open conversation, up to date; what no further attempt can mend ends the trial instead of every round."""
        is_open = self.trial.conversation is not None
        try:
            conversation = await self.trial.open()
        except ClawError as error:
            if Failure.of(error).passing:
                raise
            raise _Hopeless(error) from error
        if is_open and changes:
            await self.trial.sync(conversation, changes)
        return conversation

    async def _judge(
        self, item: Round, question: QuestionType, turn: TurnResult, before: _State, after: _State
    ) -> tuple[Score, str, dict[str, bool]]:
        """Score, feedback for the next prompt, and what the teaching checks found."""
        trial = self.trial
        if turn.error is not None:
            return Score(value=None, cause=turn.error), "", {}
        answer = trial.gold.answers.rounds[item.id]
        copy, changed = self._copy, frozenset[str]()
        laid = question.needs_workspace or teaching_needs_workspace(trial.gold, answer)
        if laid:
            changed = await to_thread(self._lay_copy, before.workspace, after.workspace, copy)
        context = self._context(copy, changed, before, after)
        try:
            score = await question.score(item, turn, context)
            if score.value is None:
                return score, "", {}
            taught, lesson = await teach(
                trial.gold, answer, turn, copy, isolation=context.isolation, changed=context.changed
            )
            feedback = question.feedback(item, score, trial.gold)
            return score, " ".join(part for part in (feedback, lesson) if part), taught
        finally:
            if laid:
                await to_thread(remove_tree, copy)

    async def _keep(self, checkpoint: Checkpoint) -> _Kept:
        """Put the checkpoint and the state after the turn into the store: one way to a thread and back for both."""
        trial = self.trial
        environment = await trial.environment.snapshot() if trial.environment else ""

        def keep() -> _Kept:
            try:
                saved = save_checkpoint(trial.services.store, checkpoint, trial.saved)
            except PydanticSerializationError:
                said = tuple(map(_without_halves, checkpoint.sessions))
                mended = checkpoint.model_copy(update={"sessions": said})
                saved = save_checkpoint(trial.services.store, mended, trial.saved)
            return _Kept(saved, _State(trial.world.snapshots.take(trial.world.workspace), environment))

        return await to_thread(keep)

    async def _snapshot(self) -> _State:
        """Take the environment's state, which takes in what was done to its files, then the workspace's."""
        trial = self.trial
        environment = await trial.environment.snapshot() if trial.environment else ""
        return _State(await to_thread(trial.world.snapshots.take, trial.world.workspace), environment)

    def _lay_copy(self, before: str, snapshot: str, copy: Path) -> frozenset[str]:
        """Lay out what the checks look at; returns the paths that the turn has made."""
        remove_tree(copy)
        self.trial.world.snapshots.materialise(snapshot, copy)
        return self.trial.world.snapshots.diff(before, snapshot).made

    def _context(self, copy: Path, changed: frozenset[str], before: _State, after: _State) -> ScoringContext:
        trial = self.trial
        store, states = trial.services.store, None
        if trial.environment:
            states = EnvironmentStates(store.get(before.environment), store.get(after.environment))
        return ScoringContext(
            gold=trial.gold,
            workspace=copy,
            isolation=trial.spec.settings.isolation,
            answers=self._answers,
            compat=trial.spec.settings.compat,
            changed=changed,
            environment=states,
        )
