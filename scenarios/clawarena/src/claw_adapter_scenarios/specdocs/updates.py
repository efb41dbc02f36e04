"""Template 7: the dynamic update specification, layer 4."""

from __future__ import annotations

import json

from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.spec.updates import UpdateSpec
from claw_adapter_scenarios.specdocs.common import document, round_at, table

__all__ = ["text"]


def text(made: Compiled) -> str:
    """The document."""
    return document(
        f"Dynamic update specification (layer 4): {made.id}",
        [
            ("Update Summary", _summary(made)),
            ("Action Lists", "\n\n".join(_actions(made, update) for update in made.spec.updates.updates)),
            ("Source File Notes", _sources(made)),
            ("Runtime Checks", _checks(made)),
        ],
    )


def _summary(made: Compiled) -> str:
    rows = []
    for update in made.spec.updates.updates:
        sessions = [g.session for g in made.material.gains if g.update == update.id and g.action == "new"]
        files = [c.path for c in made.material.changes if c.update == update.id and c.action == "new"]
        rows.append(
            (
                update.id,
                round_at(made, made.starts[update.id]),
                made.canon.render(update.goal).text,
                ", ".join(sessions) or "no",
                ", ".join(files) or "no",
            )
        )
    return table(("Update ID", "Trigger round", "Goal", "New sessions?", "New workspace files?"), rows)


def _actions(made: Compiled, update: UpdateSpec) -> str:
    channels = {channel.id: channel.channel for channel in made.spec.sessions.channels}
    actions: list[dict[str, str]] = [
        {"type": "workspace", "action": c.action, "path": c.path, "source": f"updates/{update.id}"}
        for c in made.material.changes
        if c.update == update.id
    ]
    for gain in made.material.gains:
        if gain.update == update.id:
            action = {
                "type": "session",
                "action": gain.action,
                "path": f"{gain.session}.jsonl",
                "source": f"updates/{update.id}",
            }
            actions.append(action | ({"channel": channels[gain.session]} if gain.action == "new" else {}))
    return f"### {update.id}\n\n```json\n{json.dumps(actions, indent=2)}\n```"


def _sources(made: Compiled) -> str:
    notes = {update.id: made.canon.render(update.note or update.goal).text for update in made.spec.updates.updates}
    rows = [(c.path, c.update, "workspace", notes[c.update], "layer 1") for c in made.material.changes]
    rows += [(f"{g.session}.jsonl", g.update, "session", notes[g.update], "layer 2") for g in made.material.gains]
    return table(("Source file", "Update", "Type", "What it reveals", "Must match existing layer section"), rows)


def _checks(made: Compiled) -> str:
    fresh = [g.session for g in made.material.gains if g.action == "new"]
    known = {entry.id for entry in made.material.entries}
    same = all(g.session in known for g in made.material.gains)
    reversing = sorted({c.reversed_by for c in made.spec.truth.contradictions.values() if c.reversed_by})
    settled = ", ".join(reversing) or "none"
    return "\n".join(
        (
            f"- New session actions include a channel: {', '.join(fresh) or 'there are none'}.",
            f"- Initial and appended session filenames are consistent: {'yes' if same else 'no'}.",
            f"- Update-introduced facts directly support the intended reversal: {settled} (rule SPEC-038).",
        )
    )
