"""``claw scenarios import``."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

__all__ = ["import_"]


@click.command("import")
@click.argument("spec")
@click.argument("export", type=click.Path(path_type=Path, exists=True))
@click.option("--channel", required=True, metavar="ID", help="Id of the new session.")
@click.option(
    "--as", "people", multiple=True, metavar="NAME=ACTOR", help="Who somebody of the export is; several times."
)
@click.option("--assistant", default="", metavar="NAME", help="Whose messages there are the agent's replies.")
@click.option("--kind", type=click.Choice(["group", "direct"]), default=None, help="Otherwise by the number of people.")
@click.option("--program", default="chat", show_default=True, help="slack, whatsapp, mail … as agents are told.")
@click.option("--source", default="", help="Kind of source; otherwise the one of lowest rank.")
@click.option("--days", type=int, default=0, show_default=True, help="Move all times by that many days.")
@click.option("--dates", type=click.Choice(["dmy", "mdy"]), default=None, help="Which number of 3/4/2026 is the month.")
def import_(  # noqa: PLR0917 - click passes every option by name
    spec: str,
    export: Path,
    channel: str,
    people: tuple[str, ...],
    assistant: str,
    kind: str | None,
    program: str,
    source: str,
    days: int,
    dates: str | None,
) -> int:
    """Bring EXPORT into SPEC as a session: an mbox file, a WhatsApp text, or JSON of Telegram, Slack or Discord.

    What was said goes to a file of prose, without marks; names of people become references. Times are those of the
    scenario's clock. Read it before you use it: an export has other people's words in it.
    """
    from claw_adapter_scenarios.authoring import find_spec
    from claw_adapter_scenarios.imports import bring_in, read_export
    from claw_adapter_scenarios.spec import load_spec

    loaded = load_spec(find_spec(spec))
    known = dict[str, str]()
    for one in people:
        name, equals, key = one.rpartition("=")
        if not equals or not name:
            raise click.UsageError(f"--as {one!r}: write NAME=ACTOR.")
        known[name] = key
    zone = datetime.strptime(loaded.truth.offset, "%z").tzinfo
    assert zone is not None  # noqa: S101 - the pattern of the field has one
    said = read_export(export, zone, month_first=None if dates is None else dates == "mdy")
    for path in bring_in(
        loaded,
        said,
        channel,
        known=known,
        assistant=assistant,
        kind=kind or "",
        program=program,
        source=source,
        days=days,
    ):
        click.echo(str(path))
    click.echo(f"{len(said)} messages of {len({one.who for one in said})} people; now add marks, and validate.")
    return 0
