"""``claw scenarios new, build, doc, preview, schema, list``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from claw_adapter.errors import ScenarioError

__all__ = ["LIGHT", "SEED", "SUITE", "build", "doc", "list_", "new", "one_of", "preview", "schema", "showing"]

FC = TypeVar("FC", bound=Callable[..., Any] | click.Command)
FOLDER = click.Path(path_type=Path, file_okay=False)
SEED = click.option("--seed", default=0, show_default=True, help="0: as written; others draw names, numbers and dates.")
SUITE = click.option("--suite", metavar="NAME", help="All specs of a suite: a name, or a suite file.")
LIGHT = click.option("--without-heavy", is_flag=True, help="Leave the heavy specs of the suite out.")


def showing(flag: str, show: Callable[[], None], about: str) -> Callable[[FC], FC]:
    """An option that shows something in place of what the command does, whatever else is said or missing."""

    def shown(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
        if wanted:
            show()
            context.exit()

    return click.option(flag, is_flag=True, is_eager=True, expose_value=False, callback=shown, help=about)


def one_of(spec: object, suite: str | None) -> None:
    """Exactly one of SPEC and --suite is given.

    Raises:
        UsageError: both, or none.
    """
    if bool(spec) == bool(suite):
        raise click.UsageError("Give either SPEC or --suite NAME.")


def _packs() -> None:
    from claw_adapter_scenarios.composing import packs, patterns

    for title, found in (("packs", packs()), ("conflicts", patterns())):
        click.echo(f"{title}:")
        for name, about in found.items():
            click.echo(f"  {name:20} {about}")


@click.command()
@click.argument("name")
@click.option("--out", type=FOLDER, default=Path(), show_default=True, help="The folder NAME is made in here.")
@click.option("--pack", metavar="PACK", default=None, help="A domain: people, channels, papers. A name, or a file.")
@click.option(
    "--conflict", "conflicts", multiple=True, metavar="PATTERN", help="A conflict in it; several times. [all]"
)
@showing("--list", _packs, "List packs and patterns.")
def new(name: str, out: Path, pack: str | None, conflicts: tuple[str, ...]) -> None:
    """Begin a spec NAME, with editor schemas beside it.

    Without --pack it is a copy of the worked example, which validates as it is. With it a spec of the second edition is laid
    out from a domain and patterns of conflicts: it builds and runs, and `validate` says what is still to be written.
    """
    from claw_adapter_scenarios.authoring import begin

    if pack is None and conflicts:
        raise click.UsageError("--conflict goes with --pack.")
    click.echo(f"{begin(name, out, pack, conflicts)}: edit the six files, then `claw scenarios validate {out / name}`")


@click.command()
@click.argument("spec", required=False)
@SUITE
@click.option("--out", type=FOLDER, default=Path("build"), show_default=True)
@SEED
@click.option("--seeds", type=click.IntRange(1), default=None, help="Build that many variants, from --seed on.")
@LIGHT
def build(spec: str | None, suite: str | None, out: Path, seed: int, seeds: int | None, without_heavy: bool) -> int:
    """Compile SPEC (a folder, or the name of a packaged one) into OUT/<id>, or a suite into OUT/<suite>/<id>.

    Exit 1 when specs of the suite are missing or wrong; the others are built.
    """
    from claw_adapter_scenarios.authoring import find_spec
    from claw_adapter_scenarios.compiler import build as compile_to
    from claw_adapter_scenarios.spec import load_spec

    one_of(spec, suite)
    numbers = range(seed, seed + (seeds or 1))
    if suite is not None:
        from claw_adapter_scenarios.cli.suites import build_suite

        return build_suite(suite, out, numbers, heavy=not without_heavy)
    loaded = load_spec(find_spec(spec or ""))
    for number in numbers:
        click.echo(str(compile_to(loaded, out, number)))
    return 0


@click.command()
@click.argument("spec")
@click.option("--out", type=FOLDER, default=None, help="Write seven files here instead of printing one text.")
@SEED
def doc(spec: str, out: Path | None, seed: int) -> None:
    """The seven template documents of SPEC: guide, narrative bible, evidence map, workspace, sessions, evaluation, updates."""
    from claw_adapter_scenarios.authoring import find_spec
    from claw_adapter_scenarios.compiler import compile_spec
    from claw_adapter_scenarios.spec import load_spec
    from claw_adapter_scenarios.specdocs import documents

    made = documents(compile_spec(load_spec(find_spec(spec)), seed))
    if out is None:
        click.echo("\n".join(made.values()))
        return
    out.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        (out / name).write_text(text, "utf-8")
        click.echo(str(out / name))


@click.command()
@click.argument("spec", required=False)
@SUITE
@click.option(
    "--out", type=click.Path(path_type=Path), help="The page [preview.html], or the folder of a suite [preview]."
)
@SEED
@LIGHT
def preview(spec: str | None, suite: str | None, out: Path | None, seed: int, without_heavy: bool) -> int:
    """One self-contained HTML page of SPEC, or a folder with one page for every spec of a suite and an index."""
    from claw_adapter_scenarios.authoring import find_spec
    from claw_adapter_scenarios.compiler import compile_spec
    from claw_adapter_scenarios.spec import load_spec
    from claw_adapter_scenarios.specdocs.page import page

    one_of(spec, suite)
    if suite is not None:
        from claw_adapter_scenarios.cli.suites import preview_suite

        return preview_suite(suite, out or Path("preview"), seed, heavy=not without_heavy)
    out = out or Path("preview.html")
    spec = spec or ""
    out.write_text(page(compile_spec(load_spec(find_spec(spec)), seed)), "utf-8")
    click.echo(str(out))
    return 0


@click.command()
@click.option("--out", type=FOLDER, default=Path("schemas"), show_default=True)
def schema(out: Path) -> None:
    """Write the JSON Schemas that editors complete and check the six files with."""
    from claw_adapter_scenarios.spec import schemas

    out.mkdir(parents=True, exist_ok=True)
    for name, data in schemas().items():
        (out / f"{name}.schema.json").write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")
    click.echo(str(out))


@click.command("list")
def list_() -> None:
    """Packaged specs and suites with their titles."""
    from claw_adapter_scenarios.authoring import packaged_specs
    from claw_adapter_scenarios.spec import load_spec
    from claw_adapter_scenarios.suites.record import packaged_suites, present

    for folder in packaged_specs():
        try:
            truth = load_spec(folder).truth
            click.echo(f"{truth.id:24} {truth.domain:16} {truth.title}")
        except ScenarioError as error:
            click.echo(f"{folder.name:24} cannot be read: {error.what}", err=True)
    for suite in packaged_suites():
        folders, missing = present(suite)
        there = f"{len(folders)} of {len(suite.scenarios)}" if missing else f"all {len(folders)}"
        click.echo(f"{suite.id:24} {'suite':16} {suite.title} ({there} there)")
