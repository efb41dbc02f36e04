"""What of this machine every confined command sees, read-only: programs, libraries, and a few harmless files of /etc."""

from __future__ import annotations

import functools
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from claw_adapter.sandbox import limit, relay

__all__ = ["ETC_FOLDER", "LIMIT", "HostView", "host_view", "prlimit", "write_etc"]

RELAY: Final = Path(relay.__file__).absolute()
LIMIT: Final = Path(limit.__file__).absolute()
NO_KEYS: Final = RELAY.with_name("no_keys.bpf")

SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
ETC_FOLDER: Final = Path("/etc")
ETC: Final = (
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "ssl/certs",
    "ssl/openssl.cnf",
    "pki/tls/certs",
    "pki/tls/cert.pem",
    "pki/ca-trust/extracted",
    "alternatives",
    "passwd",
    "group",
    "hosts",
    "nsswitch.conf",
    "protocols",
    "services",
    "localtime",
    "timezone",
    "mime.types",
    "os-release",
    "inputrc",
    "terminfo",
)
"""The parts of /etc that programs fail without. No shadow, no private keys, no resolver: there is nobody to ask."""
PRLIMIT: Final = tuple(Path(folder, "prlimit") for folder in ("/usr/bin", "/bin"))
MAX_HOPS: Final = 16


@dataclass(frozen=True, slots=True)
class HostView:
    """The machine as `wrap` needs to know it; tests make their own.

    Attributes:
        bwrap: the bubblewrap binary.
        python: an interpreter that is visible inside, for the relay and the limits.
        symlinks: (target, path) of system folders that are links.
        readable: system and interpreter folders that are bound read-only.
        prefix: folders of the virtual environment, bound only where a confinement asks for it.
        relay: `claw_adapter.sandbox.relay` as a file.
        limit: `claw_adapter.sandbox.limit` as a file.
        calls: the filter of system calls, on a machine for which it is made (``tools/no_keys.py``).
    """

    bwrap: Path
    python: Path
    symlinks: tuple[tuple[str, Path], ...]
    readable: tuple[Path, ...]
    prefix: tuple[Path, ...]
    relay: Path = RELAY
    limit: Path = LIMIT
    hops: tuple[tuple[str, Path], ...] = ()
    """(target, path) of links between this environment's interpreter and the real one that lie in no folder shown."""
    prlimit: Path | None = None
    """The system's program that sets limits."""
    sight: tuple[str, ...] = ()
    """Options of bubblewrap with which a command sees what is behind the door; see `levels.Availability`."""
    first: tuple[str, ...] = ()
    """What such a command begins with."""
    calls: Path | None = None


@functools.cache
def prlimit() -> Path | None:
    """util-linux's program that sets limits and becomes a command, if the system has it."""
    return next((path for path in PRLIMIT if os.access(path, os.X_OK)), None)


@functools.cache
def host_view(bwrap: Path, sight: tuple[str, ...] = (), first: tuple[str, ...] = ()) -> HostView:
    """Look at this machine, once per process."""
    system = [Path(name) for name in SYSTEM if Path(name).exists()]
    links = tuple((str(path.readlink()), path) for path in system if path.is_symlink())
    folders = [path for path in system if not path.is_symlink()]
    folders += [path for name in ETC if (path := ETC_FOLDER / name).exists()]
    base = {Path(sys.base_prefix), Path(sys.base_exec_prefix)}
    base |= {path.resolve() for path in base}
    prefix = {Path(sys.prefix), Path(sys.exec_prefix)} - base
    return HostView(
        bwrap=bwrap,
        python=Path(os.path.realpath(sys.executable)),
        symlinks=links,
        readable=(*folders, *_outside(base)),
        prefix=_outside(prefix),
        hops=_hops(Path(sys.executable), [*base, *prefix, *system]),
        prlimit=prlimit(),
        sight=sight,
        first=first,
        calls=NO_KEYS if sys.byteorder == "little" else None,
    )


def write_etc(folder: Path) -> None:
    """Fill `folder`, for `Confinement.etc`, with the files of /etc that are shown, and a place for each folder of it."""
    for name in ETC:
        source, target = ETC_FOLDER / name, folder / name
        if source.is_dir():
            target.mkdir(parents=True)
        elif os.access(source, os.R_OK):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def _hops(program: Path, shown: list[Path]) -> tuple[tuple[str, Path], ...]:
    """The links that lead from a virtual environment to its interpreter, for instance through a folder of links on PATH."""
    hops: list[tuple[str, Path]] = []
    for _ in range(MAX_HOPS):
        if not program.is_symlink():
            break
        target = program.readlink()
        if not any(program.is_relative_to(folder) for folder in shown):
            hops.append((str(target), program))
        program = program.parent / target
    return tuple(hops)


def _outside(paths: set[Path]) -> tuple[Path, ...]:
    """Leave out what a system folder shows already."""
    shown = [Path(name) for name in SYSTEM]
    return tuple(sorted(path for path in paths if not any(path.is_relative_to(folder) for folder in shown)))
