"""Runs from Python: `run` and its parts, which `claw run` is made of. See docs/python.md."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias, TypeVar, Unpack, cast

from claw_adapter import plugins
from claw_adapter.api.blocking import finish, system_errors
from claw_adapter.api.estimating import estimate_experiment
from claw_adapter.api.experiment import (
    ExperimentOptions,
    Scenarios,
    StopOptions,
    check_names,
    make_experiment,
    make_rules,
)
from claw_adapter.api.results import Run, open_run
from claw_adapter.datasets.checking import refuse_unfit
from claw_adapter.endpoint.replay import replay_model
from claw_adapter.errors import ArgumentError, ClawError
from claw_adapter.executor import Executor
from claw_adapter.harness import Harness
from claw_adapter.notation import parse_named
from claw_adapter.protocol import Scenario, StopRules
from claw_adapter.runner.headroom import MIN_FREE
from claw_adapter.runner.preparing import prepare as prepare_plan
from claw_adapter.runner.run import Watcher
from claw_adapter.runner.run import run as run_plan
from claw_adapter.runs.estimate import Estimate
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.plan import Experiment, Plan, expand
from claw_adapter.runs.shards import shard_of
from claw_adapter.scenario.named import find_scenarios, is_place

__all__ = [
    "MOST_JOBS",
    "Prepared",
    "RunOptions",
    "Watching",
    "arun",
    "estimate",
    "estimate_experiment",
    "make_executor",
    "prepare",
    "run",
]

MOST_JOBS: Final = 256

Watching: TypeAlias = Callable[[Plan, bool], AbstractContextManager[Watcher]]
"""What watches a run, made when it begins, from its plan and whether it continues an earlier one."""

Options = TypeVar("Options", ExperimentOptions, StopOptions)

_ALONE: Final = threading.Lock()
"""A run sets the log and the temporary folder of its process, so there is one at a time."""


class RunOptions(ExperimentOptions, StopOptions, total=False):
    """What is run, and how."""

    jobs: int
    """Trials at a time. Default: 1."""
    out: str | Path | None
    """The run folder. Default: runs/NAME-DIGEST below the current folder."""
    fresh: bool
    """Remove what the run folder holds and start anew, instead of continuing it."""
    rewind: bool
    """Try again what is unscored through no fault of the harness also where scored rounds come after, and those with it."""
    replay: str | Path | None
    """A recorded run to answer from, offline."""
    shard: str
    """``3/16``: only the third of 16 parts of the trials; `claw merge` puts the folders together."""
    executor: str
    """Where trials run: ``local``, or a plugin with its options. Default: as the experiment says, else ``local``."""
    unchecked: bool
    """Run folders of scenarios even if `claw check` finds errors in them. Default: False."""
    min_free: int
    """Bytes that are left free on the run folder's disk: the run stops before. Default: 100 million."""
    watcher: Watcher
    """Called as trials begin and end, and after each round."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that can begin: everything was found and looked at, and nothing written or spent."""

    root: Path
    plan: Plan
    scenarios: Mapping[str, Scenario]
    harnesses: Mapping[str, Harness]
    rules: StopRules
    executor: Executor | None = None
    """Where trials run; None: here."""

    async def execute(
        self,
        *,
        jobs: int = 1,
        fresh: bool = False,
        rewind: bool = False,
        watching: Watching | None = None,
        min_free: int = MIN_FREE,
    ) -> None:
        """Run the trials that are not finished; cancelling it leaves a folder that the same call continues.

        Raises:
            RunStopped: a provider is away for too long or refuses the run, or a limit is reached.
            MachineError: something is missing here that a run needs (space, descriptors, memory); the same call resumes it.
            ClawError: another run is under way in this process.
            JournalError: the folder holds something else, or another process works on it.
        """
        if not _ALONE.acquire(blocking=False):
            remedy = "Wait for it; or ask for all of it in one run, with several jobs."
            raise ClawError("another run is under way in this process", where=str(self.root), remedy=remedy)
        try:
            with RunFolder(self.root) as folder:
                resumes = folder.begin(self.plan, fresh=fresh)
                with (watching or _unwatched)(self.plan, resumes) as watcher:
                    await run_plan(
                        folder,
                        self.plan,
                        self.scenarios,
                        self.harnesses,
                        jobs=jobs,
                        watcher=watcher,
                        rules=self.rules,
                        rewind=rewind,
                        min_free=min_free,
                        executor=self.executor,
                    )
        finally:
            _ALONE.release()


def _unwatched(_plan: Plan, _resumes: bool) -> AbstractContextManager[Watcher]:
    return contextlib.nullcontext(Watcher())


def prepare(
    experiment: Experiment,
    *,
    out: Path | None = None,
    replay: Path | None = None,
    rules: StopRules | None = None,
    unchecked: bool = False,
    shard: str = "",
    executor: str = "",
) -> Prepared:
    """Find the scenarios of an experiment and make its harnesses; `rules` and `executor` take the place of the experiment's.

    With `shard`, ``3/16``, only that part of its trials is run.

    Scenarios in folders are checked first, unless `unchecked` says not to; what brings others has checked them.

    Raises:
        ScenarioError: a scenario has errors.
        ClawError: a scenario, harness, overlay, model or recording is missing or wrong.
    """
    scenarios = find_scenarios(experiment.scenarios)
    if not unchecked:
        places = [Path(name).resolve() for name in experiment.scenarios if is_place(name)]
        roots = {scenario.root.resolve(): scenario for scenario in scenarios.values()}
        refuse_unfit(
            one
            for root, one in roots.items()
            if any(place.is_relative_to(root) or root.is_relative_to(place) for place in places)
        )
    if replay is not None:
        experiment = _replayed(experiment, scenarios, replay)
    place, rules = make_executor(executor or experiment.executor), rules or experiment.stop
    if place is not None:
        _refuse_separate(rules)
    plan = expand(experiment, scenarios)
    plan, harnesses = prepare_plan(shard_of(plan, shard) if shard else plan, scenarios)
    part = f"-shard{shard.replace('/', 'of')}" if shard else ""
    root = out or Path("runs") / f"{'-'.join(list(scenarios)[:2])}-{plan.digest[:8]}{part}"
    return Prepared(root.resolve(), plan, scenarios, harnesses, rules, place)


def _refuse_separate(rules: StopRules) -> None:
    """Limits of the whole run, where its trials are done by processes that know nothing of each other.

    Raises:
        ArgumentError: they would hold for each trial by itself.
    """
    if rules.limited or rules.counts_tokens or rules.max_requests is not None:
        raise ArgumentError(
            "limits would hold for each trial by itself: an executor's workers do not know of each other's requests",
            remedy="Start `claw budget` with these limits where all of them reach it, and name it: --budget URL.",
        )


def make_executor(text: str) -> Executor | None:
    """The executor that ``NAME`` or ``NAME:key=value,…`` stands for; None for ``local``, the trials of this process.

    Raises:
        ClawError: there is no such plugin, or it refuses the options.
    """
    try:
        name, options, _ = parse_named(text)
    except ValueError as error:
        raise ArgumentError(f"executor {text!r}: {error}") from None
    if name == "local" and not options:
        return None
    made: Executor = plugins.create("executor", name, options)
    return made


def _replayed(experiment: Experiment, scenarios: Mapping[str, Scenario], recording: Path) -> Experiment:
    """The experiment with models that answer from a recorded run, which must have every trial."""
    trials = expand(experiment, scenarios).trials
    models = tuple(
        replay_model(model, recording, [trial.id for trial in trials if trial.model.name == model.name])
        for model in experiment.models
    )
    return experiment.model_copy(update={"models": models})


async def arun(scenarios: Scenarios, **options: Unpack[RunOptions]) -> Run:
    """`run`, awaited."""
    check_names(options, list(RunOptions.__annotations__))
    jobs, out, replay = options.get("jobs", 1), options.get("out"), options.get("replay")
    if not isinstance(jobs, int) or not 1 <= jobs <= MOST_JOBS:
        raise ArgumentError(f"jobs {jobs!r} is not a number from 1 to {MOST_JOBS}")
    watcher = options.get("watcher") or Watcher()
    with system_errors():
        experiment = make_experiment(scenarios, _part(options, ExperimentOptions))
        prepared = await asyncio.to_thread(
            prepare,
            experiment,
            out=None if out is None else Path(out),
            replay=None if replay is None else Path(replay),
            rules=make_rules(experiment, _part(options, StopOptions)),
            unchecked=options.get("unchecked", False),
            shard=options.get("shard", ""),
            executor=options.get("executor", ""),
        )
        await prepared.execute(
            jobs=jobs,
            fresh=options.get("fresh", False),
            rewind=options.get("rewind", False),
            watching=lambda _plan, _resumes: contextlib.nullcontext(watcher),
            min_free=options.get("min_free", MIN_FREE),
        )
    return await asyncio.to_thread(open_run, prepared.root)


def run(scenarios: Scenarios, **options: Unpack[RunOptions]) -> Run:
    """Run an experiment, or continue it: the same call on the same folder resumes what was interrupted.

    Works inside a running event loop too, as in a notebook; there, `arun` does not hold it up.

    Args:
        scenarios: names (``demo``) and folders of scenarios; or one `Experiment`, or its file.
        options: `harnesses`, `model` or `models`, `base_url`, `key_env`, `overlays`, `seeds`, `repeats`, `isolation`,
            `deadline`, `attempts`, `compat` (not beside an experiment); `patience`, `max_cost`, `max_tokens`,
            `max_requests`, `jobs`, `out`, `fresh`, `rewind`, `replay`, `shard`, `executor`, `unchecked`, `min_free`,
            `watcher`. Names and defaults are those of `claw run`; docs/python.md explains each.

    Returns:
        The finished run. A trial that failed is data in it, not an exception.

    Raises:
        RunStopped: a provider is away for too long or refuses the run, or a limit is reached; the same call goes on.
        ClawError: something is wrong or missing; the message says what, where, and what to do.
    """
    return finish(arun(scenarios, **options))


def estimate(scenarios: Scenarios, **options: Unpack[ExperimentOptions]) -> dict[str, Estimate]:
    """What a run will take with each of its models, by name; nothing is spent.

    Args:
        scenarios: as for `run`.
        options: as for `run`, as far as they say what is run.

    Raises:
        ClawError: a scenario or an argument is missing or wrong.
    """
    check_names(options, list(ExperimentOptions.__annotations__))
    with system_errors():
        return estimate_experiment(make_experiment(scenarios, options))


def _part(options: RunOptions, kind: type[Options]) -> Options:
    """Those of one kind."""
    return cast("Options", {name: value for name, value in options.items() if name in kind.__annotations__})
