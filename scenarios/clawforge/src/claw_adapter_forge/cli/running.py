"""``claw forge run``: agents that we bring, policies or a model, at work on tasks."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from claw_adapter_forge.cli.asked import BARE, Asked, checked, settings_of
from claw_adapter_forge.cli.common import (
    COUNT,
    JSON,
    OUT,
    SECONDS,
    as_json,
    fail_clean,
    pick_tasks,
    profile_options,
    progress_line,
    stratified,
)

if TYPE_CHECKING:
    from claw_adapter_forge.runner.records import RunRecord
    from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["run"]

Job = tuple[str, "ForgeTask", int]
Keep = Callable[["RunRecord"], None]


BATCH = 8
"""Trials per job that are begun before it is looked whether the provider still lets us in."""


@click.command()
@profile_options
@click.option("--policy", "policies", multiple=True, help="An offline policy; several may be given (default: all).")
@click.option("--model", default="", help="A model behind an OpenAI-compatible endpoint instead of policies.")
@click.option("--base-url", default="", help="Its address, ending in /v1.")
@click.option("--key-env", default="", help="The environment variable that holds its key.")
@click.option(
    "--mode", default="multi", show_default=True, type=click.Choice(["mock", "multi", "real", "hybrid", "shim"])
)
@click.option(
    "--through",
    default=BARE,
    show_default=True,
    help="In shim mode: a harness by name (see `claw plugins`); without one, commands are typed into a shell.",
)
@click.option(
    "--isolation",
    default=2,
    show_default=True,
    type=click.IntRange(0, 2),
    help="Of a harness's processes, or of the real program: 0, 1 or 2.",
)
@click.option(
    "--timeout", default=300.0, show_default=True, type=SECONDS, help="Seconds a harness may take for one task."
)
@click.option("--jobs", default=1, show_default=True, type=COUNT, help="Episodes at a time in shim mode.")
@click.option("--history", default="full", show_default=True, type=click.Choice(["full", "summary", "auto"]))
@click.option("--sample", type=COUNT, help="Only so many tasks, spread over abilities and families (default: all).")
@click.option("--trials", default=1, show_default=True, type=COUNT)
@click.option("--horizon", default=25, show_default=True, type=COUNT, help="H: commands per episode.")
@click.option("--blank", is_flag=True, help="Shim mode: show nothing of what commands print (a control).")
@click.option("-o", "--out", type=OUT, required=True, help="Where the records go (JSON lines).")
@click.option("--resume", is_flag=True, help="Keep the records that are there; run what is missing or had failed.")
@click.option("--fresh", is_flag=True, help="Drop the records that are there.")
@JSON
@fail_clean
def run(  # noqa: PLR0917  # click passes options by name
    profile: str,
    seed: int,
    count: int,
    sample: int | None,
    trials: int,
    out: Path,
    resume: bool,
    fresh: bool,
    json_out: bool,
    **options: object,
) -> None:
    """Let offline policies, or a model, work on tasks: in the bare loop, or through a harness.

    Exit status 1 if a provider or harness failed; such trials are no wrong answers, and --resume runs them again.
    """
    from claw_adapter_forge.runner.recordfile import begin, check_free

    if resume and fresh:
        raise click.UsageError("--resume keeps what is there and --fresh drops it: give one of them")
    asked = checked(**options)  # type: ignore[arg-type]  # click passes options by name
    check_free(out, resume=resume, fresh=fresh)
    everything = list(pick_tasks(profile, seed, count))
    tasks = stratified(everything, sample or 0)
    jobs = [(p, t, k) for p in asked.names for t in tasks for k in range(trials)]
    before = begin(out, settings_of(asked, profile, seed, count, everything), resume=resume, fresh=fresh)
    done = {r.identity: r for r in before}
    made, stopped = _work([j for j in jobs if _identity(j, asked) not in done], asked, out)
    done |= {r.identity: r for r in made}
    wanted = [done[i] for j in jobs if (i := _identity(j, asked)) in done]
    _tell(wanted, out, asked, len(tasks) * trials, stopped, json_out=json_out)
    sys.exit(0 if all(r.scored for r in wanted) and len(wanted) == len(jobs) else 1)


def _identity(job: Job, asked: Asked) -> tuple[str, str, str, str, int]:
    """That of the record which the job makes."""
    return asked.mode, asked.through, job[0], job[1].id, job[2]


def _work(plan: list[Job], asked: Asked, out: Path) -> tuple[list[RunRecord], str]:
    """Run, and write each record down as it comes; also why it was stopped early, if it was."""
    from claw_adapter_forge.runner.records import append_record

    progress = progress_line("running")
    made: list[RunRecord] = []

    def keep(record: RunRecord) -> None:
        append_record(out, record)
        made.append(record)
        progress(len(made), len(plan))

    work = _in_shim if asked.mode == "shim" else _in_process
    for batch in _batches(plan, asked):
        work(batch, asked, keep)
        if hopeless := [r.failure for r in made if r.hopeless]:
            return made, hopeless[0]
    return made, ""


def _batches(plan: list[Job], asked: Asked) -> Iterator[list[Job]]:
    """A provider may refuse: then the first batch is as small as can be, and in the bare loop all are."""
    if not asked.base_url:
        yield plan
        return
    size = asked.jobs if asked.mode == "shim" else 1
    yield plan[:size]
    later = size * BATCH if asked.mode == "shim" else 1
    yield from (plan[i : i + later] for i in range(size, len(plan), later))


def _in_process(plan: list[Job], asked: Asked, keep: Keep) -> None:
    import os

    from claw_adapter_forge.runner.agents import policy_agent
    from claw_adapter_forge.runner.chat_agent import ChatAgent
    from claw_adapter_forge.runner.loop import LoopConfig, run_episode

    url, key = asked.base_url, os.environ.get(asked.key_env, "") if asked.key_env else ""
    config = LoopConfig(
        mode=asked.mode,
        history=asked.history,
        horizon=asked.horizon,
        backoff=1.0 if url else 0.0,
        isolation=asked.isolation,
    )
    agents = {name: ChatAgent(name, url, key) if url else policy_agent(name) for name in asked.names}
    for name, task, trial in plan:
        keep(run_episode(agents[name], task, config, trial))


def _in_shim(plan: list[Job], asked: Asked, keep: Keep) -> None:
    import asyncio

    from claw_adapter_forge.shim.policies import ShimSettings, run_policies

    settings = ShimSettings(
        through=asked.through,
        horizon=asked.horizon,
        blank=asked.blank,
        isolation=asked.isolation,
        timeout=asked.timeout,
        jobs=asked.jobs,
        base_url=asked.base_url,
        key_env=asked.key_env,
    )
    asyncio.run(run_policies(plan, settings, keep))


def _tell(records: list[RunRecord], out: Path, asked: Asked, each: int, stopped: str, *, json_out: bool) -> None:
    passed = dict.fromkeys(asked.names, 0) | Counter(r.agent for r in records if r.passed)
    unscored = Counter((r.agent, "provider" if r.provider_failure else "harness") for r in records if not r.scored)
    failed = [f"{r.agent}, {r.task}: {r.failure}" for r in records if r.failure]
    bypassed = sum(bool(r.bypasses) for r in records)
    if json_out:
        told = {"records": len(records), "out": str(out), "mode": asked.mode, "through": asked.through}
        told |= {"strict": passed, "of": each, "failures": failed, "bypassed": bypassed, "stopped": stopped}
        kinds = ("provider", "harness")
        as_json(told | {f"{k}_failures": {a: unscored[a, k] for a in asked.names} for k in kinds})
    else:
        for name, strict in passed.items():
            apart = "".join(f", {k} failures {n}" for (a, k), n in sorted(unscored.items()) if a == name)
            click.echo(f"{name}: strict {strict} of {each}{apart}")
        for line in failed:
            click.echo(f"failed: {line}", err=True)
        if bypassed:
            click.echo(f"{bypassed} episodes used tools that do not work in the world", err=True)
    _way_out(stopped, bool(unscored))


def _way_out(stopped: str, unscored: bool) -> None:
    if stopped:
        click.echo(f"Error: stopped, as every further trial would fail too: {stopped}", err=True)
        click.echo("  Put the key or the account right; the same command with --resume goes on.", err=True)
    elif unscored:
        click.echo("Failures of providers and harnesses are no wrong answers; --resume runs them again.", err=True)
