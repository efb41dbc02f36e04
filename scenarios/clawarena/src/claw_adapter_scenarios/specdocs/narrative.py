"""Template 2: the narrative bible, layer 0."""

from __future__ import annotations

from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.specdocs.common import claim_of, document, place, table, visible_round

__all__ = ["CONSTRAINTS", "text"]

CONSTRAINTS = (
    "Only introduce the contradictions listed here.",
    "Every key judgement needs evidence in two independent sources or more.",
    "Time stamps are consistent with each other.",
    "Bias phrases stand verbatim.",
)


def text(made: Compiled) -> str:
    """The document."""
    return document(
        f"Narrative bible (layer 0): {made.id}",
        [
            ("Scene Summary", _summary(made)),
            ("Objective Timeline", _timeline(made)),
            ("Role-Level Truth vs Self-Narrative", _roles(made)),
            ("Contradiction Map", _contradictions(made)),
            ("Agent Historical Bias Design", _biases(made)),
            ("Eval Trap Table", _traps(made)),
            ("Writer Constraints", "\n".join(f"- {one}" for one in (*CONSTRAINTS, *_own(made)))),
        ],
    )


def _own(made: Compiled) -> list[str]:
    return [made.canon.render(one).text for one in made.spec.truth.constraints]


def _summary(made: Compiled) -> str:
    truth, canon = made.spec.truth, made.canon
    moments = sorted(canon.moment(event.at) for event in truth.timeline)
    factors = sorted({dimension for item in made.spec.rounds.rounds for dimension in item.dimensions})
    head = table(
        ("Task ID", "Domain", "Time span", "Main protagonist", "Core benchmark factors"),
        [
            (
                made.id,
                truth.domain,
                f"{moments[0]:%Y-%m-%d %H:%M} to {moments[-1]:%Y-%m-%d %H:%M}",
                canon.text(truth.protagonist, ""),
                ", ".join(factors),
            ),
        ],
    )
    return f"{head}\n\n{canon.render(truth.summary).text}"


def _timeline(made: Compiled) -> str:
    canon = made.canon
    return table(
        ("ID", "Time", "Objective event", "What actually happened", "Who knew at that time"),
        [
            (
                event.id,
                f"{canon.moment(event.at):%Y-%m-%d %H:%M}",
                canon.render(event.event).text,
                canon.render(event.truth).text,
                ", ".join(canon.text(name, "") or name for name in event.known_to) or "nobody",
            )
            for event in made.spec.truth.timeline
        ],
    )


def _roles(made: Compiled) -> str:
    render = made.canon.render
    return table(
        ("Character", "Objective position", "Public narrative", "Private narrative", "Why the gap exists"),
        [
            (
                made.canon.text(name, ""),
                render(one.position).text,
                render(one.public).text,
                render(one.private).text,
                render(one.gap).text,
            )
            for name, one in made.spec.truth.actors.items()
        ],
    )


def _contradictions(made: Compiled) -> str:
    rows = []
    for name, about in made.spec.truth.contradictions.items():
        a, b = claim_of(made, about.a), claim_of(made, about.b)
        rows.append(
            (
                name,
                made.canon.render(about.about).text,
                place(a),
                place(b),
                made.canon.render(about.truth).text,
                f"from {visible_round(made, a, b)}",
                about.reversed_by or ("agreement, none" if name.startswith("C3") else "none"),
            )
        )
    columns = (
        "ID",
        "Description",
        "Source A claim + location",
        "Source B claim + location",
        "Objective truth",
        "Visible rounds",
        "Reversal",
    )
    return table(columns, rows)


def _biases(made: Compiled) -> str:
    rows = []
    for name, bias in made.spec.truth.biases.items():
        phase = next(
            (
                p.name
                for c in made.spec.sessions.channels
                for p in c.phases
                for loop in p.loops
                if f"{{{name}}}" in loop.reply
            ),
            "update",
        )
        rows.append(
            (
                name,
                f"{bias.session}, {phase}",
                made.canon.render(bias.phrase).text,
                made.canon.render(bias.why).text,
                bias.reversed_by,
            )
        )
    return table(("Bias ID", "Session and phase", "Exact verbatim phrase", "Why misled", "Reversal trigger"), rows)


def _traps(made: Compiled) -> str:
    return table(
        ("Trap ID", "Related contradiction(s)", "Related bias(es)", "Round(s)", "What shallow agents miss"),
        [
            (
                name,
                ", ".join(trap.contradictions),
                ", ".join(trap.biases),
                ", ".join(trap.rounds),
                made.canon.render(trap.missed).text,
            )
            for name, trap in made.spec.truth.traps.items()
        ],
    )
