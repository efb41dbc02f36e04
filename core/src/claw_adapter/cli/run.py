"""`claw run`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from claw_adapter.cli.common import console, print_json
from claw_adapter.cli.numbers import BYTES, SECONDS

if TYPE_CHECKING:
    from claw_adapter.api.experiment import ExperimentOptions
    from claw_adapter.api.running import Prepared
    from claw_adapter.runs.estimate import Estimate
    from claw_adapter.runs.plan import Experiment

__all__ = ["command"]

Made = TypeVar("Made")

HELP = """Run WHAT: scenarios by name (demo), folders of scenarios, or one experiment file (.yaml).

\b
    claw run demo --harness reference --harness nanobot --model reader
    claw run demo --model reader:hasty --out runs/hasty
    claw run demo --model llamacpp
    claw run demo --model my-model --base-url http://127.0.0.1:8000/v1 --key-env MY_KEY
    claw run experiment.yaml -j 4

The same command continues a run that was interrupted or has stopped; --fresh starts it anew.

\b
    claw run RUN --trial TRIAL --round ROUND --into DIR

repeats one round of the run in the folder RUN, from the checkpoint before it, with the requests and replies on screen. RUN is
only read; DIR becomes a run folder that ends with this round.
"""


@click.command("run", help=HELP)
@click.argument("what", nargs=-1, required=True)
@click.option(
    "--harness",
    "-H",
    "harnesses",
    multiple=True,
    help="A harness: NAME, NAME:key=value,…, NAME+OVERLAY; may be given again.",
)
@click.option(
    "--model",
    "-m",
    "models",
    multiple=True,
    help="reader (the default), reader:hasty, llamacpp[:key=value,…], policy:WORD, an id; repeat.",
)
@click.option("--base-url", default="", help="OpenAI-compatible upstream of the model, ending in /v1.")
@click.option("--key-env", default="", help="Environment variable that holds the upstream's key.")
@click.option("--seed", "seeds", multiple=True, type=int, help="A seed; may be given again.")
@click.option(
    "--repeats",
    type=click.IntRange(1, 1000),
    default=None,
    help="How often each trial is repeated, with the same seed.",
)
@click.option("--isolation", type=click.IntRange(0, 2), default=None, help="0 none, 1 process, 2 namespaces (default).")
@click.option("--deadline", type=SECONDS, default=None, help="Seconds one turn may take.")
@click.option(
    "--attempts",
    type=click.IntRange(1, 10),
    default=None,
    help="How often a round is tried when the harness or endpoint fails.",
)
@click.option(
    "--compat", type=click.Choice(["clawarena-1.0"]), default=None, help="Published prompt format and feedback."
)
@click.option("--jobs", "-j", type=click.IntRange(1, 256), default=1, show_default=True, help="Trials at a time.")
@click.option(
    "--shard", default="", metavar="I/N", help="Do only the I-th of N parts; `claw merge` puts them together."
)
@click.option(
    "--executor", default="", metavar="NAME", help="Where trials run: local (default), or a plugin: NAME:key=value,…"
)
@click.option("--out", type=click.Path(path_type=Path), default=None, help="Run folder [default: runs/NAME-DIGEST].")
@click.option("--fresh", is_flag=True, help="Remove what the run folder holds and start anew.")
@click.option(
    "--replay",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Answer from a recorded RUN, offline.",
)
@click.option(
    "--patience", metavar="TIME", help="How long a provider may be away before the run stops: 90s, 10m (default)."
)
@click.option("--max-cost", metavar="USD", help="Stop before a request that would cost more in all, at list price.")
@click.option("--max-tokens", type=int, help="Stop before a request with which the run would have more tokens.")
@click.option("--max-requests", type=int, help="Stop before the run makes more requests.")
@click.option("--requests-per-minute", type=int, help="Requests that may go out to each model in a minute.")
@click.option("--tokens-per-minute", type=int, help="Tokens, sent and received, of each model in a minute.")
@click.option("--concurrent", type=int, help="Requests to each model that may be under way at a time.")
@click.option("--budget", metavar="URL", help="A `claw budget`: its limits hold for all runs that name it together.")
@click.option(
    "--rewind", is_flag=True, help="Try unscored rounds again also where scored ones come after, and those with them."
)
@click.option("--max-memory", type=BYTES, default=None, help="Memory of all processes of a harness [default: 8GB].")
@click.option("--max-processes", type=click.IntRange(1), default=None, help="How many it may have [default: 1000].")
@click.option("--max-disk", type=BYTES, default=None, help="Its workspace and state together [default: 5GB].")
@click.option("--max-shm", type=BYTES, default=None, help="What it may have in /dev/shm [default: 500MB].")
@click.option(
    "--min-free", type=BYTES, default="100M", show_default=True, help="Stop while so much of the disk is free."
)
@click.option(
    "--trial", default=None, metavar="TRIAL", help="Of the run folder WHAT: the trial of the --round to repeat."
)
@click.option("--round", "round_", default=None, metavar="ROUND", help="Of the run folder WHAT: the round to repeat.")
@click.option(
    "--into", type=click.Path(path_type=Path), default=None, help="New folder for the round that is repeated."
)
@click.option("--unchecked", is_flag=True, help="Run scenarios even if `claw check` finds errors in them.")
@click.option("--estimate", is_flag=True, help="Say what the run will take, and spend nothing.")
@click.option("--metric-set", type=click.Choice(["published", "macro", "v1"]), default="published", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def command(what: tuple[str, ...], out: Path | None, estimate: bool, **flags: Any) -> int:
    """Run an experiment, or continue it."""
    from claw_adapter.api.experiment import StopOptions, make_rules
    from claw_adapter.api.results import open_run
    from claw_adapter.api.running import estimate_experiment, prepare
    from claw_adapter.cli.show import show

    again = flags["trial"], flags["round_"], flags["into"]
    if any(one is not None for one in again):
        return _repeat(what, again, flags)
    experiment = _experiment(what, flags)
    if estimate:
        return _show_estimate(estimate_experiment(experiment), as_json=flags["as_json"])
    stop = cast("StopOptions", {name: flags[name] for name in StopOptions.__annotations__})
    rules = _typed(lambda: make_rules(experiment, stop, _flag))
    where = {name: flags[name] for name in ("replay", "unchecked", "shard", "executor")}
    prepared = _typed(lambda: prepare(experiment, out=out, rules=rules, **where))
    _run(
        prepared,
        quiet=flags["quiet"] or flags["as_json"],
        **{name: flags[name] for name in ("jobs", "fresh", "rewind", "min_free")},
    )
    return show(open_run(prepared.root), flags["metric_set"], as_json=flags["as_json"])


def _repeat(what: tuple[str, ...], again: tuple[Any, ...], flags: dict[str, Any]) -> int:
    """One round of a run that is there already."""
    from claw_adapter.cli.repeat import repeat

    context = click.get_current_context()
    default, own = click.core.ParameterSource.DEFAULT, {"what", "trial", "round_", "into", "as_json", "quiet"}
    given = [name for name in context.params if context.get_parameter_source(name) is not default and name not in own]
    if given:
        raise click.UsageError(f"--round repeats a round as the run had it: drop {', '.join(map(_flag, given))}")
    if len(what) != 1 or None in again:
        raise click.UsageError("a round is repeated with RUN --trial TRIAL --round ROUND --into DIR: give all four")
    trial, round_, into = again
    return repeat(Path(what[0]), trial, round_, into, as_json=flags["as_json"], quiet=flags["quiet"])


_FLAGS = {"harnesses": "harness", "models": "model", "seeds": "seed"}
"""Of the arguments that are not called like their flags."""


def _flag(name: str) -> str:
    """How an argument is written here."""
    return f"--{_FLAGS.get(name, name.replace('_', '-'))}"


def _typed(make: Callable[[], Made]) -> Made:
    """What `make` makes; a mistake is told by the flag that it was made in."""
    from claw_adapter.errors import ArgumentError

    try:
        return make()
    except ArgumentError as error:
        raise click.UsageError(error.what) from None


def _experiment(what: tuple[str, ...], flags: dict[str, Any]) -> Experiment:
    """From one file, or from flags."""
    from claw_adapter.api.experiment import ExperimentOptions, make_experiment

    given = {name: flags[name] for name in ExperimentOptions.__annotations__ if flags.get(name) not in (None, (), "")}
    return _typed(lambda: make_experiment(what, cast("ExperimentOptions", given), _flag))


def _show_estimate(found: dict[str, Estimate], *, as_json: bool) -> int:
    """Expected rounds, requests, tokens and money of every model, before anything is spent."""
    if as_json:
        print_json({name: one.model_dump(mode="json") for name, one in found.items()})
        return 0
    for name, one in found.items():
        money = (
            f"about {one.money.amount:.2f} {one.money.currency} ({one.money.prices})"
            if one.money
            else "price not known"
        )
        tokens = f"{one.input:,} tokens in and {one.output:,} out"
        click.echo(f"{name}: {one.rounds} rounds, about {one.calls:,} requests, {tokens}; {money}")
        for label, part in one.harnesses.items():
            entry = f"{part.assumptions.overhead:,} tokens before the first prompt"
            click.echo(
                f"  {label}: about {part.calls:,} requests, {part.input:,} tokens in, {part.output:,} out; {entry}"
            )
    click.echo(
        "Expected values: how a conversation grows is taken from a published run, the tokens before the first prompt from the "
        "harness's profile where one is kept (else from that run). Retries are not counted."
    )
    return 0


def _run(prepared: Prepared, *, quiet: bool, **how: Any) -> None:
    from claw_adapter.cli.process import finish_in_order
    from claw_adapter.cli.progress import watching
    from claw_adapter.runner.preparing import unprotected

    if not quiet and (note := unprotected(prepared.plan)):
        console(stderr=True).print(note, highlight=False)

    work = prepared.execute(**how, watching=lambda plan, resumes: watching(plan, quiet=quiet, goes_on=resumes))
    try:
        finish_in_order(work)
    except KeyboardInterrupt:
        console(stderr=True).print(f"interrupted; the same command resumes {prepared.root}")
        raise
