"""The commands that let a person or any program work on a task, and the report on runs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from claw_adapter_forge.cli.common import COUNT, JSON, OUT, SECONDS, as_json, fail_clean, pick_tasks, profile_options

__all__ = ["play", "shim"]


@click.command()
@click.argument("task")
@profile_options
@fail_clean
def play(task: str, profile: str, seed: int, count: int) -> None:
    """Try a task yourself: type commands, `done` when you think it is. Exit status 1 if it is not."""
    from claw_adapter_forge.evaluation.reasons import near_misses
    from claw_adapter_forge.runner.episode import Episode
    from claw_adapter_forge.surfaces.registry import hints

    episode = Episode(next(pick_tasks(profile, seed, count, (task,))))
    click.echo(f"{episode.observation}\n\n`help` prints the commands again, `done` ends. {episode.horizon} steps.")
    while not episode.exhausted:
        try:
            line = click.prompt(f"{len(episode.executions) + 1}", prompt_suffix=" $ ", default="", show_default=False)
        except click.Abort:
            click.echo()
            break
        if line.strip().lower() in {"done", "exit", "quit"}:
            break
        if line.strip() == "help":
            click.echo(hints())  # the commands stand in the first observation: looking there again costs no step
        elif line.strip():
            done = episode.step(line)
            click.echo(done.text)
    verdict = episode.verdict()
    click.echo(f"\nstrict {'pass' if verdict.strict else 'fail'}, progress {verdict.progress:.2f}")
    for miss in near_misses(episode.task, verdict):
        for text in miss.lines():
            click.echo(f"  {text}")
    for change in verdict.violations:
        click.echo(f"  not called for: {change.line()}")
    for name in verdict.forbidden:
        click.echo(f"  forbidden: {name}")
    sys.exit(0 if verdict.strict else 1)


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("task")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@profile_options
@click.option("--horizon", type=COUNT, default=25, show_default=True, help="H: commands per episode.")
@click.option("--timeout", type=SECONDS, default=600.0, show_default=True, help="Seconds until the command is ended.")
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
