"""Install a framework into an environment of its own; interrupted at any point, nothing looks installed.

An environment cannot be moved once it is made (its commands hold absolute paths), so it is built where it will stay and
counts as installed only once its marker is there (see `claw_adapter.frameworks.record`).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from claw_adapter.frameworks.binary import find_binary, installed_program, missing, variable_set
from claw_adapter.frameworks.commands import execute, uv
from claw_adapter.frameworks.description import Framework
from claw_adapter.frameworks.errors import FrameworkUnknown, InstallFailed
from claw_adapter.frameworks.home import environment_path, frameworks_home
from claw_adapter.frameworks.npm import install_modules
from claw_adapter.frameworks.progress import OnProgress, Phase
from claw_adapter.frameworks.record import MARKER, PARTIAL, Installed
from claw_adapter.frameworks.release import install_program
from claw_adapter.frameworks.sources import describe

__all__ = ["environments", "install", "locate", "remove"]


def locate(framework: Framework | str, home: Path | None = None) -> Installed | None:
    """The installed framework of the version that its plugin asks for, or None; looks at two small files only.

    A vendor's program (kind ``binary``) is there in whatever version it is; see `binary.reported_version`.
    """
    try:
        spec = _described(framework)
    except FrameworkUnknown:
        return None
    if spec.kind == "binary":
        return find_binary(spec, home)
    return Installed.load(environment_path(spec.name, spec.version, home))


def environments(framework: Framework | str, home: Path | None = None) -> tuple[Installed, ...]:
    """Every version of the framework that is installed, by version; those of earlier releases of its plugin too.

    Raises:
        FrameworkUnknown: no plugin describes it.
    """
    spec = _described(framework)
    found = (Installed.load(path.resolve()) for path in sorted(frameworks_home(home).glob(f"{spec.name}-*")))
    return tuple(one for one in found if one is not None and one.name == spec.name)


def install(
    framework: Framework | str,
    *,
    verbose: bool = False,
    on_progress: OnProgress | None = None,
    home: Path | None = None,
    source: Path | None = None,
    sha256: str = "",
) -> Installed:
    """Install a framework, or return it if that very version with those very packages is there already.

    Uses ``uv`` when there is one, else the standard library's venv and pip; either way only packages whose hashes stand in
    the framework's requirements. Must not be called on a running event loop (`verbose` starts one). A vendor's program (kind
    ``binary``) is fetched by address and SHA-256, or only looked for if its description lists no release.

    Args:
        framework: its description, or its name.
        verbose: show what the installers print.
        on_progress: called with what is being done.
        home: in place of ``$CLAW_HOME``.
        source: kind ``binary`` only: the vendor's archive, or the program itself, in place of fetching it.
        sha256: kind ``binary`` only: the digest that the file must have.

    Raises:
        FrameworkUnknown: no plugin describes it.
        InstallFailed: no network, no space, a wrong hash, a wrong Python. What was made is removed again, by the next call
            if this process is killed.
    """
    spec = _described(framework)
    report = on_progress or _silent
    if spec.kind == "binary":
        return _install_binary(spec, home, source, sha256, report)
    if source is not None or sha256:
        what = f"{spec.title} is installed from packages, whose digests are listed"
        raise InstallFailed(what, remedy="Leave --from and --sha256 out.")
    path = environment_path(spec.name, spec.version, home)
    _refuse_impossible(spec)
    with _locked(path, report):
        there = Installed.load(path)
        if there is not None and there.digest == spec.digest:
            return there
        if path.exists():
            report(Phase.CLEAN)
            _clear(path)
        _refuse_without_space(spec, path)
        path.mkdir(parents=True)
        (path / PARTIAL).touch()
        try:
            installed = _build(spec, path, verbose, report)
            installed.save()
        except BaseException:  # also when interrupted: half an environment is of no use to anybody
            shutil.rmtree(path, ignore_errors=True)
            raise
    report(Phase.DONE)
    return installed


def _install_binary(
    spec: Framework, home: Path | None, source: Path | None, sha256: str, report: OnProgress
) -> Installed:
    asked = source is not None or bool(sha256)
    if not asked and (spec.release is None or variable_set(spec)):
        there = find_binary(spec, home)
    else:
        path = environment_path(spec.name, spec.version, home)
        with _locked(path, report):
            if asked or installed_program(spec, home) is None:
                _refuse_without_space(spec, path)
                install_program(spec, path, source, sha256, report)
            there = installed_program(spec, home)
    if there is None:
        raise missing(spec)
    report(Phase.DONE)
    return there


def remove(framework: Framework | str, home: Path | None = None, *, version: str = "") -> tuple[str, ...]:
    """Remove one version of a framework, or all of them, half-made ones too; returns the versions that were there.

    Raises:
        FrameworkUnknown: no plugin describes it.
        InstallFailed: the folder cannot be written.
    """
    spec = _described(framework)
    known = {one.version for one in environments(spec, home)} | {spec.version}
    removed = []
    for one in sorted(known & {version} if version else known):
        path = environment_path(spec.name, one, home)
        if path.exists():
            with _locked(path, _silent):
                _clear(path)
            removed.append(one)
    return tuple(removed)


def _clear(path: Path) -> None:
    """Remove an environment, its marker first, so that half a removal does not look installed."""
    try:
        (path / MARKER).unlink(missing_ok=True)
        shutil.rmtree(path)
    except OSError as error:
        what = f"cannot be removed: {error.strerror or error}"
        raise InstallFailed(
            what, where=str(path), remedy="End what still uses it, or remove the folder by hand."
        ) from error


def _described(framework: Framework | str) -> Framework:
    return describe(framework) if isinstance(framework, str) else framework


def _silent(_: Phase) -> None:
    """Report to nobody."""


def _refuse_impossible(spec: Framework) -> None:
    if not spec.fits():
        raise InstallFailed(
            f"{spec.title} {spec.version} needs Python {spec.python}, this is {sys.version.split()[0]}",
            remedy="Run claw under a Python of that range.",
        )


def _refuse_without_space(spec: Framework, path: Path) -> None:
    free = shutil.disk_usage(path.parent).free // 1_000_000
    if free < spec.megabytes:
        raise InstallFailed(
            f"{spec.title} needs about {spec.megabytes} MB, {free} MB are free",
            where=str(path.parent),
            remedy="Free some space, or point CLAW_HOME to another disk.",
        )


def _build(spec: Framework, path: Path, verbose: bool, report: OnProgress) -> Installed:
    program = uv()
    python = path / "bin" / "python"
    requirements = str(spec.requirements_file.absolute())
    report(Phase.ENVIRONMENT)
    if program:
        make = [program, "venv", "--allow-existing", "--no-project", "--python", sys.executable, str(path)]
        # Compiled now, because a confined harness cannot write beside its own modules.
        fill = [program, "pip", "sync", "--python", str(python), "--require-hashes", "--compile-bytecode", requirements]
        installer = execute([program, "--version"], "uv", verbose=False, cwd=path).strip()
    else:
        make = [sys.executable, "-I", "-m", "venv", str(path)]
        fill = [str(python), "-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
        # The file is complete, as uv's sync takes it to be.
        fill += ["--no-deps", "--require-hashes", "-r", requirements]
        installer = "pip"
    execute(make, f"making an environment for {spec.title}", verbose=verbose, cwd=path)
    report(Phase.PACKAGES)
    execute(fill, f"installing {spec.requirement}", verbose=verbose, cwd=path)
    if spec.kind == "npm":
        install_modules(spec, path, verbose)
    installed = Installed(
        name=spec.name,
        version=spec.version,
        path=path,
        python=python,
        base=Path(sys.base_prefix),
        digest=spec.digest,
        installer=installer,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    report(Phase.CHECK)
    execute(installed.filled(spec.check), f"{spec.title} was installed but does not work", verbose=verbose, cwd=path)
    return installed


@contextlib.contextmanager
def _locked(path: Path, report: OnProgress) -> Iterator[None]:
    """One installation of a framework at a time; the lock goes with the process that holds it."""
    import fcntl

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.with_name(f".{path.name}.lock").open("ab")
    except OSError as error:
        raise InstallFailed(f"cannot write there: {error}", remedy="Point CLAW_HOME elsewhere.") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            report(Phase.WAIT)
            fcntl.flock(file, fcntl.LOCK_EX)
        os.set_inheritable(file.fileno(), True)  # if we are killed, an installer that still writes keeps the lock
        yield
