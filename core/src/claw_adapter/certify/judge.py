"""Running one check to its result, and all of them to a report."""

from __future__ import annotations

import datetime as dt
import logging
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from claw_adapter import __version__, plugins
from claw_adapter.certify.baseline import Baseline
from claw_adapter.certify.bench import Bench
from claw_adapter.certify.check import ConformanceCheck, checks
from claw_adapter.certify.demand import LEVELS, CheckFinding, Demand, Level, Unverified
from claw_adapter.certify.digests import code_digest, folder_digest, plugin_digests
from claw_adapter.certify.kit import Kit
from claw_adapter.certify.records import Adapter, CheckResult, Outcome, Report, Turned, described_capabilities
from claw_adapter.certify.requirements import CURRENT, RequirementSet, load
from claw_adapter.errors import InternalError, Owner
from claw_adapter.harness import Harness
from claw_adapter.protocol import Capabilities, Probe, Support

__all__ = [
    "CertificationPlan",
    "baseline_problems",
    "certify",
    "excused",
    "judge",
    "kind_of",
    "level_reached",
    "plan",
    "report",
    "summary",
    "unmet",
]

log = logging.getLogger(__name__)
FAILING: Final[tuple[Outcome, ...]] = ("failed", "kit")


@dataclass(frozen=True, slots=True)
class CertificationPlan:
    """What is asked: a level of a requirement set."""

    level: Level
    requirements: RequirementSet
    checks: tuple[ConformanceCheck, ...]
    certified: bool = False
    baseline: Baseline = field(default_factory=Baseline)


def plan(
    level: Level = "gold", *, name: str = CURRENT, certified: bool = False, baseline: Baseline | None = None,
    only: Sequence[str] = (),
) -> CertificationPlan:  # fmt: skip
    """The checks of a level, in the order of areas; `only` narrows them to ids or areas (an id may be one that is not scored).

    Raises:
        KitError: the set names a check that is not there, or `only` names nothing.
    """
    requirements, known = load(name), checks()
    asked = requirements.of(level)
    if missing := [one for one in asked if one not in known]:
        raise InternalError(f"requirement set {name} names checks that are not there: {', '.join(missing)}")
    chosen = [check for key, check in known.items() if key in asked]
    if only:
        unscored = [check for key, check in known.items() if key in requirements.not_scored and key in only]
        chosen = [*(check for check in chosen if only_names(check, only)), *unscored]
        if not chosen:
            raise InternalError(
                f"no check of {level} is called {', '.join(only)}", remedy="Give ids (TURN-003) or areas (TURN)."
            )
    return CertificationPlan(level, requirements, tuple(chosen), certified, baseline or Baseline())


def only_names(check: ConformanceCheck, only: Sequence[str]) -> bool:
    """Whether a check is named by its id or its area."""
    return check.id in only or check.area in only


def unmet(check: Demand, capabilities: Capabilities, probe: Probe, name: str) -> tuple[str, bool]:
    """Why a check does not apply, and whether that is because something is not declared at all; empty if it applies."""
    for need in check.needs:
        key, _, value = need.partition("=")
        declared = getattr(capabilities, key)
        if isinstance(declared, Support):
            if declared.state == "unknown":
                return f"{key} is not declared", True
            if declared.state == "since" and _older(probe.versions.get(name, ""), declared.version):
                return f"{key} works from {declared.version} on, this is {probe.versions.get(name) or 'unknown'}", False
            if not declared:
                return f"{key}: {declared.state}: {declared.reason}", False
        elif (value and declared != value) or (not value and declared in ("none", ())):
            return f"{key} is {declared!r}", False
    return "", False


def _older(found: str, wanted: str) -> bool:
    def parts(text: str) -> list[int]:
        return [int("".join(filter(str.isdigit, part)) or 0) for part in text.split(".")]

    return not found or parts(found) < parts(wanted)


async def judge(bench: Bench, check: ConformanceCheck) -> CheckResult:
    """Run one check. What the adapter says it cannot do is tried all the same: if it works, that is a warning."""
    reason, undeclared = unmet(check, bench.capabilities, bench.probe, bench.harness.name)
    kit, started = Kit(bench, check, claimed=not reason), time.monotonic()
    if undeclared:
        remedy = (
            "Declare it in capabilities(): full, since a version, unsupported or not_implemented with the reason (M3)."
        )
        verdict = _Verdict("failed", "adapter", reason, remedy)
    else:
        verdict = await _verdict(check, kit)
        if kit.inherited and verdict.outcome in ("failed", "unverified"):
            kit, before = Kit(bench, check, anew=True, claimed=not reason), verdict
            verdict = await _verdict(check, kit)
            kit.note(f"in a conversation that another check had used before: {before.what}")
        verdict = _in_view_of(reason, verdict, kit)
    return _result(check, kit, verdict, time.monotonic() - started)


@dataclass(frozen=True, slots=True)
class _Verdict:
    outcome: Outcome
    owner: str = ""
    what: str = ""
    remedy: str = ""
    usual: bool = True
    broken: bool = False
    """The adapter let an exception out."""


async def _verdict(check: ConformanceCheck, kit: Kit) -> _Verdict:
    """Run the function; any exception that is no verdict is a fault of the kit."""
    try:
        if check.isolated:
            kit.isolated()
        await check.run(kit)
    except CheckFinding as finding:
        if finding.owner == Owner.INTERNAL:
            return _Verdict("kit", "kit", finding.what, finding.remedy)
        if finding.owner == Owner.MACHINE:
            return _Verdict("unverified", what=finding.what)
        if finding.trial:
            kit.trials.append(finding.trial)
        owner = finding.owner.value if finding.owner in (Owner.HARNESS, Owner.OVERLAY) else "adapter"
        remedy = finding.remedy or check.remedy
        return _Verdict("failed", owner, finding.what, remedy, finding.usual, finding.broken)
    except Unverified as why:
        return _Verdict("unverified", what=str(why))
    except Exception as error:
        log.exception("check %s", check.id)
        remedy = "This is a fault of claw-adapter, please report it; it does not count against the harness."
        return _Verdict("kit", "kit", f"the kit failed: {type(error).__name__}: {error}", remedy)
    return _Verdict("passed")


def _in_view_of(reason: str, verdict: _Verdict, kit: Kit) -> _Verdict:
    """What a verdict means for a capability that, for this reason, is not claimed: an exception is never excused by that."""
    if not reason or verdict.broken or verdict.outcome in ("kit", "unverified"):
        return verdict
    if verdict.outcome == "passed":
        kit.warn(f"under-declared: {reason}, and yet it works")
    else:
        kit.note(f"tried all the same: {verdict.what}")
    return _Verdict("unsupported", what=reason)


def _result(check: ConformanceCheck, kit: Kit, verdict: _Verdict, seconds: float) -> CheckResult:
    return CheckResult.model_validate({
        "id": check.id, "level": check.level, "must": check.must, "title": check.title, "catches": check.catches,
        "outcome": verdict.outcome, "usual": verdict.usual, "owner": verdict.owner, "what": verdict.what,
        "remedy": verdict.remedy, "seconds": round(seconds, 3), "warnings": tuple(kit.warnings), "notes": tuple(kit.notes),
        "trials": tuple(dict.fromkeys(kit.trials)),
        "turns": tuple(Turned(trial=trial, round=name) for trial, name in kit.rounds),
    })  # fmt: skip


async def certify(
    bench: Bench,
    asked: CertificationPlan,
    *,
    on_result: Callable[[CheckResult, int, int], None] = lambda _result, _at, _of: None,
    until_failure: bool = False,
) -> list[CheckResult]:
    """Run all checks of a plan, one after another, or those up to the first that fails; the bench is open.

    An interrupt behind a finding ends it with what there is.
    """
    results = []
    for number, check in enumerate(asked.checks, start=1):
        result = excused(await judge(bench, check), asked)
        results.append(result)
        on_result(result, number, len(asked.checks))
        if bench.interrupted or (until_failure and result.outcome in FAILING):
            break
    return results


def excused(result: CheckResult, asked: CertificationPlan) -> CheckResult:
    """A failure that the baseline allows counts as expected; in certified mode nothing is excused."""
    entry = asked.baseline.excuses(result.id, _today()) if result.outcome == "failed" and not asked.certified else None
    if entry is None:
        return result
    notes = (*result.notes, f"expected until {entry.until}: {entry.reason}")
    return result.model_copy(update={"outcome": "expected", "notes": notes})


def report(bench: Bench, asked: CertificationPlan, results: Sequence[CheckResult], *, started: float) -> Report:
    """The report of a finished certification; `started` is seconds since the epoch."""
    outcomes: dict[str, str] = {result.id: result.outcome for result in results}
    return Report.model_validate({
        "kit": __version__, "kit_digest": code_digest(__name__), "adapter": _adapter(bench), "nonce": bench.nonce,
        "isolation": bench.level, "asked": asked.level, "certified": asked.certified,
        "started": dt.datetime.fromtimestamp(started, dt.UTC).isoformat(timespec="seconds"),
        "seconds": round(time.time() - started, 3), "platform": _platform(), "results": tuple(results),
        "evidence": folder_digest(bench.evidence),
        "never_called": bench.tried.never_called, "never_given": bench.tried.never_given,
        **summary(
            asked.requirements, asked.level, results, baseline_problems(asked, outcomes), certified=asked.certified
        ),
    })  # fmt: skip


def summary(
    requirements: RequirementSet,
    asked: Level,
    results: Sequence[CheckResult],
    baseline: Sequence[str],
    *,
    certified: bool,
) -> dict[str, Any]:
    """What a report says that follows from its results, from what is wrong with the baseline, and from what was asked for."""
    problems, made = list(baseline), {result.id for result in results}
    if certified:
        left = [f"{r.id} is {r.outcome}: {r.what}" for r in results if r.outcome in ("unsupported", "unverified")]
        problems += [f"certified mode: {line}" for line in left]
    failed = any(result.outcome in FAILING for result in results)
    return {
        "spec": requirements.spec, "requirement_set": requirements.name, "requirement_digest": requirements.digest,
        "left_out": tuple(check for check in requirements.of(asked) if check not in made),
        "not_scored": requirements.not_scored, "problems": tuple(problems), "ok": not failed and not problems,
        "reached": level_reached(requirements, {result.id: result.outcome for result in results}),
    }  # fmt: skip


def baseline_problems(asked: CertificationPlan, outcomes: Mapping[str, str]) -> list[str]:
    """What is wrong with the baseline today, given how the checks came out."""
    return asked.baseline.problems(outcomes, checks(), _today())


def level_reached(requirements: RequirementSet, outcomes: Mapping[str, str]) -> Level | None:
    """The highest level all of whose checks, and those below, have passed."""
    reached: Level | None = None
    for level in LEVELS:
        if any(outcomes.get(check) != "passed" for check in requirements.of(level)):
            break
        reached = level
    return reached


def kind_of(harness: Harness) -> str:
    """The class of an adapter, as a report has it."""
    return f"{type(harness).__module__}.{type(harness).__qualname__}"


def _adapter(bench: Bench) -> Adapter:
    points = plugins.entry_points(bench.harness.name)
    return Adapter(
        name=bench.harness.name, kind=kind_of(bench.harness), overlays=bench.overlays,
        distribution=points[0].distribution if points else "", version=points[0].version if points else "",
        digest=code_digest(type(bench.harness).__module__), versions=bench.versions,
        capabilities=described_capabilities(bench.capabilities), options=bench.options, programs=bench.programs,
        dependencies=plugin_digests(bench.harness.name, bench.overlays),
    )  # fmt: skip


def _platform() -> str:
    return f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"


def _today() -> dt.date:
    return dt.datetime.now(dt.UTC).date()
