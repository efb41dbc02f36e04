"""`claw frameworks`."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.group("frameworks")
def command() -> None:
    """Install and examine harnesses, each in an environment of its own."""
