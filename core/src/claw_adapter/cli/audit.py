"""`claw audit`."""

from __future__ import annotations

from pathlib import Path

import click

from claw_adapter.cli.common import FAILED, console, print_json

__all__ = ["command"]


@click.command("audit")
@click.argument("run", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--data", multiple=True, metavar="NAME|DIR", help="Where the scenarios are, if not where the run found them."
)
@click.option(
    "--request", type=click.IntRange(min=1), metavar="N", help="Print the request that a finding names, whole, as JSON."
)
@click.option(
    "--again", is_flag=True, help="Do the calls of the run once more, commands shut off, and compare what comes of it."
)
@click.option(
    "--own-words", is_flag=True, help="List what each harness says to the model by itself: one line of each kind."
)
@click.option("--strict", is_flag=True, help="Show what a certification would hold against a harness besides.")
@click.option("--json", "as_json", is_flag=True, help="Print the audit as JSON.")
def command(
    run: Path, data: tuple[str, ...], request: int | None, again: bool, own_words: bool, strict: bool, as_json: bool
) -> int:
    """Compare what was in every request of a run with what had to be, without any model or harness.

    Exit code 1 when something was lost, changed or shown that no declaration covers; 0 otherwise. With --request nothing is
    judged: the request with its messages, tools, reply and usage is printed, of each trial that has one of that number. With
    --again what the agents did is done here as well, commands in the sandbox, in the files as they were; what comes out
    otherwise is shown, and is no violation; nor is what --strict shows. The record that --json prints has the own words of
    each harness in any case.
    """
    if request is not None:
        return _show_request(run, request)
    from claw_adapter.api.results import open_run
    from claw_adapter.report.audit_terminal import render_audit

    opened = open_run(run)
    found = opened.audit(data, strict=strict)
    if again:
        found = found.model_copy(update={"again": opened.run_again(data)})
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        render_audit(found, console(), own_words=own_words)
    return 0 if found.ok else FAILED


def _show_request(run: Path, number: int) -> int:
    """Print a request by its number; a session that was kept by certification, whose scenario is gone, will do.

    Raises:
        JournalError: no trial has one.
    """
    from claw_adapter.errors import JournalError
    from claw_adapter.runs.folder import RunFolder
    from claw_adapter.runs.load import load_run
    from claw_adapter.runs.transcript import read_transcript

    found = []
    for trial in load_run(run).trials:
        path = RunFolder(run).transcript(trial.spec.id)
        exchanges = read_transcript(path) if path.is_file() else ()
        found += [{"trial": trial.spec.id, **one.model_dump(mode="json")} for one in exchanges if one.number == number]
    if not found:
        remedy = "The findings of `claw audit RUN` name requests."
        raise JournalError(f"there is no request {number}", where=str(run), remedy=remedy)
    print_json(found)
    return 0
