"""Auditing a run folder: what the ledger needs is read from it, and from the scenarios; nothing else is."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

from claw_adapter.audit.ledger import TrialFacts, audit_trial
from claw_adapter.audit.records import (
    AuditFinding,
    Bite,
    CallsAgain,
    HarnessVerdict,
    OwnWords,
    Refusal,
    RunAudit,
    TrialAudit,
    Unjudged,
)
from claw_adapter.audit.told import ToldCommand
from claw_adapter.audit.words import ScenarioLines, lines_of, round_texts, world_texts
from claw_adapter.errors import ScenarioError
from claw_adapter.harness import Harness
from claw_adapter.protocol import Capabilities, Event, Gold, RoundRecord, Scenario, TrialSpec
from claw_adapter.protocol.limits import Clip, WindowLimit
from claw_adapter.runs.checkpoints import checkpoint_files
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.load import RunData, TrialData
from claw_adapter.runs.store import Store
from claw_adapter.runs.transcript import Exchange, read_transcript
from claw_adapter.sandbox import IsolationLevel, require
from claw_adapter.scenario import load_gold, worlds
from claw_adapter.scenario.named import find_scenarios
from claw_adapter.workspace.tree import read_tree

__all__ = ["audit_run", "read_events", "run_again"]

SOME: Final = 6
"""Rounds that a verdict names."""
FEW: Final = 3
"""Tools that it names."""
LARGE: Final = 2_000_000
"""Bytes of a file up to which it is compared."""
UNDECLARED = (
    "the run was made by an earlier version, which did not record what adapters declare: what a declaration could excuse "
    "is judged by what the installed adapter declares"
)


def audit_run(
    run: RunData,
    data: Sequence[str] = (),
    *,
    most: int = 0,
    strict: bool = False,
    scenarios: Mapping[str, Scenario] | None = None,
    restarts: Mapping[str, Collection[str]] | None = None,
    told: Mapping[str, Mapping[str, Sequence[ToldCommand]]] | None = None,
) -> RunAudit:
    """Audit the trials of a run.

    Args:
        run: the run folder as it was read.
        data: names or folders of the scenarios, when they are not where the run found them.
        most: trials that are audited, those of every harness evenly spread; 0 for all.
        strict: whether to find what only a certification holds against a harness as well.
        scenarios: by id, when they are at hand; then neither `data` nor the run's own names are looked up.
        restarts: by trial, the rounds before which a plan had its session closed and opened again.
        told: by trial and round, what a plan says of its commands.

    Raises:
        ScenarioError: a scenario is missing, or not the one that was run.
        JournalError: the folder is damaged.
    """
    scenarios = _scenarios(run, data, scenarios)
    own = {name: _lines(scenarios[name]) for name in run.plan.scenarios} if len(run.plan.scenarios) > 1 else {}
    known = {name: _Known.of(scenarios[name]) for name in run.plan.scenarios}
    trials = []
    for trial in _some(run.trials, most):
        name = trial.spec.id
        facts = _facts(
            run, trial, known[trial.spec.scenario], own, (restarts or {}).get(name, ()), (told or {}).get(name, {})
        )
        trials.append(audit_trial(facts))
        if strict and not facts.strict:
            more = audit_trial(replace(facts, strict=True)).findings
            found = {one.key for one in trials[-1].findings}
            stricter = tuple(one for one in more if one.key not in found)
            trials[-1] = trials[-1].model_copy(update={"stricter": stricter})
    return RunAudit(run=run.root.name, trials=tuple(trials), harnesses=_verdicts(trials))


async def run_again(
    run: RunData, data: Sequence[str] = (), *, on_trial: Callable[[CallsAgain], None] = lambda _: None
) -> tuple[CallsAgain, ...]:
    """Do the calls of every trial once more, commands in the sandbox; see `claw_adapter.audit.again`.

    Args:
        run: the run folder as it was read.
        data: names or folders of the scenarios, when they are not where the run found them.
        on_trial: called with each trial when it is through.

    Raises:
        ScenarioError: a scenario is missing, or not the one that was run.
        JournalError: the folder is damaged.
        SandboxError: commands cannot be shut off here.
    """
    from claw_adapter.audit.again import calls_again

    level = IsolationLevel.NAMESPACE
    require(level)
    scenarios = _scenarios(run, data, None)
    known = {name: _Known.of(scenarios[name]) for name in run.plan.scenarios}
    found = []
    for trial in run.trials:
        facts = _facts(run, trial, known[trial.spec.scenario], {}, (), {})
        found.append(await calls_again(facts, Store(run.store, sweep=False), level))
        on_trial(found[-1])
    return tuple(found)


def _scenarios(run: RunData, data: Sequence[str], scenarios: Mapping[str, Scenario] | None) -> Mapping[str, Scenario]:
    if scenarios is None:
        scenarios = find_scenarios(tuple(data) or run.plan.sources)
    for name, digest in run.plan.scenarios.items():
        if name not in scenarios or scenarios[name].digest != digest:
            what = "was not found" if name not in scenarios else "is not the one that was run (its files have changed)"
            raise ScenarioError(f"scenario {name!r} {what}", remedy="Say where it is with --data.")
    return scenarios


@dataclass(frozen=True, slots=True)
class _Known:
    """A scenario with what serves all its trials."""

    scenario: Scenario
    gold: Gold
    lines: ScenarioLines

    @classmethod
    def of(cls, scenario: Scenario) -> Self:
        gold = load_gold(scenario)
        return cls(scenario, gold, ScenarioLines.of(scenario, gold))


def _some(trials: Sequence[TrialData], most: int) -> Iterator[TrialData]:
    """Of each harness every n-th trial, so that they are about so many in all."""
    step = math.ceil(len(trials) / most) if most else 1
    seen = Counter[str]()
    for trial in trials:
        label = _label(trial)
        if seen[label] % step == 0:
            yield trial
        seen[label] += 1


def _label(trial: TrialData) -> str:
    return "+".join([trial.spec.harness.label, *(overlay.label for overlay in trial.spec.overlays)])


def _facts(
    run: RunData, trial: TrialData, known: _Known, own: Mapping[str, set[str]], restarts: Collection[str],
    told: Mapping[str, Sequence[ToldCommand]],
) -> TrialFacts:  # fmt: skip
    path = RunFolder(run.root).transcript(trial.spec.id)
    capabilities, notes = _declared(trial)
    store = Store(run.store, sweep=False)
    texts = functools.lru_cache(maxsize=4)(functools.partial(_texts, store))
    scenario = known.scenario
    here = own.get(scenario.id, set())
    return TrialFacts(
        spec=trial.spec,
        harness=_label(trial),
        scenario=scenario,
        gold=known.gold,
        capabilities=capabilities,
        rounds=trial.rounds,
        exchanges=_exchanges(path),
        events=functools.partial(read_events, store),
        files=lambda digest: texts(digest)[0],
        encoded=lambda digest: texts(digest)[1],
        trees=functools.lru_cache(maxsize=4)(functools.partial(read_tree, store)),
        kept=functools.partial(_kept, store),
        blob=store.get,
        base=trial.start.snapshot if trial.start is not None else "",
        others={name: lines - here for name, lines in own.items() if name != scenario.id},
        lines=known.lines,
        notes=notes,
        restarts=restarts,
        told=told,
        strict=any(isinstance(item, dict) and "round" in item for item in trial.spec.model.script),
    )


def _exchanges(path: Path) -> tuple[Exchange, ...]:
    return tuple(read_transcript(path)) if path.is_file() else ()


def _kept(store: Store, digest: str) -> Iterator[tuple[str, str]]:
    """The files of a checkpoint and their blobs, as far as they are there: a run may have been pruned."""
    found = checkpoint_files(store, digest) if digest and store.has(digest) else ()
    yield from ((name, blob) for name, blob in found if store.has(blob))


def read_events(store: Store, record: RoundRecord) -> list[Event]:
    """The events of a round, out of the run's store."""
    found = store.get_json(record.events)
    return [Event.model_validate(event) for event in found] if isinstance(found, list) else []


def _texts(store: Store, digest: str) -> tuple[dict[str, str], dict[str, str]]:
    """A snapshot's texts in UTF-8, and those in another encoding, in which each byte that is none is a surrogate."""
    plain, encoded = dict[str, str](), dict[str, str]()
    for path, content in _contents(store, digest):
        try:
            plain[path] = content.decode("utf-8")
        except UnicodeDecodeError:
            if b"\0" not in content:
                encoded[path] = content.decode("utf-8", "surrogateescape")
    return plain, encoded


def _contents(store: Store, digest: str) -> Iterator[tuple[str, bytes]]:
    for path, entry in read_tree(store, digest).items():
        if entry.kind == "file" and entry.size <= LARGE:
            yield path, store.get(entry.sha)


def _declared(trial: TrialData) -> tuple[Capabilities, tuple[str, ...]]:
    """What the adapter declared when the trial was made, with the window that the harness was told in place of its own."""
    start = trial.start.capabilities if trial.start is not None else None
    declared, notes = (start, ()) if start else (_installed(trial.spec), (UNDECLARED,) if trial.rounds else ())
    if (window := trial.spec.model.told_window) is None:
        return declared, notes
    losses = tuple(loss.at(window) if isinstance(loss, Clip | WindowLimit) else loss for loss in declared.losses)
    return declared.model_copy(update={"losses": losses}), notes


def _installed(spec: TrialSpec) -> Capabilities:
    from claw_adapter import plugins
    from claw_adapter.errors import ClawError

    try:
        harness: Harness = plugins.create("harness", spec.harness.name, spec.harness.options)
    except ClawError:
        return Capabilities()
    return harness.capabilities()


def _lines(scenario: Scenario) -> set[str]:
    """Lines by which a scenario's conversations are known from others."""
    texts = [text for world in worlds(scenario) for text in world_texts(world)]
    return {
        line
        for line in lines_of([*texts, *(t for item in scenario.rounds for t in round_texts(item))])
        if len(line) >= 40
    }


def _verdicts(trials: Sequence[TrialAudit]) -> tuple[HarnessVerdict, ...]:
    found = []
    for harness in dict.fromkeys(trial.harness for trial in trials):
        mine = [trial for trial in trials if trial.harness == harness]
        several = len({trial.trial.split("--")[0] for trial in mine}) > 1
        requests = sum(trial.requests for trial in mine)
        findings = _joined(mine, "findings", "key", several=several)
        bites = _joined(mine, "bites", "loss", several=several)
        refused = _joined(mine, "refused", "place", several=several)
        own = _joined(mine, "own_words", "key", several=several)
        results, unjudged = sum(trial.results for trial in mine), _joined(mine, "unjudged", "tool", several=several)
        found.append(
            HarnessVerdict(
                harness=harness,
                trials=len(mine),
                requests=requests,
                findings=findings,
                stricter=_joined(mine, "stricter", "key", several=several),
                bites=bites,
                refused=refused,
                results=results,
                unjudged=unjudged,
                own_words=own,
                notes=tuple(dict.fromkeys(note for trial in mine for note in trial.notes)),
                verdict=" · ".join(
                    [_verdict(requests, findings, bites, refused), *_not_judged(results, unjudged), *_own(own)]
                ),
            )
        )
    return tuple(found)


def _verdict(requests: int, findings: Sequence[AuditFinding], bites: Sequence[Bite], refused: Sequence[Refusal]) -> str:
    if not requests and not findings:
        return "nothing to judge"
    parts = [f"{len(findings)} violation{'s' if len(findings) > 1 else ''}"] if findings else []
    if bites:
        rounds = list(dict.fromkeys(name for bite in bites for name in bite.rounds))
        more = f" and {len(rounds) - SOME} more" if len(rounds) > SOME else ""
        parts.append(f"declared losses that bit, in rounds {', '.join(rounds[:SOME])}{more}")
    parts = parts or ["nothing lost"]
    if times := sum(one.times for one in refused):
        what = f"{len(refused)} files and histories that are there" if len(refused) > 1 else "what is there"
        parts.append(f"said no: {times} reading{'s' * (times > 1)} of {what}")
    return " · ".join(parts)


def _not_judged(results: int, unjudged: Sequence[Unjudged]) -> list[str]:
    """How many results of tools were held against nothing."""
    if not unjudged:
        return []
    tools = sorted(unjudged, key=lambda one: -one.times)
    more = f", {len(tools) - FEW} others" if len(tools) > FEW else ""
    named = ", ".join(f"{one.tool} {one.times}" for one in tools[:FEW])
    return [f"not judged: {sum(one.times for one in tools)} of {results} results ({named}{more})"]


def _own(words: Sequence[OwnWords]) -> list[str]:
    """How many kinds of lines the harness has said by itself, but for instructions and tools as they were at first."""
    count = sum(bool(one.form) for one in words)
    doubts = sum(one.doubted for one in words)
    looked = f", {doubts} to look at" if doubts else ""
    return [f"own words: {count} kind{'s' * (count > 1)}{looked}"] if count else []


def _joined(trials: Sequence[TrialAudit], found: str, key: str, *, several: bool) -> tuple[Any, ...]:
    """What trials have in the field `found`, each once by its own field `key`, with all its rounds."""
    joined: dict[str, Any] = {}
    for trial in trials:
        for one in getattr(trial, found):
            first = joined.get(getattr(one, key)) or one.model_copy(update={"rounds": (), "times": 0})
            rounds = dict.fromkeys((*first.rounds, *_rounds(trial, one.rounds, several=several)))
            update = {"rounds": tuple(rounds), "times": first.times + one.times}
            joined[getattr(one, key)] = first.model_copy(update=update)
    return tuple(joined.values())


def _rounds(trial: TrialAudit, rounds: Sequence[str], *, several: bool) -> tuple[str, ...]:
    """Rounds by name; of several scenarios, with theirs."""
    scenario = trial.trial.split("--")[0]
    return tuple(f"{scenario}/{name}" if several else name for name in rounds)
