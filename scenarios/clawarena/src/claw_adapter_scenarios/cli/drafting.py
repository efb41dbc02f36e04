"""``claw scenarios draft``."""

from __future__ import annotations

import click

__all__ = ["draft"]


@click.command()
@click.argument("spec")
@click.option(
    "--what", type=click.Choice(["noise", "wording", "filler"]), required=True, help="Pools, messages, documents."
)
@click.option("--model", required=True, help="The model's id at the endpoint.")
@click.option("--base-url", required=True, help="OpenAI-compatible endpoint, ending in /v1.")
@click.option("--key-env", default="", help="Environment variable that holds the key.")
@click.option("--limit", type=click.IntRange(1, 200), default=10, show_default=True, help="Most requests.")
def draft(spec: str, what: str, model: str, base_url: str, key_env: str, limit: int) -> int:
    """Have a model propose prose for SPEC. The proposal lies in SPEC/drafts; the spec itself is never changed.

    Marks and references must survive to the letter, and no name, number or value of a fact may be typed out; what breaks
    that is listed as rejected with its reason. Exit 1 when nothing was accepted.
    """
    from typing import cast

    from claw_adapter_scenarios.authoring import find_spec
    from claw_adapter_scenarios.drafting import draft as propose
    from claw_adapter_scenarios.drafting.ask import Writer
    from claw_adapter_scenarios.drafting.run import What

    writer = Writer(model, base_url, key_env)
    path, drafts = propose(find_spec(spec), cast("What", what), writer.write, limit=limit)
    for one in drafts:
        click.echo(
            f"{'rejected' if one.why else 'accepted'} {one.where}{''.join(f'{chr(10)}  {why}' for why in one.why)}"
        )
    accepted = sum(not one.why for one in drafts)
    click.echo(f"{path}: {accepted} accepted, {len(drafts) - accepted} rejected")
    return 0 if accepted else 1
