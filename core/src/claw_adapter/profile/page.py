"""Profiles as one HTML file: pictures, and a table for each group of figures; inert and without scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from markupsafe import Markup

from claw_adapter.profile.records import GROUPS, Profile
from claw_adapter.profile.terminal import group_rows, labels
from claw_adapter.report.drawing import Bar, Curve, bars, lines
from claw_adapter.report.html import asset, digest_of, environment
from claw_adapter.runs.folder import write_atomic

__all__ = ["page", "write_html"]

PRICES: Final = "claude-opus-4.7"


def write_html(profiles: Sequence[Profile], path: Path) -> None:
    """Write the page to `path`, all or nothing."""
    write_atomic(path, page(profiles))


def page(profiles: Sequence[Profile]) -> str:
    """The page as text."""
    style = asset("style.css")
    return (
        environment()
        .get_template("profile.html.j2")
        .render(
            names=labels(profiles),
            profiles=profiles,
            pictures=list(_pictures(profiles)),
            groups=[(key, title, rows) for key, title in GROUPS.items() if (rows := group_rows(profiles, key))],
            style=Markup(style),  # noqa: S704 - our own file
            policy=f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src '{digest_of(style)}'",
        )
    )


def _pictures(profiles: Sequence[Profile]) -> Iterator[Markup]:
    names = labels(profiles)
    steps = [str(number + 1) for number in range(max(each.turns for each in profiles))]
    sent = [Curve(name, tuple(map(float, each.curve))) for name, each in zip(names, profiles, strict=True)]
    yield bars("Entry price", "Tokens before the first word of the user.", _bars(profiles, "entry price"))
    yield lines("Tokens sent per turn", "All requests of a turn of the talk without a window.", sent, steps, x="turn")
    yield bars(
        "Prefix kept", "What a cache has at best, of all that was sent.", _bars(profiles, "prefix kept"), unit="share"
    )
    for cached in ("without a cache", "with a cache"):
        found = _bars(profiles, f"{PRICES} {cached}")
        if any(bar.value is not None for bar in found):
            yield bars(f"The talk {cached}", f"At the list price of {PRICES}.", found, unit="USD")
    yield from _reach(profiles, names)


def _bars(profiles: Sequence[Profile], figure: str) -> list[Bar]:
    found = [each.figure(figure) for each in profiles]
    return [
        Bar(name, one.value, one.low, one.high) if one is not None else Bar(name, None)
        for name, one in zip(labels(profiles), found, strict=True)
    ]


def _reach(profiles: Sequence[Profile], names: Sequence[str]) -> Iterator[Markup]:
    """A picture for each window: the share of the marks that a harness still has, over the distance in turns."""
    curves: dict[str, list[str]] = {}
    for each in profiles:
        for one in each.figures:
            window, _, distance = one.name.partition(", ")
            if (
                one.group == "reach"
                and distance.endswith("turns back")
                and distance not in curves.setdefault(window, [])
            ):
                curves[window].append(distance)
    for window, distances in curves.items():
        found = [
            Curve(name, tuple(_value(each, f"{window}, {far}") for far in distances))
            for name, each in zip(names, profiles, strict=True)
        ]
        what = "Of what was said, read and answered so many turns ago, the share that requests still hold."
        steps = [far.removesuffix(" turns back") for far in distances]
        yield lines(f"Reach, window {window}", what, found, steps, x="turns back", unit="share")


def _value(each: Profile, figure: str) -> float | None:
    one = each.figure(figure)
    return one.value if one is not None else None
