"""Template 1: the execution guide."""

from __future__ import annotations

from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.specdocs.common import claim_of, document, round_at, table, visible_round

__all__ = ["text"]

STEPS = (
    "Read all layers, generate UUIDs, freeze filenames: `claw scenarios validate` (ids and names are made from spec and seed).",
    "Create fixed agent files and initial workspace files: the compiler, from layers 0 and 1.",
    "Write session intermediate files: the compiler, from layers 0, 2 and 5.",
    "Build .jsonl session files: the compiler.",
    "Create update source files under updates/: the compiler, from layer 4.",
    "Write the questions: rounds.yaml and gold/, from layer 3.",
    "Register sessions and update metadata: scenario.yaml and update.yaml.",
    "Append to the suite's list of scenarios.",
    "Run structural, semantic and control validation: `claw scenarios validate --prove`, `claw check`.",
)
"""Steps 0 to 8."""


def text(made: Compiled) -> str:
    """The document."""
    return document(
        f"Execution guide: {made.id}",
        [
            ("Task Overview", _overview(made)),
            ("Spec File Index", _index()),
            ("Role and Session Table", _roles(made)),
            ("Contradiction and Bias Quick-Reference", _quick(made)),
            ("Eight-Step Execution Workflow", "\n".join(f"- Step {n}: {step}" for n, step in enumerate(STEPS))),
            ("Mandatory Checks", _checks(made)),
        ],
    )


def _overview(made: Compiled) -> str:
    truth = made.spec.truth
    goals = "; ".join(made.canon.render(goal).text for goal in truth.goals)
    return table(
        ("Task ID", "Domain", "Core evaluation goals", "Final output target"),
        [
            (
                made.id,
                truth.domain,
                goals,
                f"scenario/1 with {len(made.rounds)} rounds and {len(truth.contradictions)} contradictions",
            ),
        ],
    )


def _index() -> str:
    return table(
        ("File", "Content", "Read"),
        [
            ("layer0-narrative.md", "truth baseline", "first"),
            ("layer1-workspace.md", "workspace plan", "second"),
            ("layer2-sessions.md", "session plan", "third"),
            ("layer3-eval.md", "round plan", "fourth"),
            ("layer4-dynamic.md", "update plan", "fifth"),
            ("evidence-map.md", "which source carries what", "beside layers 1 and 2"),
        ],
    )


def _roles(made: Compiled) -> str:
    actors = made.spec.truth.actors
    rows = [
        (
            f"{made.canon.text(name, '')} ({actors[name].role})",
            f"{channel.channel}, {channel.kind}",
            f"{channel.id}.jsonl",
            channel.arrives or "initial",
        )
        for channel in made.spec.sessions.channels
        for name in channel.participants
    ]
    return table(("Character role", "Channel", "Session filename", "Initial release or later update"), rows)


def _quick(made: Compiled) -> str:
    rows: list[tuple[object, ...]] = []
    for name, about in made.spec.truth.contradictions.items():
        first = visible_round(made, claim_of(made, about.a))
        back = round_at(made, made.starts[about.reversed_by]) if about.reversed_by else "no reversal"
        rows.append((name, made.canon.render(about.about).text, first, back))
    for name, bias in made.spec.truth.biases.items():
        rows.append((name, made.canon.render(bias.phrase).text, "start", round_at(made, made.starts[bias.reversed_by])))
    return table(("ID", "What", "First visible round", "Reversal evidence round"), rows)


def _checks(made: Compiled) -> str:
    return "\n".join(
        (
            f"- Data text is in language `{made.spec.truth.language}`.",
            "- rounds.yaml is a single group of rounds.",
            "- Sessions that an update creates carry a channel field.",
            "- Initial sessions are registered in scenario.yaml.",
        )
    )
