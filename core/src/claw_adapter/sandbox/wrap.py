"""Turn a command into the same command, confined."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from claw_adapter.errors import SandboxError
from claw_adapter.sandbox import limit
from claw_adapter.sandbox.confinement import DOOR, Confinement
from claw_adapter.sandbox.host import ETC_FOLDER, LIMIT, MAX_HOPS, HostView, host_view, prlimit
from claw_adapter.sandbox.levels import NAMESPACES, IsolationLevel, detect, require

__all__ = ["wrap"]

SEALED: Final = ("sys", "sysrq-trigger", "fs", "acpi", "scsi", "mtrr")
"""Parts of /proc that the owner root may write without any capability: settings of the machine, not of the sandbox."""
KEYS: Final = tuple(Path("/proc", name) for name in ("keys", "key-users"))
"""What tells of the kernel's keys, which no namespace keeps apart."""
FILTERED: Final = ("/bin/sh", "-c", 'exec 9<"$0" "$@"')
"""Opens the filter of system calls for bubblewrap, which reads it from a descriptor, and becomes bubblewrap."""
Mount = tuple[Path, tuple[str, ...]]


def wrap(
    argv: Sequence[str],
    env: Mapping[str, str],
    confinement: Confinement,
    host: HostView | None = None,
    *,
    status: int | None = None,
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the argument vector and the complete environment that run `argv` confined; starts nothing.

    Values of the environment never reach a command line: bubblewrap inherits exactly `env` and hands it on, so the
    caller must start the result with that environment and nothing else. Level 2 ends with the *thread* that started it
    (the kernel's parent-death signal): start it from one that lives as long as the run. A program that is not visible
    inside shows as bubblewrap's own failure, so look for it before. At level 2 the descriptor 9 is taken; on `status`, another
    one that is handed on, bubblewrap tells what becomes of the sandbox.

    Raises:
        SandboxError: the level cannot be provided here, or the confinement contradicts itself.
    """
    if confinement.level == IsolationLevel.NONE:
        return tuple(argv), dict(env)
    confinement.check()
    if confinement.level == IsolationLevel.PROCESS:
        return _limited(argv, confinement, None), {**env, "HOME": str(confinement.home)}
    inside = {**env, "HOME": str(confinement.inside(confinement.home))}
    host = host or _this_host(confinement.level)
    if confinement.tmp is None:
        inside["TMPDIR"] = "/tmp"  # noqa: S108  # a private one
    command = _relayed(_limited(_sighted(argv, confinement, host), confinement, host), confinement, host)
    options = (*NAMESPACES, *(host.sight if confinement.sees else ()))
    if status is not None:
        options = ("--json-status-fd", str(status), *options)
    bwrap: tuple[str, ...] = (str(host.bwrap),)
    if host.calls is not None:
        bwrap = (*FILTERED, str(host.calls), *bwrap, "--seccomp", "9")
    return (*bwrap, *options, *_file_system(confinement, host, command), "--", *command), inside


def _this_host(level: IsolationLevel) -> HostView:
    require(level)
    found = detect()
    if found.bwrap is None:
        raise SandboxError("no bubblewrap")
    return host_view(found.bwrap, found.sight, found.first)


def _limited(argv: Sequence[str], confinement: Confinement, host: HostView | None) -> tuple[str, ...]:
    """Put the launcher that sets resource limits in front, if there are any."""
    limits = confinement.limits
    named = {"as": limits.address_space, "cpu": limits.cpu_seconds, "fsize": limits.file_bytes}
    if host is not None:
        named["nproc"] = limits.processes
    wanted = {name: value for name, value in named.items() if value is not None}
    if not wanted:
        return tuple(argv)
    program = prlimit() if host is None else host.prlimit
    if program is not None:
        bounds = ((name, limit.possible(name, value)) for name, value in wanted.items())
        options = [f"--{name}={most}" for name, most in bounds if most is not None]
        return (str(program), *options, "--core=0", "--", *argv)
    python, launcher = (Path(sys.executable), LIMIT) if host is None else (host.python, host.limit)
    return (str(python), "-I", "-S", str(launcher), *(f"{name}={value}" for name, value in wanted.items()), "--", *argv)


def _sighted(argv: Sequence[str], confinement: Confinement, host: HostView) -> Sequence[str]:
    """Put what a command begins with that sees behind the door in front; see `levels.Availability`."""
    return (*host.first, *argv) if confinement.sees and host.sight else argv


def _relayed(argv: tuple[str, ...], confinement: Confinement, host: HostView) -> tuple[str, ...]:
    """Put the relay in front, if the command may reach the endpoint or be reached."""
    routes: list[str] = []
    if confinement.network == "endpoint":
        routes += [str(confinement.endpoint_port), str(confinement.endpoint_socket)]
    if confinement.reverse is not None:
        routes += ["--reverse", str(confinement.reverse[0]), str(confinement.reverse[1])]
    return (str(host.python), "-I", "-S", str(host.relay), *routes, "--", *argv) if routes else argv


def _file_system(confinement: Confinement, host: HostView, command: Sequence[str]) -> list[str]:
    """Bubblewrap's mounts, parents before children, so that the nearest rule for a path wins."""
    arguments: list[str] = []
    for target, path in host.symlinks:
        arguments += ["--symlink", target, str(path)]
    arguments += ["--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", str(confinement.shm_bytes)]
    arguments += ["--tmpfs", "/dev/shm", "--remount-ro", "/dev"]  # noqa: S108  # one of its own
    for name in SEALED:
        arguments += ["--ro-bind-try", f"/proc/{name}", f"/proc/{name}"]
    for path in filter(Path.exists, KEYS if host.calls is not None else ()):
        arguments += ["--ro-bind", "/dev/null", str(path)]
    for _, mount in sorted(_mounts(confinement, host, command), key=lambda item: len(item[0].parts)):
        arguments += mount
    cwd = confinement.cwd or (confinement.writable[0] if confinement.writable else confinement.home)
    return [*arguments, "--remount-ro", "/", "--chdir", str(confinement.inside(cwd))]


def _mounts(confinement: Confinement, host: HostView, command: Sequence[str]) -> list[Mount]:
    """Where one path is named twice the later kind wins: shown, readable, writable, hidden."""
    tmp = Path("/tmp")  # noqa: S108  # a private one
    chosen: dict[Path, tuple[str, ...]] = {
        tmp: ("--perms", "1777", "--size", str(confinement.tmp_bytes), "--tmpfs", str(tmp))
    }
    if confinement.tmp is not None:
        chosen[tmp] = ("--bind", str(confinement.tmp), str(tmp))
    shown = _shown(confinement, host, command)
    if confinement.etc is not None:
        chosen[ETC_FOLDER] = ("--ro-bind", str(confinement.etc), str(ETC_FOLDER))
    if confinement.environment_prefix:
        chosen.update({path: ("--symlink", target, str(path)) for target, path in host.hops})
    if confinement.network == "endpoint" and confinement.endpoint_socket is not None:
        shown.append(confinement.endpoint_socket)
    folders = {*shown, *confinement.readable, *confinement.writable, confinement.home}
    links = {path: target for target, path in host.symlinks}
    for path in [*shown, *(_behind_links(path, folders, links) for path in confinement.readable)]:
        chosen[path] = ("--ro-bind", str(path), str(path))
    for path in [confinement.home, *confinement.writable]:
        chosen[path] = ("--bind", str(path), str(path))
    bound = {path: path for path in chosen if path != tmp}
    if confinement.tmp is not None:
        bound[tmp] = confinement.tmp
    for path, name in confinement.names:
        chosen[name], bound[name] = ("--bind", str(path), str(name)), path
    if confinement.sees:
        chosen[DOOR] = ("--perms", "0000" if host.sight else "0555", "--dir", str(DOOR))
    chosen.update({name: ("--ro-bind", str(path), str(name)) for path, name in confinement.places})
    chosen.update(cover for hidden in confinement.hidden for cover in _covers(hidden, bound))
    return list(chosen.items())


def _shown(confinement: Confinement, host: HostView, command: Sequence[str]) -> list[Path]:
    """What of the machine shows, each at its own path; of our launchers those that the command begins with."""
    readable = host.readable if confinement.etc is None else _without_files_of_etc(host.readable)
    launchers = (path for path in (host.relay, host.limit) if str(path) in command)
    return [*readable, *launchers, *(host.prefix if confinement.environment_prefix else ())]


@functools.cache
def _without_files_of_etc(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    return tuple(path for path in paths if not path.is_relative_to(ETC_FOLDER) or path.is_dir())


def _behind_links(path: Path, folders: set[Path], links: Mapping[Path, str]) -> Path:
    """Where a path leads by links that show inside, in `folders` or as one of `links`: bubblewrap cannot mount upon a link."""
    for _ in range(MAX_HOPS):
        ways = reversed([path, *path.parents])
        link = next((way for way in ways if way in links or (way.is_symlink() and folders & {*way.parents})), None)
        if link is None:
            break
        path = Path(os.path.normpath(link.parent / (links.get(link) or link.readlink()) / path.relative_to(link)))
    return path


def _covers(hidden: Path, bound: Mapping[Path, Path]) -> list[Mount]:
    """An empty thing at every place where a hidden path would show, through whatever links it or a bound path goes.

    `bound` is what shows inside: its place there → where it is.
    """
    real = hidden.resolve()
    if not real.exists():
        return []
    covers: list[Mount] = []
    for path, origin in bound.items():
        source = origin.resolve()
        if real.is_relative_to(source):
            place = path / real.relative_to(source)
            empty = ("--perms", "0555", "--tmpfs") if real.is_dir() else ("--ro-bind", "/dev/null")
            covers.append((place, (*empty, str(place))))
    return covers
