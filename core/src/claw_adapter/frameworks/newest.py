"""Which version of a framework's package its registry has now, asked through the registry's ordinary client."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from claw_adapter.frameworks.commands import execute, uv
from claw_adapter.frameworks.description import Framework
from claw_adapter.frameworks.errors import InstallFailed
from claw_adapter.frameworks.installer import locate
from claw_adapter.frameworks.record import node_package

__all__ = ["newest_version", "npm_client"]


def newest_version(framework: Framework) -> str:
    """The newest released version; empty for a vendor's program, which no registry has.

    Raises:
        InstallFailed: there is no client to ask with, or the registry does not answer.
    """
    if framework.kind == "binary":
        return ""
    name = re.split(r"==|(?<=.)@", framework.requirement)[0]
    with tempfile.TemporaryDirectory(prefix="claw-newest-") as text:
        folder = Path(text)
        if framework.kind == "npm":
            argv = [*npm_client(framework), "view", name, "version", "--no-update-notifier", "--cache", str(folder)]
            return execute(argv, f"asking for {name}", verbose=False, cwd=folder).strip().splitlines()[-1]
        program = uv()
        if program is None:
            raise InstallFailed("there is no uv to ask the package index with", remedy="pip install uv")
        (folder / "asked.in").write_text(f"{name}\n")
        argv = [
            program,
            "pip",
            "compile",
            "asked.in",
            "--no-deps",
            "--no-header",
            "--no-annotate",
            "--upgrade",
            "--quiet",
        ]
        said = execute(argv, f"asking for {name}", verbose=False, cwd=folder)
    found = re.search(rf"^{re.escape(name)}==(\S+)", said, re.MULTILINE | re.IGNORECASE)
    if found is None:
        raise InstallFailed(f"uv names no version of {name}: {said.strip()[-200:]}")
    return found.group(1)


def npm_client(framework: Framework) -> list[str]:
    """npm: of the framework's own environment, else the one on PATH.

    Raises:
        InstallFailed: there is neither.
    """
    if (there := locate(framework)) is not None:
        node = node_package(there.path)
        return [str(node / "bin" / "node"), str(node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    if (program := shutil.which("npm")) is None:
        raise InstallFailed(
            f"there is no npm to ask with: {framework.name} is not installed", remedy="Install it first."
        )
    return [program]
