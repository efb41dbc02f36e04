"""`claw plugins`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from claw_adapter.cli.common import FAILED, console, print_json
from claw_adapter.cli.numbers import SECONDS

if TYPE_CHECKING:
    from rich.table import Table

    from claw_adapter.distributions import Distribution

__all__ = ["command"]


@click.command("plugins")
@click.argument("names", nargs=-1, metavar="[NAME[:KEY=VALUE,...]]...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--seconds", type=SECONDS, default=20.0, show_default=True, help="How long one plugin may take.")
def command(names: tuple[str, ...], as_json: bool, seconds: float) -> int:
    """List plugins (all, or NAMES). Each is probed in a process of its own, so a broken one can do no harm.

    A harness that is named with options is looked for with these: my-agent:program=/opt/venv/bin/my-agent.

    Without NAMES it also says which distributions of ours are not installed, and what they would bring.

    Exit code 1 when a plugin is broken, 4 when one that is named is not installed.
    """
    from rich.markup import escape
    from rich.table import Table

    from claw_adapter.notation import parse_named
    from claw_adapter.plugins import absent, probe_all

    try:
        asked = [parse_named(name) for name in names]
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    states = probe_all([one.name for one in asked], seconds, {one.name: one.options for one in asked})
    taken = {s.plugin.name for s in states if sum(o.plugin.name == s.plugin.name for o in states) > 1}
    broken = any(not state.ok for state in states)
    offers = [] if names else absent()
    if as_json:
        print_json([{**state.as_json(), "installed": True} for state in states] + _offers_json(offers))
        return FAILED if broken else 0
    table = Table("name", "brings", "distribution", "state", box=None, pad_edge=False)
    for state in states:
        ready = "" if state.ready is None else (" · ready" if state.ready else " · not ready")
        words = "[green]ok[/]" + ready if state.ok else "[red]broken[/]"
        detail = [escape(line) for line in (state.error, "" if state.ok and state.ready else state.remedy) if line]
        if state.plugin.name in taken:
            words = "[red]name taken twice[/]"
        table.add_row(
            state.plugin.name,
            ", ".join(state.provides) or "-",
            f"{state.plugin.distribution} {state.plugin.version}",
            "\n".join([words, *detail]),
        )
    console().print(table)
    if offers:
        console().print(_offers(offers))
    return FAILED if broken else 0


def _offers(offers: Sequence[Distribution]) -> Table:
    """What could be installed, and how."""
    from rich.table import Column, Table

    table = Table(Column("not installed", no_wrap=True), "would bring", box=None, pad_edge=False)
    for ours in offers:
        brings = [f"{name} ({kind})" for name, kind in ours.plugins.items()]
        commands = [f"command `claw {command}`" for command in ours.commands]
        table.add_row(f"pip install {ours.name}", ", ".join([*brings, *commands]))
    return table


def _offers_json(offers: Sequence[Distribution]) -> list[dict[str, Any]]:
    """One entry per plugin, as those of installed ones."""
    return [
        {
            "name": name,
            "distribution": ours.name,
            "provides": [kind],
            "installed": False,
            "ok": False,
            "remedy": f"pip install {ours.name}",
        }
        for ours in offers
        for name, kind in ours.plugins.items()
    ]
