"""Run a scenario's check command on a throw-away copy of the workspace. The only place where a shell is used.

The agent wrote what lies in the workspace, so nothing there may decide how the check's own code runs. Code that is no file
(``python -c``, ``-m``, standard input) does not find the working folder on its import path (PYTHONSAFEPATH); a script finds its
own folder there, as is Python's rule, be it a check's or an agent's. There is no user site, and pytest loads no conftest.py.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import math
import shlex
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

from claw_adapter.drivers import Command, Completed, Limits, run
from claw_adapter.drivers.waiting import to_thread
from claw_adapter.errors import JournalError, MachineError, SandboxError
from claw_adapter.folders import remove_tree
from claw_adapter.machine import amount, killed_for_memory, machine_said, space
from claw_adapter.sandbox.confinement import DOOR, Confinement, ResourceLimits
from claw_adapter.sandbox.host import ETC_FOLDER, write_etc
from claw_adapter.sandbox.imports import compile_libraries, missing_modules, note_environment, write_notes
from claw_adapter.sandbox.inside import NOTES
from claw_adapter.sandbox.kept import kept
from claw_adapter.sandbox.levels import IsolationLevel
from claw_adapter.sandbox.watching import CheckLimits, CheckWatch, SandboxStatus
from claw_adapter.sandbox.wrap import wrap

__all__ = ["own_places", "run_check"]

MIB: Final = 1024 * 1024
SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
OUTPUT: Final = Limits(head_bytes=MIB, tail_bytes=MIB)
"""What is kept of a check's output, per stream."""
WHOLE: Final = CheckLimits()
TOOLS: Final = Path("/claw-tools")
"""Where the programs of every check are at level 2; nobody can move it, as could be done with a folder below /tmp."""
FIRST: Final = ("/bin/sh", "-c", '{ "$0" "$@" 2>&3 3>&-; exit $?; } 3>&2 2>/dev/null')
"""The first process of a check at level 2: as signals do to it what they do to no other, the check is another one."""
PYTHON: Final = """#!/bin/sh
notes=${{0%/bin/*}}/notes
case $PYTHONPATH in
  "$notes" | "$notes:"*) ;;
  *) PYTHONPATH=$notes${{PYTHONPATH:+:$PYTHONPATH}}; export PYTHONPATH ;;
esac
exec {} "$@"
"""
"""This Python, which begins as `claw_adapter.sandbox.inside` says whatever the import path of its caller is."""
LITTLE: Final = 10 * MIB
"""With less space than this on its disk, a check that fails may have failed of that."""


def own_places(paths: Mapping[str, Path], level: IsolationLevel) -> dict[str, Path]:
    """Where a check finds these things of its own, by name, each a folder or a file; for `own` of `run_check`."""
    if level < IsolationLevel.NAMESPACE:
        return dict(paths)
    return {name: DOOR / f"{name}{'' if path.is_dir() else path.suffix}" for name, path in paths.items()}


def _limits(deadline: float) -> ResourceLimits:
    """Generous for a check, tight for a runaway: 4 GiB, the deadline in processor time, 256 MiB per file."""
    return ResourceLimits(
        address_space=4096 * MIB, cpu_seconds=math.ceil(deadline) + 1, file_bytes=256 * MIB, processes=256
    )


async def run_check(
    command: str,
    *,
    workspace: Path,
    level: IsolationLevel,
    deadline: float,
    readable: Sequence[Path] = (),
    hidden: Sequence[Path] = (),
    own: Sequence[tuple[Path, Path]] = (),
    env: Mapping[str, str] | None = None,
    marker: str = "check",
    missing: list[str] | None = None,
    modules: Collection[str] = (),
    limits: CheckLimits = WHOLE,
) -> Completed:
    """Run ``/bin/sh -c command`` in `workspace`, a copy made for this check, and return what came of it.

    At level 2 it has no network and sees only the workspace (writable), `readable` (less `hidden`), the system's
    programs and this Python, and what is its `own`: folders and files with the places of `own_places`, which what
    its Pythons start does not see. At every level its environment is a fixed one plus `env`, its output and the processor time
    and files of each process are bounded, and everything it started is killed at `deadline` (seconds) or at its end, or
    as soon as all of it together is over its `limits`: then `over` says of what. With a `marker` from `Lifeline` this
    holds even if we are killed. `missing` is filled with the names of modules that are
    not installed here, and that a script of `readable` or of its own asked for, or, if they are among `modules`, any script.

    Raises:
        SandboxError: the level cannot be provided here.
        MachineError: it failed, and there is no space or memory left.
    """
    workspace = workspace.absolute()
    private = Path(await to_thread(tempfile.mkdtemp, prefix="claw-check-")).resolve()
    try:
        home, tmp = (_folder(private / part) for part in ("home", "tmp"))
        tools = await to_thread(kept, (__name__, sys.executable), _write_tools)
        inside = level >= IsolationLevel.NAMESPACE
        place = TOOLS if inside else tools.path
        door, first = ("", ()) if not (own and inside) else (str(DOOR), FIRST)
        own_notes = _folder(private / NOTES) if door else None
        confinement = Confinement(
            level=level,
            home=home,
            writable=(workspace,),
            readable=(*(() if inside else (tools.path,)), *readable),
            hidden=tuple(hidden),
            places=((tools.path, TOOLS), *own),
            names=((own_notes, DOOR / NOTES),) if own_notes else (),
            cwd=workspace,
            shm_bytes=limits.shm,
            environment_prefix=True,
            etc=None if any(ETC_FOLDER in path.parents for path in (workspace, *readable)) else tools.path / "etc",
            limits=_limits(deadline),
        )
        notes = note_environment(place / "notes", home, workspace.resolve(), door)
        outside = {**_environment(place / "bin", home, tmp), **notes, **(env or {})}
        with contextlib.ExitStack() as stack:
            status = stack.enter_context(SandboxStatus()) if inside else None
            told = None if status is None else status.write
            argv, environment = wrap((*first, "/bin/sh", "-c", command), outside, confinement, status=told)
            passed = () if told is None else (told,)
            started = Command(argv, env=environment, cwd=workspace, limits=OUTPUT, marker=marker, pass_fds=passed)
            done = await _bounded(started, deadline, CheckWatch(level, (workspace, private), limits, status))
        if missing is not None:
            missing.extend(missing_modules(home, own_notes, modules, (*readable, *(at for _, at in own))))
        await to_thread(compile_libraries, home)
        return done
    finally:
        with contextlib.suppress(JournalError):  # something that is being killed may still write there
            await to_thread(remove_tree, private)


async def _bounded(command: Command, deadline: float, watch: CheckWatch) -> Completed:
    """Run a command within the bounds of a check; what the machine did not give is no verdict about it."""
    killed = killed_for_memory()
    done = await run(command, deadline, watch)
    over = await to_thread(watch.look_back)
    if not (over or done.timed_out or done.exit.ok):
        _refuse_shortage(watch, done, killed)
    return dataclasses.replace(done, over=over)


def _refuse_shortage(watch: CheckWatch, done: Completed, killed: int | None) -> None:
    """A check that failed where the machine could not give what a check may have has said nothing.

    Raises:
        MachineError: no space or no memory is left.
        SandboxError: the command was never started.
    """
    for folder in watch.folders:
        if (free := space(folder)[0]) < LITTLE:
            what, remedy = f"{amount(free)} are left on the disk where checks run", "Free some space on that disk."
            raise MachineError(what, where=str(folder), remedy=remedy)
    if killed != killed_for_memory():
        what = "the system has ended processes because there was no memory left"
        raise MachineError(what, remedy="End other programs, or run fewer trials at a time (-j).")
    if watch.status is not None and not watch.status.ended:
        said = done.stderr.text.strip().partition("\n")[0]
        raise machine_said(said) or SandboxError(f"the sandbox of a check could not be made: {said or done.exit}")


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def _write_tools(folder: Path) -> None:
    """What every check starts and imports; see `_write_pythons` and `write_notes`; and the /etc that it sees."""
    _write_pythons(_folder(folder / "bin"))
    write_notes(_folder(folder / "notes"))
    write_etc(_folder(folder / "etc"))


def _write_pythons(folder: Path) -> None:
    """`python` and `python3` are this interpreter; a link would lose its virtual environment, so some lines of shell."""
    python = PYTHON.format(shlex.quote(sys.executable))
    programs = {"python": python, "python3": python}
    if importlib.util.find_spec("pytest") is not None:
        programs["pytest"] = python.replace('"$@"', '-m pytest "$@"')
    for name, text in programs.items():
        script = folder / name
        script.write_text(text, "utf-8")
        script.chmod(0o755)


def _environment(programs: Path, home: Path, tmp: Path) -> dict[str, str]:
    return {
        "PATH": f"{programs}:{SYSTEM_PATH}",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "HOME": str(home),
        "TMPDIR": str(tmp),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONSAFEPATH": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "OMP_NUM_THREADS": "1",  # sums do not depend on how many processors there are, nor does the memory that is asked for
        "PYTEST_ADDOPTS": "--noconftest -p no:cacheprovider",
    }
