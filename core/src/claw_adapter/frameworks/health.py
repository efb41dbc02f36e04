"""Look over an installed framework and say what is wrong with it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from claw_adapter.frameworks.binary import find_binary, instruction, missing, reported_version
from claw_adapter.frameworks.commands import environment
from claw_adapter.frameworks.description import Framework
from claw_adapter.frameworks.home import environment_path
from claw_adapter.frameworks.record import Installed
from claw_adapter.frameworks.sources import describe

__all__ = ["HealthFinding", "doctor", "fault"]

CHECK_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """One thing that was looked at."""

    what: str
    ok: bool
    detail: str = ""
    remedy: str = ""


def fault(spec: Framework, home: Path | None = None) -> str:
    """Why what ``claw frameworks install`` made cannot be used; empty if it can, as far as a look at files tells."""
    there = Installed.load(environment_path(spec.name, spec.version, home))
    if there is None:
        return f"{spec.title} {spec.version} is not installed"
    if not there.base.is_dir() or not there.python.exists():
        return f"the Python it was installed with is gone: {there.base}"
    if spec.kind == "npm" and not there.node.exists():
        return f"its Node.js is gone: {there.node}"
    return ""


def doctor(framework: Framework | str, home: Path | None = None) -> list[HealthFinding]:
    """Check a framework from its description to a run of its check command; stops at what makes the rest pointless.

    Raises:
        FrameworkUnknown: no plugin describes it.
    """
    spec = describe(framework) if isinstance(framework, str) else framework
    if spec.kind == "binary":
        return _doctor_binary(spec, home)
    path = environment_path(spec.name, spec.version, home)
    again = f"claw frameworks install {spec.name}"
    there = Installed.load(path)
    if there is None:
        detail = "an installation was interrupted" if path.exists() else f"nothing at {path}"
        return [HealthFinding(f"{spec.title} {spec.version} is installed", False, detail, again)]
    findings = [
        HealthFinding(f"{spec.title} {spec.version} is installed", True, f"{path} ({there.installer}, {there.date})")
    ]
    current = there.digest == spec.digest
    findings.append(
        HealthFinding(
            "its packages are those the plugin asks for", current, *(() if current else ("other pins", again))
        )
    )
    if not there.base.is_dir():
        detail = f"{there.base} is gone"
        return [
            *findings,
            HealthFinding("the Python it was made from exists", False, detail, f"claw frameworks remove {spec.name}"),
        ]
    return [*findings, _check(spec, there, again)]


def _doctor_binary(spec: Framework, home: Path | None) -> list[HealthFinding]:
    """A vendor's program: is there one, does it run, and which version is it (another than ours is said, not refused)."""
    there = find_binary(spec, home)
    if there is None:
        fault = missing(spec)
        return [HealthFinding(f"{spec.title} is there", False, f"searched {fault.where}", fault.remedy)]
    findings = [HealthFinding(f"{spec.title} is there", True, f"{there.path} ({there.installer})")]
    check = _check(spec, there, instruction(spec))
    if not check.ok or not spec.version_pattern:
        return [*findings, check]
    version = reported_version(spec, there.path)
    if not version:
        what = f"its check command names a version of {spec.title}"
        return [*findings, check, HealthFinding(what, False, "it does not", instruction(spec))]
    known = "" if spec.version in version else f" (the adapter was tested with {spec.version})"
    return [*findings, check, HealthFinding("it names its version", True, version + known)]


def _check(spec: Framework, there: Installed, again: str) -> HealthFinding:
    what = "its check command works"
    argv = there.filled(spec.check)
    try:
        done = subprocess.run(
            argv, check=False, capture_output=True, timeout=CHECK_SECONDS, stdin=subprocess.DEVNULL, env=environment()
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return HealthFinding(what, False, str(error), again)
    output = (done.stdout + done.stderr).decode("utf-8", "replace").strip()
    last = output.splitlines()[-1] if output else ""
    return HealthFinding(what, done.returncode == 0, last, "" if done.returncode == 0 else again)
