"""``claw scenarios stats``, ``select`` and ``realism``. Heavy modules load when they are called."""

from __future__ import annotations

import contextlib
import functools
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from claw_adapter.errors import ClawError

if TYPE_CHECKING:
    from claw_adapter.protocol import Scenario
    from claw_adapter_scenarios.stats.figures import SuiteFigures

__all__ = ["realism", "select", "stats", "talk"]

FOLDER = click.Path(path_type=Path, exists=True)
F = TypeVar("F", bound=Callable[..., Any])


def _what(command: F) -> F:
    """``PATH | --suite NAME`` and ``--json``; this package's errors become a message and exit status 2."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        if (kwargs.get("path") is None) == (kwargs.get("suite") is None):
            raise click.UsageError("Give either PATH or --suite NAME.")
        try:
            return command(*args, **kwargs)
        except ClawError as error:
            click.echo(f"Error: {error}", err=True)
            sys.exit(2)

    options = (
        click.argument("path", type=FOLDER, required=False),
        click.option("--suite", metavar="NAME", help="A suite that a plugin brings."),
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    )
    for option in reversed(options):
        run = option(run)
    return run  # type: ignore[return-value]  # click's decorators keep the callable


def _open(path: Path | None, suite: str | None) -> SuiteFigures:
    from claw_adapter_scenarios.stats.figures import open_path, open_suite

    return open_path(path) if path is not None else open_suite(suite or "")


@click.command("stats")
@_what
@click.option(
    "--against", type=click.Choice(["v1", "v2"]), help="The paper to hold it against; default: the nearer in size."
)
def stats(path: Path | None, suite: str | None, as_json: bool, against: str | None) -> int:
    """Show a suite's statistics beside the papers': tables 8 to 11, categories, domains.

    PATH is a folder of scenarios, or a published data set (its tests.json).
    """
    from rich.console import Console

    from claw_adapter_scenarios.stats.papers import suits
    from claw_adapter_scenarios.stats.text import show_suite, suite_json

    found = _open(path, suite)
    name = suits(found) if against is None else "v1" if against == "v1" else "v2"
    if as_json:
        _json(suite_json(found, name, _reasons(suite)))
    else:
        show_suite(found, name, _reasons(suite), Console())
    return 0


def _reasons(suite: str | None) -> dict[str, str]:
    """What the file of a packaged suite says of its figures."""
    from claw_adapter_scenarios.suites.record import packaged_suites

    return next((one.elsewhere for one in packaged_suites() if one.id == suite), {})


@click.command("select")
@_what
@click.option("--size", type=click.IntRange(min=1), default=12, show_default=True, help="Scenarios of the subset.")
@click.option(
    "--scores",
    type=FOLDER,
    multiple=True,
    help="A run over the whole suite, as printed by claw report --json; may be repeated.",
)
@click.option("--seed", default=0, show_default=True, help="Of the search and of the random subsets.")
def select(path: Path | None, suite: str | None, as_json: bool, size: int, scores: tuple[Path, ...], seed: int) -> int:
    """Choose a subset that represents a suite, and say by how much it differs.

    Without runs the error is that of statistics; with them, that of scores, also for a subset chosen without the run.
    """
    from rich.console import Console

    from claw_adapter_scenarios.stats.scores import read_scores
    from claw_adapter_scenarios.stats.select import choose
    from claw_adapter_scenarios.stats.text import show_chosen

    found = _open(path, suite)
    runs = {name: of for one in scores for name, of in read_scores(one).items()}
    chosen = choose(found.scenarios, size, scores=runs, seed=seed)
    if as_json:
        gaps = [asdict(gap) | {"error": gap.error} for gap in chosen.scores]
        _json({"suite": found.name, **asdict(chosen), "scores": gaps})
    else:
        show_chosen(chosen, found, Console())
    return 0


@click.command("realism")
@_what
@click.option("--curve", help="Compare every scenario with this curve; default: the one that suits its domain.")
@click.option("--noise", type=FOLDER, help="JSON: scenario id → share of noise, which scenario/1 does not tell.")
@click.option("--entries", is_flag=True, help="List the registry of published numbers as well.")
def realism(
    path: Path | None, suite: str | None, as_json: bool, curve: str | None, noise: Path | None, entries: bool
) -> int:
    """Compare a suite of scenarios, or a published data set, with published distributions. Only verified entries are used."""
    from rich.console import Console

    from claw_adapter_scenarios.realism.fit import fit
    from claw_adapter_scenarios.realism.fit_text import fit_json, show_entries, show_fit

    with _scenarios(path, suite) as scenarios:
        report = fit(scenarios, noise=_shares(noise), curve=curve)
    if as_json:
        _json(fit_json(report))
        return 0
    out = Console()
    if entries:
        show_entries(out)
    show_fit(report, out)
    return 0


@click.command("talk")
@_what
def talk(path: Path | None, suite: str | None, as_json: bool) -> int:
    """Show how people talk in scenarios, and how long documents are, beside the published scenarios.

    Exit 1 where a scenario is worse in something than every published one.
    """
    from rich.console import Console

    from claw_adapter_scenarios.realism import talk as talking
    from claw_adapter_scenarios.stats.text import show_talk

    with _scenarios(path, suite) as scenarios:
        found = talking.talk(scenarios)
    worse = {name: list(talking.shortfalls(one)) for name, one in found.items()}
    if as_json:
        _json({name: {**asdict(one), "shortfalls": worse[name]} for name, one in found.items()})
    else:
        show_talk(found, worse, Console())
    return 1 if any(worse.values()) else 0


@contextlib.contextmanager
def _scenarios(path: Path | None, suite: str | None) -> Iterator[list[Scenario]]:
    """Loaded scenarios; published data are converted into a folder that lasts as long as the context."""
    from claw_adapter import plugins
    from claw_adapter.datasets.find import find_format
    from claw_adapter.scenario import load_scenario, resolve

    if path is None:
        yield list(plugins.create("scenarios", suite or "").load().scenarios)
    elif form := find_format(path):
        with tempfile.TemporaryDirectory(prefix="claw-realism-") as folder:
            yield [load_scenario(one) for one in form.convert(path, Path(folder), layout=form.layout)]
    else:
        yield [load_scenario(folder) for folder in resolve(path)]


def _shares(path: Path | None) -> dict[str, float]:
    """Scenario id → share of noise.

    Raises:
        ScenarioError: the file holds something else.
    """
    from pydantic import TypeAdapter, ValidationError

    from claw_adapter.errors import ScenarioError
    from claw_adapter.validation import describe_errors

    try:
        return {} if path is None else TypeAdapter(dict[str, float]).validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        what = describe_errors(error) if isinstance(error, ValidationError) else error.strerror
        remedy = 'It holds one JSON object: {"SCENARIO": 0.4}.'
        raise ScenarioError(f"no shares of noise: {what}", where=str(path), remedy=remedy) from None


def _json(data: object) -> None:
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))
