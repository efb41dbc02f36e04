"""Plans as evidence: drawn from the nonce once more, held against what was run, and judged again from what was recorded."""

from __future__ import annotations

import functools
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from claw_adapter.certify.demand import LEVELS, Demand, Level
from claw_adapter.certify.plans.draw import PLANS, draw
from claw_adapter.certify.plans.judging import PlanOutcome, compared, judge_plans
from claw_adapter.certify.plans.layout import LaidPlan, lay_out, run_plan
from claw_adapter.certify.plans.recorded import reading_of, sub_agent_of, unlike_plan, unlike_scenario
from claw_adapter.certify.plans.replies import replay
from claw_adapter.certify.records import CheckResult, Report, described_capabilities
from claw_adapter.errors import ClawError
from claw_adapter.folders import scratch
from claw_adapter.notation import render_named
from claw_adapter.protocol import HarnessSpec, RoundRecord
from claw_adapter.reading import each_once, parse_json, read_text, why
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_all, written_so
from claw_adapter.runs.load import RunData, TrialData, load_run
from claw_adapter.runs.named import blobs, trial_blobs
from claw_adapter.runs.store import Store
from claw_adapter.runs.transcript import is_line, read_transcript
from claw_adapter.scenario.load import load_scenario

__all__ = ["derive", "evidence_folder"]

OF_TRIAL: Final = frozenset({"events.jsonl", "transcript.jsonl"})
"""What there is of a conversation."""
OF_RUN: Final = frozenset({"format", "digest", "created", "claw_adapter", "plan"})
"""What run.json says."""
PARTS: Final = ("tools", "params", "native")
"""Where a request names a part, beside its messages."""


def evidence_folder(evidence: Path, level: Level) -> Path:
    """Where the runs of a level's plans are kept, by number: the first is of all of them."""
    return evidence / "plans" / level


def derive(report: Report, evidence: Path, known: Mapping[str, Demand]) -> Iterator[tuple[str, str]]:
    """What the evidence says of the checks that are said to have passed.

    Args:
        report: what is said.
        evidence: its folder.
        known: the checks of this kit, by id.

    Returns:
        Each check of drawn plans, with what speaks against it (nothing if it passes again), of the others those whose
        turns are not there, and plans that no result is of.
    """
    requests, counted = functools.cache(_requests), functools.cache(_counted)
    plans = {result.level for result in report.results if result.id.startswith("PLAN-")}
    for folder in sorted((evidence / "plans").glob("*/")):
        if folder.name not in plans:
            yield "evidence", f"it has plans of {folder.name}, of which nothing is said"
    passed = {result.level for result in report.results if result.id.startswith("PLAN-") and result.outcome == "passed"}
    for path in (*(evidence / "plans").glob("*.json"), *(evidence / "plans").glob("*/*")):
        name = path.relative_to(evidence / "plans").as_posix()
        level = re.split("[-/]", name)[0]
        if level in passed and name != f"{level}/1":
            yield "evidence", f"it has plans/{name}, and nothing was found in the plans of {level}"
    if strange := next(_not_left(report, evidence), ""):
        yield "evidence", f"it has {strange}, which no check has left"
    for result in report.results:
        if result.outcome != "passed":
            continue
        try:
            if result.id.startswith("PLAN-"):
                yield result.id, _derived(report, result, evidence_folder(evidence, result.level) / "1")
            elif missing := _missing(result, evidence, known.get(result.id), requests, counted):
                yield result.id, missing
        except (ClawError, OSError, ValueError) as error:
            yield result.id, f"its evidence cannot be read: {why(error)}"


def _not_left(report: Report, evidence: Path) -> Iterator[str]:
    """What lies in the evidence and is neither a plan, its runs, nor a file of a conversation that a result names."""
    named = {trial for result in report.results for trial in (*result.trials, *(turn.trial for turn in result.turns))}
    for path in sorted(evidence.iterdir()):
        if path.name == "plans":
            yield from (f"plans/{one.name}" for one in path.iterdir() if one.name.partition("-")[0] not in LEVELS)
        elif path.name not in named or not path.is_dir():
            yield path.name
        else:
            yield from (f"{path.name}/{one.name}" for one in path.iterdir() if one.name not in OF_TRIAL)


def _missing(
    result: CheckResult,
    evidence: Path,
    demand: Demand | None,
    requests: Callable[[Path], Mapping[str, int]],
    counted: Callable[[Path], Mapping[str, list[object]]],
) -> str:
    """Which turn of a check is not in the evidence, or not with all the requests that were counted in it."""
    if demand is not None:
        needed = {"turns": result.turns, "conversations": result.trials, "nothing": (None,)}[demand.shows]
        if not needed:
            return f"it has passed without {demand.shows}"
    for trial in dict.fromkeys((*result.trials, *(turn.trial for turn in result.turns))):
        if not (evidence / trial / "transcript.jsonl").is_file():
            return f"its conversation {trial} is not in the evidence"
    for turn in result.turns:
        if not turn.round.startswith(f"{result.id}."):
            return f"its turn {turn.round} is that of another check"
        if turn.trial not in result.trials:
            return f"its turn {turn.round} is in the conversation {turn.trial}, which it is not said to have had"
        folder = evidence / turn.trial
        if counted(folder / "events.jsonl").get(turn.round) != [requests(folder)[turn.round]]:
            return f"its turn {turn.round} is not in the evidence with all its requests"
    return ""


def _counted(path: Path) -> dict[str, list[object]]:
    """How many requests were counted in each turn, as often as it is there."""
    found: dict[str, list[object]] = {}
    for line in read_text(path).split("\n"):
        item = parse_json(line or "{}", each_once)
        if isinstance(item, dict) and isinstance(name := item.get("round"), str):
            metered = item.get("metered")
            found.setdefault(name, []).append(metered.get("requests") if isinstance(metered, dict) else None)
    return found


def _requests(folder: Path) -> Counter[str]:
    """How many requests a conversation has, by round.

    Raises:
        ValueError: they are not written as a run writes them.
    """
    path = folder / "transcript.jsonl"
    if _odd_line(path):
        raise ValueError(f"{folder.name}/{path.name} is not written as a run writes it")
    return Counter(exchange.round for exchange in read_transcript(path))


def _lines(transcript: Path) -> list[bytes]:
    """Those that do not break off."""
    return transcript.read_bytes().split(b"\n")[:-1]


def _odd_line(transcript: Path) -> int:
    """The number of the first line, from 1, that is not written as a run writes it; 0 if there is none."""
    return next((number for number, line in enumerate(_lines(transcript), start=1) if not is_line(line)), 0)


def _derived(report: Report, result: CheckResult, folder: Path) -> str:
    nonce, level, data, run = report.nonce, result.level, load_run(folder), RunFolder(folder)
    if wrong := next(filter(None, (_unlike_report(report, trial) for trial in data.trials)), ""):
        return wrong
    plans = [draw(nonce, number, level) for number in range(PLANS[level])]
    if [(plan.name, plan.model) for plan in plans] != [(one.scenario, one.model.name) for one in data.plan.trials]:
        return f"what was run is not what the nonce {nonce} draws"
    with scratch("claw-verify-") as root:
        laid = {
            plan.name: lay_out(plan, root / plan.name, reading_of(trial), sub_agent_of(trial))
            for plan, trial in zip(plans, data.trials, strict=True)
        }
        scenarios = {plan.name: load_scenario(root / plan.name) for plan in plans}
        first = data.plan.trials[0]
        harness = HarnessSpec(name=report.adapter.name, label=report.adapter.name, options=report.adapter.options)
        if wrong := unlike_plan(
            run_plan(plans, laid, scenarios, harness, first.settings, report.adapter.overlays), data.plan
        ):
            return f"what was run is not what the nonce {nonce} draws: {wrong}"
        for trial in data.trials:
            again = replay(trial.spec, list(read_transcript(run.transcript(trial.spec.id))))
            scenario, store = scenarios[trial.spec.scenario], Store(data.store, sweep=False)
            if wrong := again.unlike or next(unlike_scenario(trial, scenario, store, again.meters), ""):
                return f"what was run is not what the nonce {nonce} draws: {wrong}"
            if wrong := _more(run, trial):
                return wrong
        outcomes = judge_plans(data, plans, laid, sources=[str(root / plan.name) for plan in plans])
    return _strange(run, data) or _unnamed(run, data) or _judged(outcomes, laid, result)


def _more(run: RunFolder, trial: TrialData) -> str:
    """What else is in the files of a trial: lines that do not count, or that break off."""
    journal, transcript = run.journal(trial.spec.id).read_bytes(), run.transcript(trial.spec.id).read_bytes()
    if journal.count(b"\n") != len(trial.rounds) + 2:  # with its start and its end
        return "its journal has records that do not count"
    kinds = [record.index if isinstance(record, RoundRecord) else -1 for record in read_all(run.journal(trial.spec.id))]
    if kinds != [-1, *range(len(trial.rounds)), -1]:
        return "its journal has records in an order in which nobody writes them"
    broken = [name for name, data in (("journal", journal), ("transcript", transcript)) if not data.endswith(b"\n")]
    return f"its {broken[0]} breaks off" if broken else ""


def _strange(run: RunFolder, data: RunData) -> str:
    """What else lies in the folder of a run, or is said twice in it."""
    store, about = Store(data.store, sweep=False), run.root / "run.json"
    journals = [run.journal(trial.spec.id) for trial in data.trials]
    transcripts = [run.transcript(trial.spec.id) for trial in data.trials]
    if wrong := _odd_about(run, data, about.read_bytes()):
        return f"run.json {wrong}"
    if odd := next((path for path in journals if not written_so(path)), None):
        return f"{odd.relative_to(run.root)} is not written as a run writes it"
    if line := next(((path, number) for path in transcripts if (number := _odd_line(path))), None):
        return f"line {line[1]} of {line[0].relative_to(run.root)} is not written as a run writes it"
    known = {about, run.root / "run.log", *journals, *transcripts, *map(store.path, blobs(store))}
    other = [path for path in run.root.rglob("*") if path.is_file() and path not in known]
    return f"there is a file that no run has: {other[0].relative_to(run.root)}" if other else ""


def _odd_about(run: RunFolder, data: RunData, told: bytes) -> str:
    """What is odd about run.json."""
    if told.startswith(BOM_UTF8):
        return "begins with a byte order mark"
    if more := sorted(parse_json(told, each_once).keys() - OF_RUN):
        return f"says {more[0]}, which no run does"
    if data.about.get("digest") != data.plan.digest:
        return "names another plan by its digest"
    written = run.written({**data.about, "plan": data.plan.model_dump(mode="json")})
    return "" if told == written.encode() else "is not written as a run writes it"


def _unnamed(run: RunFolder, data: RunData) -> str:
    """What else is in the files of a run: parts of requests and blobs that nothing names."""
    store, named = Store(data.store, sweep=False), set[str]()
    for trial in data.trials:
        named |= trial_blobs(run, store, trial.spec.id)
        lines = [parse_json(line) for line in _lines(run.transcript(trial.spec.id))]
        told = {sha for one in lines for sha in [*one.get("more", ()), *map(one.get, PARTS)] if isinstance(sha, str)}
        parts = [one["sha"] for one in lines if one["kind"] == "part"]
        if set(parts) - told:
            return "its transcript has a part that no request has"
        if len(set(parts)) != len(parts):
            return "its transcript has a part twice"
    return "its store has a blob that nothing names" if set(blobs(store)) - named else ""


def _unlike_report(report: Report, trial: TrialData) -> str:
    """In what a trial was run with something else than the report says."""
    spec, start, adapter = trial.spec, trial.start, report.adapter
    overlays = tuple(overlay.name for overlay in spec.overlays)
    run, said = render_named(spec.harness.name, spec.harness.options, overlays), adapter.label
    if (spec.harness.name, spec.harness.options, overlays) != (adapter.name, adapter.options, adapter.overlays):
        return f"what was run is {run}, not the {said} of the report"
    if start is None or start.capabilities is None:
        return "what was run declares nothing"
    known = {name: start.versions.get(name) for name in adapter.versions}  # what an agent says of itself comes later
    if known != adapter.versions:
        run, said = f"{run} ({_versions(start.versions)})", f"{said} ({_versions(adapter.versions)})"
        return f"what was run is {run}, not the {said} of the report"
    if start.isolation.harness not in (None, report.isolation):
        return f"what was run had isolation {start.isolation.harness}, not the {report.isolation} of the report"
    if described_capabilities(start.capabilities) != adapter.capabilities:
        return "what was run declares something else than the report"
    return ""


def _versions(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _judged(outcomes: list[PlanOutcome], laid: Mapping[str, LaidPlan], result: CheckResult) -> str:
    """What the ledger says against a check that has passed."""
    found = sorted({key for one in outcomes for key in one.keys})
    if found:
        return f"the evidence shows {', '.join(found)}"
    short = next((one.plan for one in outcomes if one.unjudged or one.rounds != len(laid[one.plan.name].rounds)), None)
    if short is not None:
        return f"the evidence does not have all of plan {short.number}"
    return "" if compared(outcomes) in result.notes else f"the evidence has {compared(outcomes)}, which is not its note"
