"""Install a vendor's program: its release for this platform, or a file that the user names."""

from __future__ import annotations

import platform
import re
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from claw_adapter.frameworks.binary import program_name, reported_version, variable_set
from claw_adapter.frameworks.commands import execute
from claw_adapter.frameworks.description import Framework, ReleaseFile
from claw_adapter.frameworks.download import copy_hashed, download
from claw_adapter.frameworks.errors import InstallFailed
from claw_adapter.frameworks.progress import OnProgress, Phase
from claw_adapter.frameworks.record import MARKER, Installed
from claw_adapter.frameworks.unpack import take_program

__all__ = ["install_program", "platform_name", "remarks"]

_INCOMING: Final = "incoming"
_MACHINES: Final = {"amd64": "x86_64", "aarch64": "arm64"}
_BYTES: Final = 4_000_000
"""Bytes that a file may have for each megabyte that the description says the program takes: a release may grow."""


def platform_name() -> str:
    """This platform as descriptions name it: ``linux-x86_64``, ``darwin-arm64``."""
    machine = platform.machine().lower()
    return f"{sys.platform}-{_MACHINES.get(machine, machine)}"


def install_program(spec: Framework, path: Path, source: Path | None, sha256: str, report: OnProgress) -> Installed:
    """Fetch or copy, compare digests, unpack, try, and only then put the program into ``bin`` of the folder `path`.

    What was installed there before stays until the new one has been tried; a failure leaves it as it was.

    Args:
        spec: the program's description, of kind ``binary``.
        path: its folder; nobody else may write there meanwhile.
        source: a file of the user's; None fetches the release.
        sha256: the digest that the file must have; empty takes the description's word for what is fetched, and
            any file that the user names.
        report: called with what is being done.

    Raises:
        InstallFailed: none for this platform, no network, a wrong digest, a damaged archive, a program that does not run.
    """
    if sha256 and not re.fullmatch(r"[0-9a-fA-F]{64}", sha256):
        raise InstallFailed(f"not a SHA-256: {sha256!r}", remedy="It has 64 hexadecimal digits.")
    incoming = path / _INCOMING
    shutil.rmtree(incoming, ignore_errors=True)
    incoming.mkdir(parents=True)
    try:
        package, program = incoming / "package", incoming / program_name(spec)
        report(Phase.COPY if source else Phase.DOWNLOAD)
        digest, origin = _bring(spec, package, source, sha256.lower())
        take_program(package, program_name(spec), program, spec.megabytes * _BYTES)
        program.chmod(0o755)
        report(Phase.CHECK)
        _try(spec, program)
        return _move_in(spec, path, program, digest, origin)
    finally:
        shutil.rmtree(incoming, ignore_errors=True)
        if not (path / MARKER).exists():
            shutil.rmtree(path, ignore_errors=True)


def _bring(spec: Framework, package: Path, source: Path | None, sha256: str) -> tuple[str, str]:
    """Digest of the file that now is at `package`, and where it is from; it is what it should be."""
    limit = spec.megabytes * _BYTES
    if source is not None:
        where, origin = str(source), f"from the file {source.name}"
        try:
            with source.open("rb") as file:
                digest, _ = copy_hashed(file, package, limit, where)
        except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
            raise InstallFailed(f"it cannot be read: {error.strerror}", where=where) from error
    else:
        file_of_release, where = _listed(spec)
        sha256, origin = sha256 or file_of_release.sha256, f"fetched from {where}"
        by_hand = _by_hand(spec, where)
        if not sha256:
            what = f"the SHA-256 of {file_of_release.name} is not known to the adapter, so that it is not fetched"
            remedy = f"Give the digest that the vendor publishes with --sha256 HEX. Or: {by_hand}"
            raise InstallFailed(what, where=where, remedy=remedy)
        digest = download(where, package, limit, by_hand)
    if sha256 and digest != sha256:
        remedy = "Do not use it: it is not the file that it should be."
        raise InstallFailed(f"its SHA-256 is {digest}, and not {sha256}", where=where, remedy=remedy)
    return digest, origin


def _listed(spec: Framework) -> tuple[ReleaseFile, str]:
    """The release's file for this platform, and its address."""
    release, here = spec.release, platform_name()
    if release is None or here not in release.files:
        what = f"no release of {spec.title} is listed for {here}"
        remedy = f"Get the vendor's program ({spec.homepage}), then: claw frameworks install {spec.name} --from FILE"
        raise InstallFailed(what, remedy=remedy)
    file = release.files[here]
    return file, f"{release.url}/{file.name}"


def _by_hand(spec: Framework, url: str) -> str:
    name = url.rpartition("/")[2]
    return f"Fetch {url} where there is a network, then: claw frameworks install {spec.name} --from {name}"


def _try(spec: Framework, program: Path) -> None:
    argv = [part.format(program=program) for part in spec.check]
    try:
        execute(argv, f"{spec.title} does not work", verbose=False, cwd=program.parent)
    except OSError as error:
        what = f"{spec.title} cannot be run here: {error.strerror or error}"
        raise InstallFailed(what, remedy=f"Take the file for this platform, {platform_name()}.") from error


def _move_in(spec: Framework, path: Path, program: Path, digest: str, origin: str) -> Installed:
    (path / MARKER).unlink(missing_ok=True)  # killed between here and the end, nothing looks installed
    place = path / "bin" / program.name
    place.parent.mkdir(exist_ok=True)
    program.replace(place)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    installed = Installed(spec.name, spec.version, path, place, place, digest, origin, now)
    installed.save()
    return installed


def remarks(spec: Framework, there: Installed) -> list[str]:
    """What its user should know of an installed program: another version, an unlisted file, another program in its way."""
    found = []
    version = reported_version(spec, there.path)
    if version and spec.version not in version:
        found.append(
            f"the adapter was made and tested with {spec.title} {spec.version}, this is {version}: "
            f"`claw certify {spec.name}` shows what works with it"
        )
    listed = {file.sha256 for file in spec.release.files.values()} if spec.release else set()
    if there.digest and there.digest not in listed:
        found.append(f"not a file that the adapter lists: its SHA-256 is {there.digest}")
    chosen, other = variable_set(spec), shutil.which(program_name(spec))
    if chosen and there.digest:
        found.append(f"{chosen} goes before it: unset it to use what was installed")
    if other and Path(other).resolve() != there.path and there.digest:
        found.append(f"there is also {other} on PATH ({reported_version(spec, Path(other)) or '?'}): it is not used")
    return found
