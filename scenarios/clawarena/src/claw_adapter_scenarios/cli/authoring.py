"""``claw scenarios new, build, doc, preview, schema, list``."""

from __future__ import annotations

import json
from pathlib import Path

import click

from claw_adapter.errors import ScenarioError

__all__ = ["build", "doc", "list_", "new", "preview", "schema"]

FOLDER = click.Path(path_type=Path, file_okay=False)
SEED = click.option("--seed", default=0, show_default=True, help="0: as written; others draw names, numbers and dates.")


@click.command()
@click.argument("name")
@click.option("--out", type=FOLDER, default=Path(), show_default=True, help="The folder NAME is made in here.")
def new(name: str, out: Path) -> None:
    """Begin a spec NAME: a copy of the worked example with editor schemas beside it. It builds and validates as it is."""
    from claw_adapter_scenarios.authoring import begin

    click.echo(f"{begin(name, out)}: edit the six files, then `claw scenarios validate {out / name}`")


@click.command()
@click.argument("spec")
@click.option("--out", type=FOLDER, default=Path("build"), show_default=True)
@SEED
@click.option("--seeds", type=click.IntRange(1), default=None, help="Build that many variants, from --seed on.")
def build(spec: str, out: Path, seed: int, seeds: int | None) -> None:
    """Compile SPEC (a folder, or the name of a packaged one) into OUT/<id>."""
    from claw_adapter_scenarios.authoring import find_spec
    from claw_adapter_scenarios.compiler import build as compile_to
    from claw_adapter_scenarios.spec import load_spec

    loaded = load_spec(find_spec(spec))
    for number in range(seed, seed + (seeds or 1)):
        click.echo(str(compile_to(loaded, out, number)))


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
@click.argument("spec")
@click.option("--out", type=click.Path(path_type=Path), default=Path("preview.html"), show_default=True)
@SEED
def preview(spec: str, out: Path, seed: int) -> None:
    """One self-contained HTML page of SPEC."""
    from claw_adapter_scenarios.authoring import find_spec
    from claw_adapter_scenarios.compiler import compile_spec
    from claw_adapter_scenarios.spec import load_spec
    from claw_adapter_scenarios.specdocs.page import page

    out.write_text(page(compile_spec(load_spec(find_spec(spec)), seed)), "utf-8")
    click.echo(str(out))


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
    """Packaged specs with their titles."""
    from claw_adapter_scenarios.authoring import packaged_specs
    from claw_adapter_scenarios.spec import load_spec

    for folder in packaged_specs():
        try:
            truth = load_spec(folder).truth
            click.echo(f"{truth.id:24} {truth.domain:16} {truth.title}")
        except ScenarioError as error:
            click.echo(f"{folder.name:24} cannot be read: {error.what}", err=True)
