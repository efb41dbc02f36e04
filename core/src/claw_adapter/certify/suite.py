"""The pytest form of the certification, for an author's own repository.

The whole of it::

    # tests/test_certify.py
    import pytest
    from claw_adapter.certify.suite import *
    from my_adapter import MyHarness

    @pytest.fixture(scope="session")
    def harness():
        return MyHarness()

One test per check, ``test_certify[TURN-003]``, with the same results as ``claw certify``: what the adapter says it cannot do
and what cannot be known here is skipped with the reason, a fault of the kit fails, failures that the baseline allows are
expected failures. `test_certify_baseline` fails when the baseline has rotted. Override the fixtures `certify_level` (default
``"gold"``), `certify_baseline` (a path), `certify_out` (a folder for the report), `certify_nonce` and `certify_isolation` as
needed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from claw_adapter.certify.baseline import load_baseline
from claw_adapter.certify.bench import Bench
from claw_adapter.certify.check import ConformanceCheck
from claw_adapter.certify.demand import Level
from claw_adapter.certify.judge import CertificationPlan, baseline_problems, excused, judge, plan, report
from claw_adapter.certify.output import prepare_folder, write_all
from claw_adapter.certify.records import CheckResult

if TYPE_CHECKING:
    from claw_adapter.harness import Harness

__all__ = [
    "certify_baseline",
    "certify_bench",
    "certify_isolation",
    "certify_level",
    "certify_nonce",
    "certify_out",
    "harness",
    "test_certify",
    "test_certify_baseline",
]


@pytest.fixture(scope="session")
def harness() -> Harness:
    """The adapter under test: define this fixture yourself."""
    raise pytest.UsageError("define a session-scoped fixture `harness` that returns your adapter")


@pytest.fixture(scope="session")
def certify_level() -> Level:
    """The level asked for."""
    return "gold"


@pytest.fixture(scope="session")
def certify_baseline() -> Path | None:
    """The baseline file; by default ``claw-baseline.toml`` in the working directory, if it is there."""
    path = Path("claw-baseline.toml")
    return path if path.exists() else None


@pytest.fixture(scope="session")
def certify_out() -> Path | None:
    """Where the report goes; nowhere by default."""
    return None


@pytest.fixture(scope="session")
def certify_isolation() -> int | None:
    """The isolation level of the harness's processes; by default the highest this machine has."""
    return None


@pytest.fixture(scope="session")
def certify_nonce() -> str:
    """What plans are drawn from: the same every time, so that a test that failed once fails again; empty for a fresh one."""
    return "pytest"


@dataclass
class SuiteSession:
    """The bench with its event loop, which lives from the first test to the last."""

    bench: Bench
    plan: CertificationPlan
    runner: asyncio.Runner
    results: dict[str, CheckResult] = field(default_factory=dict)

    def judge(self, check: ConformanceCheck) -> CheckResult:
        """Run one check."""
        self.results[check.id] = result = excused(self.runner.run(judge(self.bench, check)), self.plan)
        return result

    def evidence_of(self, result: CheckResult) -> str:
        """Where it stands what happened."""
        if self.bench.keeps and result.trials:
            return str(self.bench.evidence / result.trials[-1] / "events.jsonl")
        return "(the evidence is kept if the fixture certify_out names a folder)"


@pytest.fixture(scope="session")
def certify_bench(
    harness: Harness,
    certify_level: Level,
    certify_baseline: Path | None,
    certify_out: Path | None,
    certify_isolation: int | None,
    certify_nonce: str,
) -> Iterator[SuiteSession]:
    """The open bench; writes the report at the end if `certify_out` says where."""
    started = time.time()
    asked = plan(certify_level, baseline=load_baseline(certify_baseline) if certify_baseline else None)
    if certify_out is not None:
        prepare_folder(certify_out)
    bench = Bench(harness, out=certify_out, isolation=certify_isolation, nonce=certify_nonce)
    if not bench.probe.ready:
        pytest.fail(f"{harness.name} is not ready: {bench.probe.reason}\n→ {bench.probe.remedy}", pytrace=False)
    with asyncio.Runner() as runner:
        runner.run(bench.__aenter__())
        session = SuiteSession(bench, asked, runner)
        try:
            yield session
        finally:
            runner.run(bench.__aexit__(None, None, None))
    if certify_out is not None:
        write_all(report(bench, asked, list(session.results.values()), started=started), certify_out)


@pytest.mark.parametrize("check", plan("gold").checks, ids=lambda check: check.id)
def test_certify(certify_bench: SuiteSession, check: ConformanceCheck) -> None:
    """One check of the requirement set."""
    if check not in certify_bench.plan.checks:
        pytest.skip(f"not asked for at level {certify_bench.plan.level}")
    result = certify_bench.judge(check)
    match result.outcome:
        case "failed" | "kit":
            lines = [result.what, f"→ {result.remedy}", result.bug, certify_bench.evidence_of(result)]
            pytest.fail("\n".join(filter(None, lines)), pytrace=False)
        case "expected":
            pytest.xfail(f"{result.what} ({result.notes[-1]})")
        case "unsupported" | "unverified":
            pytest.skip(f"{result.outcome}: {result.what}")


def test_certify_baseline(certify_bench: SuiteSession) -> None:
    """Every entry of the baseline still excuses a failure."""
    outcomes = {check: result.outcome for check, result in certify_bench.results.items()}
    problems = baseline_problems(certify_bench.plan, outcomes)
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)
