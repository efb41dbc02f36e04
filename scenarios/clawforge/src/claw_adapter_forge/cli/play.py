"""``claw forge play``: a person at work on a task."""

from __future__ import annotations

import sys

import click

from claw_adapter_forge.cli.common import fail_clean, special_options, task_options

__all__ = ["play"]


def _typed(number: str) -> str:
    """A command; as in a shell it goes on in the next line while a quote is open."""
    line: str = click.prompt(number, prompt_suffix=" $ ", default="", show_default=False)
    while _open(line):
        more: str = click.prompt("", prompt_suffix="> ", default="", show_default=False)
        line = f"{line}\n{more}"
    return line


def _open(line: str) -> bool:
    from claw_adapter_forge.surfaces.grammar import UsageError
    from claw_adapter_forge.surfaces.words import split_words

    try:
        split_words(line)
    except UsageError as error:
        return "unbalanced quote" in str(error)
    return False


@click.command()
@click.argument("task")
@task_options
@special_options
@fail_clean
def play(task: str, task_set: str, seed: int, count: int, families: str, knobs: str) -> None:
    """Try a task yourself: type commands, `done` when you think it is. Exit status 1 if it is not."""
    from claw_adapter_forge.episodes.episode import Episode
    from claw_adapter_forge.evaluation.reasons import near_misses
    from claw_adapter_forge.generator.choosing import counts_in, pick_tasks
    from claw_adapter_forge.surfaces.registry import hints

    episode = Episode(next(pick_tasks(task_set, seed, count, (task,), counts_in(families), counts_in(knobs))))
    click.echo(f"{episode.observation}\n\n`help` prints the commands again, `done` ends. {episode.horizon} steps.")
    while not episode.exhausted:
        try:
            line = _typed(f"{len(episode.executions) + 1}")
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
