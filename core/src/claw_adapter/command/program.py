"""Find a program and ask its version: on PATH, at a place that an option names, or in a framework's installation."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from claw_adapter.command.data import last_line
from claw_adapter.errors import HarnessNotFound
from claw_adapter.frameworks import Framework, Installed, ask, fault, instruction, locate, reported_version
from claw_adapter.harness import Probe

__all__ = [
    "INSTALLED",
    "Version",
    "find_installed",
    "find_program",
    "installed_places",
    "interpreters",
    "probe_installed",
    "probe_program",
]

INSTALLED: Final = ("program", "python", "bin", "node", "modules")
"""Places of a framework's installation, as in ``framework.toml``."""

SHOWN: Final = 300
"""Characters of a line of output in a message."""
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_NUMBER: Final = r"\d+(?:\.\d+)+[\w.+-]*"


@dataclass(frozen=True, slots=True)
class Version:
    """How the version is asked for, and which ones the adapter is for.

    Attributes:
        arguments: of the program; without any it is not asked, and its version is unknown.
        pattern: what of its output is the version; its first group, if it has one.
        at_least: the oldest version that will do.
        exactly: the only one that will do.
    """

    arguments: tuple[str, ...] = ("--version",)
    pattern: str = _NUMBER
    at_least: str = ""
    exactly: str = ""

    def fault(self, found: str) -> str:
        """Why a version will not do; empty if it will."""
        if self.exactly and found != self.exactly:
            return f"it is {found}, not {self.exactly}"
        return f"it is {found}, not {self.at_least} or later" if _numbers(found) < _numbers(self.at_least) else ""


def find_program(name: str, chosen: str, remedy: str) -> Path:
    """The program that was chosen, else that of its name on PATH, or beside the Python that runs this; links stay.

    Raises:
        HarnessNotFound: there is none.
    """
    beside = Path(sys.executable).parent  # of an environment that is not activated
    found = shutil.which(Path(chosen).expanduser()) if chosen else shutil.which(name) or shutil.which(name, path=beside)
    if found is None:
        what = f"no program {chosen}" if chosen else f"{name} is not on PATH, nor in {beside}"
        raise HarnessNotFound(what, where=name, remedy=remedy)
    return Path(found).absolute()


def probe_program(name: str, program: Path, version: Version, remedy: str, env: Mapping[str, str]) -> Probe:
    """Ask a program its version, with a HOME that is gone afterwards."""
    if not version.arguments:
        return Probe(ready=True, versions={name: "unknown"})
    asked = shlex.join([str(program), *version.arguments])
    again = (
        f"Try `{asked}` with an empty folder as HOME, as it was asked. If that works, the adapter's `version` does not fit "
        f"(Version(()) asks nothing); if not, the program is broken: {remedy}"
    )
    try:
        done = ask([str(program), *version.arguments], env)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Probe(ready=False, reason=f"{asked}: {error}", remedy=again)
    said = _ESCAPES.sub("", (done.stdout + done.stderr).decode("utf-8", "replace")).strip()
    seen = re.search(version.pattern, said)
    if done.returncode or seen is None:
        why = f"status {done.returncode}" if done.returncode else f"nothing that is like {version.pattern}"
        last = last_line(said) or "it said nothing"
        return Probe(ready=False, reason=f"{asked} does not say the version: {why}: {last[-SHOWN:]}", remedy=again)
    found = seen[1] if seen.re.groups else seen[0]
    if wrong := version.fault(found):
        return Probe(ready=False, reason=f"{program}: {wrong}", remedy=remedy, versions={name: found})
    return Probe(ready=True, versions={name: found})


def find_installed(spec: Framework) -> Installed:
    """The installation of a framework, or its vendor's program.

    Raises:
        HarnessNotFound: it is not there, or of no use any more.
    """
    where = f"harness {spec.name}"
    there = locate(spec)
    if spec.kind == "binary":
        if there is None:
            raise HarnessNotFound(f"{spec.title} is not installed", where=where, remedy=instruction(spec))
        return there
    reason = fault(spec)
    if there is None or reason:
        raise HarnessNotFound(reason, where=where, remedy=f"Run: claw frameworks install {spec.name}")
    return there


def probe_installed(spec: Framework, package: str = "") -> Probe:
    """Look for an installation; only a vendor's program is started, for it alone knows its version.

    Args:
        spec: of the framework.
        package: the name beside the version; that of the framework without.
    """
    try:
        there = find_installed(spec)
    except HarnessNotFound as error:
        return Probe(ready=False, reason=error.what, remedy=error.remedy.removeprefix("Run: "))
    version = reported_version(spec, there.path) if spec.kind == "binary" else there.version
    if not version:
        what = f"{there.path} does not answer as {spec.title}"
        return Probe(ready=False, reason=what, remedy=instruction(spec))
    return Probe(ready=True, versions={package or spec.name: version})


def installed_places(there: Installed) -> dict[str, str]:
    """The places of an installation, as in the check command of ``framework.toml``."""
    return {name: there.filled([f"{{{name}}}"])[0] for name in INSTALLED}


def interpreters(program: Path) -> tuple[Path, ...]:
    """What a confined process must be able to read to run a program: itself, and the virtual environment that it is part of.

    An environment that is reached by a link is named by its own path, too: the programs in it begin with that.
    """
    folder, real = program.parent.parent, program.resolve()
    if folder == Path(sys.prefix):
        return (program, real, folder, Path(sys.base_prefix))
    config = folder / "pyvenv.cfg"
    if config.is_file():
        home = re.search(r"^home\s*=\s*(.+?)\s*$", config.read_text("utf-8", "replace"), re.MULTILINE)
        bases = (Path(home[1]).parent, Path(home[1]).resolve().parent) if home else ()
        found = (program, real, folder, folder.resolve(), folder / "bin" / "python", *bases)
        return tuple(dict.fromkeys(path for path in found if path.exists() and path != Path(path.anchor)))
    return (program, real) if not program.is_symlink() else (program, *interpreters(real))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("+")[0]))
