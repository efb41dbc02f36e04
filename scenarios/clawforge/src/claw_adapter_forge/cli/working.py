"""The commands that let somebody work on tasks: a person, a policy, any program; and the report on it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from claw_adapter_forge.cli.common import (
    JSON,
    OUT,
    as_json,
    fail_clean,
    pick_tasks,
    profile_options,
    progress_line,
    stratified,
)

if TYPE_CHECKING:
    from claw_adapter_forge.runner.agents import Agent
    from claw_adapter_forge.runner.loop import LoopConfig
    from claw_adapter_forge.runner.records import RunRecord
    from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["play", "report", "run", "shim"]

Plan = list[tuple[str, "ForgeTask", int]]


@click.command()
@click.argument("task")
@profile_options
@fail_clean
def play(task: str, profile: str, seed: int, count: int) -> None:
    """Try a task yourself: type commands, `done` when you think it is. Exit status 1 if it is not."""
    from claw_adapter_forge.runner.episode import Episode

    episode = Episode(next(pick_tasks(profile, seed, count, (task,))))
    click.echo(f"{episode.task.instruction}\n\n`help` lists the commands, `done` ends. {episode.horizon} steps.")
    while not episode.exhausted:
        try:
            line = click.prompt(f"{len(episode.executions) + 1}", prompt_suffix=" $ ", default="", show_default=False)
        except click.Abort:
            click.echo()
            break
        if line.strip().lower() in {"done", "exit", "quit"}:
            break
        if line.strip():
            done = episode.step(line)
            click.echo(done.text)
    verdict = episode.verdict()
    click.echo(f"\nstrict {'pass' if verdict.strict else 'fail'}, progress {verdict.progress:.2f}")
    for name in verdict.missing:
        click.echo(f"  missing: {name}")
    for change in verdict.violations:
        click.echo(f"  not called for: {change.line()}")
    for name in verdict.forbidden:
        click.echo(f"  forbidden: {name}")
    sys.exit(0 if verdict.strict else 1)


@click.command()
@profile_options
@click.option("--policy", "policies", multiple=True, help="An offline policy; several may be given (default: all).")
@click.option("--model", default="", help="A model behind an OpenAI-compatible endpoint instead of policies.")
@click.option("--base-url", default="", help="Its address, ending in /v1.")
@click.option("--key-env", default="", help="The environment variable that holds its key.")
@click.option("--mode", default="multi", show_default=True, type=click.Choice(["mock", "multi", "shim"]))
@click.option(
    "--through",
    default="bare",
    show_default=True,
    type=click.Choice(["bare", "reference"]),
    help="The bare loop, or (in shim mode) the reference harness with the policy behind an endpoint.",
)
@click.option("--history", default="full", show_default=True, type=click.Choice(["full", "summary", "auto"]))
@click.option("--sample", default=0, help="Only so many tasks, spread over the families.")
@click.option("--trials", default=1, show_default=True)
@click.option("--horizon", default=25, show_default=True, help="H: commands per episode.")
@click.option("--blank", is_flag=True, help="Shim mode: show nothing of what commands print (a control).")
@click.option("-o", "--out", type=OUT, required=True, help="Where the records go (JSON lines).")
@JSON
@fail_clean
def run(  # noqa: PLR0917  # click passes options by name
    profile: str,
    seed: int,
    count: int,
    policies: tuple[str, ...],
    model: str,
    base_url: str,
    key_env: str,
    mode: str,
    through: str,
    history: str,
    sample: int,
    trials: int,
    horizon: int,
    blank: bool,
    out: Path,
    json_out: bool,
) -> None:
    """Let offline policies, or a model in the bare loop, work on tasks."""
    import os

    from claw_adapter_forge.policies.offline import POLICIES
    from claw_adapter_forge.runner.loop import LoopConfig
    from claw_adapter_forge.runner.records import write_records

    unknown = [p for p in policies if p not in POLICIES]
    if unknown:
        raise click.UsageError(f"no policy {unknown[0]!r}; there are {', '.join(POLICIES)}")
    if mode != "shim" and (blank or through != "bare"):
        raise click.UsageError("--blank and --through reference need --mode shim")
    if bool(model) != bool(base_url) or (model and (policies or mode == "shim")):
        raise click.UsageError("--model and --base-url go together, without --policy, in mock or multi mode")
    tasks = stratified(list(pick_tasks(profile, seed, count)), sample)
    names = (model,) if model else policies or tuple(POLICIES)
    plan: Plan = [(p, t, k) for p in names for t in tasks for k in range(trials)]
    progress = progress_line("running")
    if mode == "shim":
        records = _in_shim(plan, through, horizon, progress, blank=blank)
    else:
        config = LoopConfig(mode=mode, history=history, horizon=horizon, backoff=1.0 if model else 0.0)
        agents = _agents(names, base_url, os.environ.get(key_env, "") if key_env else "")
        records = _in_process(plan, agents, config, progress)
    write_records(out, records)
    passed = {p: sum(r.strict for r in records if r.agent == p) for p in dict.fromkeys(r.agent for r in records)}
    each = len(tasks) * trials
    if json_out:
        as_json(
            {"records": len(records), "out": str(out), "mode": mode, "through": through, "strict": passed, "of": each}
        )
        return
    for policy, strict in passed.items():
        click.echo(f"{policy}: strict {strict} of {each}")


def _agents(names: tuple[str, ...], base_url: str, key: str) -> dict[str, Agent]:
    from claw_adapter_forge.runner.agents import policy_agent
    from claw_adapter_forge.runner.chat_agent import ChatAgent

    return {name: ChatAgent(name, base_url, key) if base_url else policy_agent(name) for name in names}


def _in_process(
    plan: Plan, agents: dict[str, Agent], config: LoopConfig, progress: Callable[[int, int], None]
) -> list[RunRecord]:
    from claw_adapter_forge.runner.loop import run_episode

    records = []
    for done, (policy, task, trial) in enumerate(plan, start=1):
        records.append(run_episode(agents[policy], task, config, trial))
        progress(done, len(plan))
    return records


def _in_shim(
    plan: Plan, through: str, horizon: int, progress: Callable[[int, int], None], *, blank: bool
) -> list[RunRecord]:
    import asyncio

    from claw_adapter_forge.shim.policies import run_policies

    return asyncio.run(run_policies(plan, through, horizon, progress, blank=blank))


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("task")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@profile_options
@click.option("--horizon", default=25, show_default=True, help="H: commands per episode.")
@click.option("--timeout", default=600.0, show_default=True, help="Seconds until the command is ended.")
@click.option("-o", "--out", type=OUT, help="Append the record to this file.")
@JSON
@fail_clean
def shim(  # noqa: PLR0917  # click passes options by name
    task: str,
    command: tuple[str, ...],
    profile: str,
    seed: int,
    count: int,
    horizon: int,
    timeout: float,
    out: Path | None,
    json_out: bool,
) -> None:
    """Run COMMAND with the world's programs on PATH; {prompt} in it becomes the request. Exit status 1 if it fails."""
    import asyncio

    from claw_adapter_forge.runner.records import append_record
    from claw_adapter_forge.shim.run import run_command

    found = next(pick_tasks(profile, seed, count, (task,)))
    record = asyncio.run(run_command(found, command, horizon=horizon, timeout=timeout))
    if out is not None:
        append_record(out, record)
    if json_out:
        as_json(record.to_json())
    else:
        click.echo(f"{record.task}: strict {'pass' if record.strict else 'fail'}, progress {record.progress:.2f}")
        for number, step in enumerate(record.steps, start=1):
            click.echo(f"  {number}. {step.command}" + (f"  [exit {step.exit}]" if step.exit else ""))
    sys.exit(0 if record.strict else 1)


@click.command()
@click.argument("records", type=click.Path(exists=True, dir_okay=False, path_type=Path), nargs=-1, required=True)
@click.option("--html", type=OUT, help="Write one page with all tables and the difference of every failed task.")
@JSON
@fail_clean
def report(records: tuple[Path, ...], html: Path | None, json_out: bool) -> None:
    """The paper's tables, with intervals and null lines, from the records of runs."""
    from claw_adapter_forge.report.render import render_html, render_markdown
    from claw_adapter_forge.report.tables import summarise
    from claw_adapter_forge.runner.records import read_records

    rows = [r for path in records for r in read_records(path)]
    if not rows:
        raise click.UsageError("there are no records in these files")
    summary = summarise(rows)
    if html is not None:
        html.write_text(render_html(summary, rows), encoding="utf-8")
    if json_out:
        as_json(summary)
    else:
        click.echo(render_markdown(summary))
