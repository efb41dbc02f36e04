"""`claw run`."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from claw_adapter.cli.common import console, print_json
from claw_adapter.cli.numbers import SECONDS

if TYPE_CHECKING:
    from pydantic import ValidationError

    from claw_adapter.protocol import ModelSpec, Scenario
    from claw_adapter.runs.folder import RunFolder
    from claw_adapter.runs.plan import Experiment, Plan

__all__ = ["command"]

HELP = """Run WHAT: scenarios by name (demo), folders of scenarios, or one experiment file (.yaml).

\b
    claw run demo --harness reference --harness nanobot --model reader
    claw run demo --model reader:hasty --out runs/hasty
    claw run demo --model llamacpp
    claw run demo --model my-model --base-url http://127.0.0.1:8000/v1 --key-env MY_KEY
    claw run experiment.yaml -j 4

The same command continues a run that was interrupted; --fresh starts it anew.
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
    help="reader (the default), reader:hasty, llamacpp[:key=value,…], an id; repeat.",
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
@click.option("--out", type=click.Path(path_type=Path), default=None, help="Run folder [default: runs/NAME-DIGEST].")
@click.option("--fresh", is_flag=True, help="Remove what the run folder holds and start anew.")
@click.option(
    "--replay",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Answer from a recorded RUN, offline.",
)
@click.option("--estimate", is_flag=True, help="Say what the run will take, and spend nothing.")
@click.option("--profile", type=click.Choice(["published", "macro", "v1"]), default="published", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def command(what: tuple[str, ...], out: Path | None, fresh: bool, jobs: int, estimate: bool, **flags: Any) -> int:
    """Run an experiment, or continue it."""
    from claw_adapter.cli.show import show
    from claw_adapter.runner.run import prepare
    from claw_adapter.runs.folder import RunFolder
    from claw_adapter.runs.load import load_run
    from claw_adapter.runs.plan import unfold
    from claw_adapter.scenario.named import find_scenarios

    experiment = _experiment(what, flags)
    scenarios = find_scenarios(experiment.scenarios)
    if estimate:
        return _estimate(experiment, list(scenarios.values()), as_json=flags["as_json"])
    if flags["replay"] is not None:
        experiment = _replayed(experiment, scenarios, flags["replay"])
    plan, harnesses = prepare(unfold(experiment, scenarios))
    root = out or Path("runs") / f"{'-'.join(list(scenarios)[:2])}-{plan.digest[:8]}"
    with RunFolder(root) as folder:
        goes_on = folder.begin(plan, fresh=fresh)
        _run(folder, plan, (scenarios, harnesses), jobs, quiet=flags["quiet"] or flags["as_json"], goes_on=goes_on)
        return show(load_run(folder.root), flags["profile"], as_json=flags["as_json"])


_FLAGS = {"harnesses": "harness", "models": "model", "seeds": "seed", "base_url": "base-url", "key_env": "key-env"}
"""Of the parameters that are not called like their flags."""


def _replayed(experiment: Experiment, scenarios: dict[str, Scenario], recording: Path) -> Experiment:
    """The experiment with models that answer from a recorded run, which must have every trial."""
    from claw_adapter.endpoint.replay import replay_model
    from claw_adapter.runs.plan import unfold

    trials = unfold(experiment, scenarios).trials
    models = tuple(
        replay_model(model, recording, [trial.id for trial in trials if trial.model.name == model.name])
        for model in experiment.models
    )
    return experiment.model_copy(update={"models": models})


def _experiment(what: tuple[str, ...], flags: dict[str, Any]) -> Experiment:
    """From one file, or from flags."""
    from pydantic import ValidationError

    from claw_adapter.runs.plan import Experiment
    from claw_adapter.scenario.yamlsource import check_record, read_yaml

    given = {name: flags[name] for name in ("isolation", "deadline", "attempts", "compat") if flags[name] is not None}
    if len(what) == 1 and what[0].endswith((".yaml", ".yml")):
        wrong = [name for name in ("harnesses", "models", "seeds", "repeats", "base_url", "key_env") if flags[name]]
        if wrong or given:
            raise click.UsageError(
                f"an experiment file says it all; drop {', '.join('--' + _FLAGS.get(name, name) for name in [*wrong, *given])}"
            )
        return check_record(read_yaml(Path(what[0])), Experiment, fields="`claw schema experiment`")
    asked: dict[str, Any] = {
        "scenarios": what,
        "harnesses": flags["harnesses"] or ("reference",),
        "models": flags["models"] or ("reader",),
        "seeds": flags["seeds"] or (0,),
        "repeats": flags["repeats"] or 1,
        "settings": given,
    }
    models = [_model(text, flags) for text in asked["models"]]
    try:
        return Experiment.model_validate(asked | {"models": models})
    except ValidationError as error:
        raise click.UsageError(_wrong_flag(error, asked)) from None


def _wrong_flag(error: ValidationError, asked: dict[str, Any]) -> str:
    """The first mistake, by the flag that it was made in and what was typed there."""
    first = error.errors(include_url=False)[0]
    field, *rest = first["loc"]
    if field == "settings" and rest:
        field, *rest = rest
    typed = asked.get(str(field))
    where = f"--{_FLAGS.get(str(field), field)}"
    if isinstance(typed, tuple | list) and rest and isinstance(rest[0], int):
        where, rest = f"{where} {typed[rest[0]]!r}", rest[1:]
    kind = first["type"]
    what = "it is no name: at most 64 letters, digits, '.', '_' and '-'" if kind in _NO_NAME else first["msg"]
    part = f"{rest[-1]}: " if rest and isinstance(rest[-1], str) and kind not in _NO_NAME else ""
    return f"{where}: {part}{what.removeprefix('Value error, ')}"


_NO_NAME = ("string_pattern_mismatch", "string_too_short")


def _model(text: str, flags: dict[str, Any]) -> Any:  # what the field `models` of an experiment takes
    """A model as it is written on the command line."""
    from claw_adapter.runs.plan import served_model

    if flags["base_url"]:
        return {"name": text, "base_url": flags["base_url"], "key_env": flags["key_env"]}
    if text.partition(":")[0] == "reader":
        return text
    try:
        return served_model(text) or _provided(text, flags["key_env"])
    except ValueError as error:
        raise click.UsageError(f"--model {text!r}: {error}") from None


def _provided(name: str, key_env: str) -> ModelSpec:
    """A model of the providers' directory, by its name there."""
    from claw_adapter.errors import ClawError
    from claw_adapter.runs.providers import provider_model

    try:
        return provider_model(name, key_env=key_env)
    except ClawError as error:
        raise click.UsageError(
            f"model {name!r}: {error}\nOr say where it is with --base-url (and --key-env)."
        ) from None


def _estimate(experiment: Experiment, scenarios: list[Scenario], *, as_json: bool) -> int:
    """Expected rounds, requests, tokens and money of every model, before anything is spent."""
    from claw_adapter.runs.estimate import estimate

    stacks = [1 if one.overlays is not None else len(experiment.overlays) for one in experiment.harnesses]
    trials = sum(stacks) * len(experiment.seeds) * experiment.repeats
    found = {model.name: estimate(scenarios, model, trials=trials) for model in experiment.models}
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
    click.echo(
        "Expected values from a published run with one harness; others take fewer or more. Retries are not counted."
    )
    return 0


def _run(folder: RunFolder, plan: Plan, things: tuple[Any, Any], jobs: int, *, quiet: bool, goes_on: bool) -> None:
    from claw_adapter.cli.progress import watching
    from claw_adapter.runner.run import run

    scenarios, harnesses = things

    async def main() -> None:
        task = asyncio.current_task()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel if task else lambda: None)
        await run(folder, plan, scenarios, harnesses, jobs=jobs, watcher=watcher)

    with watching(plan, quiet=quiet, goes_on=goes_on) as watcher:
        try:
            asyncio.run(main())
        except asyncio.CancelledError:
            console(stderr=True).print(f"interrupted; the same command goes on from {folder.root}")
            raise KeyboardInterrupt from None
