"""`claw certify`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from claw_adapter.cli.common import FAILED, console, print_json
from claw_adapter.cli.numbers import SECONDS

if TYPE_CHECKING:
    from pydantic import JsonValue

    from claw_adapter.certify.certificate import Certificate
    from claw_adapter.certify.judge import CertificationPlan
    from claw_adapter.certify.records import Report
    from claw_adapter.harness import Harness
    from claw_adapter.notation import Named

__all__ = ["command"]

NAMES = {"name": "NAME", "as_json": "--json", "until_failure": "--exitfirst", "watching": "--watch"}
"""How parameters are written that are not called so."""
LONGEST = 2_000
"""Characters of a line about a certificate."""


@click.command("certify")
@click.argument("name", required=False, metavar="NAME[+OVERLAY][:KEY=VALUE,...]")
@click.option("--level", type=click.Choice(["bronze", "silver", "gold"]), default="gold", show_default=True)
@click.option("--certified", is_flag=True, help="Nothing may be left out or excused.")
@click.option(
    "--baseline",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Known failures, with reason and expiry.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for report, evidence and certificate.  [default: certification/NAME, with --only certification/NAME.only]",
)
@click.option("--only", multiple=True, metavar="ID|AREA", help="Only these checks; no level can be reached with it.")
@click.option("--exitfirst", "-x", "until_failure", is_flag=True, help="Stop at the first check that fails.")
@click.option(
    "--watch",
    "watching",
    is_flag=True,
    help="Go on whenever a file of the adapter is saved, what failed first; to Ctrl-C.",
)
@click.option("--requirements", default=None, help="The requirement set.  [default: the newest]")
@click.option(
    "--isolation", type=click.IntRange(0, 2), help="Level for the harness's processes.  [default: the highest here]"
)
@click.option("--deadline", type=SECONDS, default=90.0, show_default=True, help="Seconds for one turn, or for opening.")
@click.option(
    "--nonce", default="", metavar="TEXT", help="What plans are drawn from.  [default: a fresh one, which is printed]"
)
@click.option(
    "--plan",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Run this stored plan and say what the audit finds; certify nothing.",
)
@click.option("--matrix-with", "matrix_with", multiple=True, type=click.Path(path_type=Path, exists=True, file_okay=False),
              help="Folder of another certification to show in the same matrix page.")  # fmt: skip
@click.option(
    "--verify",
    type=click.Path(path_type=Path, exists=True),
    metavar="CERT",
    help="Check a certificate, and what lies beside it if anything does; it must be of NAME and reach --level if given.",
)
@click.option("--signers", type=click.Path(path_type=Path, exists=True, dir_okay=False),
              help="With --verify: an allowed_signers file of SSH, or public keys, any of which may have signed.")  # fmt: skip
@click.option("--signer", default="", help="With --verify: who of the allowed signers must have signed.")
@click.option("--reproduce", is_flag=True, help="With --verify: certify again with its options and nonce, and compare.")
@click.option("--key", type=click.Path(path_type=Path, exists=True, dir_okay=False),
              help="A private SSH key to sign the certificate with.")  # fmt: skip
@click.option("--list", "listing", is_flag=True, help="Print what each level asks for, and certify nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the report, or the list, as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="Only the summary.")
@click.pass_context
def command(ctx: click.Context, /, name: str | None, verify: Path | None, listing: bool, **flags: Any) -> int:
    """Certify the harness NAME: test offline whether its adapter keeps the contract claw/1.

    Options of the adapter are written as in `claw run`: reference:mode=acp.
    """
    if verify is not None:
        given = _given(ctx)
        others = given - {"verify", "name", "level", "signers", "signer", "reproduce", "as_json"}
        _refuse(others, "says how to certify and means nothing with --verify")
        if "signer" in given and not flags["signer"].strip():
            raise click.UsageError(
                "--signer is empty: name one of the --signers, or leave it out if any of them will do"
            )
        if flags["signer"] and flags["signers"] is None:
            raise click.UsageError("--signer is one of the --signers, which are missing")
        return _verify(verify, name, flags["level"] if "level" in given else None, flags)
    _refuse(_given(ctx) & {"signers", "signer", "reproduce"}, "goes with --verify")
    if listing:
        others = _given(ctx) - {"listing", "level", "only", "requirements", "as_json"}
        _refuse(others, "says how to certify and means nothing with --list")
        return _list(flags)
    if name is None:
        raise click.UsageError("name a harness, or a certificate with --verify")
    if "nonce" in _given(ctx) and not flags["nonce"].strip():
        raise click.UsageError("--nonce is empty: say what to draw from, or leave it out for a fresh one")
    from claw_adapter.report.clean import is_one_line

    if not is_one_line(flags["nonce"]):
        raise click.UsageError("--nonce has a line break or a control character in it")
    if flags["certified"] and (flags["baseline"] or flags["only"]):
        raise click.UsageError("certified mode takes neither --baseline nor --only")
    if flags.pop("watching"):
        return _watch(name, flags["out"], first=not flags["only"])
    if flags["plan"] is not None:
        return _plan(name, flags)
    return _certify(name, flags, with_level=not flags["only"] or "level" in _given(ctx))


def _refuse(wrong: Iterable[str], why: str) -> None:
    """Say why some parameters mean nothing here, if there are any."""
    if names := ", ".join(NAMES.get(one, f"--{one.replace('_', '-')}") for one in sorted(wrong)):
        raise click.UsageError(f"{names} {why}")


def _watch(asked_name: str, out: Path | None, *, first: bool) -> int:
    """The same command without --watch, at each save, in a process of its own since the adapter is another one; to Ctrl-C.

    Where `first`, what failed is asked alone until it passes.
    """
    import subprocess
    import sys
    import time

    from claw_adapter.plugins import files_of
    from claw_adapter.saving import each_save

    command = [sys.executable, "-m", "claw_adapter", *(word for word in sys.argv[1:] if word != "--watch")]
    failed = list[str]()
    for names in each_save(lambda: files_of(_stacked(asked_name)[0])):
        if names:
            click.echo(f"\n{time.strftime('%H:%M:%S')}  {', '.join(names)}")
        only = [word for one in failed for word in ("--only", one)]
        only += ["--out", f"{out}.only"] if only and out is not None else []
        if only and subprocess.run([*command, *only], check=False).returncode:
            continue
        subprocess.run(command, check=False)
        failed = _failed(_folder(asked_name, out)) if first else []
    return 0


def _failed(out: Path) -> list[str]:
    """The checks that failed in the certification that lies there."""
    from claw_adapter.certify.output import read_report
    from claw_adapter.errors import ClawError

    try:
        return [one.id for one in read_report(out).results if one.outcome == "failed"]
    except ClawError:  # it did not come to a report
        return []


def _folder(asked_name: str, out: Path | None, *, part: bool = False) -> Path:
    """Where the results go; those of some checks, from which no certificate can come, not where one may lie."""
    from claw_adapter.runs.plan import label

    name, _, words = _named(asked_name)
    return (out or Path("certification") / f"{label(name, words)}{'.only' if part else ''}").absolute()


def _plan(asked_name: str, flags: dict[str, Any]) -> int:
    """Run a stored plan again."""
    from claw_adapter import plugins
    from claw_adapter.certify.plans.plan import SessionPlan, step_text
    from claw_adapter.certify.plans.trial import PlanRunner
    from claw_adapter.cli.process import finish_in_order
    from claw_adapter.errors import ScenarioError
    from claw_adapter.reading import read_text, why
    from claw_adapter.sandbox import detect

    name, options, overlays = _stacked(asked_name)
    harness: Harness = plugins.create("harness", name, options)
    try:
        plan = SessionPlan.model_validate_json(read_text(flags["plan"]))
    except ValueError as error:
        remedy = "Name a file of evidence/plans/ in the folder of a certification, such as silver-0.json."
        raise ScenarioError(f"not a stored plan: {why(error)}", where=str(flags["plan"]), remedy=remedy) from None
    level = flags["isolation"] if flags["isolation"] is not None else 1 if harness.runs_inside else int(detect().level)
    runner = PlanRunner(
        harness, options=options, overlays=overlays, isolation=level, deadline=flags["deadline"], keep=flags["out"]
    )
    (outcome,) = finish_in_order(runner.outcomes([plan]))
    out = console()
    for number, step in enumerate(plan.steps, start=1):
        out.print(f"{number}. {step_text(step)}", soft_wrap=True, markup=False)
    for finding in outcome.findings:
        out.print(f"✗ {finding.key} ({finding.owner}): {finding.what}", soft_wrap=True, markup=False)
        if finding.usual:
            out.print(f"  usually: {finding.usual}", soft_wrap=True, markup=False)
    if not outcome.findings:
        out.print(
            f"not judged: {outcome.unjudged}" if outcome.unjudged else "nothing found", soft_wrap=True, markup=False
        )
    elif (kept := flags["out"]) is not None:
        request = min((finding.request for finding in outcome.findings if finding.request), default=1)
        command = f"claw audit {shlex.quote(str(kept / str(runner.runs)))} --request {request}"
        out.print(f"a request of it, whole: {command}", soft_wrap=True, markup=False)
    else:
        out.print(
            "with --out DIR its requests are kept, and `claw audit DIR/1 --request N` prints one whole", markup=False
        )
    return FAILED if outcome.findings or outcome.unjudged else 0


def _named(text: str) -> Named:
    from claw_adapter.notation import parse_named

    try:
        return parse_named(text)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _stacked(text: str) -> tuple[str, dict[str, JsonValue], tuple[str, ...]]:
    """The harness that is named, its options, and its overlays."""
    from claw_adapter.notation import stacked

    name, options, _ = _named(text)
    harness, overlays = stacked(name)
    return harness, options, overlays


def _given(ctx: click.Context) -> set[str]:
    """Parameters that stand on the command line."""
    default = click.core.ParameterSource.DEFAULT
    return {name for name in ctx.params if ctx.get_parameter_source(name) is not default}


def _list(flags: dict[str, Any]) -> int:
    """Print the requirement set: each check with its level, what it looks at, and which capabilities it needs."""
    from claw_adapter.certify.judge import plan
    from claw_adapter.certify.requirements import CURRENT
    from claw_adapter.certify.terminal import print_checks

    asked = plan(flags["level"], name=flags["requirements"] or CURRENT, only=flags["only"])
    if flags["as_json"]:
        rows = [
            {"id": one.id, "level": one.level, "must": one.must, "title": one.title, "needs": one.needs,
             "catches": one.catches, "remedy": one.remedy}
            for one in asked.checks
        ]  # fmt: skip
        print_json({"requirement_set": asked.requirements.name, "spec": asked.requirements.spec, "checks": rows,
                    "not_scored": asked.requirements.not_scored})  # fmt: skip
    else:
        print_checks(console(), asked.checks, asked.requirements)
    return 0


def _certify(asked_name: str, flags: dict[str, Any], *, with_level: bool) -> int:
    from claw_adapter import plugins
    from claw_adapter.certify.baseline import load_baseline
    from claw_adapter.certify.judge import plan
    from claw_adapter.certify.output import owned, read_report, write_all
    from claw_adapter.certify.requirements import CURRENT
    from claw_adapter.certify.stack import overlay_specs
    from claw_adapter.certify.terminal import print_report
    from claw_adapter.cli.process import finish_in_order
    from claw_adapter.errors import HarnessNotFound
    from claw_adapter.runner.overlays import make_overlays

    name, options, overlays = _stacked(asked_name)
    harness: Harness = plugins.create("harness", name, options)
    probe = harness.probe()
    if not probe.ready:
        raise HarnessNotFound(f"harness {name!r} is not ready: {probe.reason}", remedy=probe.remedy)
    make_overlays(overlay_specs(overlays))
    baseline = load_baseline(flags["baseline"]) if flags["baseline"] else None
    asked = plan(
        flags["level"], name=flags["requirements"] or CURRENT, certified=flags["certified"], baseline=baseline,
        only=flags["only"],
    )  # fmt: skip
    for folder in flags["matrix_with"]:
        read_report(folder)
    out = _folder(asked_name, flags["out"], part=bool(flags["only"]))
    if flags["only"] and (out / "certificate.json").exists():
        raise click.UsageError(f"{out} has a certificate, and --only makes none: name another folder with --out")
    with owned(out):
        report = finish_in_order(_run(harness, options, overlays, asked, out, flags))
        write_all(report, out, beside=flags["matrix_with"], key=flags["key"])
    if flags["as_json"]:
        print_json(report.model_dump(mode="json"))
    else:
        print_report(console(), report, out, with_level=with_level)
    return 0 if report.ok else FAILED


async def _run(
    harness: Harness,
    options: Mapping[str, JsonValue],
    overlays: Sequence[str],
    asked: CertificationPlan,
    out: Path,
    flags: dict[str, Any],
) -> Report:
    import time

    from claw_adapter.certify.bench import Bench
    from claw_adapter.certify.judge import certify, report
    from claw_adapter.certify.records import CheckResult
    from claw_adapter.certify.terminal import print_result

    screen, silent = console(stderr=flags["as_json"]), flags["quiet"]

    def print_one(result: CheckResult, _number: int, _total: int) -> None:
        if not silent:
            print_result(screen, result, bench.evidence)

    started = time.time()
    bench = Bench(harness, out=out, isolation=flags["isolation"], deadline=flags["deadline"], options=options,
                  overlays=overlays, nonce=flags["nonce"])  # fmt: skip
    async with bench:
        results = await certify(bench, asked, on_result=print_one, until_failure=flags["until_failure"])
    if bench.interrupted:
        screen.print("interrupted: what was found is kept, and no further check was made")
    return report(bench, asked, results, started=started)


def _unlike(certificate: Certificate, name: str | None, level: str | None) -> list[str]:
    """In what a certificate is not the one that was asked for; a name without options asks for any."""
    from claw_adapter.certify.demand import LEVELS

    problems = []
    if name is not None:
        harness, options, overlays = _stacked(name)
        same = (harness, overlays) == (certificate.adapter, certificate.overlays)
        if not same or (options and options != certificate.options):
            problems.append(f"it is a certificate of {certificate.label}, not of {name}")
    if level is not None and LEVELS.index(certificate.level) < list[str](LEVELS).index(level):
        problems.append(f"its level is {certificate.level}, {level} was asked for")
    return problems


def _verify(path: Path, name: str | None, level: str | None, flags: dict[str, Any]) -> int:
    from claw_adapter.certify.verification import has_evidence, has_report, installed_otherwise, verify
    from claw_adapter.report.clean import one_line

    certificate, problems, signer, derived, told = verify(path, flags["signers"], flags["signer"])
    problems = [*_unlike(certificate, name, level), *problems]
    if flags["reproduce"]:
        _may_start(certificate, name, signed=bool(signer) and flags["signers"] is not None)
        problems += _reproduced(path, certificate, flags) if not problems else []
    whole, notes = has_evidence(path), [*told, *installed_otherwise(certificate)]
    attested = not problems and bool(signer) and flags["signers"] is not None
    if flags["as_json"]:
        found = certificate.model_dump(mode="json")
        print_json({"certificate": found, "problems": problems, "notes": notes, "signer": signer, "attested": attested,
                    "evidence_checked": whole, "derived": derived})  # fmt: skip
        return 0 if attested else FAILED
    versions = ", ".join(f"{name} {version}" for name, version in certificate.versions.items())
    about = (
        f"{certificate.label} ({versions}): {certificate.level}"
        f"{' (certified mode)' if certificate.certified else ''}, {certificate.spec}, set {certificate.requirement_set}, "
        f"isolation {certificate.isolation}, {certificate.issued}{f', nonce {certificate.nonce}' if certificate.nonce else ''}"
    )
    lines = [about, *(f"✗ {problem}" for problem in problems)]
    if not problems:
        parts = ["certificate", *["results"] * has_report(path), *["evidence"] * whole]
        missing = [name for name in ("results", "evidence") if name not in parts]
        more = f"; {' and '.join(missing)}: not here, not checked" if missing else ""
        lines.append(
            f"✓ {', '.join(parts)} belong together and are unchanged{more}" if parts[1:] else f"✓ unchanged{more}"
        )
        if flags["reproduce"]:
            lines.append("✓ certified again: verdicts, code, versions, programs and what is declared are the same")
        lines.append(f"✓ signed by {signer}" if attested else f"✗ {_unattested(signer)}")
    if derived:
        lines.append(f"  drawn from the nonce and judged again: {', '.join(derived)}")
    out = console()
    for line in [*lines, *(f"  {note}" for note in notes)]:
        out.print(f"{'  ' * line.startswith('  ')}{one_line(line, LONGEST)}", soft_wrap=True, markup=False)
    return 0 if attested else FAILED


def _may_start(certificate: Certificate, name: str | None, *, signed: bool) -> None:
    """What a certificate names is started for who names it too, or takes the word of whoever has signed it."""
    certified = certificate.adapter, certificate.options, certificate.overlays
    if signed or (name is not None and _stacked(name) == certified):
        return
    own = shlex.quote(certificate.label)
    what = "--reproduce starts what the certificate names, and nobody whose word you take has signed it"
    raise click.UsageError(f"{what}; if that is to be started, say so: claw certify {own} --verify … --reproduce")


def _unattested(signer: str) -> str:
    """Why a certificate that is consistent is not attested: anybody can make a key."""
    if not signer:
        return "consistent, not attested: nobody has signed it"
    return f"consistent, not attested: signed by the key {signer}; with --signers, say whose signature you accept"


def _reproduced(path: Path, certificate: Certificate, flags: dict[str, Any]) -> list[str]:
    """Certify again what a certificate names, with its nonce; what comes out otherwise, what is declared included."""
    from claw_adapter import plugins
    from claw_adapter.certify.certificate import certificate_of
    from claw_adapter.certify.judge import plan
    from claw_adapter.certify.output import read_report
    from claw_adapter.certify.verification import differing, has_report
    from claw_adapter.cli.process import finish_in_order
    from claw_adapter.folders import scratch

    asked = plan(certificate.level, name=certificate.requirement_set, certified=certificate.certified)
    harness: Harness = plugins.create("harness", certificate.adapter, certificate.options)
    given = {
        **flags, "nonce": certificate.nonce, "isolation": certificate.isolation or None, "until_failure": True,
    }  # fmt: skip
    with scratch("claw-reproduce-") as folder:
        again = finish_in_order(_run(harness, certificate.options, certificate.overlays, asked, folder, given))
    wrong = [
        f"certified again, {one.id} is {one.outcome}: {one.what}" for one in again.results if one.outcome != "passed"
    ]
    if again.reached != certificate.level:
        return wrong or [f"certified again it reaches {again.reached}"]
    now = certificate_of(again)
    declared = read_report(path if path.is_dir() else path.parent).adapter.capabilities if has_report(path) else {}
    if declared and (more := _difference(declared, again.adapter.capabilities)):
        wrong.append(f"certified again, what it declares is not what the report says{more}")
    return wrong + [
        f"certified again, {name} is not what the certificate says{_difference(getattr(certificate, name), getattr(now, name))}"
        for name in differing(certificate, now)
        if name not in ("issued", "evidence", "certified")
    ]


def _difference(one: object, other: object) -> str:
    """The names under which two tables differ, if they do."""
    if one == other or not isinstance(one, dict) or not isinstance(other, dict):
        return ""
    return f": {', '.join(sorted(key for key in {*one, *other} if one.get(key) != other.get(key)))}"
