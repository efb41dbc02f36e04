"""`claw frameworks`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from claw_adapter.cli.common import FAILED, console, print_json

__all__ = ["command"]


@click.group("frameworks")
def command() -> None:
    """Install and examine harnesses, each in an environment of its own."""


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_frameworks(as_json: bool) -> int:
    """List the frameworks that installed plugins describe, and which are installed."""
    from rich.table import Table

    from claw_adapter.frameworks import environments, frameworks, locate
    from claw_adapter.frameworks.binary import variable_set

    rows: list[dict[str, Any]] = []
    ways: dict[str, str] = {}
    for framework in frameworks():
        there = locate(framework)
        rows.append(
            {
                "name": framework.name,
                "title": framework.title,
                "version": framework.version,
                "kind": framework.kind,
                "installed": str(there.path) if there else None,
                "other_versions": [one.version for one in environments(framework) if one.version != framework.version],
                "licence": framework.licence,
                "homepage": framework.homepage,
            }
        )
        # a variable that names no program is to be corrected, which the doctor says: installing would change nothing
        ways[framework.name] = "doctor" if framework.kind == "binary" and variable_set(framework) else "install"
    if as_json:
        print_json(rows)
        return 0
    table = Table("name", "version", "kind", "licence", "installed", box=None, pad_edge=False)
    for row in rows:
        where = str(row["installed"] or f"no: claw frameworks {ways[row['name']]} {row['name']}")
        where += "".join(f"\nalso {v}: claw frameworks remove {row['name']}@{v}" for v in row["other_versions"])
        table.add_row(str(row["name"]), str(row["version"]), str(row["kind"]), str(row["licence"]), where)
    console().print(table)
    return 0


@command.command()
@click.argument("names", nargs=-1, required=True)
@click.option(
    "--from",
    "source",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A vendor's program: its archive, or the program itself, instead of fetching it.",
)
@click.option("--sha256", default="", metavar="HEX", help="A vendor's program: the digest that the file must have.")
@click.option("--verbose", is_flag=True, help="Show the installer's output as it comes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def install(names: tuple[str, ...], source: Path | None, sha256: str, verbose: bool, as_json: bool) -> int:
    """Install NAMES (NAME or NAME@VERSION) at the versions their plugins pin; every file is checked by its hash.

    Nothing global is touched.
    """
    import signal

    from claw_adapter.frameworks import describe, remarks
    from claw_adapter.frameworks import install as install_one
    from claw_adapter.frameworks import reported_version as ask_version

    if (source or sha256) and len(names) > 1:
        raise click.UsageError("--from and --sha256 are about one program: give one NAME")
    # an exit, and not the end, so that the installer is ended and what it made removed
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    out = console(stderr=True)
    installed: dict[str, Any] = {}
    for name in names:
        with out.status(f"{name}: …") as status:
            if verbose:
                status.stop()
            there = install_one(
                name,
                verbose=verbose,
                on_progress=lambda phase, name=name: status.update(f"{name}: {phase.value}"),  # type: ignore[misc]
                source=source,
                sha256=sha256,
            )
            spec = describe(name)
            version = (spec.kind == "binary" and ask_version(spec, there.path)) or there.version
            notes = remarks(spec, there) if spec.kind == "binary" else []
        installed[name] = {"version": version, "made_for": spec.version, "path": str(there.path), "remarks": notes}
        out.print(f"{name} {version} is installed in {there.path}", soft_wrap=True, markup=False, highlight=False)
        for note in notes:
            out.print(f"  note: {note}", soft_wrap=True, markup=False, highlight=False)
    if as_json:
        print_json(installed)
    return 0


@command.command()
@click.argument("names", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor(names: tuple[str, ...], as_json: bool) -> int:
    """Check NAMES (default: all) from their description to a run of their program; exit code 1 if something is wrong."""
    from dataclasses import asdict

    from rich.markup import escape

    from claw_adapter.frameworks import doctor as examine
    from claw_adapter.frameworks import frameworks

    found = {name: examine(name) for name in names or [f.name for f in frameworks()]}
    if as_json:
        print_json({name: [asdict(finding) for finding in findings] for name, findings in found.items()})
    else:
        out = console()
        for name, findings in found.items():
            for finding in findings:
                mark = "[green]✓[/]" if finding.ok else "[red]✗[/]"
                said = f": {finding.detail}" if finding.detail else ""
                verdict = "" if finding.ok else " – no"
                out.print(f"{mark} {name}: {escape(finding.what)}{verdict}{escape(said)}", soft_wrap=True)
                if finding.remedy:
                    out.print(f"    {escape(finding.remedy)}", soft_wrap=True)
    return 0 if all(finding.ok for findings in found.values() for finding in findings) else FAILED


@command.command()
@click.argument("names", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def outdated(names: tuple[str, ...], as_json: bool) -> int:
    """Compare NAMES (default: all that a registry has) with the newest release, which the registry is asked for."""
    from rich.table import Table

    from claw_adapter.frameworks import describe, frameworks, locate
    from claw_adapter.frameworks.newest import newest_version

    asked = [describe(name) for name in names] or [one for one in frameworks() if one.kind != "binary"]
    rows = []
    for framework in asked:
        newest, there = newest_version(framework), locate(framework)
        outdated = bool(newest) and newest != framework.version
        rows.append({"name": framework.name, "version": framework.version, "installed": there is not None,
                     "newest": newest, "outdated": outdated})  # fmt: skip
    if as_json:
        print_json(rows)
        return 0
    table = Table("name", "pinned", "newest", "", box=None, pad_edge=False)
    for row in rows:
        note = "outdated" if row["outdated"] else "" if row["newest"] else "no registry has it"
        table.add_row(str(row["name"]), str(row["version"]), str(row["newest"]), note)
    console().print(table)
    return 0


@command.command()
@click.argument("names", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def remove(names: tuple[str, ...], as_json: bool) -> int:
    """Remove the environments of NAMES: of NAME every version, of NAME@VERSION that one."""
    from claw_adapter.frameworks import remove as remove_one

    removed = {}
    for text in names:
        name, _, version = text.partition("@")
        removed[text] = list(remove_one(name, version=version))
        gone = f"removed {', '.join(removed[text])}" if removed[text] else "was not installed"
        console(stderr=True).print(f"{text}: {gone}")
    if as_json:
        print_json(removed)
    return 0
