"""The badge: what was reached, in a small picture and as data for a badge service."""

from __future__ import annotations

import json
from typing import Final
from xml.sax.saxutils import escape

from claw_adapter.certify.records import Report

__all__ = ["badge_json", "badge_svg", "render_badge_json"]

_COLOURS: Final = {"gold": "#b8860b", "silver": "#6b7280", "bronze": "#a0522d", "none": "#b3261e"}
_CHARACTER: Final = 6.6
"""Width of a character of the badge's font, in pixels."""


def _message(report: Report) -> str:
    return report.reached or "not reached"


def badge_svg(report: Report) -> str:
    """A flat badge, 20 pixels high."""
    label, message = escape(f"{report.spec} {report.requirement_set}"), escape(_message(report))
    left, right = (round(len(text) * _CHARACTER) + 12 for text in (label, message))
    colour = _COLOURS[report.reached or "none"]
    style = 'font-family="Verdana,Geneva,sans-serif" font-size="11" fill="#fff" text-anchor="middle"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{label}: {message}"><title>{label}: {message}</title>'
        f'<rect width="{left}" height="20" fill="#444"/><rect x="{left}" width="{right}" height="20" fill="{colour}"/>'
        f'<g {style}><text x="{left / 2:g}" y="14">{label}</text>'
        f'<text x="{left + right / 2:g}" y="14">{message}</text></g></svg>\n'
    )


def badge_json(report: Report) -> dict[str, object]:
    """What a badge service that reads an endpoint wants."""
    return {
        "schemaVersion": 1, "label": f"{report.spec} {report.requirement_set}", "message": _message(report),
        "color": _COLOURS[report.reached or "none"],
    }  # fmt: skip


def render_badge_json(report: Report) -> str:
    """``badge.json``."""
    return json.dumps(badge_json(report), indent=1) + "\n"
