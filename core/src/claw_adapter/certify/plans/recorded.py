"""What was recorded of a plan, held against what was drawn: the run's plan, where each trial began, and its rounds."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from claw_adapter.certify.script import history_reading
from claw_adapter.endpoint.models.played import ToolUse, parse_script
from claw_adapter.protocol import RoundRecord, Scenario, TrialSpec, TrialStart
from claw_adapter.protocol.base import Record
from claw_adapter.questions.types import question_type
from claw_adapter.runner.prompt import compose
from claw_adapter.runs.load import TrialData
from claw_adapter.runs.plan import Plan
from claw_adapter.runs.store import Store
from claw_adapter.scenario import load_gold
from claw_adapter.workspace.tree import read_tree

__all__ = ["reading_of", "unlike_plan", "unlike_scenario"]


def reading_of(trial: TrialData) -> Callable[[str], ToolUse | None]:
    """How a history was read in a trial: by the route that was declared, and the key by which its script knows it."""
    uses = [use for played in parse_script(trial.spec.model) for reply in played.replies for use in reply.uses]
    keys = {use.target: use.names[0] for use in uses if use.kind == "history" and use.names}
    declared = trial.start.capabilities if trial.start is not None else None
    seeded = declared.seed_history if declared is not None else "none"
    return lambda session: history_reading(seeded, session, lambda name: keys.get(name, name))


def unlike_plan(drawn: Plan, run: Plan) -> str:
    """In what the plan of a run is another than the one that was drawn, but for where its scenarios lay and what it found."""
    pairs = list(zip(drawn.trials, run.trials, strict=False))
    names = [name for pair in pairs for name in _differing(*pair)] or _differing(
        drawn, run.model_copy(update={"sources": drawn.sources, "versions": drawn.versions})
    )
    return ", ".join(dict.fromkeys(names))


def unlike_scenario(trial: TrialData, scenario: Scenario, store: Store) -> str:
    """In what the journal of a trial says something else than the scenario that was drawn."""
    start = trial.start
    if start is None:
        return "its session was not begun"
    if trial.end is None:
        return "its session was not ended"
    if names := _differing(_started(trial.spec, start, scenario), start):
        return f"where its session begins, {', '.join(names)} is not what was drawn"
    files = {path: entry.sha for path, entry in read_tree(store, start.snapshot).items()}
    for path in scenario.workspace.rglob("*"):
        name = path.relative_to(scenario.workspace).as_posix()
        if path.is_file() and files.get(name) != hashlib.sha256(path.read_bytes()).hexdigest():
            return f"its session does not begin with the file {name} that was drawn"
    drawn = list(_rounds(scenario, trial.rounds))
    found = [_told(record) for record in trial.rounds]
    for number, (one, other) in enumerate(zip(drawn, found, strict=False), start=1):
        if names := [name for name in one if one[name] != other[name]]:
            return f"of its round {number}, {', '.join(names)} is not what was drawn"
    return "" if len(drawn) == len(found) else f"it has {len(found)} rounds, and {len(drawn)} were drawn"


def _started(spec: TrialSpec, start: TrialStart, scenario: Scenario) -> TrialStart:
    """How the journal of a trial begins; which of the levels below the one that was asked for it had is not known here."""
    declared, settings = start.capabilities, spec.settings
    level = start.isolation.harness if start.isolation.harness in (None, 0) else settings.isolation
    told: dict[str, Any] = {
        "trial": spec.id, "scenario": scenario.id, "scenario_digest": scenario.digest, "harness": spec.harness.label,
        "model": spec.model.name, "overlays": (), "seed": spec.seed, "repeat": spec.repeat,
        "isolation": start.isolation.model_copy(update={"harness": level, "check": settings.isolation}),
    }  # fmt: skip
    if declared is not None:
        told |= {"notes": declared.described, "memory_files": declared.memory_files}
    return start.model_copy(update=told)


def _rounds(scenario: Scenario, records: Sequence[RoundRecord]) -> Iterator[dict[str, Any]]:
    """What the record of each round says if it is the one that was drawn; feedback follows from how the round was scored."""
    gold, said = load_gold(scenario), ""
    for index, item in enumerate(scenario.rounds):
        question = question_type(item.type)
        prompt = compose(item, question, said, updated=bool(item.updates))
        score = records[index].score if index < len(records) else None
        said = question.feedback(item, score, gold) if score is not None and score.value is not None else ""
        updates = tuple(update.id for update in scenario.expand(item.updates))
        yield {
            "index": index, "round": item.id, "type": item.type, "updates": updates, "prompt": prompt, "feedback": said,
        }  # fmt: skip


def _told(record: RoundRecord) -> dict[str, Any]:
    names = ("index", "round", "type", "updates", "prompt", "feedback")
    return {name: getattr(record, name) for name in names}


def _differing(one: Record, other: Record) -> list[str]:
    """The fields in which two records differ, those of a record within one by both names."""
    names = []
    for name in type(one).model_fields:
        mine, theirs = getattr(one, name), getattr(other, name)
        if isinstance(mine, Record) and type(mine) is type(theirs):
            names += [f"{name}.{inner}" for inner in _differing(mine, theirs)]
        elif mine != theirs:
            names.append(name)
    return names
