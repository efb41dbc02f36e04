"""Programs that a check wants to see run: each alone, in a copy of the workspace, out of sight of the check and its folder."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from claw_adapter.drivers.waiting import to_thread
from claw_adapter.folders import remove_tree, scratch
from claw_adapter.protocol import Check, Program

if TYPE_CHECKING:
    from claw_adapter.sandbox import IsolationLevel

__all__ = ["lay_over", "outputs_of"]

MOST: Final = 1024 * 1024
"""Bytes that are shown of what a program prints."""


@asynccontextmanager
async def outputs_of(
    check: Check, scripts: Path, workspace: Path, level: IsolationLevel, missing: list[str]
) -> AsyncIterator[Path]:
    """Run the programs of a check, and show in a file what they did (`protocol.Check`).

    Raises:
        SandboxError: the level cannot be provided here.
    """
    with tempfile.TemporaryDirectory(prefix="claw-outputs-") as name:
        outputs = Path(name).resolve() / "outputs.json"
        done = [await _run(program, scripts, workspace, level, check.modules, missing) for program in check.programs]
        outputs.write_text(json.dumps(done), "utf-8")
        yield outputs


async def _run(
    program: Program,
    scripts: Path,
    workspace: Path,
    level: IsolationLevel,
    modules: tuple[str, ...],
    missing: list[str],
) -> dict[str, object]:
    from claw_adapter.sandbox import run_check
    from claw_adapter.sandbox.kept import copy_tree

    place = scratch("claw-program-")
    copy = await to_thread(place.__enter__) / "workspace"
    try:
        await to_thread(copy_tree, workspace, copy, _special)
        if program.inputs:
            await to_thread(lay_over, scripts / program.inputs, copy)
        command = program.command.replace("${workspace}", shlex.quote(str(copy)))
        done = await run_check(
            command, workspace=copy, level=level, deadline=program.timeout, missing=missing, modules=modules
        )
    finally:  # an agent may have left a hundred thousand files: no other trial waits for their end
        await to_thread(place.__exit__, None, None, None)
    return {
        "exit": done.exit.code,
        "timed_out": done.timed_out,
        "stdout": done.stdout.data[:MOST].decode("utf-8", "replace"),
        "cut": done.stdout.total > MOST,
    }


def _special(entry: os.DirEntry[str]) -> bool:
    """What is neither file, folder nor link: a pipe or a socket that an agent has left cannot be copied."""
    mode = entry.stat(follow_symlinks=False).st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))


def lay_over(source: Path, folder: Path) -> None:
    """Copy the files below `source` over those of `folder`; links that somebody has put in the way are taken away."""
    for file in sorted(path for path in source.rglob("*") if path.is_file()):
        place = folder
        for part in file.relative_to(source).parts[:-1]:
            place /= part
            if place.is_symlink() or not place.is_dir():
                place.unlink(missing_ok=True)
                place.mkdir()
        target = place / file.name
        if not target.is_symlink() and target.is_dir():  # a link may name what nobody can look up
            remove_tree(target)
        target.unlink(missing_ok=True)
        shutil.copyfile(file, target)
