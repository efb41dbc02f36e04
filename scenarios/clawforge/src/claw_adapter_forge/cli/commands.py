"""The commands of ``claw forge``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from claw_adapter_forge.cli.common import (
    COUNT,
    JSON,
    OUT,
    as_json,
    fail_clean,
    progress_line,
    special_options,
    task_options,
)
from claw_adapter_forge.cli.labels import labels
from claw_adapter_forge.cli.parity import parity
from claw_adapter_forge.cli.play import play

__all__ = ["forge"]


@click.group()
def forge() -> None:
    """Stateful command-line worlds whose tasks are proven before they ship."""


for _command in (play, labels, parity):
    forge.add_command(_command)


@forge.command()
@task_options
@special_options
@click.option("-o", "--out", type=OUT, help="Write the tasks here, one line of JSON each (- for stdout).")
@JSON
@fail_clean
def generate(task_set: str, seed: int, count: int, families: str, knobs: str, out: Path | None, json_out: bool) -> None:
    """Generate the tasks of a set and print their counts and digest."""
    import hashlib
    from collections import Counter

    from claw_adapter_forge.generator.choosing import counts_in, pick_tasks
    from claw_adapter_forge.tasks.manifest import manifest_lines

    tasks = list(pick_tasks(task_set, seed, count, (), counts_in(families), counts_in(knobs)))
    lines = list(manifest_lines(tasks))
    digest = hashlib.sha256("".join(lines).encode()).hexdigest()
    if out is not None and str(out) == "-":
        click.echo("".join(lines), nl=False)
        return
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text("".join(lines), encoding="utf-8")
    counts: dict[str, Counter[str]] = {
        "families": Counter(t.meta.family for t in tasks),
        "abilities": Counter(t.meta.ability for t in tasks),
        "lengths": Counter(str(t.meta.length) for t in tasks),
        "necessary": Counter(str(t.meta.necessary) for t in tasks),
        "styles": Counter(t.meta.style for t in tasks),
    }
    summary = {"task_set": task_set, "seed": seed, "tasks": len(tasks), "digest": digest}
    if json_out:
        as_json(summary | {name: dict(sorted(c.items())) for name, c in counts.items()})
        return
    click.echo(f"{len(tasks)} tasks of {task_set}, seed {seed}, digest {digest}")
    for name, counter in counts.items():
        click.echo(f"{name}: " + ", ".join(f"{k} {v}" for k, v in sorted(counter.items())))


@forge.command()
@click.argument("task")
@task_options
@special_options
@click.option("--solution", is_flag=True, help="Show goal and reference as well.")
@JSON
@fail_clean
def show(
    task: str,
    task_set: str,
    seed: int,
    count: int,
    families: str,
    knobs: str,
    solution: bool,
    json_out: bool,
) -> None:
    """Show one task: instruction, first observation, on request its goal and reference."""
    from claw_adapter_forge.generator.choosing import counts_in, pick_tasks
    from claw_adapter_forge.tasks.manifest import public_json, task_to_json
    from claw_adapter_forge.tasks.observation import first_observation

    found = next(pick_tasks(task_set, seed, count, (task,), counts_in(families), counts_in(knobs)))
    if json_out:
        as_json(task_to_json(found) if solution else public_json(found))
        return
    meta = found.meta
    click.echo(f"{found.id}  {meta.family} / {meta.variant}  {meta.ability}  {meta.style}")
    click.echo(f"reference {meta.length} commands, necessary {meta.necessary}, at most {meta.horizon}\n")
    click.echo(first_observation(found.instruction, found.start))
    if solution:
        click.echo("\nAcceptable repairs:")
        for goal in found.goals:
            click.echo(f"  {goal.name}: " + "; ".join(w.name for w in goal.wants))
        click.echo("Reference:\n" + "\n".join(f"  {line}" for line in found.reference))


@forge.command()
@task_options
@special_options
@click.option("--jobs", default=2, show_default=True, type=COUNT, help="Processes.")
@click.option("--card", type=OUT, help="Write the quality card to FOLDER/<task set>-seed<seed>.md and .json.")
@JSON
@fail_clean
def verify(
    task_set: str, seed: int, count: int, families: str, knobs: str, jobs: int, card: Path | None, json_out: bool
) -> None:
    """Prove every task (a sample of 1,000 of larger sets). Exit status 1 if an obligation does not hold."""
    import json

    from claw_adapter_forge.generator.choosing import counts_in
    from claw_adapter_forge.proof.card import card_json, card_markdown
    from claw_adapter_forge.proof.verify import verify as prove_all

    chosen = {"asked": counts_in(families), "knobs": counts_in(knobs)}
    found = prove_all(task_set, seed, count, jobs=jobs, progress=progress_line("proving"), **chosen)
    data = card_json(found)
    if card is not None:
        card.mkdir(parents=True, exist_ok=True)
        stem = card / f"{task_set}-seed{seed}"
        text = json.dumps(data, indent=1, ensure_ascii=False, sort_keys=True)
        stem.with_suffix(".json").write_text(text + "\n", encoding="utf-8")
        stem.with_suffix(".md").write_text(card_markdown(data), encoding="utf-8")
    if json_out:
        as_json(data)
    else:
        click.echo(card_markdown(data))
    for task, fault in found.faults[:20]:
        click.echo(f"{task}: {fault}", err=True)
    sys.exit(1 if found.faults or found.kill_rate() < 0.99 else 0)


@forge.command()
@click.argument("target", type=OUT)
@task_options
@click.option("--format", "kind", default="specs", show_default=True, type=click.Choice(["specs", "harbor"]))
@JSON
@fail_clean
def export(target: Path, task_set: str, seed: int, count: int, kind: str, json_out: bool) -> None:
    """Write tasks as published-style JSON specs or as Harbor task folders."""
    from claw_adapter_forge.exports.harbor import export_harbor
    from claw_adapter_forge.exports.specs import export_specs
    from claw_adapter_forge.generator.choosing import pick_tasks

    write = export_specs if kind == "specs" else export_harbor
    written = write(pick_tasks(task_set, seed, count), target)
    if json_out:
        as_json({"format": kind, "tasks": written, "target": str(target)})
    else:
        click.echo(f"{written} tasks written to {target} ({kind})")


@forge.command("import")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@JSON
@fail_clean
def import_specs(folder: Path, json_out: bool) -> None:
    """Probe your own copy of published specs: oracle, doing nothing, blind, vandal and mutants.

    Beside them stand the same probes on 51 tasks of ours.
    """
    from claw_adapter_forge.exports.probing import probe, probe_ours
    from claw_adapter_forge.exports.published import load_published
    from claw_adapter_forge.generator.choosing import sample_tasks

    found = probe(list(load_published(folder)))
    found["ours"] = probe_ours(sample_tasks("paper362", 0, 362, 51)).to_json()
    if json_out:
        as_json(found)
        return
    columns = {"their checks": found, "their verdict": found["verdict"], "ours": found["ours"]}
    shown = {name: column for name, column in columns.items() if column}
    click.echo(f"{'':26}" + "".join(f"{name:>16}" for name in shown))
    for name in (n for n in found["ours"] if n != "operators"):
        click.echo(f"{name:26}" + "".join(f"{column[name]:>16}" for column in shown.values()))
    click.echo("survivors by operator")
    for name in found["operators"]:
        cells = (column["operators"][name] for column in shown.values())
        click.echo(f"  {name:24}" + "".join(f"{c['survived']:>8} of {c['made']:>4}" for c in cells))
    click.echo(f"checks_skipped: {found['checks_skipped']}")
    failing = [one["task"] for one in found["each"] if not one["oracle"]]
    _some(f"{len(failing)} references fail their own checks", failing)
    hidden = [
        f"{one['task']}: " + ", ".join(f"step {a['step']} {a['argument']} {a['value']}" for a in one["unshown"])
        for one in found["each"]
        if one["unshown"]
    ]
    _some(f"{len(hidden)} ill-posed: the checks want an argument that nothing shows", hidden)


def _some(title: str, lines: list[str], most: int = 10) -> None:
    click.echo(title + (":" if lines else ""))
    for line in lines[:most]:
        click.echo(f"  {line}")
    if len(lines) > most:
        click.echo(f"  … and {len(lines) - most} more; --json has all, task by task")
