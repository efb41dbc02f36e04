"""Template 3: the evidence emission map."""

from __future__ import annotations

from collections.abc import Callable

from claw_adapter_scenarios.compiler.beliefs import Claim
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.specdocs.common import claim_of, document, place, table, visible_round

__all__ = ["text"]


def text(made: Compiled) -> str:
    """The document."""
    return document(
        f"Evidence emission map: {made.id}",
        [
            ("Event-Level Map", _events(made)),
            ("Source Responsibility Map", _sources(made)),
            ("Contradiction Seeding", _seeding(made)),
            ("Agent Bias Hooks", _hooks(made)),
        ],
    )


def _events(made: Compiled) -> str:
    groups = {channel.id for channel in made.spec.sessions.channels if channel.kind == "group"}

    def traces(facts: tuple[str, ...], wanted: Callable[[Claim], bool]) -> str:
        found = dict.fromkeys(c.where for c in made.material.claims if c.fact in facts and wanted(c))
        return ", ".join(found)

    def session(claim: Claim) -> str:
        return claim.place.partition("/")[2] if claim.place.startswith("session/") else ""

    rows = [
        (
            event.id,
            made.canon.render(event.truth).text,
            traces(event.facts, lambda c: c.place.startswith("workspace/") and not c.update),
            traces(event.facts, lambda c: bool(session(c)) and session(c) not in groups and not c.update),
            traces(event.facts, lambda c: session(c) in groups and not c.update),
            traces(event.facts, lambda c: bool(c.update)),
            made.canon.render(event.hidden).text,
        )
        for event in made.spec.truth.timeline
    ]
    columns = (
        "Event ID",
        "Objective truth",
        "Official workspace evidence",
        "Private DM evidence",
        "Group-session evidence",
        "Update-only evidence",
        "What remains hidden early",
    )
    return table(columns, rows)


def _sources(made: Compiled) -> str:
    return table(
        ("Source type", "Rank", "What it is allowed to establish", "What it should not fully settle"),
        [
            (
                f"{name}: {made.canon.render(one.about).text}",
                one.rank,
                made.canon.render(one.establishes).text,
                made.canon.render(one.leaves_open).text,
            )
            for name, one in made.spec.truth.sources.items()
        ],
    )


def _seeding(made: Compiled) -> str:
    rows = []
    for name, about in made.spec.truth.contradictions.items():
        a, b = claim_of(made, about.a), claim_of(made, about.b)
        rows.append((name, place(a), place(b), made.canon.render(about.truth).text, visible_round(made, a, b)))
    return table(
        ("Contradiction ID", "Source A claim", "Source B claim", "Source of truth", "Earliest visible round"), rows
    )


def _hooks(made: Compiled) -> str:
    rows = []
    for name, bias in made.spec.truth.biases.items():
        phrase = made.canon.render(bias.phrase).text
        messages = made.material.sessions.get(bias.session, ())
        loop = next((m.id for m in messages if phrase in m.text), "in an update")
        rows.append((name, f"{bias.session}, {loop}", made.canon.render(bias.why).text, phrase))
    return table(("Bias ID", "Session and loop", "Why reasonable at that point", "Exact phrase to embed"), rows)
