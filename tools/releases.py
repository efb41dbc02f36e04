"""Certify versions of a harness's program with the present adapter, and say what changed from one to the next.

python tools/releases.py NAME@VERSION … [--full] [--nonce TEXT] [--out FOLDER]

Each version is resolved from the description in frameworks/NAME (what else is pinned there stays, as far as the version
allows), installed by claw's own installer into a folder of its own, certified at Silver (at Gold with --full), and removed
again. All get the sessions of one nonce, so that they differ by their program only. FOLDER (runs/releases) gets the
table, as Markdown and JSON, and in NAME-VERSION each report with its evidence. The same --nonce continues a call that was
interrupted. Exit code 1 where a version does not reach the level.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby, pairwise
from pathlib import Path
from typing import Final

from claw_adapter.audit import TrialAudit, audit_run
from claw_adapter.certify.demand import LEVELS, Level
from claw_adapter.certify.output import read_report
from claw_adapter.certify.plans.draw import PLANS, draw
from claw_adapter.certify.plans.evidence import evidence_folder
from claw_adapter.certify.plans.layout import lay_out
from claw_adapter.certify.plans.recorded import sub_agent_of
from claw_adapter.certify.records import Report
from claw_adapter.errors import HarnessCrash, Owner
from claw_adapter.frameworks import Framework, FrameworkUnknown, InstallFailed, describe, install
from claw_adapter.frameworks.commands import execute, uv
from claw_adapter.frameworks.newest import npm_client
from claw_adapter.plugins import entry_points
from claw_adapter.profile.apart import apart_of
from claw_adapter.protocol import Failure
from claw_adapter.runner.headroom import Headroom
from claw_adapter.runs.load import load_run

ROOT: Final = Path(__file__).resolve().parents[1]
SECONDS: Final = 3600
"""How long one certification may take."""
PIP: Final = (
    "--universal", "--generate-hashes", "--no-emit-index-url", "--no-emit-find-links", "--no-header", "--no-annotate",
    "--python-version", "3.11", "--quiet",
)  # fmt: skip
NPM: Final = (
    "--package-lock-only", "--omit-lockfile-registry-resolved", "--ignore-scripts", "--no-audit", "--no-fund",
    "--no-update-notifier", "--loglevel=error",
)  # fmt: skip
STARTS: Final = "TURN-003"
"""A check of one conversation with one turn."""
COLUMNS: Final = (
    "version", "level", "findings", "declared losses that bit", "tokens before the first prompt", "requests", "seconds",
)  # fmt: skip
ENTRY: Final = {"system": "its instructions", "tools": "its tool definitions"}
OPEN: Final = ("kit", "unverified", "unsupported")
"""Outcomes of checks that neither passed nor found something."""
KEYED: Final = re.compile(r"(M\d+ [\w-]+): (.*)")


class NoReport(Exception):
    """A certification did not come to its end; says why."""


@dataclass(frozen=True)
class Finding:
    """What a check found: `owner` is adapter or harness, `what` its first line."""

    owner: str
    what: str


@dataclass(frozen=True)
class Row:
    """One version. `problem` says why it has no certification: that is nothing that was found of the harness."""

    name: str
    version: str
    asked: str
    nonce: str
    problem: str = ""
    reached: str = ""
    findings: dict[str, Finding] = field(default_factory=dict)
    """By MUST and cause; of a check that draws no session the cause is its name."""
    unjudged: dict[str, str] = field(default_factory=dict)
    """By check: what neither passed nor found something, and why."""
    losses: dict[str, int] = field(default_factory=dict)
    """Declared losses that bit in the drawn sessions, and how often."""
    entry: dict[str, int] = field(default_factory=dict)
    """Tokens before the first prompt of the first drawn session, by where they come from; see `profile.apart`."""
    requests: int = 0
    """Of the drawn sessions, compared whole."""
    isolation: int = 0
    started: str = ""
    seconds: float = 0.0

    @property
    def label(self) -> str:
        """As it is typed."""
        return f"{self.name}@{self.version}"


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("versions", nargs="+", metavar="NAME@VERSION")
    parser.add_argument("--full", action="store_true", help="certify at Gold")
    parser.add_argument("--nonce", default=secrets.token_hex(4))
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "releases")
    given = parser.parse_args()
    if unsaid := [text for text in given.versions if not text.partition("@")[2]]:
        parser.error(f"which version? NAME@VERSION, not {unsaid[0]}")
    level: Level = "gold" if given.full else "silver"
    rows = []
    for text in given.versions:
        name, _, version = text.partition("@")
        row = release(name, version, level, given.nonce, given.out.resolve() / f"{name}-{version}")
        print(f"{row.label}: {row.problem or row.reached or 'no level'} in {row.seconds:.0f} s", flush=True)
        rows.append(row)
        (given.out / "table.json").write_text(json.dumps([asdict(one) for one in rows], indent=1), "utf-8")
        (given.out / "table.md").write_text(render(rows), "utf-8")
    return 0 if all(row.reached == row.asked for row in rows) else 1


def release(name: str, version: str, level: Level, nonce: str, folder: Path) -> Row:
    """Install and certify one version; `folder` gets row.json, and below certification what `claw certify` writes."""
    begun = Row(name, version, level, nonce)
    kept = folder / "row.json"
    if kept.is_file() and not (row := _row(kept)).problem and (row.asked, row.nonce) == (level, nonce):
        return row
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as text:
        work = Path(text)
        try:
            install(described(describe(name), version, work / "plugin"), home=work / "home")
        except (InstallFailed, FrameworkUnknown) as error:
            row = replace(begun, problem=f"not installed: {_short(error.what)}")
        else:
            row = certified(begun, work, folder / "certification")
    kept.write_text(json.dumps(asdict(row), indent=1), "utf-8")
    return row


def described(spec: Framework, version: str, folder: Path) -> Framework:
    """A copy of the plugin in `folder`, as Python imports it from there, whose description pins another version.

    npm leaves a package of the lock as it is unless its version changes, so what was left out of the lock by hand stays out.

    Raises:
        InstallFailed: it cannot be resolved, or comes from no registry.
    """
    if spec.kind == "binary":
        raise InstallFailed(f"{spec.title} is its vendor's program, which no registry has")
    (target,) = {point.target.partition(":")[0].partition(".")[0] for point in entry_points(spec.name)}
    found = importlib.util.find_spec(target)
    package = Path(next(iter((found.submodule_search_locations if found else None) or ())))
    shutil.copytree(
        package, folder / target, ignore=shutil.ignore_patterns("__pycache__", "certificates", "golden", "profiles")
    )
    there = folder / target / spec.folder.relative_to(package)
    text = (there / "framework.toml").read_text("utf-8")
    (there / "framework.toml").write_text(
        re.sub(r"(?m)^(?:version|requirement) = .*", lambda line: line[0].replace(spec.version, version), text), "utf-8"
    )
    pinned = Framework.load(there / "framework.toml")
    if spec.kind == "npm":
        manifest = json.loads((there / "package.json").read_text("utf-8"))
        manifest["dependencies"][spec.requirement.removesuffix(f"@{spec.version}")] = version
        (there / "package.json").write_text(json.dumps(manifest, indent=2), "utf-8")
        argv = [*npm_client(spec), "install", *NPM, "--cache", str(folder / "npm")]
    else:
        asked = folder / "asked.in"
        extra = [re.split("[=<>]", one)[0] for one in spec.extra]
        asked.write_text("\n".join((pinned.requirement, *extra, "")), "utf-8")
        argv = [uv() or "uv", "pip", "compile", str(asked), *PIP, "-o", pinned.requirements]
    execute(argv, f"resolving {pinned.requirement}", verbose=False, cwd=there)
    return pinned


def certified(row: Row, work: Path, out: Path) -> Row:
    """`claw certify` with the plugin and the program below `work`, as it would be called; one check first: does it start?"""
    headroom = Headroom(work)
    try:
        first = _certify(row, work, out, "--only", STARTS)
        if found := re.search(r"HarnessStartError: (.*)", "\n".join(result.what for result in first.results)):
            return replace(row, problem=f"not started by this adapter: {found[1]}", seconds=first.seconds)
        report = _certify(row, work, out, "--level", row.asked)
    except NoReport as error:
        return replace(row, problem=f"not certified: {error}")
    failure = headroom.blamed(Failure.of(HarnessCrash("a check failed")))
    if report.count("failed") and failure.owner is Owner.MACHINE:
        return replace(row, problem=f"not certified: the machine was short, {failure.what}")
    return summarized(row, report, list(audits(report, out / "evidence")), entry(out / "evidence"))


def _certify(row: Row, work: Path, out: Path, *asked: str) -> Report:
    shutil.rmtree(out, ignore_errors=True)
    path = os.pathsep.join(filter(None, (str(work / "plugin"), os.environ.get("PYTHONPATH"))))
    env = {**os.environ, "PYTHONPATH": path, "CLAW_HOME": str(work / "home")}
    argv = [
        sys.executable,
        "-m",
        "claw_adapter",
        "certify",
        row.name,
        *asked,
        "--nonce",
        row.nonce,
        "-q",
        "--out",
        str(out),
    ]
    try:
        done = subprocess.run(argv, check=False, cwd=work, env=env, timeout=SECONDS, capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        raise NoReport(f"it took longer than {SECONDS} s") from None
    if not (out / "report.json").is_file():
        raise NoReport(f"status {done.returncode}, {_short(done.stderr or done.stdout)}")
    return read_report(out)


def audits(report: Report, evidence: Path) -> Iterator[TrialAudit]:
    """What the ledger says of the drawn sessions that were run whole, by level."""
    for level in LEVELS:
        folder = evidence_folder(evidence, level) / "1"
        if not (folder / "run.json").is_file():
            continue
        data = load_run(folder)
        plans = [draw(report.nonce, number, level) for number in range(PLANS[level])]
        with tempfile.TemporaryDirectory() as text:
            roots = {plan.name: Path(text).resolve() / plan.name for plan in plans}
            laid = {
                plan.name: lay_out(plan, roots[plan.name], lambda _session: None, sub_agent_of(trial))
                for plan, trial in zip(plans, data.trials, strict=True)
            }
            restarts = {
                trial.spec.id: {one.round for one in laid[trial.spec.scenario].incidents if one.kind == "restart"}
                for trial in data.trials
            }
            yield from audit_run(data, [str(root) for root in roots.values()], restarts=restarts).trials


def entry(evidence: Path) -> dict[str, int]:
    """Tokens that the harness sends before the first prompt, where nobody has said anything yet."""
    folder = evidence_folder(evidence, LEVELS[0]) / "1"
    found = apart_of(load_run(folder)) if (folder / "run.json").is_file() else []
    return found[0].entry if found else {}


def summarized(row: Row, report: Report, audited: Sequence[TrialAudit], before: dict[str, int]) -> Row:
    """The row of a certification that came to its end."""
    findings: dict[str, Finding] = {}
    for result in report.results:
        if result.outcome == "failed":
            first = result.what.partition("\n")[0]
            keyed = KEYED.match(first) if result.id.startswith("PLAN-") else None
            key, what = keyed.groups() if keyed else (f"{result.must} {result.id}", first)
            findings[key] = Finding(result.owner, what)
    losses: dict[str, int] = {}
    for trial in audited:
        for one in trial.findings:
            findings.setdefault(one.key, Finding(one.owner, one.what))
        for bite in trial.bites:
            losses[bite.loss] = losses.get(bite.loss, 0) + bite.times
    return replace(
        row, reached=report.reached or "", findings=findings,
        unjudged={one.id: f"{one.outcome}: {one.what}" for one in report.results if one.outcome in OPEN},
        losses=losses, entry=before, requests=sum(trial.requests for trial in audited), isolation=report.isolation,
        started=report.started, seconds=report.seconds,
    )  # fmt: skip


def render(rows: Sequence[Row]) -> str:
    """The table of all versions, what changed, and each finding in a sentence, as Markdown."""
    levels = " and ".join(sorted({f"{row.isolation}" for row in rows if not row.problem})) or "unknown"
    how = f"asked for {rows[0].asked}, isolation {levels}, sessions of nonce {rows[0].nonce}"
    lines = [
        f"By the scripted model, not by a language model; {how}.",
        "",
        f"| {' | '.join(COLUMNS)} |",
        "|---" * len(COLUMNS) + "|",
        *(f"| {' | '.join(_cells(row))} |" for row in rows),
    ]
    pairs = [pair for _, group in groupby(rows, lambda row: row.name) for pair in pairwise(group)]
    if pairs:
        lines += ["", "What changed against the version before:", ""]
        lines += [f"- {b.label} → {a.version}: {'; '.join(changes(b, a)) or 'nothing'}" for b, a in pairs]
    notes = [f"- {row.label} was {row.problem}. Nothing is known of the harness." for row in rows if row.problem]
    notes += [f"- {row.label}, {key} ({one.owner}): {one.what}" for row in rows for key, one in row.findings.items()]
    notes += [f"- {row.label}, {check} not judged, {why}" for row in rows for check, why in row.unjudged.items()]
    return "\n".join([*lines, *(["", "Seen:", "", *notes] if notes else []), ""])


def changes(before: Row, after: Row) -> list[str]:
    """What differs, but for the time it took; a version without a certification is compared with none."""
    if missing := next((row for row in (before, after) if row.problem), None):
        return [f"cannot be said, {missing.version} was {missing.problem.partition(':')[0]}"]
    levels = [row.reached or "no level" for row in (before, after)]
    found = [" → ".join(levels)] if before.reached != after.reached else []
    for new, gone, old, now in (
        ("newly found", "no longer found", before.findings, after.findings),
        ("newly lost", "no longer lost", before.losses, after.losses),
        ("no longer judged", "judged again", before.unjudged, after.unjudged),
    ):
        found += [f"{new}: {key}" for key in now if key not in old]
        found += [f"{gone}: {key}" for key in old if key not in now]
    times = ((loss, before.losses[loss], after.losses[loss]) for loss in after.losses if loss in before.losses)
    found += [f"{loss}: {old} times → {new}" for loss, old, new in times if old != new]
    counts = [(f"tokens of {what}", before.entry.get(key, 0), after.entry.get(key, 0)) for key, what in ENTRY.items()]
    counts.append(("requests", before.requests, after.requests))
    found += [f"{what} {old:,} → {new:,}" for what, old, new in counts if old != new]
    return found


def _cells(row: Row) -> Sequence[str]:
    if row.problem:
        return (row.label, row.problem.partition(":")[0], *[""] * (len(COLUMNS) - 2))
    level = (row.reached or "no level") + (f" ({len(row.unjudged)} not judged)" if row.unjudged else "")
    findings = ", ".join(f"{key} ({one.owner})" for key, one in row.findings.items())
    losses = "; ".join(f"{loss} ({times}×)" for loss, times in row.losses.items())
    counts = (f"{row.entry.get('total', 0):,}", f"{row.requests:,}", f"{row.seconds:.0f}")
    return (row.label, level, findings or "none", losses or "none", *counts)


def _short(text: str) -> str:
    return " ".join(text.split())[:400].rstrip(".")


def _row(path: Path) -> Row:
    fields = json.loads(path.read_text("utf-8"))
    return Row(**{**fields, "findings": {key: Finding(**one) for key, one in fields["findings"].items()}})


if __name__ == "__main__":
    sys.exit(main())
