"""The click group; every command is imported when it is called, so that ``--help`` is instant."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType

import click

__all__ = ["COMMANDS", "scenarios"]

COMMANDS: Mapping[str, tuple[str, str, str]] = MappingProxyType({
    "new": ("claw_adapter_scenarios.cli.authoring", "new", "Begin a spec: six files, complete and small."),
    "build": ("claw_adapter_scenarios.cli.authoring", "build", "Compile a spec into scenario/1."),
    "validate": ("claw_adapter_scenarios.cli.checking", "validate", "Find what is wrong with a spec; --prove runs the proofs."),
    "watch": ("claw_adapter_scenarios.cli.watching", "watch", "Validate a spec at every save, findings beside the line."),
    "import": ("claw_adapter_scenarios.cli.importing", "import_", "Bring mail (mbox) or a chat export in as a session."),
    "worlds": ("claw_adapter_scenarios.cli.worlds", "worlds", "What seeds turn over, and what learned answers are worth."),
    "leaks": ("claw_adapter_scenarios.cli.worlds", "leaks", "Whether statements can be answered without reading."),
    "doc": ("claw_adapter_scenarios.cli.authoring", "doc", "Write the seven template documents of a spec."),
    "preview": ("claw_adapter_scenarios.cli.authoring", "preview", "One HTML page: channels, files, timeline, truth."),
    "draft": ("claw_adapter_scenarios.cli.drafting", "draft", "Have a model propose prose; every reference is checked."),
    "schema": ("claw_adapter_scenarios.cli.authoring", "schema", "Write the JSON Schemas of the six files."),
    "list": ("claw_adapter_scenarios.cli.authoring", "list_", "List the packaged specs."),
    "stats": ("claw_adapter_scenarios.stats.cli", "stats", "Figures of a suite (the paper's Tables 8 to 11)."),
    "talk": ("claw_adapter_scenarios.stats.cli", "talk", "How people talk, beside the published scenarios."),
    "realism": ("claw_adapter_scenarios.stats.cli", "realism", "Compare a suite with published distributions."),
    "select": ("claw_adapter_scenarios.stats.cli", "select", "Pick a suite that represents a larger one."),
})  # fmt: skip
"""Module, attribute and one line of help by name."""


class _Lazy(click.Group):
    """Imports a command only when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """All names, in the order of work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import and return one command."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute, _ = COMMANDS[cmd_name]
        try:
            found: click.Command = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise click.ClickException(f"the command {cmd_name!r} cannot be loaded: {error}") from error
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """Names and lines, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, _, line) in COMMANDS.items()])


@click.group("scenarios", cls=_Lazy)
def scenarios() -> None:
    """Write scenarios: six layers in YAML, compiled, validated, proven.

    Exit statuses: 0 done · 1 something did not hold · 2 wrong usage or input.
    """
