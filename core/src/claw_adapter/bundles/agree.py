"""What records, transcripts and scenarios say of each other: digests can be made anew, these must still fit."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from claw_adapter.protocol import Gold, RoundRecord, Scenario, Score
from claw_adapter.questions.types import question_type
from claw_adapter.reading import parse_json
from claw_adapter.runner.prompt import compat_feedback, compose
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_all, read_bodies, standing
from claw_adapter.runs.load import RunData, TrialData
from claw_adapter.runs.plan import difference
from claw_adapter.runs.store import Store
from claw_adapter.runs.transcript import Exchange, by_process, read_transcript
from claw_adapter.scenario import load_gold
from claw_adapter.scenario.traits import round_traits

__all__ = ["contradictions", "once", "other_details"]

_OF_THE_MACHINE: Final = {"check": {"why", "level", "signal", "stdout", "stderr", "seconds"}}
"""Of a score's detail: what a check that is run again may well say differently."""


def contradictions(run: RunData, scenarios: Mapping[str, Scenario]) -> Iterator[str]:
    """Each place in which two things that belong together do not agree, as a line."""
    gold = functools.cache(lambda name: load_gold(scenarios[name]))
    known: dict[tuple[float, ...], str] = {}
    for trial in run.trials:
        path = RunFolder(run.root).transcript(trial.spec.id)
        exchanges = list(by_process(read_transcript(path))) if path.exists() else []
        lines = [
            *_journal(RunFolder(run.root).journal(trial.spec.id)),
            *_rounds(trial, scenarios[trial.spec.scenario], gold(trial.spec.scenario), Store(run.store, sweep=False)),
            *_asked(trial, exchanges),
        ]
        times = tuple(one.seconds for _, one in exchanges)
        if len(times) > 1 and (other := known.setdefault(times, trial.spec.id)) != trial.spec.id:
            lines.append(f"its transcript is that of {other}, request by request")
        yield from (f"{trial.spec.id}: {line}" for line in lines)


def other_details(old: Score, new: Score) -> list[str]:
    """Where a score that was computed again differs, but for what depends on the machine that ran a check."""
    return difference(_judged(old, old), _judged(new, old))


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these fields.

    Raises:
        ValueError: a field is there twice, so that readers may take one or the other.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"the field {Counter(name for name, _ in pairs).most_common(1)[0][0]!r} is there twice")
    return found


def _judged(score: Score, like: Score) -> dict[str, Any]:
    """What was judged; of fields, those that the older record has."""
    fields = score.model_dump(mode="json", exclude={"cause": True, "detail": _OF_THE_MACHINE})
    noted = like.model_dump(mode="json", exclude_unset=True)
    return {name: _within(value, noted[name]) for name, value in fields.items() if name in noted}


def _within(fields: Any, like: Any) -> Any:
    if isinstance(fields, dict) and isinstance(like, dict):
        return {name: _within(value, like[name]) for name, value in fields.items() if name in like}
    return fields


def _journal(path: Path) -> Iterator[str]:
    if not path.exists():
        return
    data, bodies = path.read_bytes(), read_bodies(path)
    if data.count(b"\n") != len(bodies) or not data.endswith(b"\n"):
        yield "its journal goes on behind the last record"
    try:
        for _, body in bodies:
            parse_json(body, once)
    except ValueError as error:
        yield f"its journal: {error}"
    records = read_all(path)
    if any(one == other for one, other in itertools.pairwise(records)):
        yield "its journal has one record twice"
    indices = [record.index for record in standing(records) if isinstance(record, RoundRecord)]
    if indices != sorted(indices):
        yield "its rounds are not in order"


def _rounds(trial: TrialData, scenario: Scenario, gold: Gold, store: Store) -> Iterator[str]:
    """Each record against its scenario, the one before it, and its own events."""
    before: RoundRecord | None = None
    for record in trial.rounds:
        yield from (f"{record.round}: {line}" for line in _record(trial, record, before, scenario, gold))
        events = store.get_json(record.events)
        known = [one for one in events if isinstance(one, dict)] if isinstance(events, list) else []
        calls = sum(one.get("kind") == "tool_call" for one in known)
        if calls != record.tool_calls:
            yield f"{record.round}: {record.tool_calls} tool calls in the journal, {calls} among its events"
        before = record


def _record(
    trial: TrialData, record: RoundRecord, before: RoundRecord | None, scenario: Scenario, gold: Gold
) -> Iterator[str]:
    item = scenario.rounds[record.index]
    if record.updates != (wanted := tuple(update.id for update in scenario.expand(item.updates))):
        yield f"updates {', '.join(record.updates) or 'none'}, and the scenario has {', '.join(wanted) or 'none'}"
    traits = round_traits(item, scenario, gold)
    noted = record.traits.model_dump(mode="json", exclude_unset=True) if record.traits else {}
    for line in difference(noted, _within(traits.model_dump(mode="json"), noted)):
        yield f"tags: {line}"
    compat, feedback = trial.spec.settings.compat, ""
    if before is not None:
        earlier = scenario.rounds[before.index]
        feedback = compat_feedback(earlier, before, item, gold) if compat else before.feedback
        if not item.updates and (before.snapshot, _state(before, "after")) != (record.before, _state(record, "before")):
            yield "it does not begin with what the round before it left"
    prompt = compose(item, question_type(item.type), feedback, updated=bool(item.updates), compat=compat)
    below = f"{prompt}\n\n" if scenario.manifest.environment else prompt
    if record.prompt != prompt and not (scenario.manifest.environment and record.prompt.startswith(below)):
        yield "its prompt is not what the scenario says then"
    if record.feedback != (told := _feedback(record, scenario, gold)):
        yield f"feedback {record.feedback[:60]!r}, and the scenario says {told[:60]!r}"
    check = getattr(record.score.detail, "check", None)
    level = trial.start.isolation.check if trial.start else None
    if check is not None and level is not None and check.level != level:
        yield f"its check ran at isolation {check.level}, and the trial began with {level}"


def _feedback(record: RoundRecord, scenario: Scenario, gold: Gold) -> str:
    """What is told of a round with that score, where its teaching checks found what the record says."""
    if record.error is not None or record.score.value is None:
        return ""
    item, rules = scenario.rounds[record.index], gold.answers.preferences
    said = [rules[name].feedback for name in gold.answers.rounds[item.id].teach]
    lesson = [one.correct if ok else one.incorrect for one, ok in zip(said, record.taught.values(), strict=False)]
    told = question_type(item.type).feedback(item, record.score, gold)
    return " ".join(part for part in (told, "\n".join(text for text in lesson if text)) if part)


def _state(record: RoundRecord, when: str) -> str:
    return getattr(record.environment, when) if record.environment else ""


def _asked(trial: TrialData, exchanges: list[tuple[int, Exchange]]) -> Iterator[str]:
    """The transcript against plan and journal."""
    if not trial.spec.overlays and any(one.origin != "harness" for _, one in exchanges):
        yield "its transcript has requests of overlays, and the plan has none"
    asked = {one.asked for _, one in exchanges if one.origin == "harness" and one.status == 200}
    if asked and trial.spec.model.name not in asked:
        yield f"its requests are to {', '.join(sorted(asked))}, and the plan has {trial.spec.model.name}"
    last = max((process for process, _ in exchanges), default=0)
    numbers = {one.number for process, one in exchanges if process == last}
    lost = sorted(set(range(1, max(numbers, default=0))) - numbers)
    if lost and not trial.spec.overlays:  # which ask through proxy routes with numbers of their own
        yield f"requests are missing in its transcript: {', '.join(map(str, lost[:5]))}"
    counted = Counter((one.round, one.attempt) for _, one in exchanges if one.origin != "overlay")
    for record in trial.rounds:
        most = max((count for (name, _), count in counted.items() if name == record.round), default=0)
        if record.usage.metered.requests > most:
            yield f"{record.round} counts {record.usage.metered.requests} requests, and its transcript has {most}"
    resumed = Counter(name for name, _ in {(one.round, process) for process, one in exchanges if one.round})
    twice = [name for name, processes in resumed.items() if processes > 1]
    if len(twice) > last and not trial.voided:
        yield f"{', '.join(twice)} were asked again, and the journal says nothing of it"
