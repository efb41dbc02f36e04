"""A whole run: one endpoint, one lifeline, many trials; the same call on the same folder resumes it."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import tempfile
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from claw_adapter.drivers import Lifeline
from claw_adapter.drivers.waiting import to_thread
from claw_adapter.endpoint import ModelEndpoint
from claw_adapter.endpoint.rates import BUDGET_KEY
from claw_adapter.errors import (
    ClawError,
    MachineError,
    RunStopped,
)
from claw_adapter.executor import Executor, TrialJob
from claw_adapter.harness import Harness
from claw_adapter.keys import withheld
from claw_adapter.machine import machine_error, space
from claw_adapter.protocol import (
    RoundRecord,
    Scenario,
    StopRules,
)
from claw_adapter.redaction import RedactingFormatter, Redactor
from claw_adapter.runner.bounds import Bounds
from claw_adapter.runner.executors import LocalExecutor
from claw_adapter.runner.headroom import MIN_FREE, Headroom, raise_descriptors, raise_memory, stopped
from claw_adapter.runner.incident import Incident
from claw_adapter.runner.loop import run_trial
from claw_adapter.runner.preparing import unprotected
from claw_adapter.runner.results import RunResults, Watcher
from claw_adapter.runner.servers import serving
from claw_adapter.runner.stopping import spent_before, until_stopped, watch
from claw_adapter.runner.trial import Services, Trial
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import Journal, read_journal
from claw_adapter.runs.plan import Plan
from claw_adapter.runs.retrying import void_for_retry
from claw_adapter.runs.store import Store

__all__ = ["Watcher", "run"]

log = logging.getLogger(__name__)


async def run(
    folder: RunFolder,
    plan: Plan,
    scenarios: Mapping[str, Scenario],
    harnesses: Mapping[str, Harness],
    *,
    jobs: int = 1,
    executor: Executor | None = None,
    watcher: Watcher | None = None,
    rules: StopRules | None = None,
    rewind: bool = False,
    min_free: int = MIN_FREE,
    incidents: Mapping[str, Sequence[Incident]] | None = None,
) -> None:
    """Run all trials of `plan` that are not finished; `folder` is locked by the caller and its run.json written.

    Rounds at the end of a trial that are unscored through no fault of the harness are tried again; with `rewind`, such rounds
    anywhere, and those after them. Cancelling it leaves a folder that the same call continues. `min_free` bytes are left free
    on the folder's disk. `incidents` are what is to happen in a trial, by its id: certification has plans of them.

    Raises:
        RunStopped: a provider is away for too long or refuses the run, or a limit of `rules` is reached.
        MachineError: something is missing here that a run needs; the same call on the same folder resumes it.
    """
    watcher, rules = watcher or Watcher(), rules or StopRules()
    try:
        raise_descriptors(jobs)
        raise_memory(trial.settings for trial in plan.trials)
        with (
            withheld(_keys(plan, rules)) as keys,
            _logging_to(folder.root / "run.log", redactor := Redactor(keys.values())),
            _temporary_files_in(folder.live / "tmp"),
        ):
            if note := unprotected(plan):
                log.warning(note)
            headroom = Headroom(folder.root, min_free)
            here = functools.partial(
                _run, folder, plan, scenarios, harnesses, headroom, redactor, watcher=watcher, rules=rules,
                incidents=incidents or {},
            )  # fmt: skip
            chosen = executor or LocalExecutor(here)
            results = RunResults(folder, plan, scenarios, watcher)
            if unfinished := _begin(results, rules, rewind=rewind):
                try:
                    await chosen.run(unfinished, results, jobs)
                except ExceptionGroup as errors:
                    raise machine_error(errors) or _first(errors) from None
    except RunStopped:
        raise
    except Exception as error:
        if (short := machine_error(error)) is None:
            raise
        raise _stopped(short, folder, plan) from error


def _keys(plan: Plan, rules: StopRules) -> set[str]:
    """The environment variables that keys of the run stand in."""
    return {trial.model.key_env for trial in plan.trials if trial.model.key_env} | (
        {BUDGET_KEY} if rules.budget else set()
    )


def _begin(results: RunResults, rules: StopRules, *, rewind: bool) -> list[TrialJob]:
    """The jobs of trials that are not finished, what is to be tried again voided; those who watch hear of the others."""
    jobs = []
    for trial in results.plan.trials:
        job = results.job(trial, rules)
        if _void(results.folder.journal(trial.id), rewind=rewind):
            results.started(job)
        else:
            jobs.append(job)
    return jobs


def _void(path: Path, *, rewind: bool) -> bool:
    """Void what is to be tried again in one journal; whether its trial is finished."""
    if not path.exists():
        return False
    with Journal(path) as journal:
        voided = void_for_retry(journal, rewind=rewind)
        finished = journal.finished
    if voided is not None:
        log.info("%s: %d rounds from number %d on are tried again", path.parent.name, voided.rounds, voided.index + 1)
    return finished


def _stopped(short: MachineError, folder: RunFolder, plan: Plan) -> MachineError:
    """The error the run ends with, once everything is closed that it had open."""
    done = sum(
        isinstance(record, RoundRecord) for trial in plan.trials for record in read_journal(folder.journal(trial.id))
    )
    return stopped(short, folder.root, done, sum(plan.rounds[trial.scenario] for trial in plan.trials))


def _first(group: ExceptionGroup) -> Exception:
    """The first error of ours in a group that holds nothing else: it says what to do; else the group itself."""
    leaves: list[Exception] = []
    pending: list[Exception] = [group]
    while pending:
        error = pending.pop(0)
        if isinstance(error, ExceptionGroup):
            pending.extend(error.exceptions)
        else:
            leaves.append(error)
    return leaves[0] if all(isinstance(error, ClawError | OSError) for error in leaves) else group


class _Log(logging.FileHandler):
    """What cannot be logged is not worth a traceback in the middle of the screen: a full disk ends the run anyway."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        del record


@contextlib.contextmanager
def _logging_to(path: Path, redactor: Redactor) -> Iterator[None]:
    """What adapters and the runner log goes into the run folder, not into the middle of a progress bar."""
    logger = logging.getLogger("claw_adapter")
    handler = _Log(path, encoding="utf-8", delay=True)
    handler.setFormatter(RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s", redactor))
    propagate, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate
        handler.close()


@contextlib.contextmanager
def _temporary_files_in(path: Path) -> Iterator[None]:
    """Temporary files of this process lie in the run folder, so that a killed runner leaves nothing elsewhere."""
    path.mkdir(parents=True, exist_ok=True)
    before, tempfile.tempdir = tempfile.tempdir, str(path)
    try:
        yield
    finally:
        tempfile.tempdir = before


async def _run(
    folder: RunFolder,
    plan: Plan,
    scenarios: Mapping[str, Scenario],
    harnesses: Mapping[str, Harness],
    headroom: Headroom,
    redactor: Redactor,
    each: Callable[[Callable[[TrialJob], Awaitable[None]]], Awaitable[None]],
    *,
    watcher: Watcher,
    rules: StopRules,
    incidents: Mapping[str, Sequence[Incident]],
) -> None:
    async with Lifeline() as lifeline, serving(plan, folder, lifeline.marker) as served:
        models = served.models
        keys = sorted(_keys(plan, rules))
        sockets = folder.live / "endpoint"
        sockets.mkdir(parents=True, exist_ok=True)
        async with await ModelEndpoint.start(sockets, key_envs=keys, marker=lifeline.marker) as endpoint:
            await endpoint.limit(rules, await to_thread(spent_before, folder, plan, rules))
            bounds = Bounds(lifeline.marker, space(folder.root)[0] - headroom.min_free)
            services = Services(
                folder,
                Store(folder.store, redactor),
                endpoint,
                lifeline.marker,
                headroom,
                bounds,
                redactor=redactor,
                leave=lifeline.add,
                hidden=tuple(scenario.root for scenario in scenarios.values()),
                last_feedback=plan.repeats is None,
                incidents=incidents,
                on_round=watcher.on_round,
                on_end=watcher.on_end,
            )

            async def one(job: TrialJob) -> None:
                spec = job.trial
                done = [r for r in read_journal(folder.journal(spec.id)) if isinstance(r, RoundRecord)]
                scenario = scenarios[spec.scenario]
                watcher.on_start(spec, len(done), len(scenario.rounds))
                started = spec.model_copy(update={"model": models[spec.model.name]})
                await run_trial(Trial(started, scenario, harnesses[spec.harness.label], services))

            watching = watch(endpoint, watcher.on_wait, served.fault)
            await until_stopped(_beside(each(one), endpoint.shortage(), bounds.watch()), watching)


async def _beside(work: Awaitable[None], *guards: Coroutine[Any, Any, None]) -> None:
    """Do the work while the guards look out; what one of them raises ends it."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(guard) for guard in guards]
        await work
        for task in tasks:
            task.cancel()
