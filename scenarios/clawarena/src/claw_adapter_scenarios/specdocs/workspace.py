"""Template 4: the workspace specification, layer 1."""

from __future__ import annotations

from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.specdocs.common import document, round_at, table, tokens

__all__ = ["text"]

PURPOSE = {
    "AGENTS.md": "startup behaviour",
    "IDENTITY.md": "agent identity",
    "SOUL.md": "working principles: cautious attribution, evidence-first reasoning",
    "USER.md": "participants and channels",
    "TOOLS.md": "available tools and rules",
}


def text(made: Compiled) -> str:
    """The document."""
    return document(
        f"Workspace specification (layer 1): {made.id}",
        [
            ("Fixed Agent Files", _fixed(made)),
            ("Scenario-Specific Files", _files(made)),
            ("File Timing Summary", _timing(made)),
            ("Near-Signal Noise Design", _near(made)),
            ("Total Workspace Estimate", _total(made)),
        ],
    )


def _fixed(made: Compiled) -> str:
    rows = [(name, purpose, tokens(made.material.files[name])) for name, purpose in PURPOSE.items()]
    return table(("File", "Purpose", "Token estimate"), rows)


def _files(made: Compiled) -> str:
    carries = {
        made.canon.render(d.path).text: (d.kind, made.canon.render(d.carries).text)
        for d in made.spec.workspace.documents
    }
    for update in made.spec.updates.updates:
        carries |= {
            made.canon.render(d.path).text: (d.kind, made.canon.render(d.carries).text) for d in update.documents
        }
    rows: list[tuple[object, ...]] = []
    for path, body in made.material.files.items():
        if path in carries:
            rows.append((path, carries[path][0], "initial", carries[path][1], tokens(body)))
    for change in made.material.changes:
        kind, facts = carries.get(change.path, ("append", "see layer 4"))
        rows.append((change.path, kind, f"update {change.update} ({change.action})", facts, tokens(change.text)))
    return table(("File", "Type", "Initial or update", "Key facts carried", "Token estimate"), rows)


def _timing(made: Compiled) -> str:
    goals = {update.id: made.canon.render(update.goal).text for update in made.spec.updates.updates}
    rows = [
        (path, "start", "part of the first picture")
        for path, role in made.material.roles.items()
        if role != "agent" and path in made.material.files
    ]
    rows += [(c.path, round_at(made, made.starts[c.update]), goals[c.update]) for c in made.material.changes]
    return table(("File", "First visible round", "Why delayed or immediate"), rows)


def _near(made: Compiled) -> str:
    rows = [
        (made.canon.render(d.path).text, made.canon.render(d.why).text, "its claims are outranked or it has none")
        for d in made.spec.workspace.documents
        if d.role == "near_signal"
    ]
    return table(("Noise file", "Why it looks relevant", "Why it should not settle the core contradiction"), rows)


def _total(made: Compiled) -> str:
    first = sum(tokens(body) for body in made.material.files.values())
    added = sum(tokens(change.text) for change in made.material.changes)
    share = 100 * added / (first + added) if first + added else 0
    row = (first, added, f"{share:.0f} % of the workspace arrives with updates")
    return table(("Initial workspace tokens", "Update-added tokens", "Balance notes"), [row])
