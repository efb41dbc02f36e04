"""The preview: one self-contained HTML page with channels, files and timeline, and the truth folded away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.language.values import SeriesValue, render_value
from claw_adapter_scenarios.specdocs.common import round_at

__all__ = ["page"]

TEMPLATE = Path(__file__).parent / "page.html.j2"


def page(made: Compiled) -> str:
    """The page."""
    from jinja2 import Environment

    # every value comes from a spec that somebody else may have written: all of it is escaped
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    rendered: str = environment.from_string(TEMPLATE.read_text("utf-8")).render(
        title=made.canon.render(made.spec.truth.title).text,
        id=made.id,
        summary=made.canon.render(made.spec.truth.summary).text,
        sessions=_sessions(made),
        files=_files(made),
        timeline=_timeline(made),
        rounds=_rounds(made),
        facts=_facts(made),
        claims=made.material.claims,
    )
    return rendered


def _sessions(made: Compiled) -> list[dict[str, Any]]:
    render_fact = [{"title": "Main session", "about": "main", "messages": [("", m) for m in made.material.main]}]
    for entry in made.material.entries:
        messages = [("", m) for m in made.material.sessions.get(entry.id, ())]
        for gain in made.material.gains:
            if gain.session == entry.id:
                messages += [(gain.update, m) for m in gain.messages]
        about = f"{entry.channel}, {entry.kind}, {len(messages)} messages"
        render_fact.append({"title": entry.title, "about": about, "messages": messages})
    return render_fact


def _files(made: Compiled) -> list[dict[str, str]]:
    render_fact = [
        {"path": path, "when": made.material.roles[path], "text": text} for path, text in made.material.files.items()
    ]
    render_fact += [
        {
            "path": c.path,
            "when": f"{c.update}, {c.action}, round {round_at(made, made.starts[c.update])}",
            "text": c.text,
        }
        for c in made.material.changes
    ]
    return render_fact


def _timeline(made: Compiled) -> list[dict[str, str]]:
    canon = made.canon
    return [
        {
            "at": f"{canon.moment(e.at):%Y-%m-%d %H:%M}",
            "event": canon.render(e.event).text,
            "truth": canon.render(e.truth).text,
        }
        for e in made.spec.truth.timeline
    ]


def _rounds(made: Compiled) -> list[dict[str, Any]]:
    return [
        {
            "id": one.spec.id,
            "type": one.spec.type,
            "category": one.round.tags.category,
            "updates": ", ".join(one.spec.updates),
            "ask": one.round.question,
            "options": one.options,
            "oracle": one.work.oracle if one.work else {},
        }
        for one in made.rounds
    ]


def _facts(made: Compiled) -> list[tuple[str, str, str]]:
    def render_fact(name: str) -> str:
        value = made.canon.value(name)
        return f"{len(value.readings)} readings" if isinstance(value, SeriesValue) else render_value(value)

    return [
        (name, render_fact(name), made.canon.render(fact.what).text) for name, fact in made.spec.truth.facts.items()
    ]
