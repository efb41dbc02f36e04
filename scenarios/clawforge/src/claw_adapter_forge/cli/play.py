"""``claw forge play``: a person at work on a task."""

from __future__ import annotations

import sys

import click

from claw_adapter_forge.cli.common import fail_clean, task_options

__all__ = ["play"]


@click.command()
@click.argument("task")
@task_options
@fail_clean
def play(task: str, task_set: str, seed: int, count: int) -> None:
    """Try a task yourself: type commands, `done` when you think it is. Exit status 1 if it is not."""
    from claw_adapter_forge.episodes.episode import Episode
    from claw_adapter_forge.evaluation.reasons import near_misses
    from claw_adapter_forge.generator.choosing import pick_tasks
    from claw_adapter_forge.surfaces.registry import hints

    episode = Episode(next(pick_tasks(task_set, seed, count, (task,))))
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
