"""``claw scenarios worlds`` and ``leaks``: what holds over many seeds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from claw_adapter_scenarios.cli.authoring import LIGHT, SUITE, one_of

if TYPE_CHECKING:
    from claw_adapter_scenarios.proof.leaks import Statement

__all__ = ["leaks", "worlds"]

SEEDS = click.option("--seeds", type=click.IntRange(2), default=8, show_default=True, help="So many seeds, from 0 on.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.command()
@click.argument("spec")
@SEEDS
@JSON
def worlds(spec: str, seeds: int, as_json: bool) -> int:
    """Which world of SPEC each seed draws, how far the truth moves, and what learned answers are worth.

    Exit 1 where the second edition asks for more.
    """
    from claw_adapter_scenarios.authoring import find_spec
    from claw_adapter_scenarios.spec import load_spec
    from claw_adapter_scenarios.validation.memorised import memorised

    loaded = load_spec(find_spec(spec))
    drawn = {seed: dict(loaded.at(seed).world) for seed in range(seeds)}
    found = memorised(loaded, range(seeds))
    if as_json:
        figures = {**asdict(found), "worlds": drawn, "shortfalls": list(found.shortfalls)}
        click.echo(json.dumps(figures, indent=1, ensure_ascii=False))
        return 1 if figures["shortfalls"] else 0
    for seed, world in drawn.items():
        click.echo(f"seed {seed}: {', '.join(f'{name} {side}' for name, side in world.items()) or 'as written'}")
    pair = "" if found.worst is None else f" (seeds {found.worst[0]} and {found.worst[1]})"
    click.echo(f"truth that differs between two seeds: {found.turned:.0%} on average, {found.least:.0%} at least{pair}")
    if found.booleans is not None:
        click.echo(f"of what checks ask for with yes or no: {found.booleans:.0%} on average")
    click.echo(f"rounds that another seed's key answers: {found.sets:.0%}")
    click.echo(f"statements: {found.right:.0%}; always saying what is commoner: {found.commoner:.0%}")
    if found.still:
        click.echo("statements that never turn:")
    for statement in found.still:
        click.echo(f"  {statement}")
    for shortfall in found.shortfalls:
        click.echo(f"! {shortfall}")
    return 1 if any(found.shortfalls) else 0


@click.command()
@click.argument("specs", nargs=-1)
@SUITE
@LIGHT
@SEEDS
@JSON
def leaks(specs: tuple[str, ...], suite: str | None, without_heavy: bool, seeds: int, as_json: bool) -> int:
    """Whether the outside of a statement tells if it is true, over SPECS or a suite: each feature beside shuffled statements.

    Exit 1 when one does.
    """
    from claw_adapter_scenarios.proof.leaks import leaks as probe

    one_of(specs, suite)
    found = probe(list(_asked(specs, suite, heavy=not without_heavy, seeds=seeds)))
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], indent=1))
    else:
        for one in found:
            mark = "! " if one.leaks else "  "
            band = f"shuffled {one.low:.3f} to {one.high:.3f}"
            click.echo(f"{mark}{one.feature:24} {one.found:.3f}  {band}  p = {one.probability:.2g}")
    return 1 if any(one.leaks for one in found) else 0


def _asked(specs: tuple[str, ...], suite: str | None, *, heavy: bool, seeds: int) -> Iterator[Statement]:
    from claw_adapter_scenarios.authoring import find_spec
    from claw_adapter_scenarios.compiler import compile_spec
    from claw_adapter_scenarios.proof.leaks import asked
    from claw_adapter_scenarios.spec import load_spec
    from claw_adapter_scenarios.suites.record import find_suite, present

    folders: list[Path] = [find_spec(name) for name in specs]
    if suite is not None:
        folders, _ = present(find_suite(suite), heavy=heavy)
    for number, folder in enumerate(folders, start=1):
        click.echo(f"[{number}/{len(folders)}] {folder.name}", err=True)
        spec = load_spec(folder)
        for seed in range(seeds):
            yield from asked(compile_spec(spec, seed))
