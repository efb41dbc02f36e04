"""``claw scenarios validate``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from claw_adapter.finding import Finding
from claw_adapter_scenarios.cli.authoring import LIGHT, SUITE, one_of, showing

__all__ = ["validate"]


def _rules() -> None:
    from claw_adapter_scenarios.suites.rules import SUITE_RULES
    from claw_adapter_scenarios.validation import RULES

    for name, demand in (*RULES.items(), *SUITE_RULES.items()):
        click.echo(f"{name}  {demand}")


@click.command()
@click.argument("specs", nargs=-1)
@SUITE
@LIGHT
@click.option("--prove", is_flag=True, help="Also run the proofs: oracle, null, baselines, stale reader, mutants.")
@click.option("--seeds", type=click.IntRange(0), default=3, show_default=True, help="Other seeds to compile.")
@click.option("--seed", type=int, default=0, show_default=True, help="The variant to prove.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@showing("--rules", _rules, "List the rules.")
def validate(
    specs: tuple[str, ...],
    suite: str | None,
    without_heavy: bool,
    prove: bool,
    seeds: int,
    seed: int,
    as_json: bool,
) -> int:
    """Find what is wrong with SPECS, or with a suite and its specs, with rule, file and line.

    Exit 1 when there are errors, a proof fails, or specs of the suite are missing.
    """
    one_of(specs, suite)
    if suite is None:
        reports, failed = _each(specs, prove=prove, seeds=seeds, seed=seed, quiet=as_json)
    else:
        reports, failed = _suite(suite, heavy=not without_heavy, prove=prove, seeds=seeds, seed=seed, quiet=as_json)
    if as_json:
        click.echo(json.dumps(reports, indent=1, ensure_ascii=False))
    return 1 if failed else 0


Reports = tuple[list[dict[str, object]], bool]


def _suite(name: str, *, heavy: bool, prove: bool, seeds: int, seed: int, quiet: bool) -> Reports:
    """Every spec that is there, and then the suite as a whole."""
    from claw_adapter_scenarios.cli.suites import suite_report
    from claw_adapter_scenarios.suites.record import find_suite, present

    found = find_suite(name)
    folders, _ = present(found, heavy=heavy)
    reports, failed = _each([str(folder) for folder in folders], prove=prove, seeds=seeds, seed=seed, quiet=quiet)
    report, wrong = suite_report(found, seed, heavy=heavy, quiet=quiet)
    return [*reports, report], failed or wrong


def _each(specs: Sequence[str], *, prove: bool, seeds: int, seed: int, quiet: bool) -> Reports:
    from claw_adapter_scenarios.authoring import find_spec
    from claw_adapter_scenarios.validation import validate_spec

    reports, failed = list[dict[str, object]](), False
    for name in specs:
        root = find_spec(name)
        found = validate_spec(root, seeds=seeds)
        broken = any(one.severity == "error" for one in found)
        report: dict[str, object] = {"spec": name, "findings": [_plain(one) for one in found]}
        if not quiet:
            _show(name, found)
        if prove and not broken:
            proof = _prove(root, seed, quiet=quiet)
            report["proof"] = proof
            broken = any(not part["holds"] for part in proof)
        reports.append(report)
        failed |= broken
    return reports, failed


def _plain(one: Finding) -> dict[str, str]:
    return {"id": one.id, "severity": one.severity, "message": one.message, "where": one.where}


def _show(name: str, found: list[Finding]) -> None:
    for one in found:
        click.echo(str(one))
    errors = sum(one.severity == "error" for one in found)
    click.echo(f"{name}: {errors} errors, {len(found) - errors} warnings")


def _prove(root: Path, seed: int, *, quiet: bool) -> list[dict[str, object]]:
    from claw_adapter_scenarios.proof import prove

    parts = []
    for part in prove(root, seed):
        parts.append({"name": part.name, "holds": part.holds, "figure": part.figure, "detail": list(part.detail)})
        if not quiet:
            click.echo(f"  {'holds ' if part.holds else 'FAILS '} {part.name}: {part.figure}")
            for line in part.detail if not part.holds else ():
                click.echo(f"         {line}")
    return parts
