"""`claw new-adapter`: a package that runs and certifies a harness, to be changed into an adapter of one's own.

The files are in the folder ``skeleton``, written for a harness called *tiny*; its name is replaced by the new one.
"""

from __future__ import annotations

import json
import re
import subprocess
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import click

__all__ = ["command", "skeleton"]

SKELETON: Final = Path(__file__).with_name("skeleton")
FILES: Final = {
    "pyproject.toml.in": "pyproject.toml",
    "README.md.in": "README.md",
    "tests/test_certify.py.in": "tests/test_certify.py",
    "github/certify.yml.in": ".github/workflows/certify.yml",
    "src/__init__.py.in": "src/{module}/__init__.py",
    "src/agent.py.in": "src/{module}/agent.py",
}
CORE: Final = "claw-adapter"
SCENARIOS: Final = "claw-adapter-scenarios"
"""What Gold runs."""
NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def skeleton(name: str, *, terminal: bool = False, source: str = CORE) -> dict[str, str]:
    """Path → text of a new adapter's files.

    Args:
        name: what people type: small letters, digits and single dashes.
        terminal: the harness speaks on a terminal only.
        source: where the workflow installs claw-adapter from, as pip takes it.

    Raises:
        ValueError: the name is none.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a valid name: small letters, digits and single dashes, a letter first")
    module = f"claw_adapter_{name.replace('-', '_')}"
    adapter = "src/adapter_terminal.py.in" if terminal else "src/adapter.py.in"
    files = FILES | {adapter: "src/{module}/adapter.py"}
    made = {
        to.format(module=module): _renamed((SKELETON / path).read_text("utf-8"), name) for path, to in files.items()
    }
    workflow = FILES["github/certify.yml.in"]
    scenarios = source.replace(CORE, SCENARIOS, 1).replace("#subdirectory=core", "#subdirectory=scenarios/clawarena")
    return made | {workflow: made[workflow].replace("SOURCE", source).replace("SCENARIOS_FROM", scenarios)}


def origin() -> str:
    """Where the installed claw-adapter came from, as pip takes it: its repository, or its checkout's; else a registry."""
    try:
        told = json.loads(distribution(CORE).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return CORE
    url, commit, folder = str(told.get("url", "")), "", told.get("subdirectory", "core")
    if "vcs_info" in told:
        commit = f"@{told['vcs_info'].get('commit_id', '')}".rstrip("@")
    elif "dir_info" in told:
        url = _remote(unquote(urlsplit(url).path))
    else:
        return CORE
    url = re.sub(r"^(?:https://(?:[^@/]*@)?|ssh://git@|git@)([\w.-]+)[:/]", r"https://\1/", url)
    return f"{CORE} @ git+{url}{commit}#subdirectory={folder}" if re.match(r"https://[\w./~+-]+$", url) else CORE


def _remote(folder: str) -> str:
    """The repository that a checkout is of; nothing if it is none, or of none."""
    try:
        argv = ["git", "-C", folder, "remote", "get-url", "origin"]
        return subprocess.run(argv, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def _renamed(text: str, name: str) -> str:
    """The words for *tiny* in all its spellings."""
    words = name.split("-")
    text = text.replace("claw_adapter_tiny", "claw_adapter_" + "_".join(words)).replace("TINY", "_".join(words).upper())
    return text.replace("Tiny", "".join(word.capitalize() for word in words)).replace("tiny", name)


@click.command("new-adapter")
@click.argument("name")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to make.  [default: claw-adapter-NAME]",
)
@click.option("--terminal", is_flag=True, help="For a harness that speaks on a terminal only.")
def command(name: str, out: Path | None, *, terminal: bool) -> int:
    """Write a package with an adapter for the harness NAME, which passes Bronze as it is."""
    from claw_adapter.plugins import entry_points

    try:
        files = skeleton(name, terminal=terminal, source=origin())
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if taken := entry_points(name):
        by = taken[0].distribution
        what = f"{name!r} is the name of a plugin that is installed, from {by}: nothing would find yours beside it."
        instead = "" if by == CORE else f" Or first: pip uninstall {by}"
        raise click.UsageError(f"{what} Choose another name.{instead}")
    folder = out or Path(f"claw-adapter-{name}")
    if folder.exists() and any(folder.iterdir()):
        raise click.UsageError(f"{folder} is there already and not empty")
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    click.echo(f"{folder}: {len(files)} files. Next:\n")
    click.echo(f"  pip install -e '{folder}[test]'\n  claw certify {name} --level bronze")
    return 0
