"""Types that several layers use."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

__all__ = ["Expression", "Moment", "Name", "Text"]

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]
"""The name of a fact, an actor, a bias or a phrase; all of them share one namespace, so that ``{name}`` is never ambiguous."""

Text = str
"""A template: ``{name}``, ``{name.attribute}``, ``{name|format}``, ``{=expression|format}``, marks ``[[fact: span]]``."""

Expression = Annotated[str, StringConstraints(min_length=1)]
"""An expression over facts: arithmetic, comparisons, ``and or not in``, and the functions of the guide."""

Moment = Annotated[str, StringConstraints(min_length=3)]
"""Local time as ``2026-03-10 21:55``, or an expression that gives one (``off_at``, ``off_at + minutes(5)``)."""
