"""What ``--suite`` does: build, report and preview all specs of a suite that are there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

import click

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.suites.record import Suite, find_suite, present

__all__ = ["build_suite", "preview_suite", "suite_report"]


def build_suite(name: str, out: Path, seeds: Sequence[int], *, heavy: bool) -> int:
    """Build what is there into `out`/<suite>, printing digests; 1 when something was missing or wrong."""
    from claw_adapter_scenarios.compiler import build
    from claw_adapter_scenarios.spec import load_spec
    from claw_adapter_scenarios.suites.digest import files_digest, folder_digest

    suite, digests, wrong = find_suite(name), dict[str, bytes](), False
    for folder, seed in _work(suite, seeds, heavy=heavy):
        try:
            root = build(load_spec(folder), out / suite.id, seed)
        except ScenarioError as error:
            wrong = True
            click.echo(f"{folder.name}, seed {seed}: {error}", err=True)
            continue
        digest = folder_digest(root)
        digests[root.name] = digest.encode()
        click.echo(f"{root}  {digest[:16]}")
    missing = _say_missing(suite, heavy=heavy)
    click.echo(f"{len(digests)} scenarios, digest {files_digest(digests)}")
    return 1 if wrong or missing else 0


def preview_suite(name: str, out: Path, seed: int, *, heavy: bool) -> int:
    """Write one page per spec that is there, and an index. 1 when something was missing or wrong."""
    from claw_adapter_scenarios.compiler import compile_spec
    from claw_adapter_scenarios.spec import load_spec
    from claw_adapter_scenarios.specdocs.page import page

    suite, links, wrong = find_suite(name), list[str](), False
    out.mkdir(parents=True, exist_ok=True)
    for folder, number in _work(suite, [seed], heavy=heavy):
        try:
            made = compile_spec(load_spec(folder), number)
        except ScenarioError as error:
            wrong = True
            click.echo(f"{folder.name}: {error}", err=True)
            continue
        (out / f"{made.id}.html").write_text(page(made), "utf-8")
        title = escape(made.canon.render(made.spec.truth.title).text)
        links.append(f'<li><a href="{made.id}.html">{made.id}</a> {title}</li>')
    missing = _say_missing(suite, heavy=heavy)
    (out / "index.html").write_text(_index(suite, links, missing), "utf-8")
    click.echo(str(out / "index.html"))
    return 1 if wrong or missing else 0


def _index(suite: Suite, links: list[str], missing: list[str]) -> str:
    absent = f"<p>Not there: {escape(', '.join(missing))}</p>" if missing else ""
    head = f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(suite.title)}</title></head>'
    listed = "\n".join(links)
    return f"{head}\n<body><h1>{escape(suite.title)}</h1>\n<ul>\n{listed}\n</ul>\n{absent}</body></html>\n"


def suite_report(suite: Suite, seed: int, *, heavy: bool, quiet: bool) -> tuple[dict[str, object], bool]:
    """Findings and figures of the suite as a whole, printed unless quiet; the flag says whether there are errors."""
    from claw_adapter_scenarios.suites.rules import compile_members, measures, suite_findings

    variants, found = compile_members(suite, seed, heavy=heavy)
    found += suite_findings(suite, variants, seed=seed)
    rows = [
        (one.target.figure, one.scenario, one.found, *one.target.bounds, one.met, one.target.explanation)
        for one in measures(suite, variants)
    ]
    if not quiet:
        for one in found:
            click.echo(str(one))
        for figure, scenario, value, low, high, met, why in rows:
            mark = "" if met else f"  {why or 'no explanation'}"
            click.echo(f"  {'' if met else '! '}{figure} {scenario}: {value:.4g} ({low:.4g} to {high:.4g}){mark}")
        if len(variants) < len(suite.scenarios):
            click.echo(f"  totals are not held: {len(variants)} of {len(suite.scenarios)} specs were looked at")
        click.echo(f"suite {suite.id}: {len(found)} errors")
    names = ("figure", "scenario", "value", "least", "most", "met", "explanation")
    shown = [dict(zip(names, (_finite(v) for v in row), strict=True)) for row in rows]
    findings = [{"id": f.id, "severity": f.severity, "message": f.message, "where": f.where} for f in found]
    return {"suite": suite.id, "findings": findings, "figures": shown}, bool(found)


def _finite(value: object) -> object:
    return None if value in (float("inf"), float("-inf")) else value


def _work(suite: Suite, seeds: Sequence[int], *, heavy: bool) -> Iterator[tuple[Path, int]]:
    """Specs and seeds one after the other, said on standard error as work goes on."""
    folders, _ = present(suite, heavy=heavy)
    tasks = [(folder, seed) for folder in folders for seed in seeds]
    for number, (folder, seed) in enumerate(tasks, start=1):
        click.echo(f"[{number}/{len(tasks)}] {folder.name}{f', seed {seed}' if seed else ''}", err=True)
        yield folder, seed


def _say_missing(suite: Suite, *, heavy: bool) -> list[str]:
    _, missing = present(suite, heavy=heavy)
    if missing:
        click.echo(f"Not there: {', '.join(missing)}", err=True)
    return missing
