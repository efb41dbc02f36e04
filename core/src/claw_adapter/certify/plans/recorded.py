"""What was recorded of a plan, held against what was drawn: the run's plan, where each trial began, and its rounds."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from pydantic import JsonValue

from claw_adapter.audit.load import read_events
from claw_adapter.certify.script import history_reading
from claw_adapter.endpoint.models.played import ToolUse, parse_script
from claw_adapter.endpoint.records import RoundMeter
from claw_adapter.protocol import Event, Gold, RoundRecord, Scenario, Score, SubAgent, TrialSpec, TrialStart, TurnResult
from claw_adapter.protocol.base import Record
from claw_adapter.question import ScoringContext
from claw_adapter.questions.types import question_type
from claw_adapter.reading import each_once, parse_json
from claw_adapter.runner.prompt import compose
from claw_adapter.runs.checkpoints import checkpoint_before, load_checkpoint
from claw_adapter.runs.load import TrialData
from claw_adapter.runs.plan import Plan
from claw_adapter.runs.store import Store, canonical
from claw_adapter.scenario import load_gold
from claw_adapter.scenario.traits import round_traits
from claw_adapter.workspace.tree import Tree, manifest, read_tree

__all__ = ["differing", "reading_of", "sub_agent_of", "unlike_plan", "unlike_scenario"]


def reading_of(trial: TrialData) -> Callable[[str], ToolUse | None]:
    """How a history was read in a trial: by the route that was declared, and the key by which its script knows it."""
    uses = [use for played in parse_script(trial.spec.model) for reply in played.replies for use in reply.uses]
    keys = {use.target: use.names[0] for use in uses if use.kind == "history" and use.names}
    declared = trial.start.capabilities if trial.start is not None else None
    seeded = declared.seed_history if declared is not None else "none"
    return lambda session: history_reading(seeded, session, lambda name: keys.get(name, name))


def sub_agent_of(trial: TrialData) -> SubAgent | None:
    """The tool for having another agent work that was declared in a trial."""
    declared = trial.start.capabilities if trial.start is not None else None
    return declared.sub_agent if declared is not None else None


def unlike_plan(drawn: Plan, run: Plan) -> str:
    """In what the plan of a run is another than the one that was drawn, but for where its scenarios lay and what it found."""
    pairs = list(zip(drawn.trials, run.trials, strict=False))
    names = [name for pair in pairs for name in differing(*pair)] or differing(
        drawn, run.model_copy(update={"sources": drawn.sources, "versions": drawn.versions})
    )
    return ", ".join(dict.fromkeys(names))


def unlike_scenario(
    trial: TrialData, scenario: Scenario, store: Store, meters: Mapping[tuple[str, int], RoundMeter]
) -> Iterator[str]:
    """In what the journal of a trial says something else than the scenario that was drawn, and what its requests come to.

    Args:
        trial: its journal.
        scenario: what was drawn.
        store: where the journal's blobs are.
        meters: what its requests come to, by round and attempt.

    Raises:
        JournalError: a blob is missing or damaged.
    """
    start, rounds, gold, said = trial.start, scenario.rounds, load_gold(scenario), ""
    if start is None or trial.end is None:
        yield "its session was not begun" if start is None else "its session was not ended"
        return
    if names := differing(_started(trial.spec, start, scenario), start):
        yield f"where its session begins, {', '.join(names)} is not what was drawn"
    if trial.end.overlay is not None and not trial.spec.overlays:
        yield "where its session ends, overlay is not what was drawn"
    files = {path: entry.sha for path, entry in read_tree(store, start.snapshot).items()}
    for path in scenario.workspace.rglob("*"):
        name = path.relative_to(scenario.workspace).as_posix()
        if path.is_file() and files.get(name) != hashlib.sha256(path.read_bytes()).hexdigest():
            yield f"its session does not begin with the file {name} that was drawn"
    for number, (item, record) in enumerate(zip(rounds, trial.rounds, strict=False), start=1):
        made = _followed(record, scenario, number - 1, gold, said, meters.get((item.id, record.attempts)), store)
        if names := differing(made, record):
            yield f"of its round {number}, {', '.join(names)} is not what was drawn"
        said = made.feedback
    if len(rounds) != len(trial.rounds):
        yield f"it has {len(trial.rounds)} rounds, and {len(rounds)} were drawn"
    turns = {(record.round, attempt) for record in trial.rounds for attempt in range(1, record.attempts + 1)}
    for name, attempt in meters.keys() - turns - {(f"{rounds[-1].id}-feedback", 1)}:
        yield f"it has requests of {name}, attempt {attempt}, which it did not have"
    yield from _read_whole(trial, store)


def _read_whole(trial: TrialData, store: Store) -> Iterator[str]:
    """What the journal names is there, is what its name says, and is written as a run writes it; how checkpoints go on."""
    last, read = "", set[str]()
    for record in trial.rounds:
        if canonical(_dumped(read_events(store, record))) != store.get(record.events):
            yield f"the events of {record.round} are not written as a run writes them"
        for name in {record.before, record.snapshot, *record.left} - read:
            read.add(name)
            tree = read_tree(store, name)
            if canonical(manifest(tree)) != store.get(name) or any(_lies_in_another(path, tree) for path in tree):
                yield f"a snapshot of {record.round} is none that a run makes"
            for entry in tree.values():
                if entry.sha:
                    store.get(entry.sha)
        if record.checkpoint is not None:
            parse_json(store.get(record.checkpoint), each_once)
            load_checkpoint(store, record.checkpoint)
            if checkpoint_before(store, record.checkpoint) != last:
                yield f"the checkpoint of {record.round} does not go on from the one before"
            last = record.checkpoint


def _dumped(events: Sequence[Event]) -> JsonValue:
    return [event.model_dump(mode="json") for event in events]


def _lies_in_another(path: str, tree: Tree) -> bool:
    """Whether it is in what is a file there, or an empty folder."""
    return any(str(above) in tree for above in PurePosixPath(path).parents)


def _started(spec: TrialSpec, start: TrialStart, scenario: Scenario) -> TrialStart:
    """How the journal of a trial begins; which of the levels below the one that was asked for it had is not known here."""
    declared, settings = start.capabilities, spec.settings
    level = start.isolation.harness if start.isolation.harness in (None, 0) else settings.isolation
    told: dict[str, Any] = {
        "trial": spec.id, "scenario": scenario.id, "scenario_digest": scenario.digest, "harness": spec.harness.label,
        "model": spec.model.name, "seed": spec.seed, "repeat": spec.repeat,
        "overlays": tuple(one.label for one in spec.overlays),
        "isolation": start.isolation.model_copy(update={"harness": level, "check": settings.isolation}),
    }  # fmt: skip
    if declared is not None:
        told |= {"notes": declared.described, "memory_files": declared.memory_files}
    return start.model_copy(update=told)


def _followed(
    record: RoundRecord, scenario: Scenario, index: int, gold: Gold, said: str, meter: RoundMeter | None, store: Store
) -> RoundRecord:
    """A round's record as it follows from what was drawn, its answer, and what its requests come to.

    Answer, failures, events and files are the harness's, and for the ledger to judge; how long it took is taken as it is.
    """
    item, usage, meter = scenario.rounds[index], record.usage, meter or RoundMeter()
    question, score = question_type(item.type), Score(cause=record.error)
    if record.error is None:  # nothing that is drawn is decided by files
        context = ScoringContext(gold, scenario.workspace, isolation=0)
        score = asyncio.run(question.score(item, TurnResult(text=record.text), context))
    metered = meter.metered.model_copy(update={"seconds": usage.metered.seconds})
    counts = {"rendered": meter.rendered, "metered": metered, "overlay": meter.overlay}
    follows: dict[str, Any] = {
        "index": index, "round": item.id, "type": item.type, "attempts": 1 + len(record.earlier_failures),
        "updates": tuple(update.id for update in scenario.expand(item.updates)),
        "traits": round_traits(item, scenario, gold), "score": score, "taught": {}, "evidence": meter.seen,
        "prompt": compose(item, question, said, updated=bool(item.updates)),
        "feedback": question.feedback(item, score, gold) if score.value is not None else "",
        "usage": usage.model_copy(update=counts), "first": meter.first, "environment": None,
        "tool_calls": sum(event.kind == "tool_call" for event in read_events(store, record)),
        "checkpoint": record.checkpoint or "" if record.error is None else None,
    }  # fmt: skip
    return record.model_copy(update=follows)


def differing(one: Record, other: Record) -> list[str]:
    """The fields in which two records differ, those of a record within one by both names."""
    names = []
    for name in type(one).model_fields:
        mine, theirs = getattr(one, name), getattr(other, name)
        if isinstance(mine, Record) and type(mine) is type(theirs):
            names += [f"{name}.{inner}" for inner in differing(mine, theirs)]
        elif mine != theirs:
            names.append(name)
    return names
