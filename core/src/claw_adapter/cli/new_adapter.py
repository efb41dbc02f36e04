"""`claw new-adapter`: a package that runs and certifies a harness, to be changed into an adapter of one's own.

The files are in the folder ``skeleton``, written for a harness called *tiny*; its name is replaced by the new one.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

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
ADAPTER: Final = "src/adapter.py.in"
TERMINAL: Final = {
    "ClawError, DeadlineExceeded, EmptyAnswer, HarnessCrash, HarnessError": "ClawError, EmptyAnswer, HarnessError",
    "from claw_adapter.errors": "from claw_adapter.drivers.pty import PtyProcess\nfrom claw_adapter.errors",
    "\n\n\nclass TinyConversation": '\nREADY = rb"\\x1b\\]133;A\\x07tiny> "\n\n\nclass TinyConversation',
}
"""What is other in the adapter's head when the harness speaks on a terminal."""
NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def skeleton(name: str, *, terminal: bool = False) -> dict[str, str]:
    """Path → text of a new adapter's files.

    Args:
        name: what people type: small letters, digits and single dashes.
        terminal: the harness speaks on a terminal only.

    Raises:
        ValueError: the name is none.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a valid name: small letters, digits and single dashes, a letter first")
    module = f"claw_adapter_{name.replace('-', '_')}"
    texts = {to: _template(source) for source, to in FILES.items()} | {"src/{module}/adapter.py": _adapter(terminal)}
    return {path.format(module=module): _renamed(text, name) for path, text in texts.items()}


def _template(source: str) -> str:
    return (SKELETON / source).read_text("utf-8")


def _adapter(terminal: bool) -> str:
    """The adapter with its way to send a prompt."""
    text = _template(ADAPTER)
    for before, after in TERMINAL.items() if terminal else ():
        text = text.replace(before, after, 1)
    how = "one process for the whole of it" if terminal else "a process per turn"
    turn = _template("src/turn_terminal.py.in" if terminal else "src/turn_process.py.in")
    return text.replace("@TURN@\n", turn).replace("@HOW@", how)


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
    try:
        files = skeleton(name, terminal=terminal)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    folder = out or Path(f"claw-adapter-{name}")
    if folder.exists() and any(folder.iterdir()):
        raise click.UsageError(f"{folder} is there already and not empty")
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    click.echo(f"{folder}: {len(files)} files. Next:\n")
    click.echo(f"  pip install -e '{folder}[test]'\n  claw certify {name} --level bronze")
    return 0
