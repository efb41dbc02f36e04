"""``claw forge labels``: the failure classifier, tested on failures whose right label is known."""

from __future__ import annotations

import sys

import click

from claw_adapter_forge.cli.common import JSON, as_json, fail_clean, task_options

__all__ = ["labels"]


@click.command()
@task_options
@JSON
@fail_clean
def labels(task_set: str, seed: int, count: int, json_out: bool) -> None:
    """Test the failure classifier. Exit status 1 if fewer than 95 of 100 labels are right."""
    from claw_adapter_forge.generator.choosing import pick_tasks
    from claw_adapter_forge.proof.labels import NEEDED, check_labels

    found = check_labels(pick_tasks(task_set, seed, count))
    if json_out:
        counts = {label: {"right": r, "all": n} for label, (r, n) in sorted(found.counts.items())}
        as_json({"share": round(found.share, 6), "labels": counts, "wrong": found.wrong, "passing": found.passing})
    else:
        for label, (right, total) in sorted(found.counts.items()):
            click.echo(f"{label}: {right} of {total}")
        click.echo(f"right: {100 * found.share:.2f} %")
    for name in found.passing:
        click.echo(f"not a failure: {name}", err=True)
    sys.exit(0 if found.share >= NEEDED and not found.passing else 1)
